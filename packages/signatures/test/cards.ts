/** Signed cards as documents, and changes of them. */
import { type AgentCard, AgentError, Protocol } from "@effect-a2a/core"
import { CardSignature, type Jwk, type KeySet } from "@effect-a2a/signatures"
import { Effect, Result } from "effect"
import { card, makeKey } from "./support.ts"

export type Document = Record<string, any>

/** The card of the specification's example (A2A 1.0.1 §8.4.1), complete. */
export const content: AgentCard.AgentCard = {
  name: "Example Agent",
  description: "",
  version: "",
  supportedInterfaces: [],
  capabilities: { streaming: false, pushNotifications: false },
  defaultInputModes: [],
  defaultOutputModes: [],
  skills: []
}

export const document = (card: AgentCard.AgentCard, protocol: Protocol.Protocol = Protocol.v1_0): Document =>
  JSON.parse(JSON.stringify(Result.getOrThrow(protocol.agentCard.encode(card))))

/** The name of the key, or what is wrong. */
export const problem = <E>(
  received: unknown,
  keys: Effect.Effect<KeySet.KeySet, E>,
  options: { readonly algorithms?: ReadonlyArray<Jwk.Algorithm>; readonly strict?: boolean } = {}
) =>
  Effect.flatMap(keys, (keys) => CardSignature.verify(received, { keys, ...options })).pipe(
    Effect.match({
      onSuccess: ({ kid }) => kid,
      onFailure: (error) => error instanceof AgentError.UntrustedCardError ? error.problem : error
    })
  )

export const signed = Effect.gen(function*() {
  const one = yield* makeKey("k1")
  return { ...one, received: document(yield* CardSignature.sign(card, { keys: [one.key] })) }
})

export const header = (one: { readonly protected: string }): Document =>
  JSON.parse(atob(one.protected.replace(/-/g, "+").replace(/_/g, "/")))

/** Members of the document in another order, at every level. */
export const reorder = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(reorder)
    : typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).toReversed().map(([name, member]) => [name, reorder(member)]))
    : value

type Path = ReadonlyArray<string>

/** The paths of all members without members. */
export const paths = (value: unknown, at: Path = []): ReadonlyArray<Path> =>
  typeof value === "object" && value !== null && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([name, member]) => paths(member, [...at, name]))
    : [at]

export const change = (value: any, [name, ...rest]: Path, to: (value: unknown) => unknown): any =>
  name === undefined
    ? to(value)
    : Array.isArray(value)
    ? value.map((item, index) => String(index) === name ? change(item, rest, to) : item)
    : { ...value, [name]: change(value[name], rest, to) }

/** Another value. */
export const other = (value: unknown): unknown =>
  typeof value === "string"
    ? `${value}x`
    : typeof value === "number"
    ? -value - 1
    : typeof value === "boolean"
    ? !value
    : "x"

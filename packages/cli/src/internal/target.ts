/** The agent that the command talks to: flags first, then the environment, else the embedded emulator. */
import type * as MemoryLake from "@effect-a2a/memorylake/MemoryLake"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { variable } from "./environment.ts"
import { UsageError } from "./exit.ts"
import { Output } from "./output.ts"
import * as Reader from "./reader.ts"
import type { root } from "./root.ts"

/** The values of the flags that all commands share. */
export type Flags = Effect.Success<typeof root>

/** The place of the agent. */
export type Place =
  | { readonly _tag: "Url"; readonly url: string }
  | { readonly _tag: "Card"; readonly url: string }
  | { readonly _tag: "Adk"; readonly url: string; readonly appName: string; readonly userId: string }
  | { readonly _tag: "MemoryLake"; readonly address: MemoryLake.Address }

/** The place of the agent, and how it is spoken to. */
export interface Target {
  readonly place: Place
  readonly isMemoryLake: boolean
  readonly reader: Reader.Reader
  /** Sent if the user gives no credentials. */
  readonly apiKey?: string | undefined
}

const toTarget = (place: Place, isMemoryLake: boolean, apiKey?: string): Target => ({
  place,
  isMemoryLake,
  reader: isMemoryLake ? Reader.memoryLake : Reader.generic,
  apiKey
})

const orVariable = (flag: Option.Option<string>, name: string): Effect.Effect<string | undefined> =>
  Option.match(flag, { onNone: () => variable(name), onSome: Effect.succeed })

const memoryLake = Effect.fnUntraced(function*(flags: Flags): Effect.fn.Return<Place | undefined, UsageError> {
  const workspaceId = yield* orVariable(flags.workspace, "MEMORYLAKE_WORKSPACE")
  const agentId = yield* orVariable(flags.agent, "MEMORYLAKE_AGENT")
  const host = yield* orVariable(flags.host, "MEMORYLAKE_HOST")
  if (workspaceId === undefined && agentId === undefined) return undefined
  if (workspaceId === undefined || agentId === undefined) {
    return yield* new UsageError({ message: "a MemoryLake agent requires both --workspace and --agent" })
  }
  return { _tag: "MemoryLake", address: { workspaceId, agentId, ...(host === undefined ? undefined : { host }) } }
})

/** ADK servers have neither the protocol versions nor the bindings of A2A. */
const adk = (flags: Flags): Effect.Effect<Place | undefined, UsageError> => {
  const { adk, app, binding, protocol, session, user } = flags
  if (Option.isNone(adk)) {
    return [app, user, session].some(Option.isSome)
      ? new UsageError({ message: "--app, --user and --session require --adk" })
      : Effect.undefined
  }
  if (Option.isNone(app) || Option.isNone(user)) {
    return new UsageError({ message: "--adk requires both --app and --user" })
  }
  if (Option.isSome(binding) || Option.isSome(protocol)) {
    return new UsageError({ message: "--adk cannot be combined with --protocol or --binding: ADK is another protocol" })
  }
  return Effect.succeed({ _tag: "Adk", url: adk.value, appName: app.value, userId: user.value })
}

/** Returns the agent of a URL in MemoryLake's form; its card and its feedback have URLs beside it. */
const addressOf = (url: string): MemoryLake.Address | undefined => {
  const [, host, workspaceId, agentId] =
    /^(https?:\/\/[^?#@]+)\/openapi\/memorylake\/api\/v3\/workspaces\/([^/?#]+)\/agents\/([^/?#]+)\/a2a\/?$/
      .exec(url) ?? []
  return host === undefined || workspaceId === undefined || agentId === undefined
    ? undefined
    : { host, workspaceId: decodeURIComponent(workspaceId), agentId: decodeURIComponent(agentId) }
}

/** Imports the emulator, which takes a noticeable part of the start-up time. */
export const loadEmulator = Effect.promise(() => import("./embedded.ts"))

const embedded = Effect.gen(function*() {
  const output = yield* Output
  const emulator = yield* loadEmulator
  const host = yield* emulator.start(0)
  yield* output.say(`a2a: no agent given: talking to the MemoryLake emulator, started in this process at ${host}`)
  return toTarget(
    { _tag: "MemoryLake", address: emulator.address(host) },
    true,
    emulator.apiKey
  )
})

/** Resolves the target. Fails with a `UsageError` if the flags contradict each other. */
export const resolve = Effect.fnUntraced(function*(
  flags: Flags
): Effect.fn.Return<Target, UsageError, Output | Scope.Scope> {
  const isNamed = Option.isSome(flags.workspace) || Option.isSome(flags.agent)
  if (
    [Option.isSome(flags.url), Option.isSome(flags.card), Option.isSome(flags.adk), isNamed].filter(Boolean).length > 1
  ) {
    return yield* new UsageError({ message: "give only one of --url, --card, --adk, and --workspace with --agent" })
  }
  const server = yield* adk(flags)
  if (server !== undefined) return toTarget(server, false)
  if (Option.isSome(flags.card)) return toTarget({ _tag: "Card", url: flags.card.value }, flags.memorylake)
  const url = isNamed ? undefined : yield* orVariable(flags.url, "A2A_URL")
  if (url !== undefined) {
    const address = flags.memorylake ? addressOf(url) : undefined
    return toTarget(address === undefined ? { _tag: "Url", url } : { _tag: "MemoryLake", address }, flags.memorylake)
  }
  const agent = yield* memoryLake(flags)
  return agent === undefined ? yield* embedded : toTarget(agent, true)
})

/** Responses of a peer in each combination: envelopes, event streams in chunks, and the ways a body can end. */
import type * as AgentError from "@effect-a2a/core/AgentError"
import type * as AgentTransport from "@effect-a2a/core/AgentTransport"
import * as Credentials from "@effect-a2a/core/Credentials"
import type * as HttpTransport from "@effect-a2a/core/HttpTransport"
import * as Message from "@effect-a2a/core/Message"
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { type Combination, combinations } from "../peers/combinations.ts"
import { type Asked, respond } from "./respond.ts"

export { type Asked, type Combination, combinations, respond }

export const combination = (name: string): Combination => combinations.find((one) => one.name === name)!

/** The combination in which everything above the dialects is tested; {@link others} have one smoke test each. */
export const rest: Combination = combination("1.0 HTTP+JSON")
export const others: ReadonlyArray<Combination> = combinations.filter((one) => one !== rest)

/** Runs the same program in each combination, and names the combination in which it fails. */
export const inEach = <E, R>(
  program: (combination: Combination) => Effect.Effect<void, E, R>,
  among: ReadonlyArray<Combination> = combinations
): Effect.Effect<void, E, R> =>
  Effect.forEach(
    among,
    (one) =>
      Effect.catchDefect(Effect.suspend(() => program(one)), (cause) =>
        Effect.die(new Error(`${one.name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause }))),
    { discard: true }
  )

/** 0.3 over JSON-RPC marks objects by `kind` and writes states in lower case. */
const hasKind = ({ name }: Combination) => name === "0.3 JSONRPC"

/** A state in the spelling of a combination. */
export const stateJson = (combination: Combination, state: string): string =>
  hasKind(combination) ? state : `TASK_STATE_${state.toUpperCase().replaceAll("-", "_")}`

/** A task in the spelling of a combination. */
export const taskJson = (combination: Combination, state: string, members: object = {}): object => ({
  ...(hasKind(combination) && { kind: "task" }),
  id: "t-1",
  contextId: "c-1",
  status: { state: stateJson(combination, state) },
  ...members
})

/** The result of a send, a task, in the spelling of a combination. */
export const sendJson = (combination: Combination, state: string): object =>
  hasKind(combination) ? taskJson(combination, state) : { task: taskJson(combination, state) }

const dialect = ({ binding, protocol }: Combination) =>
  binding === "JSONRPC" ? protocol.jsonRpc.dialect : protocol.rest.dialect

export const isRpc = ({ binding }: Combination) => binding === "JSONRPC"

const idOf = (asked: Asked): unknown => (JSON.parse(asked.body) as { readonly id: unknown }).id

/** A result, bare or in the envelope of the request. */
export const result = (combination: Combination, asked: Asked, json: unknown): string =>
  JSON.stringify(isRpc(combination) ? { jsonrpc: "2.0", id: idOf(asked), result: json } : json)

/** A JSON-RPC error to a request. */
export const rpcError = (asked: Asked, error: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", id: idOf(asked), error })

/** The refusal of a task that the peer does not know. */
export const notFound = (combination: Combination, asked: Asked): string =>
  isRpc(combination) ? rpcError(asked, { code: -32001, message: "gone" }) : JSON.stringify({
    error: {
      code: 404,
      status: "NOT_FOUND",
      message: "gone",
      details: [{
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: "TASK_NOT_FOUND",
        domain: "a2a-protocol.org"
      }]
    }
  })

/** An event in the dialect of a combination. */
export const event = (combination: Combination, asked: Asked, event: StreamEvent.StreamEvent): string =>
  result(combination, asked, Result.getOrThrow(dialect(combination).success.SendStreamingMessage!.encode(event)))

export const frame = (data: string): string => `data: ${data}\n\n`

export interface BodyOptions {
  /** The end of the body: regular (default), a lost connection, or none. */
  readonly end?: "close" | "reset" | "open"
  readonly type?: string
  readonly onCancel?: () => void
}

/** A body in the chunks given. */
export const chunks = (parts: ReadonlyArray<string | Uint8Array>, options: BodyOptions = {}): Response => {
  const left = parts.map((part) => typeof part === "string" ? new TextEncoder().encode(part) : part)
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const next = left.shift()
      if (next !== undefined) return controller.enqueue(next)
      if (options.end === "reset") return controller.error(new Error("ECONNRESET"))
      if (options.end !== "open") return controller.close()
      return new Promise(() => {})
    },
    cancel: () => options.onCancel?.()
  }, { highWaterMark: 0 })
  return new Response(body, { headers: { "content-type": options.type ?? "text/event-stream" } })
}

/** A transport to a peer that is a function, and the requests that the peer got. */
export const talkTo = (
  combination: Combination,
  answer: (asked: Asked) => Response,
  options: Partial<HttpTransport.Options> & { readonly credentials?: Layer.Layer<Credentials.Credentials> } = {}
): {
  readonly asked: Array<Asked>
  readonly layer: Layer.Layer<AgentTransport.AgentTransport, AgentError.AgentError>
} => {
  const { asked, layer } = respond(answer)
  const { credentials = Credentials.layerNone, ...rest } = options
  return {
    asked,
    layer: combination.client({ url: "https://agent.test/a2a", protocol: combination.protocol, ...rest }).pipe(
      Layer.provide([layer, credentials])
    )
  }
}

export const question = Effect.map(Message.user("hi"), (message) => ({ message }))

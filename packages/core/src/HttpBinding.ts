/**
 * Protocol bindings over HTTP (specification §5): three pure functions each, and one engine that runs them all.
 *
 * @since 0.1.0
 * @stability unstable
 */
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Operation from "./Operation.ts"
import type * as Protocol from "./Protocol.ts"

/** A request before it knows its host: `path` is appended to the interface's URL, `query` to its query. */
export interface Frame {
  readonly method: "GET" | "POST" | "DELETE"
  readonly path: string
  readonly query: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Schema.Json | undefined
}

export interface HttpBinding {
  /** `HTTP+JSON`, `JSONRPC`, or a URI. */
  readonly protocolBinding: string
  readonly dialect: (protocol: Protocol.Protocol) => Protocol.Dialect
  /** Media types of an answer that is no stream. */
  readonly accept: (protocol: Protocol.Protocol) => string
  /** The ways to ask, in order of preference; none where the edition lacks the operation. `id` is the request's. */
  readonly frame: (input: {
    readonly protocol: Protocol.Protocol
    readonly operation: Operation.Any
    readonly body: Schema.Json
    readonly id: string
  }) => ReadonlyArray<Frame>
  /** Takes the envelope off an answer, or off one event (`event` is its SSE type). */
  readonly unframe: (input: {
    readonly protocol: Protocol.Protocol
    readonly status: number
    readonly body: unknown
    readonly id: string
    readonly event?: string | undefined
  }) => Result.Result<unknown, Protocol.WireFailure>
}

/** The contract of a binding: {@link HttpBinding} is what the engine runs and what a binding package writes. */
import type * as Duration from "effect/Duration"
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Protocol from "../Dialect.ts"
import type * as Operation from "../Operation.ts"

/** A request before it knows its host: `path` is appended to the interface's URL, `query` to its query. */
export interface Frame {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE"
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

/**
 * Bounds on what a peer may send. Sizes are in characters: of one event (default 32 Mi), of an answer that is no stream
 * (default 64 Mi). `grace` is how long a stream waits for a last snapshot after its task has ended (default 200 ms).
 */
export interface Limits {
  readonly maxEventSize: number
  readonly maxResponseSize: number
  readonly grace: Duration.Duration
}

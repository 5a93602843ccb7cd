/**
 * The contract of a protocol binding over HTTP (A2A 1.0 §5): three pure functions that frame and unframe, which one
 * engine runs ({@link HttpTransport}).
 *
 * ```ts
 * import { HttpBinding } from "@effect-a2a/core"
 * import { Effect } from "effect"
 *
 * const small = Effect.updateService(HttpBinding.CurrentLimits, (limits) => ({ ...limits, maxEventSize: 1024 }))
 * const size = Effect.map(HttpBinding.CurrentLimits, (limits) => limits.maxEventSize)
 * await Effect.runPromise(small(size)) // => 1024
 * ```
 *
 * @since 0.1.0
 * @stability unstable
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as ClientProtocol from "./ClientProtocol.ts"
import type * as Dialect from "./Dialect.ts"
import type * as Operation from "./Operation.ts"

/** A request without its host: `path` and `query` are appended to those of the interface's URL. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE"
  readonly path: string
  readonly query: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Schema.Json | undefined
  /** The leading part of `path` that is left out if the interface's URL ends in it already. */
  readonly prefix?: string | undefined
}

/** A binding: how operations become HTTP requests, and results are read from HTTP responses. */
export interface HttpBinding {
  /** `HTTP+JSON`, `JSONRPC`, or a URI. */
  readonly protocolBinding: string
  /** Selects the dialect of a protocol version. */
  readonly dialect: (protocol: ClientProtocol.ClientProtocol) => Dialect.ClientDialect
  /** Returns the media types accepted for a response that is not a stream. */
  readonly accept: (protocol: ClientProtocol.ClientProtocol) => string
  /**
   * Returns the possible requests of an operation, in order of preference; none if the protocol version lacks it. `body`
   * is the encoded request of the operation, `id` identifies this call.
   */
  readonly toRequests: (input: {
    readonly protocol: ClientProtocol.ClientProtocol
    readonly operation: Operation.Any
    readonly body: Schema.Json
    readonly id: string
  }) => ReadonlyArray<HttpRequest>
  /** Takes the result out of a response body, or out of one event; `event` is its SSE type. */
  readonly fromResponse: (input: {
    readonly protocol: ClientProtocol.ClientProtocol
    readonly status: number
    readonly body: unknown
    readonly id: string
    readonly event?: string | undefined
  }) => Result.Result<unknown, Dialect.WireFailure>
}

/**
 * Limits on what a peer may send. `maxEventSize`: characters of one event (default 32 Mi). `maxResponseSize`: characters
 * of a response that is not a stream (default 64 Mi). `trailingSnapshotTimeout`: how long a stream waits for a last
 * snapshot after its task has ended (default 200 ms).
 */
export interface Limits {
  readonly maxEventSize: number
  readonly maxResponseSize: number
  readonly trailingSnapshotTimeout: Duration.Input
}

/** The limits of transports made within; read when a transport is made. */
export const CurrentLimits = Context.Reference<Limits>("@effect-a2a/core/HttpBinding/CurrentLimits", {
  defaultValue: () => ({
    maxEventSize: 32 * 1024 * 1024,
    maxResponseSize: 64 * 1024 * 1024,
    trailingSnapshotTimeout: Duration.millis(200)
  })
})

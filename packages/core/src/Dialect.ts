/**
 * A dialect: how one protocol version is written in one binding, as one codec per operation for requests and one for
 * results. Servers use a whole one, clients its calling half.
 *
 * ```ts
 * import { Dialect, Id, Protocol } from "@effect-a2a/core"
 * import { Result } from "effect"
 *
 * const rest: Dialect.Dialect = Protocol.v0_3.rest.dialect
 * const json = rest.request.GetTask!.encode({ id: Id.TaskId.make("t-1"), historyLength: 2 })
 * Result.getOrThrow(json) // => { id: "t-1", historyLength: 2 }
 * ```
 *
 * @since 0.1.0
 * @stability unstable
 */
import type * as Duration from "effect/Duration"
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as AgentError from "./AgentError.ts"
import type * as Operation from "./Operation.ts"

/** Writes canonical values as wire JSON. */
export interface Encoder<in A> {
  /** Writes strictly; fails with the members that the dialect cannot express. */
  readonly encode: (value: A) => Result.Result<Schema.Json, ReadonlyArray<AgentError.Violation>>
}

/** Reads canonical values from wire JSON. */
export interface Decoder<out A> {
  /** Reads leniently; fails with the members that cannot be read. */
  readonly decode: (json: unknown) => Result.Result<A, ReadonlyArray<AgentError.Violation>>
  /** Returns false for an event of a later protocol version, which a client skips. Absent: every event is known. */
  readonly isKnown?: (json: unknown) => boolean
  /** Returns the end mark of an event, if it has one. Absent: the dialect has no end mark. */
  readonly isFinal?: (json: unknown) => boolean | undefined
}

/** Converts wire JSON to canonical values and back: writes strictly, reads leniently. A failure names the members. */
export interface Codec<in out A> extends Encoder<A>, Decoder<A> {}

/** The calling half of a dialect: it writes requests and reads results (one event, for a stream). */
export interface ClientDialect {
  /** A name for error messages, such as `A2A 0.3 REST`. */
  readonly name: string
  /** Encoders of requests, by operation. Absent: the dialect lacks the operation. */
  readonly request: { readonly [K in Operation.Tag]?: Encoder<Operation.Request<Operation.All[K]>> }
  /** Decoders of results, by operation. */
  readonly success: { readonly [K in Operation.Tag]?: Decoder<Operation.Success<Operation.All[K]>> }
}

/** A whole dialect: one codec per operation for its request and one for its result. */
export interface Dialect extends ClientDialect {
  readonly request: { readonly [K in Operation.Tag]?: Codec<Operation.Request<Operation.All[K]>> }
  readonly success: { readonly [K in Operation.Tag]?: Codec<Operation.Success<Operation.All[K]>> }
}

/**
 * The route of an operation over REST. Request members written as `{name}` go into the path, those listed in `query` into
 * the query, all others into the body. `body: "none"`: there are no others.
 */
export interface Route {
  readonly method: "GET" | "POST" | "DELETE"
  /** Begins below the interface's URL and the version's prefix. */
  readonly path: `/${string}`
  /** The members in the query, with their types. */
  readonly query?: { readonly [name: string]: "string" | "integer" | "boolean" }
  readonly body?: "none"
}

/** An error as it appears on the wire, in either direction. */
export interface WireFailure {
  /** A text for people. */
  readonly message: string
  /** True for a response that cannot be read, as opposed to a refusal. */
  readonly isMalformed?: boolean | undefined
  /** HTTP status. */
  readonly status?: number | undefined
  /** JSON-RPC code. */
  readonly code?: number | undefined
  /** The error word, such as `TASK_NOT_FOUND`; takes precedence over `code` and `status`. */
  readonly reason?: string | undefined
  /** The time that the peer asks to wait. */
  readonly retryAfter?: Duration.Duration | undefined
  /** The `WWW-Authenticate` header of a response with 401 or 403. */
  readonly challenge?: string | undefined
  /** The `Allow` header of a response with 405. */
  readonly allow?: string | undefined
  /** The members of the request that are invalid. */
  readonly violations?: ReadonlyArray<AgentError.Violation> | undefined
  /** The protocol versions that the server supports, if it refused one. */
  readonly supportedVersions?: ReadonlyArray<string> | undefined
  /** The whole error document, unchanged. */
  readonly details?: Schema.Json | undefined
}

/** The response to a refused JSON-RPC request: an `error` member, or a whole HTTP response. */
export type WireRefusal =
  | { readonly _tag: "Error"; readonly status: number; readonly error: Schema.Json }
  | { readonly _tag: "Response"; readonly status: number; readonly body: Schema.Json }

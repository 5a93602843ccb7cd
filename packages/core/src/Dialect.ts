/** The contract of an edition: what the engine and the bindings read, and what an edition's folder provides. */
import type * as Arr from "effect/Array"
import type * as Duration from "effect/Duration"
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as AgentCard from "./AgentCard.ts"
import type * as AgentError from "./AgentError.ts"
import type * as Operation from "./Operation.ts"
import type { Recognizer } from "./Recognizer.ts"

/** Wire JSON to canonical value and back. Encoding is strict, decoding is kind; a failure names the members. */
export interface Codec<A> {
  readonly encode: (value: A) => Result.Result<Schema.Json, ReadonlyArray<AgentError.Violation>>
  readonly decode: (json: unknown) => Result.Result<A, ReadonlyArray<AgentError.Violation>>
  /** False for an event of a later version, which a client passes over. Absent: there is no such thing. */
  readonly isKnown?: (json: unknown) => boolean
}

/** A JSON vocabulary: one codec per operation for what is asked, one for what is answered (an event, for streams). */
export interface Dialect {
  readonly name: string
  readonly request: { readonly [K in Operation.Tag]?: Codec<Operation.Request<Operation.All[K]>> }
  readonly success: { readonly [K in Operation.Tag]?: Codec<Operation.Success<Operation.All[K]>> }
}

/**
 * Where an operation lives over REST. Members of the request that occur as `{name}` go into the path, those listed in
 * `query` into the query, the rest into the body; `body: "none"` where nothing may be left.
 */
export interface Route {
  readonly method: "GET" | "POST" | "DELETE"
  readonly path: `/${string}`
  readonly query?: { readonly [name: string]: "string" | "integer" | "boolean" }
  readonly body?: "none"
}

/** A refusal as the wire tells it, before it becomes a reason; and the other way round. */
export interface WireFailure {
  readonly message: string
  /** Not a refusal after all, but an answer that cannot be read. */
  readonly isMalformed?: boolean | undefined
  /** HTTP status. */
  readonly status?: number | undefined
  /** JSON-RPC code. */
  readonly code?: number | undefined
  /** `TASK_NOT_FOUND` and the like: decides, where present. */
  readonly reason?: string | undefined
  readonly retryAfter?: Duration.Duration | undefined
  /** The `WWW-Authenticate` header of a 401. */
  readonly challenge?: string | undefined
  readonly violations?: ReadonlyArray<AgentError.Violation> | undefined
  /** Of a refused version, those that are spoken. */
  readonly supportedVersions?: ReadonlyArray<string> | undefined
  /** All that was said, as it was said. */
  readonly details?: Schema.Json | undefined
}

/** What a server answers a refusal with: a JSON-RPC `error` member, or an HTTP answer of its own. */
export type WireRefusal =
  | { readonly _tag: "Error"; readonly status: number; readonly error: Schema.Json }
  | { readonly _tag: "Response"; readonly status: number; readonly body: Schema.Json }

export interface Protocol<out Version extends string = string> {
  readonly version: Version
  /** Whether a request must name its version; an absent name means 0.3 (specification §3.6). */
  readonly versionRequired: boolean
  /** The header that lists extensions. */
  readonly extensionsHeader: string
  readonly agentCard: Codec<AgentCard.AgentCard>
  /** Read the meaning of parts that this peer writes beside them. Default: none. */
  readonly recognizers: ReadonlyArray<Recognizer>
  readonly rest: {
    readonly dialect: Dialect
    /** In order of preference; a client tries the next where a peer answers 404 or 405 without saying more. */
    readonly routes: { readonly [K in Operation.Tag]?: Arr.NonEmptyReadonlyArray<Route> }
    /** The segment all routes begin with; not repeated where the interface's URL already ends in it. */
    readonly prefix?: string
    /** Whether a tenant is one leading path segment (specification §11.3); otherwise it stays in the request. */
    readonly tenantSegment?: boolean
    /** Of answers; a client accepts `application/json` besides. */
    readonly contentType: string
    readonly failure: {
      /** `undefined`: not a refusal. Called for any status of 400 and more, and for events. */
      readonly decode: (body: unknown) => WireFailure | undefined
      readonly encode: (failure: WireFailure) => { readonly status: number; readonly body: Schema.Json }
    }
  }
  readonly jsonRpc: {
    readonly dialect: Dialect
    readonly methods: { readonly [K in Operation.Tag]?: string }
    readonly failure: {
      /** The `error` member. */
      readonly decode: (error: unknown) => WireFailure
      readonly encode: (failure: WireFailure) => WireRefusal
    }
  }
}

/**
 * Protocol versions, as values: codecs, routes, method names and error tables that the bindings read. Another protocol
 * version is another value; a vendor's deviations are a patch of one.
 *
 * ```ts
 * import { Protocol } from "@effect-a2a/core"
 *
 * const headerless = Protocol.override(Protocol.v1_0, { versionRequired: false })
 * headerless.version // => "1.0"
 * Protocol.v0_3.jsonRpc.methods.ListTasks // => undefined
 * ```
 *
 * @since 0.1.0
 * @stability unstable
 */
import type * as Arr from "effect/Array"
import { dual } from "effect/Function"
import type * as Schema from "effect/Schema"
import type * as AgentCard from "./AgentCard.ts"
import type { Codec, Dialect, Route, WireFailure, WireRefusal } from "./Dialect.ts"
import * as version0_3 from "./internal/protocol/v0_3/version.ts"
import * as version1_0 from "./internal/protocol/v1_0/version.ts"
import type * as Operation from "./Operation.ts"
import type { Recognizer } from "./Recognizer.ts"

export type {
  /** Converts wire JSON to canonical values and back. */
  Codec,
  /** The codecs of one protocol version in one binding. */
  Dialect,
  /** The route of an operation over REST. */
  Route,
  /** An error as it appears on the wire. */
  WireFailure,
  /** The response to a refused JSON-RPC request. */
  WireRefusal
} from "./Dialect.ts"

/** A protocol version: everything that a binding needs to read and write it. */
export interface Protocol<out Version extends string = string> {
  /** The number of the version, such as `1.0`. */
  readonly version: Version
  /** True if a request must name its version; without a name it is a request of 0.3 (A2A 1.0 §3.6). */
  readonly versionRequired: boolean
  /** The name of the header that lists extensions. */
  readonly extensionsHeader: string
  /** The codec of agent cards. */
  readonly agentCard: Codec<AgentCard.AgentCard>
  /** Read the meaning of parts that this peer writes beside them. Default: none. */
  readonly recognizers: ReadonlyArray<Recognizer>
  /** Errors of whatever stands before an agent: gateways, proxies, the REST binding itself. */
  readonly http: {
    readonly failure: {
      /** Returns `undefined` if the document is not an error. Called for every status of 400 or above, and for events. */
      readonly decode: (body: unknown) => WireFailure | undefined
      readonly encode: (failure: WireFailure) => { readonly status: number; readonly body: Schema.Json }
    }
  }
  /** The REST binding. */
  readonly rest: {
    readonly dialect: Dialect
    /** In order of preference. A client tries the next one if a peer responds with a bare 404 or 405. */
    readonly routes: { readonly [K in Operation.Tag]?: Arr.NonEmptyReadonlyArray<Route> }
    /** The segment that begins every route; it is not repeated if the interface's URL already ends in it. */
    readonly prefix?: string
    /** True if a tenant is a leading path segment (A2A 1.0 §11.3); otherwise it is a member of the request. */
    readonly tenantSegment?: boolean
    /** The media type of responses; a client accepts `application/json` too. */
    readonly contentType: string
  }
  /** The JSON-RPC binding. */
  readonly jsonRpc: {
    readonly dialect: Dialect
    /** Method names by operation. Absent: the version lacks the operation. */
    readonly methods: { readonly [K in Operation.Tag]?: string }
    readonly failure: {
      /** Reads the `error` member. */
      readonly decode: (error: unknown) => WireFailure
      readonly encode: (failure: WireFailure) => WireRefusal
    }
  }
}

/**
 * Replaces members of a protocol version, except its number: a vendor's deviations are written this way.
 */
export const override: {
  (patch: Partial<Omit<Protocol, "version">>): <V extends string>(self: Protocol<V>) => Protocol<V>
  <V extends string>(self: Protocol<V>, patch: Partial<Omit<Protocol, "version">>): Protocol<V>
} = /*#__PURE__*/ dual(
  2,
  <V extends string>(self: Protocol<V>, patch: Partial<Omit<Protocol, "version">>): Protocol<V> => ({
    ...self,
    ...patch
  })
)

/** Protocol 1.0, with one dialect in both bindings. */
export const v1_0: Protocol<"1.0"> = version1_0.v1_0

/** Protocol 0.3: proto-JSON below `/v1` over REST, objects with a `kind` over JSON-RPC; without tenants. */
export const v0_3: Protocol<"0.3"> = version0_3.v0_3

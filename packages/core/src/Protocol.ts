/**
 * Protocol versions, as values: codecs, routes, method names and error tables that the bindings read, for servers and
 * clients. Another protocol version is another value; a vendor's deviations are a patch of one.
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
import { dual } from "effect/Function"
import type * as Schema from "effect/Schema"
import type * as AgentCard from "./AgentCard.ts"
import type * as ClientProtocol from "./ClientProtocol.ts"
import type { Codec, Dialect, WireFailure, WireRefusal } from "./Dialect.ts"
import * as version0_3 from "./internal/protocol/v0_3/version.ts"
import * as version1_0 from "./internal/protocol/v1_0/version.ts"

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

/** Reads and writes errors of whatever stands before an agent: gateways, proxies, the REST binding itself. */
export interface FailureCodec extends ClientProtocol.FailureDecoder {
  /** Writes a refusal as an HTTP response. */
  readonly encode: (failure: WireFailure) => { readonly status: number; readonly body: Schema.Json }
}

/** Reads and writes the `error` member of a JSON-RPC response. */
export interface ErrorCodec extends ClientProtocol.ErrorDecoder {
  /** Writes a refusal as the member, or as a whole HTTP response. */
  readonly encode: (failure: WireFailure) => WireRefusal
}

/** A protocol version in the REST binding, for servers too. */
export interface Rest extends ClientProtocol.Rest {
  readonly dialect: Dialect
}

/** A protocol version in the JSON-RPC binding, for servers too. */
export interface JsonRpc extends ClientProtocol.JsonRpc {
  readonly dialect: Dialect
  readonly failure: ErrorCodec
}

/** A protocol version: everything that a binding needs to read and write it, on both sides. */
export interface Protocol<out Version extends string = string> extends ClientProtocol.ClientProtocol<Version> {
  /** True if a request must name its version; without a name it is a request of 0.3 (A2A 1.0 §3.6). */
  readonly versionRequired: boolean
  /** The codec of agent cards. */
  readonly agentCard: Codec<AgentCard.AgentCard>
  readonly http: { readonly failure: FailureCodec }
  readonly rest: Rest
  readonly jsonRpc: JsonRpc
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

/** Protocol 1.0 as release 1.0.1 of the specification writes it, with one dialect in both bindings. */
export const v1_0: Protocol<"1.0"> = version1_0.v1_0

/**
 * Protocol 1.0 as release 1.0.0 writes it, for servers whose clients go by it: `application/json` over REST, and the
 * statuses of its table, such as 409 for a task that cannot be canceled and 415 for a content type that is not supported
 * (A2A 1.0.0 §5.4, §11.1). Clients negotiate `1.0` for both, so serve one of them; both are read alike.
 */
export const v1_0_0: Protocol<"1.0"> = version1_0.v1_0_0

/** Protocol 0.3: proto-JSON below `/v1` over REST, objects with a `kind` over JSON-RPC; without tenants. */
export const v0_3: Protocol<"0.3"> = version0_3.v0_3

/**
 * Protocol editions, as values. An edition is codecs, routes, method names and error tables: data that bindings read.
 * Another edition is another value; a vendor's deviations are a patch of one.
 *
 * ```ts
 * import { Protocol } from "@effect-a2a/core"
 *
 * const headerless = Protocol.override(() => ({ versionRequired: false }))(Protocol.v1_0)
 * headerless.version // => "1.0"
 * Protocol.v0_3.jsonRpc.methods.ListTasks // => undefined
 * ```
 *
 * @since 0.1.0
 * @stability unstable
 */
import type { Codec, Dialect, Protocol, Route, WireFailure, WireRefusal } from "./Dialect.ts"
import * as edition0_3 from "./internal/protocol/v0_3/version.ts"
import * as edition1_0 from "./internal/protocol/v1_0/version.ts"

export type { Codec, Dialect, Protocol, Route, WireFailure, WireRefusal }

/**
 * An edition with some members replaced: how a vendor's deviations are written down.
 */
export const override =
  (patch: (self: Protocol) => Partial<Protocol>) => <V extends string>(self: Protocol<V>): Protocol<V> => ({
    ...self,
    ...patch(self),
    version: self.version
  })

/** Protocol 1.0: one vocabulary over both bindings. */
export const v1_0: Protocol<"1.0"> = edition1_0.v1_0

/** Protocol 0.3: proto-JSON below `/v1` over REST, objects with a `kind` over JSON-RPC. It has no tenants. */
export const v0_3: Protocol<"0.3"> = edition0_3.v0_3

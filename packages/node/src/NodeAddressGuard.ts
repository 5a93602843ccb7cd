/**
 * Resolves host names for `AddressGuard`: it asks the system's resolver, as connections do.
 *
 * ```ts
 * import { AddressGuard } from "@effect-a2a/core"
 * import { NodeAddressGuard } from "@effect-a2a/node"
 * import { Effect } from "effect"
 *
 * const addresses = Effect.flatMap(AddressGuard.CurrentResolver, (resolve) => resolve("localhost"))
 * const found = await Effect.runPromise(Effect.provide(addresses, NodeAddressGuard.layerResolver))
 * found.some((address) => address === "127.0.0.1" || address === "::1") // => true
 * ```
 *
 * @since 0.1.0
 */
import * as AddressGuard from "@effect-a2a/core/AddressGuard"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { lookup } from "node:dns"

/**
 * Provides the system's resolver to `Discovery.layer` and `AddressGuard.layer`. A name that cannot be resolved has no
 * addresses.
 */
export const layerResolver: Layer.Layer<never> = Layer.succeed(
  AddressGuard.CurrentResolver,
  (host) =>
    Effect.callback((resume) =>
      lookup(host, { all: true }, (_, addresses) =>
        resume(Effect.succeed(
          addresses?.map(({ address }) => address) ?? []
        )))
    )
)

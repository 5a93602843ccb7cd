import { AddressGuard } from "@effect-a2a/core"
import { NodeAddressGuard } from "@effect-a2a/node"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hostname } from "node:os"

describe("NodeAddressGuard", () => {
  it.live("refuses a name that the system resolves to this machine", () =>
    Effect.gen(function*() {
      yield* AddressGuard.check("http://nobody.invalid/")
      const resolve = yield* AddressGuard.CurrentResolver
      const local = yield* resolve("localhost")
      assert.isTrue(local.length > 0 && local.every((address) => /^127\.|^::1$/.test(address)), local.join())
      const addresses = yield* resolve(hostname())
      // a machine whose own name resolves to a public address has nothing to refuse
      const isPrivate = addresses.some((address) => /^(127|10|172|192\.168)\.|^::1$|^f[cde]/.test(address))
      const result = yield* Effect.result(AddressGuard.check(`http://${hostname()}/`))
      assert.strictEqual(result._tag, isPrivate ? "Failure" : "Success")
    }).pipe(Effect.provide(NodeAddressGuard.layerResolver)))
})

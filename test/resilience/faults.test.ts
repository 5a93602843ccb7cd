import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { covers } from "../support/covers.ts"
import { combinations } from "../support/peer.ts"
import { runSequences } from "./faults/sequences.ts"
import { overSockets } from "./faults/sockets.ts"
import { overWire } from "./faults/wire.ts"

it.live(
  "200 streams through faults equal the undisturbed ones or end in typed errors, and nothing is left open",
  () =>
    Effect.gen(function*() {
      const { faults: { duplicate, ...faults }, resumed, undisturbed, wrong } = yield* overWire({
        streams: 200,
        seed: 20_260_101
      })
      assert.deepStrictEqual(wrong, [])
      assert.isAbove(undisturbed, 100)
      assert.isAbove(resumed, 10)
      assert.strictEqual(duplicate, 0)
      assert.isTrue(Object.values(faults).every((n) => n > 0), JSON.stringify(faults))
    }),
  covers("ML-28", "field:RES-01", "field:RES-04")
)

it.live("streams over sockets through a proxy with faults do the same", () =>
  Effect.gen(function*() {
    const { faults, resumed, undisturbed, wrong } = yield* overSockets({ streams: 36, seed: 20_260_101 })
    assert.deepStrictEqual(wrong, [])
    assert.isAbove(undisturbed, 18)
    assert.isAbove(resumed, 0)
    assert.isAbove(faults.reset! + faults.end! + faults.stall!, 0)
  }))

for (const combination of combinations) {
  it.live(`300 random sequences are read alike, cut or not, over ${combination.name}`, () =>
    Effect.gen(function*() {
      const { kinds, wrong } = yield* runSequences(combination, { sequences: 300, seed: 20_261_201 })
      assert.deepStrictEqual(wrong, [])
      assert.isTrue(Object.values(kinds).every((n) => n > 30), JSON.stringify(kinds))
    }), covers("field:N2-01", "field:N2-02", "field:N2-05", "field:N2-06", "field:N2-08"))
}

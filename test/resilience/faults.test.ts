import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { overSockets } from "./faults/sockets.ts"
import { overWire } from "./faults/wire.ts"

it.live("ML-28 RES-01 RES-04: 200 streams through faults are as undisturbed, or end in typed errors; nothing is left", () =>
  Effect.gen(function*() {
    const { faults, resumed, undisturbed, wrong } = yield* overWire({ streams: 200, seed: 20_260_101 })
    assert.deepStrictEqual(wrong, [])
    assert.isAbove(undisturbed, 100)
    assert.isAbove(resumed, 10)
    assert.isTrue(Object.values(faults).every((n) => n > 0), JSON.stringify(faults))
  }))

it.live("the same over sockets, through a proxy that cuts", () =>
  Effect.gen(function*() {
    const { faults, resumed, undisturbed, wrong } = yield* overSockets({ streams: 36, seed: 20_260_101 })
    assert.deepStrictEqual(wrong, [])
    assert.isAbove(undisturbed, 18)
    assert.isAbove(resumed, 0)
    assert.isAbove(faults.reset! + faults.end! + faults.stall!, 0)
  }))

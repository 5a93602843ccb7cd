import * as KeyedLock from "@effect-a2a/core/KeyedLock"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

describe("KeyedLock", () => {
  it.effect("runs effects under the same key one at a time, in order of arrival", () =>
    Effect.gen(function*() {
      const lock = yield* KeyedLock.make<string>()
      const log: Array<string> = []
      const step = (name: string) =>
        Effect.gen(function*() {
          log.push(`+${name}`)
          yield* Effect.yieldNow
          log.push(`-${name}`)
        }).pipe(lock.withLock("k"))
      yield* Effect.all(["a", "b", "c"].map(step), { concurrency: "unbounded" })
      assert.deepStrictEqual(log, ["+a", "-a", "+b", "-b", "+c", "-c"])
    }))

  it.effect("lets another key run while one is held", () =>
    Effect.gen(function*() {
      const lock = KeyedLock.makeUnsafe<string>()
      const other = yield* Effect.succeed("ran").pipe(lock.withLock("b"), lock.withLock("a"))
      assert.strictEqual(other, "ran")
    }))

  it.effect("gives a key on when who waits for it is interrupted and when who holds it fails", () =>
    Effect.gen(function*() {
      const lock = KeyedLock.makeUnsafe<string>()
      const gate = yield* Deferred.make<void, string>()
      const holder = yield* Effect.forkChild(Effect.exit(Deferred.await(gate).pipe(lock.withLock("k"))), {
        startImmediately: true
      })
      const waiting = yield* Effect.forkChild(Effect.never.pipe(lock.withLock("k")), { startImmediately: true })
      const last = yield* Effect.forkChild(Effect.succeed("mine").pipe(lock.withLock("k")), { startImmediately: true })
      yield* Fiber.interrupt(waiting)
      yield* Deferred.fail(gate, "failed")
      yield* Fiber.join(holder)
      assert.strictEqual(yield* Fiber.join(last), "mine")
    }))
})

/** When the state of a conversation is saved. */
import { type ConversationState, empty } from "@effect-a2a/core/ConversationState"
import * as Id from "@effect-a2a/core/Id"
import * as Part from "@effect-a2a/core/Part"
import type * as Task from "@effect-a2a/core/Task"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as TestClock from "effect/testing/TestClock"
import { autosave } from "../src/internal/conversation/autosave.ts"

const working: Task.Task = { _tag: "Task", id: Id.TaskId.make("t"), status: { state: "working" } }

/** A task that has produced `length` chunks. */
const grow = (length: number): ConversationState => ({
  ...empty,
  pending: {
    ...working,
    artifacts: [{ artifactId: Id.ArtifactId.make("a"), parts: Array.from({ length }, () => Part.text(".")) }]
  }
})

const lengthOf = ({ pending }: ConversationState) => pending?.artifacts?.[0]?.parts.length

/** A conversation whose state the test changes, and what was saved of it. */
const world = Effect.gen(function*() {
  const ref = yield* SubscriptionRef.make<ConversationState>(empty)
  const saved: Array<ConversationState> = []
  let isFull = false
  const save = (state: ConversationState) =>
    Effect.suspend(() => isFull ? Effect.fail("the store is full") : Effect.sync(() => void saved.push(state)))
  const scope = yield* Scope.make()
  const conversation = { state: SubscriptionRef.get(ref), changes: SubscriptionRef.changes(ref) }
  const { flush } = yield* Scope.provide(autosave(conversation, save, "1 second"), scope)
  const set = (state: ConversationState) => Effect.andThen(SubscriptionRef.set(ref, state), TestClock.adjust(1))
  return { saved, set, flush, close: Scope.close(scope, Exit.void), fill: (full: boolean) => void (isFull = full) }
})

describe("autosave", () => {
  it.effect("saves nothing as long as nothing changes", () =>
    Effect.gen(function*() {
      const { close, flush, saved } = yield* world
      yield* TestClock.adjust("1 minute")
      yield* flush
      yield* close
      assert.deepStrictEqual(saved, [])
    }))

  it.effect("saves at once if the conversation moves on, and each second while its task makes progress", () =>
    Effect.gen(function*() {
      const { close, saved, set } = yield* world
      yield* set(grow(0))
      assert.strictEqual(saved.length, 1)
      for (let n = 1; n <= 250; n++) {
        yield* set(grow(n))
        yield* TestClock.adjust(9)
      }
      assert.isAtLeast(saved.length, 3)
      assert.isAtMost(saved.length, 4)
      yield* set({ ...grow(250), contextId: Id.ContextId.make("c") })
      assert.strictEqual(saved.at(-1)!.contextId, "c")
      const { length } = saved
      yield* TestClock.adjust("1 minute")
      yield* close
      assert.strictEqual(saved.length, length)
    }))

  it.effect("saves what is new on request and when the scope closes", () =>
    Effect.gen(function*() {
      const { close, flush, saved, set } = yield* world
      yield* set(grow(0))
      yield* set(grow(1))
      assert.strictEqual(lengthOf(saved.at(-1)!), 0)
      yield* flush
      assert.strictEqual(lengthOf(saved.at(-1)!), 1)
      yield* set(grow(2))
      yield* close
      assert.strictEqual(lengthOf(saved.at(-1)!), 2)
      yield* set(empty)
      assert.strictEqual(lengthOf(saved.at(-1)!), 2)
    }))

  it.effect("makes up for a save that failed", () =>
    Effect.gen(function*() {
      const { close, fill, flush, saved, set } = yield* world
      fill(true)
      yield* set(grow(0))
      assert.strictEqual(yield* Effect.flip(flush), "the store is full")
      assert.deepStrictEqual(saved, [])
      fill(false)
      yield* close
      assert.strictEqual(saved.length, 1)
    }))
})

import * as Id from "@effect-a2a/core/Id"
import type * as Task from "@effect-a2a/core/Task"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Rooms from "../src/internal/conversation/contexts.ts"

const contextId = (n: number) => Id.ContextId.make(`c-${n}`)
const task = (state: Task.TaskStatus["state"]): Task.Task => ({
  _tag: "Task",
  id: Id.TaskId.make("t"),
  status: { state }
})
const leaving = (rooms: Rooms.Rooms, n: number, state: Task.TaskStatus["state"]) =>
  Effect.scoped(Effect.map(Rooms.enter(rooms, contextId(n)), (room) => Rooms.put(room, task(state))))

describe("what conversations leave behind", () => {
  it.effect("is kept as long as there is something to do, and then takes no room", () =>
    Effect.gen(function*() {
      const rooms = Rooms.of({})
      yield* leaving(rooms, 1, "working")
      yield* leaving(rooms, 2, "completed")
      assert.deepStrictEqual([...rooms.keys()], [contextId(1)])
      yield* leaving(rooms, 1, "canceled")
      assert.strictEqual(rooms.size, 0)
    }))

  it.effect("is bounded: what was left longest ago is forgotten, what is in use is not", () =>
    Effect.gen(function*() {
      const rooms = Rooms.of({})
      yield* leaving(rooms, 0, "working")
      yield* Effect.scoped(Effect.gen(function*() {
        yield* Rooms.enter(rooms, contextId(0))
        for (let n = 1; n <= 10_002; n++) yield* leaving(rooms, n, "working")
      }))
      assert.isAtMost(rooms.size, 10_000)
      assert.isTrue(rooms.has(contextId(0)))
      assert.isFalse(rooms.has(contextId(1)))
    }))
})

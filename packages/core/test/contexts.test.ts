import * as Id from "@effect-a2a/core/Id"
import type * as Task from "@effect-a2a/core/Task"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Slot from "../src/internal/client/slot.ts"
import * as Contexts from "../src/internal/conversation/contexts.ts"

const contextId = (n: number) => Id.ContextId.make(`c-${n}`)
const working: Task.Task = { _tag: "Task", id: Id.TaskId.make("t"), status: { state: "working" } }
const leave = (contexts: Contexts.Contexts, n: number, pending?: Task.Task) =>
  Effect.scoped(Effect.map(Contexts.acquire(contexts, contextId(n)), (context) => {
    context.shared = { ...(pending && { pending }) }
  }))

describe("contexts of an agent", () => {
  it.effect("are remembered as long as a task is left in them, and then take no memory", () =>
    Effect.gen(function*() {
      const contexts = Contexts.make()
      yield* leave(contexts, 1, working)
      yield* leave(contexts, 2)
      assert.deepStrictEqual([...contexts.states.keys()], [contextId(1)])
      yield* leave(contexts, 1)
      assert.strictEqual(contexts.states.size, 0)
    }))

  it.effect("are bounded: the oldest are forgotten first, those in use are kept", () =>
    Effect.gen(function*() {
      const contexts = Contexts.make()
      yield* leave(contexts, 0, working)
      yield* Effect.scoped(Effect.gen(function*() {
        yield* Contexts.acquire(contexts, contextId(0))
        for (let n = 1; n <= 10_002; n++) yield* leave(contexts, n, working)
      }))
      assert.isAtMost(contexts.states.size, 10_000)
      assert.isTrue(contexts.states.has(contextId(0)))
      assert.isFalse(contexts.states.has(contextId(1)))
    }))

  it.effect("are held by the turn that joins a new one, until its scope closes", () =>
    Effect.gen(function*() {
      const contexts = Contexts.make()
      const enter = Effect.scoped(Effect.asVoid(Contexts.acquire(contexts, contextId(1))))
      const waiting = yield* Effect.scoped(Effect.gen(function*() {
        yield* Contexts.join(contexts, contextId(1))
        const waiting = yield* Effect.forkDetach(enter, { startImmediately: true })
        assert.isUndefined(waiting.pollUnsafe())
        return waiting
      }))
      yield* Fiber.join(waiting)
    }))

  it("belong to the agent value, and to copies of it", () => {
    const agent = Slot.attach({ name: "agent" })
    assert.strictEqual(Contexts.of(agent), Contexts.of(agent))
    assert.strictEqual(Contexts.of({ ...agent, name: "decorated" }), Contexts.of(agent))
    assert.notStrictEqual(Contexts.of(Slot.attach({ name: "agent" })), Contexts.of(agent))
  })
})

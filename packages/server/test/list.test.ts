import type { TaskState } from "@effect-a2a/core"
import { Message, Operation } from "@effect-a2a/core"
import { Reply } from "@effect-a2a/server"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import { covers } from "../../../test/support/covers.ts"
import { call, contextId, reasonOf, sendTask, serve } from "./support.ts"

const list = (request: Operation.ListTasksRequest = {}) => call(Operation.ListTasks, request)

/** Sets the state that the message names. */
const agent = serve((turn) =>
  Stream.make(`said ${Message.text(turn.message)}`, Reply.status(Message.text(turn.message) as TaskState.TaskState))
)

describe("ListTasks", () => {
  it.effect("returns all four members from an empty store", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* list(), { tasks: [], nextPageToken: "", pageSize: 50, totalSize: 0 })
    }).pipe(Effect.provide(agent)), covers("field:LST-02"))

  it.effect("sorts by status, newest first, and includes artifacts on request", () =>
    Effect.gen(function*() {
      const old = yield* sendTask("input-required")
      yield* TestClock.adjust("1 second")
      const other = yield* sendTask("completed")
      assert.deepStrictEqual((yield* list()).tasks.map((task) => task.id), [other.id, old.id])
      yield* TestClock.adjust("1 second")
      yield* sendTask("completed", { taskId: old.id })
      const { tasks } = yield* list()
      assert.deepStrictEqual(tasks.map((task) => task.id), [old.id, other.id])
      assert.isTrue(tasks.every((task) => !("artifacts" in task)))
      const full = yield* list({ includeArtifacts: true })
      assert.deepStrictEqual(full.tasks.map((task) => task.artifacts?.length), [2, 1])
    }).pipe(Effect.provide(agent)))

  it.effect("filters by context, state and inclusive time, alone and together", () =>
    Effect.gen(function*() {
      const one = yield* sendTask("completed", { contextId: contextId("a") })
      yield* TestClock.adjust("1 second")
      const two = yield* sendTask("failed", { contextId: contextId("a") })
      const three = yield* sendTask("completed", { contextId: contextId("b") })
      const ids = (request: Operation.ListTasksRequest) =>
        Effect.map(list(request), (page) => [page.tasks.map((task) => task.id).sort(), page.totalSize])
      const since = DateTime.makeUnsafe(1000)
      assert.deepStrictEqual(yield* ids({ contextId: contextId("a") }), [[one.id, two.id].sort(), 2])
      assert.deepStrictEqual(yield* ids({ status: "completed" }), [[one.id, three.id].sort(), 2])
      assert.deepStrictEqual(yield* ids({ statusTimestampAfter: since }), [[two.id, three.id].sort(), 2])
      assert.deepStrictEqual(yield* ids({ contextId: contextId("a"), statusTimestampAfter: since }), [[two.id], 1])
      assert.deepStrictEqual(yield* ids({ contextId: contextId("c") }), [[], 0])
    }).pipe(Effect.provide(agent)))

  it.effect("pages five tasks of the same time by two, each once", () =>
    Effect.gen(function*() {
      const made = yield* Effect.forEach([1, 2, 3, 4, 5], () => sendTask("completed"))
      const pages: Array<ReadonlyArray<string>> = []
      let pageToken = ""
      do {
        const page = yield* list({ pageSize: 2, pageToken })
        assert.deepStrictEqual([page.totalSize, page.pageSize], [5, 2])
        pages.push(page.tasks.map((task) => task.id))
        pageToken = page.nextPageToken
      } while (pageToken !== "")
      assert.deepStrictEqual(pages.map((page) => page.length), [2, 2, 1])
      assert.deepStrictEqual(new Set(pages.flat()), new Set(made.map((task) => task.id)))
    }).pipe(Effect.provide(agent)), covers("field:LST-04"))

  it.effect("ends with a full last page", () =>
    Effect.gen(function*() {
      yield* sendTask("completed")
      yield* sendTask("completed")
      assert.strictEqual((yield* list({ pageSize: 2 })).nextPageToken, "")
    }).pipe(Effect.provide(agent)), covers("field:LST-04"))

  it.effect("names the invalid member of a request", () =>
    Effect.gen(function*() {
      const bad: ReadonlyArray<[Operation.ListTasksRequest, string]> = [
        [{ pageToken: "%%%" }, "pageToken"],
        [{ pageToken: "Zm9v" }, "pageToken"],
        [{ pageSize: 0 }, "pageSize"],
        [{ pageSize: 101 }, "pageSize"],
        [{ pageSize: -1 }, "pageSize"],
        [{ historyLength: -5 }, "historyLength"]
      ]
      for (const [request, field] of bad) {
        const reason = yield* reasonOf(list(request))
        assert.strictEqual(reason._tag === "InvalidParamsError" && reason.violations?.[0]?.field, field)
      }
    }).pipe(Effect.provide(agent)), covers("field:LST-05"))
})

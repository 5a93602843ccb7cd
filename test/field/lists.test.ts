import { Operation } from "@effect-a2a/core"
import { assert, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as Field from "./support.ts"
import { call, sendTask } from "./support.ts"

const result = (cell: Field.Cell, { json }: { readonly json: any }) => cell.name === "1.0 JSONRPC" ? json.result : json

Field.everywhere("lists", (cell) => {
  const agent = Field.behind(cell, () => Stream.make("ok"))

  it.effect("LST-02: an empty list has all four members", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(result(cell, yield* Field.raw(cell, "ListTasks", {})), {
        tasks: [],
        nextPageToken: "",
        pageSize: 50,
        totalSize: 0
      })
    }).pipe(Effect.provide(agent)))

  it.effect("LST-04: five tasks of one time come in pages of 2, 2 and 1, each once", () =>
    Effect.gen(function*() {
      const made = yield* Effect.forEach([1, 2, 3, 4, 5], () => sendTask("hi"))
      const pages: Array<ReadonlyArray<string>> = []
      let pageToken = ""
      do {
        const page = yield* call(Operation.ListTasks, { pageSize: 2, pageToken })
        assert.strictEqual(page.totalSize, 5)
        pages.push(page.tasks.map(({ id }) => id))
        pageToken = page.nextPageToken
      } while (pageToken !== "")
      assert.deepStrictEqual(pages.map(({ length }) => length), [2, 2, 1])
      assert.deepStrictEqual(new Set(pages.flat()), new Set<string>(made.map(({ id }) => id)))
    }).pipe(Effect.provide(agent)))

  for (
    const [name, value] of [
      ["pageToken", "%%%"],
      ["pageSize", 0],
      ["pageSize", 101],
      ["pageSize", 500],
      ["pageSize", -1],
      ["pageSize", "x"],
      ["status", "TASK_STATE_RUNNING"],
      ["historyLength", -5],
      ["statusTimestampAfter", "yesterday"]
    ] as const
  ) {
    it.effect(`LST-05: ${name} ${value} is refused, and named`, () =>
      Effect.gen(function*() {
        const answer = yield* Field.raw(cell, "ListTasks", { [name]: value })
        assert.deepStrictEqual(Field.refusal(answer), ["INVALID_PARAMS", name])
      }).pipe(Effect.provide(agent)))
  }
}, "1.0")

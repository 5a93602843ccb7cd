import { Operation } from "@effect-a2a/core"
import { assert, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { covers } from "../support/covers.ts"
import * as Field from "./support.ts"
import { call, sendTask } from "./support.ts"

const result = (combination: Field.Combination, { json }: { readonly json: any }) =>
  combination.name === "1.0 JSONRPC" ? json.result : json

Field.inEach("lists", (combination) => {
  const agent = Field.behind(combination, () => Stream.make("ok"))

  it.effect("an empty list has all four members", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(result(combination, yield* Field.raw(combination, "ListTasks", {})), {
        tasks: [],
        nextPageToken: "",
        pageSize: 50,
        totalSize: 0
      })
    }).pipe(Effect.provide(agent)), covers("field:LST-02"))

  it.effect("five tasks of one time come in pages of 2, 2 and 1, each once", () =>
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
    }).pipe(Effect.provide(agent)), covers("field:LST-04"))

  it.effect("an invalid parameter is refused and named", () =>
    Effect.gen(function*() {
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
        const response = yield* Field.raw(combination, "ListTasks", { [name]: value })
        assert.deepStrictEqual(Field.refusal(response), ["INVALID_PARAMS", name], `${name} ${value}`)
      }
    }).pipe(Effect.provide(agent)), covers("field:LST-05"))
}, "1.0")

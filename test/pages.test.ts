/** Lists of tasks whose pages have no end. */
import { Agent } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Stream } from "effect"
import * as Support from "./resilience/support.ts"
import { covers } from "./support/covers.ts"
import { combination, rest, result, stateJson } from "./support/peer.ts"

interface Page {
  readonly tasks: number
  readonly next: string
}

/** Lists the tasks of an agent whose n-th page is `pageOf(n)`, n from 1. */
const list = (pageOf: (n: number) => Page, options?: Agent.ListOptions, over = rest) =>
  Effect.suspend(() => {
    let [pages, tasks] = [0, 0]
    const { layer } = Support.through(over).peer([(asked) => {
      const page = pageOf(++pages)
      const status = { state: stateJson(over, "working") }
      const list = Array.from({ length: page.tasks }, (_, at) => ({ id: `t-${pages}-${at}`, contextId: "c-1", status }))
      return new Response(
        result(over, asked, { tasks: list, nextPageToken: page.next, pageSize: 1, totalSize: 1 }),
        { headers: { "content-type": "application/json" } }
      )
    }])
    return Stream.runForEach(Agent.listTasks(options), () => Effect.sync(() => tasks++)).pipe(
      Effect.result,
      Effect.provide(Support.agent(layer)),
      Effect.map((end) => ({
        pages,
        tasks,
        failure: Result.isSuccess(end) ? undefined : `${end.failure.code}: ${end.failure.reason.message}`
      }))
    )
  })

describe("pages of tasks", () => {
  for (const over of [rest, combination("1.0 JSONRPC")]) {
    it.effect(`end after 100 empty ones in a row, ${over.name}`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* list((n) => ({ tasks: n === 50 ? 1 : 0, next: `p-${n}` }), {}, over), {
          pages: 150,
          tasks: 1,
          failure: "INVALID_AGENT_RESPONSE: the agent returned 100 empty pages in a row"
        })
        const sparse = (n: number) => ({ tasks: n % 100 === 0 ? 1 : 0, next: n === 400 ? "" : `p-${n}` })
        assert.deepStrictEqual(yield* list(sparse, {}, over), { pages: 400, tasks: 4, failure: undefined })
      }), covers("attack:S2-37"))
  }

  it.effect("are as many as the caller wants, and 10,000 by default", () =>
    Effect.gen(function*() {
      const endless = (n: number) => ({ tasks: 2, next: `p-${n}` })
      assert.deepStrictEqual(yield* list(endless, { maxPages: 3 }), {
        pages: 3,
        tasks: 6,
        failure: "INVALID_AGENT_RESPONSE: the agent returned more than 3 pages (maxPages)"
      })
      assert.strictEqual((yield* list(endless)).pages, 10_000)
      const three = (n: number) => ({ tasks: 1, next: n === 3 ? "" : `p-${n}` })
      assert.deepStrictEqual(yield* list(three, { maxPages: 3 }), { pages: 3, tasks: 3, failure: undefined })
    }), covers("attack:S2-37"))

  it.effect("have tokens of limited length, each once", () =>
    Effect.gen(function*() {
      const circle = yield* list((n) => ({ tasks: 1, next: `p-${n % 7}` }))
      assert.deepStrictEqual([circle.pages, circle.failure], [
        8,
        "INVALID_AGENT_RESPONSE: the agent returned a page token twice"
      ])
      assert.isUndefined((yield* list((n) => ({ tasks: 1, next: n === 1 ? "x".repeat(4096) : "" }))).failure)
      const long = yield* list(() => ({ tasks: 1, next: "x".repeat(4097) }))
      assert.deepStrictEqual(long, {
        pages: 1,
        tasks: 1,
        failure: "INVALID_AGENT_RESPONSE: the agent returned a page token of more than 4096 characters"
      })
    }), covers("attack:S2-37"))
})

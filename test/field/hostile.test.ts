/** What untrusted peers send to do harm, beyond single reported cases: the whole kinds of URL-04, MEM-01 and MEM-07. */
import { Agent, Id } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { cells, chunks, frame, isRpc, result, talkTo } from "../support/peer.ts"
import { json } from "../support/respond.ts"
import * as Field from "./support.ts"

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels)

for (const one of cells) {
  describe(`hostile agents, ${one.name}`, () => {
    const task = {
      id: "t-1",
      kind: "task",
      contextId: "c-1",
      status: { state: one.name === "0.3 JSONRPC" ? "completed" : "TASK_STATE_COMPLETED" }
    }
    const deep = (levels: number) => {
      const { layer } = talkTo(one, (asked) => {
        const body = result(one, asked, { ...task, metadata: { x: "X" } }).replace("\"X\"", nested(levels))
        return asked.headers.accept === "text/event-stream" ? chunks([frame(body)]) : json(body)
      })
      return Agent.layer.pipe(Layer.provide(layer))
    }

    it.effect("MEM-01: JSON of a hundred thousand levels is malformed, of a hundred it is not", () =>
      Effect.gen(function*() {
        const get = Agent.getTask(Id.TaskId.make("t-1"))
        assert.strictEqual(
          (yield* Effect.flip(get).pipe(Effect.provide(deep(100_000)))).reason._tag,
          "MalformedResponseError"
        )
        assert.strictEqual((yield* get.pipe(Effect.provide(deep(100)))).id, "t-1")
        const streamed = yield* Effect.flip(Stream.runDrain(Agent.stream("hi"))).pipe(Effect.provide(deep(100_000)))
        assert.strictEqual(streamed.reason._tag, "MalformedResponseError")
      }))

    it.effect("URL-04: an id that is a step in a path leads nowhere else, one that is no Unicode is no defect", () =>
      Effect.gen(function*() {
        const { asked, layer } = talkTo(one, (asked) => json(result(one, asked, task)))
        const get = (id: string) =>
          Effect.exit(Agent.getTask(Id.TaskId.make(id))).pipe(Effect.provide(Agent.layer.pipe(Layer.provide(layer))))
        yield* Effect.forEach([".", "..", "a/../b", "..\\..", "%2e%2e"], get)
        for (const { url } of asked) {
          assert.isTrue(new URL(url).pathname.startsWith("/a2a"), url)
          if (!isRpc(one)) assert.match(new URL(url).pathname, /\/tasks\/[^/]+$/)
        }
        if (!isRpc(one)) assert.strictEqual(asked.length, 3)
        const exit = yield* get("\ud800")
        assert.notInclude(String(exit), "Die")
        if (one.name === "1.0 HTTP+JSON") {
          const tenant = talkTo(one, (asked) => json(result(one, asked, task)), { tenant: ".." })
          const error = yield* Effect.flip(Agent.getTask(Id.TaskId.make("t-1"))).pipe(
            Effect.provide(Agent.layer.pipe(Layer.provide(tenant.layer)))
          )
          assert.deepStrictEqual([error.reason._tag, tenant.asked.length], ["InvalidRequestError", 0])
        }
      }))

    it.effect("MEM-02: a reader that takes its time holds back the connection, not the memory", () =>
      Effect.gen(function*() {
        let pulled = 0
        const working = one.name === "0.3 JSONRPC"
          ? { kind: "status-update", taskId: "t-1", contextId: "c-1", final: false, status: { state: "working" } }
          : { statusUpdate: { taskId: "t-1", contextId: "c-1", status: { state: "TASK_STATE_WORKING" } } }
        const { layer } = talkTo(one, (asked) =>
          new Response(
            new ReadableStream({
              pull: (controller) => {
                pulled += 1
                controller.enqueue(new TextEncoder().encode(frame(result(one, asked, working))))
              }
            }, { highWaterMark: 0 }),
            { headers: { "content-type": "text/event-stream" } }
          ))
        yield* Agent.stream("hi").pipe(
          Stream.take(10),
          Stream.runForEach(() => Effect.promise(() => new Promise((done) => setTimeout(done, 2)))),
          Effect.provide(Agent.layer.pipe(Layer.provide(layer)))
        )
        assert.isBelow(pulled, 20)
      }))
  })
}

Field.everywhere("hostile clients", (cell) => {
  it.effect("MEM-07: a body of a thousand levels is refused and no task made of it, a hundred are answered", () => {
    let heard = 0
    return Effect.gen(function*() {
      const answer = yield* Field.raw(cell, "SendMessage", Field.hello({ metadata: { x: JSON.parse(nested(1000)) } }))
      assert.strictEqual(answer.status, cell.name === "1.0 JSONRPC" ? 200 : 400)
      if (cell.name === "1.0 JSONRPC") assert.strictEqual(answer.json.error.code, -32700)
      assert.isBelow(answer.text.length, 1000)
      assert.strictEqual(heard, 0)
      const fine = yield* Field.raw(cell, "SendMessage", Field.hello({ metadata: { x: JSON.parse(nested(100)) } }))
      assert.include(fine.text, nested(100))
    }).pipe(Effect.provide(Field.behind(cell, () => (heard += 1, Stream.make("ok")))))
  })

  it.effect("SCH-11: names of the language's own are names like any other", () =>
    Effect.gen(function*() {
      for (const id of ["__proto__", "constructor", "toString"]) {
        assert.deepStrictEqual(Field.refusal(yield* Field.raw(cell, "GetTask", { id })), ["TASK_NOT_FOUND"])
      }
      const before = Object.keys(Object.prototype)
      const body = JSON.parse(`{"__proto__":{"polluted":true}}`)
      yield* Field.raw(cell, "SendMessage", Field.hello({ metadata: body }))
      assert.deepStrictEqual([Object.keys(Object.prototype), ({} as any).polluted], [before, undefined])
    }).pipe(Effect.provide(Field.behind(cell, () => Stream.make("ok")))))
}, "1.0")

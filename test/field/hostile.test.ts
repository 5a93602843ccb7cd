/** Input of untrusted peers that is meant to do harm. */
import { Agent, Id } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { covers } from "../support/covers.ts"
import { chunks, combinations, frame, isRpc, result, talkTo } from "../support/peer.ts"
import { json } from "../support/respond.ts"
import * as Field from "./support.ts"

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels)

for (const one of combinations) {
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

    it.effect(
      "JSON a hundred thousand levels deep is malformed, a hundred levels deep it is not",
      () =>
        Effect.gen(function*() {
          const get = Agent.getTask(Id.TaskId.make("t-1"))
          assert.strictEqual(
            (yield* Effect.flip(get).pipe(Effect.provide(deep(100_000)))).reason._tag,
            "MalformedResponseError"
          )
          assert.strictEqual((yield* get.pipe(Effect.provide(deep(100)))).id, "t-1")
          const streamed = yield* Effect.flip(Stream.runDrain(Agent.stream("hi"))).pipe(Effect.provide(deep(100_000)))
          assert.strictEqual(streamed.reason._tag, "MalformedResponseError")
        }),
      covers("field:MEM-01")
    )

    it.effect(
      "an id made of path steps stays within its segment, and one that is not Unicode causes no defect",
      () =>
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
        }),
      covers("field:URL-04")
    )

    it.effect("a slow reader holds back the connection and fills no memory", () =>
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
      }), covers("field:MEM-02", "attack:S2-39"))
  })
}

Field.inEach("hostile clients", (combination) => {
  it.effect(
    "a body a thousand levels deep is refused and creates no task, a hundred levels deep it is answered",
    () => {
      let heard = 0
      return Effect.gen(function*() {
        const answer = yield* Field.raw(
          combination,
          "SendMessage",
          Field.hello({ metadata: { x: JSON.parse(nested(1000)) } })
        )
        assert.strictEqual(answer.status, combination.name === "1.0 JSONRPC" ? 200 : 400)
        if (combination.name === "1.0 JSONRPC") assert.strictEqual(answer.json.error.code, -32700)
        assert.isBelow(answer.text.length, 1000)
        assert.strictEqual(heard, 0)
        const fine = yield* Field.raw(
          combination,
          "SendMessage",
          Field.hello({ metadata: { x: JSON.parse(nested(100)) } })
        )
        assert.include(fine.text, nested(100))
      }).pipe(Effect.provide(Field.behind(combination, () => (heard += 1, Stream.make("ok")))))
    },
    covers("field:MEM-07")
  )

  it.effect("names of JavaScript's own properties are ordinary ids and keys", () =>
    Effect.gen(function*() {
      for (const id of ["__proto__", "constructor", "toString"]) {
        assert.deepStrictEqual(Field.refusal(yield* Field.raw(combination, "GetTask", { id })), ["TASK_NOT_FOUND"])
      }
      const before = Object.keys(Object.prototype)
      const body = JSON.parse(`{"__proto__":{"polluted":true}}`)
      yield* Field.raw(combination, "SendMessage", Field.hello({ metadata: body }))
      assert.deepStrictEqual([Object.keys(Object.prototype), ({} as any).polluted], [before, undefined])
    }).pipe(Effect.provide(Field.behind(combination, () => Stream.make("ok")))), covers("field:SCH-11", "attack:S2-17"))
}, "1.0")

import { Operation } from "@effect-a2a/core"
import { Reply } from "@effect-a2a/server"
import { assert, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { covers } from "../support/covers.ts"
import * as Field from "./support.ts"
import { call, get, history, labels, send, sendTask, stream, subscribe, tagOf } from "./support.ts"

const asking = () => Stream.make(Reply.status("input-required", "ask"))

Field.inEach("history", (combination) => {
  const is1_0 = combination.protocol.version === "1.0"

  it.effect(
    "historyLength means the same in every operation: absent is everything, zero nothing, two the last two",
    () =>
      Effect.gen(function*() {
        const { id } = yield* sendTask("1")
        yield* sendTask("2", { taskId: id })
        const full = ["1", "ask", "2"]
        for (const [historyLength, wanted] of [[undefined, full], [0, undefined], [2, ["ask", "2"]]] as const) {
          assert.deepStrictEqual(history(yield* get(id, historyLength)), wanted)
          if (!is1_0) continue
          const [listed] =
            (yield* call(Operation.ListTasks, historyLength === undefined ? {} : { historyLength })).tasks
          assert.deepStrictEqual(listed && history(listed), wanted)
        }
        const sent = yield* sendTask("3", { taskId: id, configuration: { historyLength: 2 } })
        assert.deepStrictEqual(history(sent), ["ask", "3"])
        const [first] = yield* Stream.runCollect(stream("4", { taskId: id, configuration: { historyLength: 1 } }))
        assert.deepStrictEqual(first?._tag === "Task" && history(first), ["4"])
        const [snapshot] = yield* Stream.runCollect(Stream.take(subscribe(id), 1))
        assert.strictEqual(snapshot?._tag === "Task" && snapshot.history?.length, 7)
      }).pipe(Effect.provide(Field.behind(combination, asking))),
    covers("field:HIST-02")
  )

  it.effect("a finished task accepts no message and stays unchanged", () =>
    Effect.gen(function*() {
      const before = yield* sendTask("1")
      assert.strictEqual(yield* tagOf(send("2", { taskId: before.id })), "UnsupportedOperationError")
      assert.deepStrictEqual(yield* labels(stream("2", { taskId: before.id })), ["! UnsupportedOperationError"])
      assert.deepStrictEqual(yield* get(before.id), before)
    }).pipe(Effect.provide(Field.behind(combination, () => Stream.make("done")))), covers("field:HIST-08"))
})

Field.inEach("refused requests", (combination) => {
  it.effect(
    "a negative historyLength is refused by every operation, which names the member",
    () =>
      Effect.gen(function*() {
        const { id } = yield* sendTask("1")
        const historyLength = "-1"
        const configuration = { historyLength: -1 }
        const answers = yield* Effect.all([
          Field.raw(combination, "GetTask", {
            id,
            historyLength: combination.name === "1.0 JSONRPC" ? -1 : historyLength
          }),
          Field.raw(combination, "ListTasks", {
            historyLength: combination.name === "1.0 JSONRPC" ? -1 : historyLength
          }),
          Field.raw(combination, "SendMessage", { ...Field.hello(), configuration }),
          Field.raw(combination, "SendStreamingMessage", { ...Field.hello(), configuration })
        ])
        assert.deepStrictEqual(answers.map(Field.refusal), [
          ["INVALID_PARAMS", "historyLength"],
          ["INVALID_PARAMS", "historyLength"],
          ["INVALID_PARAMS", "configuration.historyLength"],
          ["INVALID_PARAMS", "configuration.historyLength"]
        ])
      }).pipe(Effect.provide(Field.behind(combination, asking))),
    covers("field:HIST-02")
  )

  it.effect("a refused follow-up changes nothing", () =>
    Effect.gen(function*() {
      const before = yield* sendTask("1")
      const refused = yield* Effect.forEach([
        { contextId: "other" },
        { parts: [] },
        { parts: [{}] },
        { role: "ROLE_ROBOT" },
        { messageId: "" }
      ], (members) => Field.raw(combination, "SendMessage", Field.hello({ taskId: before.id, ...members })))
      assert.deepStrictEqual(refused.map(Field.refusal), [
        ["INVALID_PARAMS", "message.contextId"],
        ["INVALID_PARAMS", "message.parts"],
        ["INVALID_PARAMS", "message.parts[0]"],
        ["INVALID_PARAMS", "message.role"],
        ["INVALID_PARAMS", "message.messageId"]
      ])
      assert.deepStrictEqual(yield* get(before.id), before)
    }).pipe(Effect.provide(Field.behind(combination, asking))), covers("field:HIST-04"))

  it.effect("a message without a required extension is refused and changes nothing", () => {
    const uri = "https://agent.test/ext/receipts"
    const capabilities = { extensions: [{ uri, required: true }, { uri: "https://agent.test/ext/other" }] }
    return Effect.gen(function*() {
      const wanting = { "a2a-extensions": `https://agent.test/ext/other, ${uri}` }
      const made = yield* Field.raw(combination, "SendMessage", Field.hello(), wanting)
      const { id } = (made.json.result ?? made.json).task
      const before = yield* get(id)
      for (const method of ["SendMessage", "SendStreamingMessage"]) {
        const refused = yield* Field.raw(combination, method, Field.hello({ taskId: id }))
        assert.deepStrictEqual(Field.refusal(refused), ["EXTENSION_SUPPORT_REQUIRED"])
      }
      assert.deepStrictEqual(yield* get(id), before)
    }).pipe(Effect.provide(Field.behind(combination, asking, { card: { ...Field.card, capabilities } })))
  }, covers("field:HIST-04"))

  it.effect("a missing member is named by its path, and the executor is not called", () => {
    let heard = 0
    return Effect.gen(function*() {
      const { message } = Field.hello()
      const { messageId: _, ...noId } = message
      const { parts: __, ...noParts } = message
      const { role: ___, ...noRole } = message
      const refused = yield* Effect.forEach(
        [{}, { message: noId }, { message: noParts }, { message: noRole }],
        (params) => Field.raw(combination, "SendMessage", params)
      )
      assert.deepStrictEqual(refused.map(Field.refusal), [
        ["INVALID_PARAMS", "message"],
        ["INVALID_PARAMS", "message.messageId"],
        ["INVALID_PARAMS", "message.parts"],
        ["INVALID_PARAMS", "message.role"]
      ])
      if (combination.name !== "1.0 JSONRPC") {
        assert.deepStrictEqual(refused.map(({ status }) => status), [400, 400, 400, 400])
      }
      assert.strictEqual(heard, 0)
    }).pipe(Effect.provide(Field.behind(combination, () => (heard += 1, Stream.make("ok")))))
  }, covers("field:SCH-11"))
}, "1.0")

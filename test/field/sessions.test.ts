import { Message } from "@effect-a2a/core"
import { AgentExecutor, AgentServer } from "@effect-a2a/server"
import { Wire } from "@effect-a2a/testing"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { covers } from "../support/covers.ts"
import * as Field from "./support.ts"
import { cancel, card, contextId, get, labels, start, subscribe } from "./support.ts"

const turn = Effect.promise(() => new Promise((done) => setImmediate(done)))

Field.inOne("sessions", (combination) => {
  it.effect("tasks of one context run one after another, those of other contexts at the same time", () => {
    const log: Array<string> = []
    const peaks = { now: 0, max: 0 }
    const executor = AgentExecutor.layer(({ contextId, message }) =>
      Stream.unwrap(Effect.gen(function*() {
        log.push(`${contextId} ${Message.text(message)}`)
        peaks.max = Math.max(peaks.max, ++peaks.now)
        yield* Effect.repeat(turn, { times: 5 })
        peaks.now--
        return Message.text(message) === "1" ? Stream.die(new Error("first one")) : Stream.make("ok")
      }))
    )
    const agent = AgentServer.layerMemory({ card }).pipe(Layer.provide(AgentExecutor.serialize(executor)))
    return Effect.gen(function*() {
      const begin = (context: string, text: string) => start(text, { contextId: contextId(context) })
      const tasks = [
        yield* begin("c-1", "1"),
        yield* begin("c-1", "2"),
        yield* begin("c-1", "3"),
        yield* begin("c-2", "4")
      ]
      // at work already, though another one is in front
      yield* turn
      assert.strictEqual((yield* get(tasks[2]!.id)).status.state, "working")
      for (const { id } of tasks.slice(1)) {
        yield* Effect.repeat(Effect.andThen(turn, get(id)), { until: (task) => task.status.state === "completed" })
      }
      assert.strictEqual((yield* get(tasks[0]!.id)).status.state, "failed")
      assert.deepStrictEqual(log.filter((line) => line.startsWith("c-1")), ["c-1 1", "c-1 2", "c-1 3"])
      assert.strictEqual(peaks.max, 2)
    }).pipe(Effect.provide(agent.pipe(Wire.through(combination))))
  }, covers("field:CONC-02"))

  it.effect("a task that is canceled while it waits gives up its place", () => {
    let runs = 0
    const executor = AgentExecutor.layer(() => (runs += 1, Stream.never))
    const agent = AgentServer.layerMemory({ card }).pipe(Layer.provide(AgentExecutor.serialize(executor)))
    const shared = { contextId: contextId("c-1") }
    return Effect.gen(function*() {
      const [one, two] = [yield* start("1", shared), yield* start("2", shared)]
      assert.strictEqual((yield* cancel(two.id)).status.state, "canceled")
      assert.strictEqual((yield* cancel(one.id)).status.state, "canceled")
      const three = yield* start("3", shared)
      const [first] = yield* labels(Stream.take(subscribe(three.id), 1))
      assert.match(first!, /^task /)
      assert.isAtLeast(runs, 2)
    }).pipe(Effect.provide(agent.pipe(Wire.through(combination))))
  }, covers("field:CONC-02"))

  it.effect("a lone message waits for its turn too", () => {
    const peaks = { now: 0, max: 0 }
    const executor = AgentExecutor.layer(() =>
      Effect.gen(function*() {
        peaks.max = Math.max(peaks.max, ++peaks.now)
        yield* turn
        peaks.now--
        return "hi"
      })
    )
    const agent = AgentServer.layerMemory({ card }).pipe(Layer.provide(AgentExecutor.serialize(executor)))
    return Effect.gen(function*() {
      const answers = yield* Effect.all(
        Array.from({ length: 5 }, () => Field.send("hi", { contextId: contextId("c") })),
        {
          concurrency: 5
        }
      )
      assert.deepStrictEqual(answers.map((answer) => answer._tag), Array(5).fill("Message"))
      assert.strictEqual(peaks.max, 1)
    }).pipe(Effect.provide(agent.pipe(Wire.through(combination))))
  }, covers("field:CONC-02"))
})

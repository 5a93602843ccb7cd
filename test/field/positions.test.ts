/** Ids of SSE frames are positions in the log of a task; a client continues exactly behind the last one it names. */
import { Agent, AgentError } from "@effect-a2a/core"
import { Reply } from "@effect-a2a/server"
import * as Wire from "@effect-a2a/testing/Wire"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { covers } from "../support/covers.ts"
import { frames } from "../support/serve.ts"
import * as Field from "./support.ts"
import { cancel, label, sendTask, start, subscribe } from "./support.ts"

const ids = (text: string) =>
  text.split("\n").filter((line) => line.startsWith("id: ")).map((line) => Number(line.slice(4)))

const ticks = () =>
  Stream.range(1, 5).pipe(
    Stream.map((n) => `${n} `),
    Stream.rechunk(1),
    Stream.tap(() => Effect.sleep("1 second"))
  )

Field.inEach("positions", (combination) => {
  const read = (id: string, lastEventId?: string) =>
    Field.raw(
      combination,
      "SubscribeToTask",
      { id },
      lastEventId === undefined ? {} : { "last-event-id": lastEventId }
    )

  it.effect("a stream has the ids 0, 1, 2 …, and a subscription begins with the id of its snapshot", () =>
    Effect.gen(function*() {
      const sent = yield* Effect.forkChild(Field.raw(combination, "SendStreamingMessage", Field.hello()), {
        startImmediately: true
      })
      yield* TestClock.adjust("2 seconds")
      const [task] = yield* Agent.listTasks().pipe(Stream.runCollect, Effect.provide(Agent.layer))
      const followed = yield* Effect.forkChild(read(task!.id), { startImmediately: true })
      yield* TestClock.adjust("5 seconds")
      const all = ids((yield* Fiber.join(sent)).text)
      assert.deepStrictEqual(all, Array.from(all, (_, index) => index))
      const rest = ids((yield* Fiber.join(followed)).text)
      assert.deepStrictEqual(rest, all.slice(-rest.length))
      assert.isAbove(rest[0]!, 0)
    }).pipe(Effect.provide(Field.behind(combination, ticks))))

  it.effect("a subscription continues exactly behind the last event id, from each position", () =>
    Effect.gen(function*() {
      const { id } = yield* start("hi")
      yield* TestClock.adjust("10 seconds")
      const whole = yield* read(id, "0")
      const all = frames(whole.text)
      assert.deepStrictEqual(ids(whole.text), [1, 2, 3, 4, 5, 6, 7])
      for (let last = 0; last < 7; last++) {
        const { text } = yield* read(id, String(last))
        assert.deepStrictEqual(ids(text), [1, 2, 3, 4, 5, 6, 7].slice(last))
        assert.deepStrictEqual(
          frames(text).map((frame) => frame.result ?? frame),
          all.slice(last).map((frame) => frame.result ?? frame)
        )
      }
      // nothing follows the end
      assert.notInclude((yield* read(id, "7")).text, "id: ")
    }).pipe(Effect.provide(Field.behind(combination, ticks))))

  it.effect("an id that is not a position of the log begins with a snapshot", () =>
    Effect.gen(function*() {
      const { id } = yield* start("ask")
      for (const last of ["-1", "99", "x", "1e3", "9".repeat(400), "0x1", " "]) {
        const fiber = yield* Effect.forkChild(read(id, last), { startImmediately: true })
        yield* TestClock.adjust("1 second")
        yield* Fiber.interrupt(fiber)
      }
      const [first] = yield* Stream.runCollect(Stream.take(subscribe(id), 1))
      assert.strictEqual(first?._tag, "Task")
    }).pipe(Effect.provide(Field.behind(combination, () => Stream.make(Reply.status("input-required", "?"))))))
}, "1.0")

Field.inEach("subscriptions", (combination) => {
  it.effect("survive a question and its answer, and end with the task", () =>
    Effect.gen(function*() {
      const { id } = yield* sendTask("ask")
      const fiber = yield* Effect.forkChild(
        Stream.runCollect(Stream.map(subscribe(id), label)),
        { startImmediately: true }
      )
      yield* TestClock.adjust("1 hour")
      yield* sendTask("blue", { taskId: id })
      const all = yield* Fiber.join(fiber)
      assert.deepStrictEqual([all[0], all.at(-1)], ["task input-required", "completed"])
      assert.include(all, "done")
    }).pipe(Effect.provide(Field.behind(combination, ({ task }) =>
      Stream.make(task === undefined ? Reply.status("input-required", "?") : "done")))), covers("field:RES-07"))

  it.effect("see each end: completed, failed, canceled, rejected, refused", () =>
    Effect.gen(function*() {
      for (const end of ["completed", "failed", "canceled", "rejected", "refused"]) {
        const { id } = yield* start(end)
        const fiber = yield* Effect.forkChild(
          Stream.runCollect(Stream.map(subscribe(id), label)),
          { startImmediately: true }
        )
        yield* Wire.settled
        if (end === "canceled") yield* cancel(id)
        yield* TestClock.adjust("1 second")
        const last = (yield* Fiber.join(fiber)).at(-1)
        assert.strictEqual(last?.split(":")[0], end === "refused" ? "failed" : end)
      }
    }).pipe(Effect.provide(Field.behind(combination, ({ message }) => {
      const [part] = message.parts
      const word = part?._tag === "Text" ? part.text : ""
      if (word === "canceled") return Stream.never
      const end = word === "refused"
        ? Effect.fail(AgentError.reason("RateLimitError", { message: "later" }))
        : Effect.succeed(Reply.status(word as "completed", "because"))
      return Stream.fromEffect(Effect.delay(end, "1 second"))
    }))))
})

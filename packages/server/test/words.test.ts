/** What was said in a context, as later turns read it. */
import { type Id, Message } from "@effect-a2a/core"
import { Reply, TaskStore } from "@effect-a2a/server"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { as, cancel, contextId, send, sendTask, serve, start, tagOf } from "./support.ts"

const agent = serve((turn) => {
  const word = Message.text(turn.message)
  if (word === "context") {
    return Effect.map(turn.earlier, (words) => words.map((one) => `${one.role}: ${Message.text(one)}`).join("\n"))
  }
  if (turn.task !== undefined) return Stream.make(`You said ${word}`)
  switch (word) {
    case "hello":
      return Effect.succeed("Hello yourself")
    case "ask":
      return Stream.make<Array<Reply.Reply>>("Some findings. ", Reply.status("input-required", "Which one?"))
    case "think":
      return Stream.make<Array<Reply.Reply>>(Reply.thought("Hm."), Reply.progress("step"), "thought", "ful")
    case "fail":
      return Stream.make(Reply.status("failed", "It broke"))
    case "slow":
      return Stream.never
    default:
      return Stream.make<Array<Reply.Reply>>(
        Reply.artifact({ artifactId: "a", parts: `${word} 1` }),
        Reply.artifact({ artifactId: "b", parts: `${word} 2` })
      )
  }
})

const context = (id: Id.ContextId) =>
  Effect.map(
    send("context", { contextId: id }),
    (answer) => answer._tag === "Message" ? Message.text(answer).split("\n").filter(Boolean) : []
  )

describe("the words of a context", () => {
  it.effect("are those of user and agent, in order, with and without tasks", () =>
    Effect.gen(function*() {
      const id = contextId("c-1")
      yield* send("hello", { contextId: id })
      const task = yield* sendTask("ask", { contextId: id })
      yield* sendTask("the second", { taskId: task.id })
      yield* sendTask("think", { contextId: id })
      yield* sendTask("fail", { contextId: id })
      yield* sendTask("two", { contextId: id })
      assert.deepStrictEqual(yield* context(id), [
        "user: hello",
        "agent: Hello yourself",
        "user: ask",
        "agent: Some findings. ",
        "agent: Which one?",
        "user: the second",
        "agent: You said the second",
        "user: think",
        "agent: thoughtful",
        "user: fail",
        "agent: It broke",
        "user: two",
        "agent: two 1",
        "agent: two 2"
      ])
    }).pipe(Effect.provide(agent)))

  it.effect("include those of a canceled turn, and belong to one owner and context", () =>
    Effect.gen(function*() {
      const id = contextId("c-1")
      const { id: taskId } = yield* start("slow", { contextId: id })
      yield* cancel(taskId)
      assert.deepStrictEqual(yield* context(id), ["user: slow"])
      assert.deepStrictEqual(yield* as("ada")(context(id)), [])
      assert.deepStrictEqual(yield* context(contextId("c-2")), [])
    }).pipe(Effect.provide(agent)))

  it.effect("are kept up to a number and a size, the latest", () =>
    Effect.gen(function*() {
      const id = contextId("c-1")
      for (let n = 0; n < 150; n++) yield* sendTask(`m${n}`, { contextId: id })
      const words = yield* context(id)
      assert.lengthOf(words, 200)
      assert.strictEqual(words.at(-1), "agent: m149 2")
      const large = contextId("c-2")
      for (let n = 0; n < 5; n++) yield* send("hello", { contextId: large, metadata: { n: "x".repeat(100_000) } })
      assert.isBelow((yield* context(large)).length, 10)
    }).pipe(Effect.provide(agent)))

  it.effect("are not those of a refused message", () =>
    Effect.gen(function*() {
      const id = contextId("c-1")
      assert.strictEqual(yield* tagOf(send([], { contextId: id })), "InvalidParamsError")
      assert.deepStrictEqual(yield* context(id), [])
    }).pipe(Effect.provide(agent)))

  it.effect("of contexts with large ids take no memory beyond the limits", () =>
    Effect.gen(function*() {
      const store = yield* TaskStore.TaskStore
      const message = yield* Message.user("hi")
      const id = (n: number, length: number) => contextId(`${n}-${"x".repeat(length)}`)
      for (let n = 0; n < 100; n++) {
        yield* store.addWords({}, id(n, 300_000), [{ ...message, contextId: id(n, 300_000) }])
        yield* store.addWords({}, id(n, 10_000), [message])
      }
      const count = (length: number) =>
        Effect.map(
          Effect.forEach(Array.from({ length: 100 }), (_, n) => store.words({}, id(n, length))),
          (all) => all.filter((words) => words.length > 0).length
        )
      // a message larger than a transcript is not kept, and ids count
      assert.strictEqual(yield* count(300_000), 0)
      assert.isBelow(yield* count(10_000), 100)
      assert.isAbove(yield* count(10_000), 20)
    }).pipe(Effect.provide(TaskStore.layerMemory({ maxSize: 600_000, maxOwnerSize: 600_000 }))))
})

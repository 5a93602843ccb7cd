import type { StreamEvent } from "@effect-a2a/core"
import { AgentError, AgentTransport, Message, Operation, Part, Recognizer, Task, TaskProgress } from "@effect-a2a/core"
import { AgentTest, Script } from "@effect-a2a/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { covers } from "../../../test/support/covers.ts"

const agent = (...steps: ReadonlyArray<Script.Step>) => AgentTest.layer.pipe(Layer.provide(Script.layer(...steps)))

const stream = (input: Message.Input, options?: Message.Options) =>
  Stream.unwrap(Effect.gen(function*() {
    const transport = yield* AgentTransport.AgentTransport
    return transport.stream(Operation.SendStreamingMessage, { message: yield* Message.user(input, options) })
  }))

const send = (input: Message.Input, options?: Message.Options) =>
  Effect.gen(function*() {
    const transport = yield* AgentTransport.AgentTransport
    return yield* transport.call(Operation.SendMessage, { message: yield* Message.user(input, options) })
  })

/** The parts of what the agent says while it works. */
const said = (events: ReadonlyArray<StreamEvent.StreamEvent>) =>
  events.flatMap((event) => event._tag === "StatusUpdate" ? event.status.message?.parts ?? [] : [])

describe("Script", () => {
  it.effect(
    "emits thoughts, tool calls and results, text, files, the answer and the end",
    () =>
      Effect.gen(function*() {
        const events = yield* Stream.runCollect(stream("hi"))
        const expected: ReadonlyArray<Part.Part> = [
          Part.text("hm", { metadata: { adk_thought: true } }),
          Part.data({ id: "c1", name: "web_search", args: { query: "Paris" } }, {
            metadata: { adk_type: "function_call" }
          }),
          Part.data({ id: "c1", name: "web_search", response: "{}" }, { metadata: { adk_type: "function_response" } }),
          Part.text("Paris is"),
          Part.url("https://agent.test/a.png", { mediaType: "image/png", filename: "a.png" })
        ]
        assert.deepStrictEqual(said(events), expected.map((part) => Recognizer.mark([Script.recognizer], part)))
        const [task] = events
        const last = events.reduce(TaskProgress.apply, undefined as Task.Task | undefined)
        assert.strictEqual(task?._tag === "Task" && task.status.state, "submitted")
        assert.deepStrictEqual(last?.artifacts?.map((artifact) => artifact.name), ["notes", "result"])
        assert.deepStrictEqual(last && Task.text(last), "noted\n\nParis.")
        assert.strictEqual(last?.status.state, "completed")
      }).pipe(Effect.provide(agent(
        Script.think("hm"),
        Script.callTool({ id: "c1", name: "web_search", args: { query: "Paris" } }),
        Script.toolResult({ id: "c1", name: "web_search", response: "{}" }),
        Script.write("Paris is"),
        Script.file(Part.url("https://agent.test/a.png", { mediaType: "image/png", filename: "a.png" })),
        Script.artifact({ name: "notes", parts: "noted" }),
        Script.say("Paris.")
      ))),
    covers("ML-21")
  )

  it.effect("emits adjacent steps as one chunk, and waits on Effect's clock", () =>
    Effect.gen(function*() {
      const sizes: Array<number> = []
      const fiber = yield* stream("hi").pipe(
        Stream.runForEachArray((chunk) => Effect.sync(() => sizes.push(chunk.length))),
        Effect.forkChild({ startImmediately: true })
      )
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(sizes.reduce((sum, size) => sum + size), 4) // task, working, a, b
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(sizes.slice(-1), [2]) // c and completed
    }).pipe(Effect.provide(agent(Script.say("a"), Script.say("b"), Script.wait("1 minute"), Script.say("c")))))

  it.effect("is chosen by the turn: a question, then the answer", () =>
    Effect.gen(function*() {
      const asked = yield* send("weather?")
      if (asked._tag !== "Task") return assert.fail("expected a task")
      assert.deepStrictEqual([asked.status.state, Task.statusText(asked)], ["input-required", "Where?"])
      const answered = yield* send("Paris", { taskId: asked.id })
      assert.strictEqual(answered._tag === "Task" && Task.text(answered), "Sunny in Paris")
    }).pipe(Effect.provide(AgentTest.layer.pipe(Layer.provide(Script.layer((turn) =>
      turn.task === undefined
        ? [Script.askForInput("Where?")]
        : [Script.say(`Sunny in ${Message.text(turn.message)}`)]
    ))))))

  it.effect("ends failed, in another state, refused or with a defect", () =>
    Effect.gen(function*() {
      const end = (step: Script.Step) =>
        send("hi").pipe(
          Effect.map((task) => task._tag === "Task" ? `${task.status.state}: ${Task.statusText(task)}` : ""),
          Effect.catch((error) => Effect.succeed(error.code)),
          Effect.provide(agent(Script.say("a"), step))
        )
      assert.strictEqual(
        yield* end(Script.fail("LLM model config not found: x")),
        "failed: LLM model config not found: x"
      )
      assert.strictEqual(yield* end(Script.become("rejected", "no")), "rejected: no")
      assert.strictEqual(yield* end(Script.requireAuth("sign in")), "auth-required: sign in")
      const quota = AgentError.reason("QuotaExceededError", { message: "no credit" })
      assert.strictEqual(yield* end(Script.refuse(quota)), "QUOTA_EXCEEDED")
      assert.strictEqual(yield* end(Script.die("boom")), "failed: The agent failed unexpectedly")
    }))

  it.effect("cuts a stream with the id of its task; a subscription emits the rest", () =>
    Effect.gen(function*() {
      const transport = yield* AgentTransport.AgentTransport
      const error = yield* Effect.flip(Stream.runDrain(stream("hi")))
      if (error.reason._tag !== "StreamInterruptedError") return assert.fail(error.reason._tag)
      const id = error.reason.taskId!
      const rest = yield* transport.stream(Operation.SubscribeToTask, { id }).pipe(
        Stream.runFold((): Task.Task | undefined => undefined, TaskProgress.apply),
        Effect.forkChild({ startImmediately: true })
      )
      yield* TestClock.adjust("1 second")
      const task = yield* Fiber.join(rest)
      assert.deepStrictEqual([task && Task.text(task), task?.status.state], ["ab", "completed"])
    }).pipe(Effect.provide(agent(Script.say("a"), Script.cut, Script.wait("1 second"), Script.say("b")))))
})

describe("AgentTest", () => {
  it.effect(
    "serves an agent in this process, with a default card and the server's policies",
    () =>
      Effect.gen(function*() {
        const transport = yield* AgentTransport.AgentTransport
        assert.deepStrictEqual(transport.target, AgentTest.card.supportedInterfaces[0])
        assert.strictEqual((yield* transport.call(Operation.GetAgentCard, {})).name, "Test agent")
        const task = yield* send("hi")
        if (task._tag !== "Task") return assert.fail("expected a task")
        const replayed = yield* Stream.runCollect(transport.stream(Operation.SubscribeToTask, { id: task.id }))
        assert.deepStrictEqual(replayed.map((event) => event._tag), ["StatusUpdate", "ArtifactUpdate", "StatusUpdate"])
      }).pipe(
        Effect.provide(AgentTest.layerWith({ replay: "events" }).pipe(Layer.provide(Script.layer(Script.say("Hello")))))
      ),
    covers("SDK-03")
  )
})

/** The same agents as A2A, by the transport. */
import { Agent, AgentStream, AgentTransport, Id, Message, Operation, StreamEvent, Task } from "@effect-a2a/core"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Context, refusal } from "./context.ts"

/** The task of a message in a stream, where a failed task is a value. */
const followed = Effect.fnUntraced(function*(text: string) {
  const transport = yield* AgentTransport.AgentTransport
  const message = yield* Message.user(text)
  const events = yield* Stream.runCollect(transport.stream(Operation.SendStreamingMessage, { message }))
  return { events, task: events.reduce(StreamEvent.apply, undefined as Task.Task | undefined)! }
})

const outcome = (task: Task.Task) => [task.status.state, Task.text(task), Task.statusText(task)]

export const transport = ({ differs, it }: Context): void => {
  it.effect("ADK-08: the same answer, streamed or not; nothing is said twice", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* Agent.ask("hello")).text, "Hello, world")
      const pieces = yield* Agent.stream("hello").pipe(AgentStream.text, Stream.runCollect)
      assert.deepStrictEqual(pieces, ["Hello", ", world"])
      assert.strictEqual((yield* AgentStream.answer(Agent.stream("hello"))).text, "Hello, world")
      assert.strictEqual((yield* AgentStream.answer(Agent.stream("thought"))).text, "42")
      assert.strictEqual((yield* AgentStream.answer(Agent.stream("unfinished"))).text, "Half of it")
      assert.deepStrictEqual(outcome((yield* followed("nothing")).task), ["completed", undefined, undefined])
      assert.strictEqual((yield* Agent.card).name, "scripted")
    }))

  it.effect("ADK-08: tools, files, state and metadata", () =>
    Effect.gen(function*() {
      const { toolCalls } = yield* Agent.ask("tool")
      assert.deepStrictEqual(toolCalls.map(({ args, name, outcome }) => [name, args, outcome]), [
        ["search", { some_query: "cats" }, { _tag: "Success", response: { hit_count: 1 } }]
      ])
      const [dot, pdf] = (yield* followed("inline")).task.artifacts?.[0]?.parts ?? []
      assert.deepStrictEqual(dot?._tag === "Raw" && [...dot.raw], [0xfb, 0xff, 0xbe, 0])
      assert.strictEqual(pdf?._tag === "Url" && pdf.url, "gs://bucket/a.pdf")
      const { events, task } = yield* followed("state")
      assert.deepInclude(events.at(-1)?.metadata, {
        adk_app_name: "scripted",
        adk_user_id: "ana",
        adk_session_id: task.contextId,
        adk_actions: { stateDelta: { some_topic: "cats", "user:name": "Ana", gone: null } }
      })
      const saved = (yield* followed("artifact")).task
      assert.strictEqual(Task.text(saved), "Saved.")
      const report = saved.artifacts?.find(({ name }) => name === "report.txt")?.parts[0]
      assert.strictEqual(report?._tag === "Raw" && new TextDecoder().decode(report.raw), "report")
    }))

  it.effect("ADK-06, ADK-08: errors of the agent are failed tasks, with what it said before", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(outcome((yield* followed("error")).task), ["failed", "Well", "The model is busy."])
      assert.deepStrictEqual(outcome((yield* followed("truncated")).task), ["failed", "Once upon", "MAX_TOKENS"])
      assert.deepStrictEqual(outcome((yield* followed("throw")).task), ["failed", "Well, no.", differs.streamThrew])
      const reason = (yield* Effect.flip(Agent.ask("throw"))).reason
      assert.strictEqual(reason._tag, "TaskFailedError")
      assert.strictEqual(reason.message.includes(differs.runThrew), true, reason.message)
    }))

  it.effect("ADK-03, ADK-08, field case ADK-05: a context is a session, made once", () =>
    Effect.gen(function*() {
      const contextId = Id.ContextId.make("trip-1")
      yield* Agent.ask("state", { contextId })
      const { text } = yield* Agent.ask("echo", { contextId })
      assert.deepInclude(JSON.parse(text).state, { some_topic: "cats" })
      const task = yield* Agent.send("hello", { contextId })
      assert.strictEqual(task._tag === "Task" && task.contextId, contextId)
      assert.deepStrictEqual(
        task._tag === "Task" && (yield* Agent.getTask(task.id)).status,
        task._tag === "Task" && task.status
      )
    }))

  it.effect("ADK-08: canceled, at least here", () =>
    Effect.gen(function*() {
      const task = yield* Agent.send("slow", { returnImmediately: true })
      assert.strictEqual(task._tag, "Task")
      if (task._tag !== "Task") return
      assert.strictEqual((yield* Agent.cancel(task.id)).status.state, "canceled")
      assert.strictEqual((yield* Agent.getTask(task.id)).status.state, "canceled")
      assert.strictEqual(yield* refusal(Agent.cancel(task.id)), "TaskNotCancelableError")
      assert.strictEqual(yield* refusal(Stream.runDrain(Agent.listTasks())), "UnsupportedOperationError")
    }))
}

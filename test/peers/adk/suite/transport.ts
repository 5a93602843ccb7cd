/** The same agents through the A2A transport. */
import { Agent, AgentStream, AgentTransport, Id, Message, Operation, Task, TaskProgress } from "@effect-a2a/core"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { covers } from "../../../support/covers.ts"
import { type Context, refusal } from "./context.ts"

/** Returns the task of a streamed message; a failed task is a value. */
const followed = Effect.fnUntraced(function*(text: string) {
  const transport = yield* AgentTransport.AgentTransport
  const message = yield* Message.user(text)
  const events = yield* Stream.runCollect(transport.stream(Operation.SendStreamingMessage, { message }))
  return { events, task: events.reduce(TaskProgress.apply, undefined as Task.Task | undefined)! }
})

const outcome = (task: Task.Task) => [task.status.state, Task.text(task), Task.statusText(task)]

export const transport = ({ differs, it }: Context): void => {
  it.effect("the answer is the same with and without streaming, and no text is repeated", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* Agent.ask("hello")).text, "Hello, world")
      const pieces = yield* Agent.stream("hello").pipe(AgentStream.text, Stream.runCollect)
      assert.deepStrictEqual(pieces, ["Hello", ", world"])
      assert.strictEqual((yield* AgentStream.answer(Agent.stream("hello"))).text, "Hello, world")
      assert.strictEqual((yield* AgentStream.answer(Agent.stream("thought"))).text, "42")
      assert.strictEqual((yield* AgentStream.answer(Agent.stream("unfinished"))).text, "Half of it")
      assert.deepStrictEqual(outcome((yield* followed("nothing")).task), ["completed", undefined, undefined])
      assert.strictEqual((yield* Agent.card).name, "scripted")
    }), covers("ADK-08"))

  it.effect("tools, files, state and metadata become parts of the task", () =>
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
    }), covers("ADK-08"))

  it.effect("errors of the agent fail the task, which keeps the earlier text", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(outcome((yield* followed("error")).task), ["failed", "Well", "The model is busy."])
      assert.deepStrictEqual(outcome((yield* followed("truncated")).task), ["failed", "Once upon", "MAX_TOKENS"])
      assert.deepStrictEqual(outcome((yield* followed("throw")).task), ["failed", "Well, no.", differs.streamThrew])
      const reason = (yield* Effect.flip(Agent.ask("throw"))).reason
      assert.strictEqual(reason._tag, "TaskFailedError")
      assert.strictEqual(reason.message.includes(differs.runThrew), true, reason.message)
    }), covers("ADK-06", "ADK-08"))

  it.effect("a context is a session that is created once", () =>
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
    }), covers("ADK-03", "ADK-08", "field:ADK-05"))

  it.effect("a task can be canceled on the client's side", () =>
    Effect.gen(function*() {
      const task = yield* Agent.send("slow", { returnImmediately: true })
      assert.strictEqual(task._tag, "Task")
      if (task._tag !== "Task") return
      assert.strictEqual((yield* Agent.cancel(task.id)).status.state, "canceled")
      assert.strictEqual((yield* Agent.getTask(task.id)).status.state, "canceled")
      assert.strictEqual(yield* refusal(Agent.cancel(task.id)), "TaskNotCancelableError")
      assert.strictEqual(yield* refusal(Stream.runDrain(Agent.listTasks())), "UnsupportedOperationError")
    }), covers("ADK-08"))
}

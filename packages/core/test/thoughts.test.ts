import { AgentStream, Answer, Artifact, Id, Part, StreamEvent, type Task } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

const taskId = Id.TaskId.make("t-1")
const thought = (text: string) => Part.text(text, { metadata: { adk_thought: true } })
const call = Part.data({ id: "c-1", name: "search", args: {} }, { metadata: { adk_type: "function_call" } })
const response = Part.data({ id: "c-1", response: { hits: 1 } }, { metadata: { adk_type: "function_response" } })
const put = (parts: ReadonlyArray<Part.Part>, append: boolean, id = "a") =>
  StreamEvent.artifactUpdate({ taskId, artifact: Artifact.make(Id.ArtifactId.make(id), parts), append })
const settled = StreamEvent.statusUpdate({ taskId, status: { state: "completed" } })

/** As ADK's own executor tells a run: everything is an artifact, and the whole replaces the pieces. */
const run = Stream.make<Array<StreamEvent.StreamEvent>>(
  put([thought("Hm, ")], false),
  put([thought("well.")], true),
  put([Part.text("4")], true),
  put([Part.text("2")], true),
  put([thought("Hm, well."), Part.text("42")], false),
  put([call], false, "b"),
  put([response], false, "c"),
  settled
)

describe("artifacts that hold all of a run", () => {
  it.effect("ML-24, ADK-08: thoughts in artifacts are no part of the answer, and nothing is said twice", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* Stream.runCollect(AgentStream.text(run)), ["4", "2"])
      assert.strictEqual((yield* AgentStream.answer(run)).text, "42")
    }))

  it.effect("ML-21, ADK-08: tool calls in artifacts are those of the answer, streamed or not", () =>
    Effect.gen(function*() {
      const answer = yield* AgentStream.answer(run)
      assert.deepStrictEqual(answer.toolCalls, [
        { id: "c-1", name: "search", args: {}, outcome: { _tag: "Success", response: { hits: 1 } } }
      ])
      assert.deepStrictEqual(Answer.fromTask(answer.task!).toolCalls, answer.toolCalls)
      const told = AgentStream.toolCalls(Stream.make<Array<StreamEvent.StreamEvent>>(answer.task!))
      assert.deepStrictEqual((yield* Stream.runCollect(told)).map(({ _tag }) => _tag), ["Call", "Result"])
    }))

  it("ADK-08: a question is the answer's text where artifacts have none", () => {
    const task: Task.Task = {
      _tag: "Task",
      id: taskId,
      status: {
        state: "input-required",
        message: { _tag: "Message", messageId: Id.MessageId.make("m"), role: "agent", parts: [Part.text("Pay?")] }
      },
      artifacts: [Artifact.make(Id.ArtifactId.make("b"), [call])]
    }
    assert.strictEqual(Answer.fromTask(task).text, "Pay?")
  })
})

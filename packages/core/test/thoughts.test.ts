import { AgentStream, Answer, Artifact, Id, Part, StreamEvent, type Task } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { covers } from "../../../test/support/covers.ts"
import * as Marked from "./marked.ts"

const taskId = Id.TaskId.make("t-1")
const call = Marked.call({ id: "c-1", name: "search", args: {} })
const response = Marked.result({ id: "c-1", response: { hits: 1 } })
const put = (parts: ReadonlyArray<Part.Part>, append: boolean, id = "a") =>
  StreamEvent.artifactUpdate({ taskId, artifact: Artifact.make(Id.ArtifactId.make(id), parts), append })
const settled = StreamEvent.statusUpdate({ taskId, status: { state: "completed" } })

/** A run of which everything is an artifact, and the whole replaces the pieces. */
const run = Stream.make<Array<StreamEvent.StreamEvent>>(
  put([Marked.thought("Hm, ")], false),
  put([Marked.thought("well.")], true),
  put([Part.text("4")], true),
  put([Part.text("2")], true),
  put([Marked.thought("Hm, well."), Part.text("42")], false),
  put([call], false, "b"),
  put([response], false, "c"),
  settled
)

describe("artifacts that hold all of a run", () => {
  it.effect("leave thoughts out of the answer, and emit no text twice", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* Stream.runCollect(AgentStream.text(run)), ["4", "2"])
      assert.strictEqual((yield* AgentStream.answer(run)).text, "42")
    }), covers("ML-24", "ADK-08"))

  it.effect("give the answer their tool calls, streamed or not", () =>
    Effect.gen(function*() {
      const answer = yield* AgentStream.answer(run)
      assert.deepStrictEqual(answer.toolCalls, [
        { id: "c-1", name: "search", args: {}, outcome: { _tag: "Success", response: { hits: 1 } } }
      ])
      assert.deepStrictEqual(Answer.fromTask(answer.task!).toolCalls, answer.toolCalls)
      const told = AgentStream.toolCalls(Stream.make<Array<StreamEvent.StreamEvent>>(answer.task!))
      assert.deepStrictEqual((yield* Stream.runCollect(told)).map(({ _tag }) => _tag), ["Call", "Result"])
    }), covers("ML-21", "ADK-08"))

  it("leave a question apart if they have no text", covers("ADK-08"), () => {
    const task: Task.Task = {
      _tag: "Task",
      id: taskId,
      status: {
        state: "input-required",
        message: { _tag: "Message", messageId: Id.MessageId.make("m"), role: "agent", parts: [Part.text("Pay?")] }
      },
      artifacts: [Artifact.make(Id.ArtifactId.make("b"), [call])]
    }
    const { question, text } = Answer.fromTask(task)
    assert.deepStrictEqual([text, question], ["", "Pay?"])
  })
})

import type { Message, Task } from "@effect-a2a/core"
import { Artifact, Id, Part, StreamEvent } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"

const taskId = Id.TaskId.make("t-1")
const contextId = Id.ContextId.make("c-1")
const at = { taskId, contextId }
type State = Task.Task["status"]["state"]

const art = (id: string, append: boolean | undefined, text: string, lastChunk?: boolean) =>
  StreamEvent.artifactUpdate({
    ...at,
    artifact: Artifact.make(Id.ArtifactId.make(id), [Part.text(text)]),
    ...(append === undefined ? {} : { append }),
    ...(lastChunk === undefined ? {} : { lastChunk })
  })
const status = (state: State) => StreamEvent.statusUpdate({ ...at, status: { state } })
const snapshot = (state: State, fields: Partial<Task.Task> = {}): Task.Task => ({
  _tag: "Task",
  id: taskId,
  contextId,
  status: { state },
  ...fields
})
const message: Message.Message = {
  _tag: "Message",
  messageId: Id.MessageId.make("m"),
  role: "agent",
  parts: [Part.text("x")]
}

describe("StreamEvent", () => {
  it("settled states and messages settle", () => {
    const settling = (["submitted", "working", "unspecified", "auth-required"] as const).map((state) =>
      StreamEvent.isSettling(status(state))
    )
    assert.deepStrictEqual(settling, [false, false, false, true])
    for (const state of ["completed", "failed", "canceled", "rejected", "input-required"] as const) {
      assert.isTrue(StreamEvent.isSettling(status(state)) && StreamEvent.isSettling(snapshot(state)))
    }
    assert.isTrue(StreamEvent.isSettling(message))
    assert.isFalse(StreamEvent.isSettling(art("a", false, "x", true)))
  })

  it("events report their state and task", () => {
    assert.deepStrictEqual(
      [status("working"), snapshot("failed"), art("a", false, "x"), message].map(StreamEvent.state),
      [
        "working",
        "failed",
        undefined,
        undefined
      ]
    )
    assert.deepStrictEqual([status("working"), snapshot("failed"), message].map(StreamEvent.taskId), [
      taskId,
      taskId,
      undefined
    ])
  })
})

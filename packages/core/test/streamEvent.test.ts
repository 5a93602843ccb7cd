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

const fold = (...events: ReadonlyArray<StreamEvent.StreamEvent>) =>
  events.reduce<Task.Task | undefined>(StreamEvent.apply, undefined)

const texts = (task: Task.Task | undefined) =>
  (task?.artifacts ?? []).map((one) => [one.artifactId as string, Artifact.text(one)] as const)

describe("StreamEvent.apply", () => {
  it("ART-01: append continues an artifact, and earlier snapshots stay as they were", () => {
    const first = fold(art("a", false, "He"))
    const second = StreamEvent.apply(first, art("a", true, "llo"))
    const third = StreamEvent.apply(second, art("a", true, "!"))
    assert.deepStrictEqual([first, second, third].map(texts), [[["a", "He"]], [["a", "Hello"]], [["a", "Hello!"]]])
    assert.strictEqual(first?.artifacts?.[0]?.parts.length, 1)
  })

  it("ART-01: frozen input is enough", () => {
    const freeze = <A>(value: A): A => {
      if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(freeze)
      return value
    }
    const events = [snapshot("working"), art("a", false, "1"), art("a", true, "2"), status("completed")].map(freeze)
    const task = events.reduce<Task.Task | undefined>(
      (task, event) => freeze(StreamEvent.apply(task, event)),
      undefined
    )
    assert.deepStrictEqual(texts(task), [["a", "12"]])
  })

  it("ART-02: append false or absent replaces", () => {
    for (const append of [false, undefined]) {
      assert.deepStrictEqual(texts(fold(art("a", false, "draft"), art("a", true, " one"), art("a", append, "final"))), [
        ["a", "final"]
      ])
    }
  })

  it("§2.3: append to an unknown artifact adds it", () => {
    assert.deepStrictEqual(texts(fold(art("a", true, "x"))), [["a", "x"]])
  })

  it("ART-04: a bare snapshot in mid-stream takes nothing away", () => {
    const task = fold(art("a", false, "He"), snapshot("working"), art("a", true, "llo"))
    assert.deepStrictEqual(texts(task), [["a", "Hello"]])
    const history = fold(snapshot("working", { history: [message] }), snapshot("completed"))
    assert.deepStrictEqual(history?.history, [message])
  })

  it("ART-05: a full snapshot replaces", () => {
    const artifacts = [Artifact.make(Id.ArtifactId.make("a"), [Part.text("Hello")])]
    const task = fold(art("a", false, "He"), art("a", true, "llo"), snapshot("completed", { artifacts }))
    assert.deepStrictEqual(task?.artifacts, artifacts)
    assert.deepStrictEqual(fold(art("a", false, "He"), snapshot("completed", { artifacts: [] }))?.artifacts, [])
  })

  it("ART-07: artifacts may interleave and keep their order; lastChunk closes nothing", () => {
    const task = fold(
      art("a", false, "1"),
      art("b", false, "x", true),
      art("a", true, "2"),
      art("b", true, "y"),
      status("completed")
    )
    assert.deepStrictEqual(texts(task), [["a", "12"], ["b", "xy"]])
  })

  it("STR-10: a finished task is not revived, late chunks are kept", () => {
    const task = fold(status("completed"), art("a", true, "tail"), status("working"))
    assert.strictEqual(task?.status.state, "completed")
    assert.deepStrictEqual(texts(task), [["a", "tail"]])
    assert.strictEqual(task?.contextId, contextId)
  })

  it("STR-10: a late snapshot does not revive it either", () => {
    assert.strictEqual(fold(status("completed"), snapshot("working"))?.status.state, "completed")
    const said = { state: "completed", message } as const
    assert.deepStrictEqual(fold(status("completed"), snapshot("completed", { status: said }))?.status, said)
    const other = Id.TaskId.make("t-2")
    assert.strictEqual(fold(status("completed"), snapshot("working", { id: other }))?.status.state, "working")
  })

  it("ML-22: a stream that starts with an update makes its task from the ids", () => {
    assert.deepStrictEqual(fold(status("working")), snapshot("working"))
    assert.deepStrictEqual(fold(art("a", false, "x"))?.status, { state: "unspecified" })
  })

  it("a message changes no task, and makes none", () => {
    assert.isUndefined(fold(message))
    const task = snapshot("working")
    assert.strictEqual(StreamEvent.apply(task, message), task)
  })
})

describe("StreamEvent", () => {
  it("what settles", () => {
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

  it("state and task of an event", () => {
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

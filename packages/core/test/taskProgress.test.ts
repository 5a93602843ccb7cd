import type { Message, Task } from "@effect-a2a/core"
import { Artifact, Id, Part, StreamEvent, TaskProgress } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { covers } from "../../../test/support/covers.ts"
import { art, contextId, snapshot, status } from "./events.ts"

const message: Message.Message = {
  _tag: "Message",
  messageId: Id.MessageId.make("m"),
  role: "agent",
  parts: [Part.text("x")]
}

const fold = (...events: ReadonlyArray<StreamEvent.StreamEvent>) =>
  events.reduce<Task.Task | undefined>(TaskProgress.apply, undefined)

const texts = (task: Task.Task | undefined) =>
  (task?.artifacts ?? []).map((one) => [one.artifactId as string, Artifact.text(one)] as const)

describe("TaskProgress.apply", () => {
  it("append continues an artifact, and earlier snapshots stay as they were", covers("field:ART-01"), () => {
    const first = fold(art("a", false, "He"))
    const second = TaskProgress.apply(first, art("a", true, "llo"))
    const third = TaskProgress.apply(second, art("a", true, "!"))
    assert.deepStrictEqual([first, second, third].map(texts), [[["a", "He"]], [["a", "Hello"]], [["a", "Hello!"]]])
    assert.strictEqual(first?.artifacts?.[0]?.parts.length, 1)
  })

  it("changes no input", covers("field:ART-01"), () => {
    const freeze = <A>(value: A): A => {
      if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(freeze)
      return value
    }
    const events = [snapshot("working"), art("a", false, "1"), art("a", true, "2"), status("completed")].map(freeze)
    const task = events.reduce<Task.Task | undefined>(
      (task, event) => freeze(TaskProgress.apply(task, event)),
      undefined
    )
    assert.deepStrictEqual(texts(task), [["a", "12"]])
  })

  it("append false or absent replaces", covers("field:ART-02"), () => {
    for (const append of [false, undefined]) {
      assert.deepStrictEqual(texts(fold(art("a", false, "draft"), art("a", true, " one"), art("a", append, "final"))), [
        ["a", "final"]
      ])
    }
  })

  it("append to an unknown artifact adds it", () => {
    assert.deepStrictEqual(texts(fold(art("a", true, "x"))), [["a", "x"]])
  })

  it("a bare snapshot within a stream removes nothing", covers("field:ART-04"), () => {
    const task = fold(art("a", false, "He"), snapshot("working"), art("a", true, "llo"))
    assert.deepStrictEqual(texts(task), [["a", "Hello"]])
    const history = fold(snapshot("working", { history: [message] }), snapshot("completed"))
    assert.deepStrictEqual(history?.history, [message])
  })

  it("a full snapshot replaces", covers("field:ART-05"), () => {
    const artifacts = [Artifact.make(Id.ArtifactId.make("a"), [Part.text("Hello")])]
    const task = fold(art("a", false, "He"), art("a", true, "llo"), snapshot("completed", { artifacts }))
    assert.deepStrictEqual(task?.artifacts, artifacts)
    assert.deepStrictEqual(fold(art("a", false, "He"), snapshot("completed", { artifacts: [] }))?.artifacts, [])
  })

  it("artifacts interleave and keep their order, and lastChunk closes none", covers("field:ART-07"), () => {
    const task = fold(
      art("a", false, "1"),
      art("b", false, "x", true),
      art("a", true, "2"),
      art("b", true, "y"),
      status("completed")
    )
    assert.deepStrictEqual(texts(task), [["a", "12"], ["b", "xy"]])
  })

  it("a terminal task stays terminal, and late chunks are kept", covers("field:STR-10"), () => {
    const task = fold(status("completed"), art("a", true, "tail"), status("working"))
    assert.strictEqual(task?.status.state, "completed")
    assert.deepStrictEqual(texts(task), [["a", "tail"]])
    assert.strictEqual(task?.contextId, contextId)
  })

  it("a late snapshot does not revive a terminal task", covers("field:STR-10"), () => {
    assert.strictEqual(fold(status("completed"), snapshot("working"))?.status.state, "completed")
    const said = { state: "completed", message } as const
    assert.deepStrictEqual(fold(status("completed"), snapshot("completed", { status: said }))?.status, said)
  })

  it("a stream that begins with an update creates its task from the ids", covers("ML-22"), () => {
    assert.deepStrictEqual(fold(status("working")), snapshot("working"))
    assert.deepStrictEqual(fold(art("a", false, "x"))?.status, { state: "unspecified" })
  })

  it("another task's events change nothing", () => {
    const other = { taskId: Id.TaskId.make("t-2"), contextId }
    const events = [
      snapshot("failed", { id: other.taskId }),
      StreamEvent.statusUpdate({ ...other, status: { state: "completed" } }),
      StreamEvent.artifactUpdate({ ...other, artifact: Artifact.make(Id.ArtifactId.make("b"), [Part.text("x")]) })
    ]
    assert.deepStrictEqual(
      fold(status("working"), art("a", false, "1"), ...events),
      fold(status("working"), art("a", false, "1"))
    )
  })

  it("a message changes and creates no task", () => {
    assert.isUndefined(fold(message))
    const task = snapshot("working")
    assert.deepStrictEqual(TaskProgress.apply(task, message), task)
  })
})

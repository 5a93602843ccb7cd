import { AgentError, AgentStream, Artifact, Id, Message, Part, StreamEvent, Task } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Schema, Stream } from "effect"
import * as Marked from "./marked.ts"

const taskId = Id.TaskId.make("t-1")
const contextId = Id.ContextId.make("c-1")
const at = { taskId, contextId }
type State = Task.Task["status"]["state"]

const art = (id: string, append: boolean, text: string) =>
  StreamEvent.artifactUpdate({ ...at, artifact: Artifact.make(Id.ArtifactId.make(id), [Part.text(text)]), append })
const status = (state: State) => StreamEvent.statusUpdate({ ...at, status: { state } })
const snapshot = (state: State, fields: Partial<Task.Task> = {}): Task.Task => ({
  _tag: "Task",
  id: taskId,
  contextId,
  status: { state },
  ...fields
})

const saying = (id: string, ...parts: ReadonlyArray<Part.Part>): Message.Message => ({
  _tag: "Message",
  messageId: Id.MessageId.make(id),
  role: "agent",
  parts
})
const delta = (id: string, ...parts: ReadonlyArray<string | Part.Part>) =>
  StreamEvent.statusUpdate({
    ...at,
    status: { state: "working", message: saying(id, ...Message.parts(parts)) }
  })
const call = (id: string) => Marked.call({ id, name: "search", args: { q: id } })
const response = (id: string, response: Schema.Json) => Marked.result({ id, name: "search", response })
const { thought } = Marked

type Events = ReadonlyArray<StreamEvent.StreamEvent>

/** As one chunk, and one by one: chunks must not matter. */
const both = <A>(view: (events: Stream.Stream<StreamEvent.StreamEvent>) => Stream.Stream<A>, events: Events) =>
  Effect.gen(function*() {
    const whole = yield* Stream.runCollect(view(Stream.fromArray(events)))
    const single = yield* Stream.runCollect(view(Stream.fromIterable(events).pipe(Stream.rechunk(1))))
    assert.deepStrictEqual(single, whole)
    return whole
  })

const shown = (...events: Events) => Effect.map(both(AgentStream.text, events), (texts) => texts.join(""))
const answer = (...events: Events) => AgentStream.answer(Stream.fromArray(events))

describe("AgentStream.text", () => {
  it.effect("STR-01: artifacts as they come", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        yield* both(AgentStream.text, [
          snapshot("submitted"),
          art("a", false, "He"),
          art("a", true, "llo"),
          status("completed")
        ]),
        ["He", "llo"]
      )
    }))

  it.effect("ML-22: the artifact that repeats the spoken deltas is not said twice", () =>
    Effect.gen(function*() {
      const deltas = [delta("1", "He"), delta("2", "llo")]
      assert.strictEqual(yield* shown(...deltas, art("a", false, "Hello"), status("completed")), "Hello")
      assert.strictEqual(yield* shown(...deltas, art("a", false, "Hello!")), "Hello!")
      assert.strictEqual(yield* shown(...deltas, art("a", false, "He"), art("a", true, "llo")), "Hello")
    }))

  it.effect("what was said before a tool was called is no beginning of the answer", () =>
    Effect.gen(function*() {
      const events = [delta("1", "Let me look. "), delta("2", call("k")), delta("3", "Found "), delta("4", "it")]
      assert.strictEqual(yield* shown(...events, art("a", false, "Found it")), "Let me look. Found it")
    }))

  it.effect("an artifact that says something else stands on a line of its own", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* shown(delta("1", "Working"), art("a", false, "42")), "Working\n42")
    }))

  it.effect("thoughts are not said", () =>
    Effect.gen(function*() {
      assert.strictEqual(
        yield* shown(delta("1", thought("hm"), "He"), delta("2", thought("so")), delta("3", "llo")),
        "Hello"
      )
    }))

  it.effect("ART-05: a last snapshot says nothing again", () =>
    Effect.gen(function*() {
      const artifacts = [Artifact.make(Id.ArtifactId.make("a"), [Part.text("Hello")])]
      assert.strictEqual(
        yield* shown(art("a", false, "He"), art("a", true, "llo"), snapshot("completed", { artifacts })),
        "Hello"
      )
    }))

  it.effect("ART-02: a revision is said", () =>
    Effect.gen(function*() {
      const texts = yield* both(AgentStream.text, [
        art("a", false, "draft"),
        art("a", true, " one"),
        art("a", false, "final")
      ])
      assert.deepStrictEqual(texts, ["draft", " one", "\nfinal"])
    }))

  it.effect("ART-07: interleaved artifacts", () =>
    Effect.gen(function*() {
      assert.strictEqual(
        yield* shown(art("a", false, "1"), art("b", false, "x"), art("a", true, "2"), art("b", true, "y")),
        "1x2y"
      )
    }))

  it.effect("ML-26: a replay says nothing twice and goes on where it broke", () =>
    Effect.gen(function*() {
      const events = [
        snapshot("submitted"),
        delta("1", "Hm. "),
        delta("2", call("k")),
        art("a", false, "He"),
        art("a", true, "llo")
      ]
      assert.strictEqual(yield* shown(...events, ...events, art("a", true, "!"), status("completed")), "Hm. Hello!")
      assert.strictEqual(yield* shown(...events.slice(0, 4), ...events, status("completed")), "Hm. Hello")
    }))

  it.effect("STR-04: a message, once", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* shown(saying("1", Part.text("hi"))), "hi")
      assert.strictEqual(yield* shown(saying("1", Part.text("hi")), saying("1", Part.text("hi"))), "hi")
    }))

  it.effect("ML-32: what a failed status says is the failure's, not the answer's", () =>
    Effect.gen(function*() {
      const failed = StreamEvent.statusUpdate({
        ...at,
        status: { state: "failed", message: saying("9", Part.text("boom")) }
      })
      assert.strictEqual(yield* shown(delta("1", "He"), failed), "He")
    }))
})

describe("AgentStream.answer", () => {
  it.effect("ART-01 ART-02 ART-07: artifacts put together", () =>
    Effect.gen(function*() {
      const joined = yield* answer(
        art("a", false, "He"),
        art("b", false, "x"),
        art("a", true, "llo"),
        art("b", false, "y"),
        status("completed")
      )
      assert.deepStrictEqual(joined.artifacts.map((one) => [one.artifactId as string, Artifact.text(one)]), [
        ["a", "Hello"],
        ["b", "y"]
      ])
      assert.deepStrictEqual([joined.state, joined.taskId, joined.contextId], ["completed", taskId, contextId])
    }))

  it.effect("it is what the fold of the same events says", () =>
    Effect.gen(function*() {
      const artifacts = [Artifact.make(Id.ArtifactId.make("a"), [Part.text("Hello")])]
      const runs: ReadonlyArray<Events> = [
        [snapshot("submitted"), art("a", false, "He"), snapshot("working"), art("a", true, "llo"), status("completed")],
        [art("a", false, "He"), art("a", true, "llo"), snapshot("completed", { artifacts })],
        [art("a", false, "He"), art("b", false, "x"), snapshot("completed", { artifacts })],
        [status("completed"), art("a", true, "tail"), status("working")],
        [art("a", true, "x")]
      ]
      for (const run of runs) {
        const { task } = yield* answer(...run)
        assert.deepStrictEqual(task, run.reduce<Task.Task | undefined>(StreamEvent.apply, undefined))
      }
    }))

  it.effect("STR-04: a message is an answer without a task", () =>
    Effect.gen(function*() {
      const one = yield* answer(saying("1", Part.text("hi"), call("k")))
      assert.deepStrictEqual([one.state, one.text, one.task, one.taskId], ["message", "hi", undefined, undefined])
      assert.deepStrictEqual(one.toolCalls, [{ id: "k", name: "search", args: { q: "k" } }])
    }))

  it.effect("a question is the text of an answer that needs input", () =>
    Effect.gen(function*() {
      const asked = StreamEvent.statusUpdate({
        ...at,
        status: { state: "input-required", message: saying("1", Part.text("Where?")) }
      })
      const one = yield* answer(snapshot("working"), asked)
      assert.deepStrictEqual([one.state, one.text], ["input-required", "Where?"])
    }))

  it.effect("nothing is an answer in no state", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* answer(), { state: "unspecified", text: "", artifacts: [], toolCalls: [] })
    }))

  it.effect("ML-24: tool calls and results are paired, in order, each once", () =>
    Effect.gen(function*() {
      const { toolCalls } = yield* answer(
        delta("1", call("k1")),
        delta("2", call("k2")),
        delta("3", response("k2", "{\"hits\":2.0}")),
        delta("4", response("k1", { error: "timeout", code: 504 })),
        delta("5", call("k1"), response("k3", "plain")),
        status("completed")
      )
      assert.deepStrictEqual(toolCalls, [
        {
          id: "k1",
          name: "search",
          args: { q: "k1" },
          outcome: { _tag: "Failure", error: "timeout", code: 504 }
        },
        { id: "k2", name: "search", args: { q: "k2" }, outcome: { _tag: "Success", response: { hits: 2 } } },
        { id: "k3", name: "search", args: {}, outcome: { _tag: "Success", response: "plain" } }
      ])
    }))

  it.effect("50,000 chunks take time in proportion", () =>
    Effect.gen(function*() {
      const chunks = Array.from({ length: 50_000 }, (_, i) => art("a", i > 0, "x"))
      const start = performance.now()
      const { text } = yield* answer(...chunks, status("completed"))
      assert.strictEqual(text.length, 50_000)
      // copying what came before with each chunk would take minutes
      assert.isBelow(performance.now() - start, 5000)
    }))
})

describe("AgentStream.snapshots", () => {
  it.effect("the task after each event; earlier ones stay as they were", () =>
    Effect.gen(function*() {
      const events = [snapshot("submitted"), art("a", false, "He"), art("a", true, "llo"), status("completed")]
      const tasks = yield* both(AgentStream.snapshots, events)
      assert.deepStrictEqual(tasks.map((task) => [task.status.state, Task.text(task)]), [
        ["submitted", undefined],
        ["submitted", "He"],
        ["submitted", "Hello"],
        ["completed", "Hello"]
      ])
    }))

  it.effect("messages are no snapshots", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* both(AgentStream.snapshots, [saying("1", Part.text("x"))]), [])
    }))
})

describe("AgentStream.toolCalls", () => {
  it.effect("as they happen, each once, replayed or not", () =>
    Effect.gen(function*() {
      const events = [delta("1", call("k")), delta("2", response("k", { ok: true }))]
      const told = yield* both(AgentStream.toolCalls, [
        ...events,
        ...events,
        snapshot("completed", { history: [saying("1", call("k"))] })
      ])
      assert.deepStrictEqual(told, [
        { _tag: "Call", id: "k", name: "search", args: { q: "k" } },
        { _tag: "Result", id: "k", name: "search", outcome: { _tag: "Success", response: { ok: true } } }
      ])
    }))
})

describe("AgentError.fromTask", () => {
  it("failed, canceled and rejected are failures that carry the task; other states are none", () => {
    const failed = snapshot("failed", { status: { state: "failed", message: saying("1", Part.text("no model")) } })
    const reason = AgentError.fromTask(failed)
    assert.deepStrictEqual(
      reason?._tag === "TaskFailedError" && [reason.message, reason.task, reason.code],
      ["no model", failed, "TASK_STATE_FAILED"]
    )
    assert.strictEqual(AgentError.fromTask(snapshot("canceled"))?._tag, "TaskCanceledError")
    assert.strictEqual(AgentError.fromTask(snapshot("rejected"))?._tag, "TaskRejectedError")
    for (
      const state of ["submitted", "working", "input-required", "auth-required", "completed", "unspecified"] as const
    ) {
      assert.isUndefined(AgentError.fromTask(snapshot(state)))
    }
  })
})

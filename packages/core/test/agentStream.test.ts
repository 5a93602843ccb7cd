import { AgentError, AgentStream, Artifact, Id, Message, Part, StreamEvent, Task, TaskProgress } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Schema, Stream } from "effect"
import { covers } from "../../../test/support/covers.ts"
import { art, at, contextId, snapshot, status, taskId } from "./events.ts"
import * as Marked from "./marked.ts"

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
  it.effect("emits artifacts as they come", () =>
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
    }), covers("field:STR-01"))

  it.effect("emits no artifact that repeats all that status messages said", () =>
    Effect.gen(function*() {
      const deltas = [delta("1", "He"), delta("1", "llo")]
      assert.strictEqual(yield* shown(...deltas, art("a", false, "Hello"), status("completed")), "Hello")
      assert.strictEqual(yield* shown(...deltas, art("a", false, "Hello!")), "Hello!")
      assert.strictEqual(yield* shown(...deltas, art("a", false, "Hello"), art("a", true, "!")), "Hello!")
      const messages = [delta("1", "One."), delta("2", "Two.")]
      assert.strictEqual(yield* shown(...messages, art("a", false, "One.Two.")), "One.\n\nTwo.")
      assert.strictEqual(yield* shown(...messages, art("a", false, "One.\n\nTwo. Done.")), "One.\n\nTwo. Done.")
    }), covers("ML-22"))

  it.effect("does not take text before a tool call for the beginning of an artifact", () =>
    Effect.gen(function*() {
      const events = [delta("1", "Let me look. "), delta("2", call("k")), delta("3", "Found "), delta("4", "it")]
      assert.strictEqual(yield* shown(...events, art("a", false, "Found it")), "Let me look. \n\nFound \n\nit")
    }))

  it.effect("separates artifacts and messages by a blank line", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* shown(delta("1", "Working"), art("a", false, "42")), "Working\n\n42")
    }))

  it.effect("leaves thoughts out", () =>
    Effect.gen(function*() {
      assert.strictEqual(
        yield* shown(delta("1", thought("hm"), "He"), delta("2", thought("so")), delta("1", "llo")),
        "Hello"
      )
    }))

  it.effect("emits nothing for a final snapshot that repeats the stream", () =>
    Effect.gen(function*() {
      const artifacts = [Artifact.make(Id.ArtifactId.make("a"), [Part.text("Hello")])]
      assert.strictEqual(
        yield* shown(art("a", false, "He"), art("a", true, "llo"), snapshot("completed", { artifacts })),
        "Hello"
      )
    }), covers("field:ART-05"))

  it.effect("emits a revised artifact", () =>
    Effect.gen(function*() {
      const texts = yield* both(AgentStream.text, [
        art("a", false, "draft"),
        art("a", true, " one"),
        art("a", false, "final")
      ])
      assert.deepStrictEqual(texts, ["draft", " one", "\n\nfinal"])
    }), covers("field:ART-02"))

  it.effect("keeps interleaved artifacts apart", () =>
    Effect.gen(function*() {
      assert.strictEqual(
        yield* shown(art("a", false, "1"), art("b", false, "x"), art("a", true, "2"), art("b", true, "y")),
        "1\n\nx\n\n2\n\ny"
      )
    }), covers("field:ART-07"))

  it.effect("leaves out the message of a failed status", () =>
    Effect.gen(function*() {
      const failed = StreamEvent.statusUpdate({
        ...at,
        status: { state: "failed", message: saying("9", Part.text("boom")) }
      })
      assert.strictEqual(yield* shown(delta("1", "He"), failed), "He")
    }), covers("ML-32"))
})

describe("AgentStream.answer", () => {
  it.effect("appends chunks, replaces revisions and keeps interleaved artifacts apart", () =>
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
    }), covers("field:ART-01", "field:ART-02", "field:ART-07"))

  it.effect("equals the answer of the folded task", () =>
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
        assert.deepStrictEqual(task, run.reduce<Task.Task | undefined>(TaskProgress.apply, undefined))
      }
    }))

  it.effect("is the message if there is no task", () =>
    Effect.gen(function*() {
      const one = yield* answer(saying("1", Part.text("hi"), call("k")))
      assert.deepStrictEqual([one.state, one.text, one.task, one.taskId], ["message", "hi", undefined, undefined])
      assert.deepStrictEqual(one.toolCalls, [{ id: "k", name: "search", args: { q: "k" } }])
    }), covers("field:STR-04"))

  it.effect("has text and question apart if input is required", () =>
    Effect.gen(function*() {
      const asked = StreamEvent.statusUpdate({
        ...at,
        status: { state: "input-required", message: saying("1", Part.text("Where?")) }
      })
      const alone = yield* answer(snapshot("working"), asked)
      assert.deepStrictEqual([alone.state, alone.text, alone.question], ["input-required", "", "Where?"])
      const both = yield* answer(art("a", false, "Three fit."), asked)
      assert.deepStrictEqual([both.text, both.question], ["Three fit.", "Where?"])
    }))

  it.effect("has no state if there are no events", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* answer(), { state: "unspecified", text: "", artifacts: [], toolCalls: [] })
    }))

  it.effect("pairs tool calls with results, in order, each once", () =>
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
    }), covers("ML-24"))

  it.effect("takes linear time for 50,000 chunks", () =>
    Effect.gen(function*() {
      const chunks = Array.from({ length: 50_000 }, (_, i) => art("a", i > 0, "x"))
      const start = performance.now()
      const { text } = yield* answer(...chunks, status("completed"))
      assert.strictEqual(text.length, 50_000)
      // copying what came before with each chunk would take minutes
      assert.isBelow(performance.now() - start, 5000)
    }))
})

describe("AgentStream.steps", () => {
  it.effect("ends with the answer, and with none before a failure", () =>
    Effect.gen(function*() {
      const steps = (end: Stream.Stream<StreamEvent.StreamEvent, string>, ...events: Events) =>
        Effect.gen(function*() {
          const seen: Array<string> = []
          const exit = yield* Stream.fromIterable(events).pipe(
            Stream.concat(end),
            AgentStream.steps,
            Stream.runForEach((step) => Effect.sync(() => seen.push(step._tag))),
            Effect.exit
          )
          return [...seen, exit._tag]
        })
      const dropped = Stream.fail("dropped")
      assert.deepStrictEqual(yield* steps(Stream.empty), ["Answer", "Success"])
      assert.deepStrictEqual(yield* steps(Stream.empty, art("a", false, "Hi")), ["Text", "Answer", "Success"])
      assert.deepStrictEqual(yield* steps(dropped), ["Failure"])
      assert.deepStrictEqual(yield* steps(dropped, art("a", false, "Hi")), ["Text", "Failure"])
      assert.deepStrictEqual(yield* steps(Stream.die("bug"), art("a", false, "Hi")), ["Text", "Failure"])
    }))

  it.effect("reads a stream that is run twice from its beginning each time", () =>
    Effect.gen(function*() {
      const steps = Stream.runCollect(AgentStream.steps(Stream.make(art("a", false, "Hi"))))
      assert.deepStrictEqual(yield* steps, yield* steps)
    }))
})

describe("AgentStream.snapshots", () => {
  it.effect("emits the task after each event and leaves earlier ones unchanged", () =>
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

  it.effect("emits nothing for messages", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* both(AgentStream.snapshots, [saying("1", Part.text("x"))]), [])
    }))
})

describe("AgentStream.toolCalls", () => {
  it.effect("emits each call and result once, replayed or not", () =>
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
  it("fails with the task for failed, canceled and rejected only", () => {
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

/** A turn of a conversation on a task that exists: its views, its answer and its transcript begin with the turn. */
import { Agent, AgentStream, Artifact, Conversation, Id, Message, Part, StreamEvent, type Task } from "@effect-a2a/core"
import { AgentTest, Script } from "@effect-a2a/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema, Stream } from "effect"
import { covers } from "./support/covers.ts"
import { chunks, type Combination, event as encode, frame, inEach, talkTo } from "./support/peer.ts"

const at = { taskId: Id.TaskId.make("t-1"), contextId: Id.ContextId.make("c-1") }

const say = (id: string, text: string): Message.Message => ({
  _tag: "Message",
  messageId: Id.MessageId.make(id),
  role: "agent",
  parts: [Part.text(text)],
  ...at
})

const artifact = (id: string, ...texts: ReadonlyArray<string>) =>
  Artifact.make(Id.ArtifactId.make(id), texts.map((text) => Part.text(text)))

const chunk = (id: string, text: string, append = false) =>
  StreamEvent.artifactUpdate({ ...at, artifact: artifact(id, text), ...(append && { append }) })

const status = (state: Task.TaskStatus["state"], message?: Message.Message) =>
  StreamEvent.statusUpdate({ ...at, status: { state, ...(message && { message }) } })

const task = (
  state: Task.TaskStatus["state"],
  artifacts: ReadonlyArray<Artifact.Artifact>,
  message?: Message.Message
): Task.Task => ({
  _tag: "Task",
  id: at.taskId,
  contextId: at.contextId,
  status: { state, ...(message && { message }) },
  artifacts
})

const question = say("q-1", "Shall I go on?")
const first = [
  task("working", []),
  chunk("a", "The first "),
  chunk("a", "draft", true),
  status("input-required", question)
]
const before = artifact("a", "The first ", "draft")

/** Second turns of a task whose first turn wrote artifact `a`: each says `Final`, and nothing else. */
const seconds: Readonly<Record<string, ReadonlyArray<StreamEvent.StreamEvent>>> = {
  "a snapshot that waits for input, another artifact": [
    task("input-required", [before], question),
    status("working"),
    chunk("b", "Fin"),
    chunk("b", "al", true),
    status("completed")
  ],
  "a snapshot at work, another artifact": [task("working", [before]), chunk("b", "Final"), status("completed")],
  "a snapshot whose parts are joined": [
    task("working", [artifact("a", "The first draft")]),
    chunk("b", "Final"),
    status("completed")
  ],
  "a snapshot of an artifact that goes on": [
    task("working", [artifact("a", "The first ", "draft", "Fi")]),
    chunk("a", "nal", true),
    status("completed")
  ],
  "an artifact that goes on without a snapshot": [status("working"), chunk("a", "Final", true), status("completed")],
  "no snapshot": [status("working"), chunk("b", "Final"), status("completed")],
  "a snapshot at the beginning and at the end": [
    task("working", [before]),
    chunk("b", "Final"),
    task("completed", [before, artifact("b", "Final")])
  ],
  "the end alone": [task("completed", [before, artifact("b", "Final")])],
  "a status message": [task("working", [before]), status("completed", say("s-1", "Final"))]
}

const peer = (combination: Combination, turns: ReadonlyArray<ReadonlyArray<StreamEvent.StreamEvent>>) => {
  const left = [...turns]
  const { asked, layer } = talkTo(
    combination,
    (asked) => chunks(left.shift()!.map((one) => frame(encode(combination, asked, one))))
  )
  return { asked, layer: Agent.layer.pipe(Layer.provide(layer)) }
}

const read = Effect.fnUntraced(function*(conversation: Conversation.Service, text: string) {
  const events = yield* Stream.runCollect(conversation.stream(text))
  const texts = yield* Stream.runCollect(AgentStream.text(Stream.fromIterable(events)))
  const answer = yield* AgentStream.answer(Stream.fromIterable(events))
  return { events, text: texts.join(""), answer }
})

describe("a second turn on a task", () => {
  for (const [name, second] of Object.entries(seconds)) {
    it.effect(`has a text and an answer that begin with the turn: ${name}`, () =>
      inEach((combination) => {
        const { layer } = peer(combination, [first, second])
        return Effect.gen(function*() {
          const conversation = yield* Conversation.make()
          const one = yield* read(conversation, "Write")
          assert.strictEqual(one.text, "The first draft\n\nShall I go on?")
          const two = yield* read(conversation, "Yes")
          assert.deepStrictEqual([two.text, two.answer.text, two.answer.state], ["Final", "Final", "completed"])
          const { transcript } = yield* conversation.state
          assert.deepStrictEqual(transcript.map(Message.text), ["Write", "Shall I go on?", "Yes", "Final"])
        }).pipe(Effect.provide(layer))
      }), covers("field:N2-04"))
  }

  it.effect("begins with the turn in a conversation that continues from a saved state", () =>
    inEach((combination) => {
      const { layer } = peer(combination, [first, seconds["a snapshot at work, another artifact"]!])
      return Effect.gen(function*() {
        const codec = Schema.toCodecJson(Conversation.State)
        const earlier = yield* Conversation.make()
        yield* read(earlier, "Write")
        const json = yield* Schema.encodeEffect(codec)(yield* earlier.state)
        const conversation = yield* Conversation.make({ state: yield* Schema.decodeEffect(codec)(json) })
        const two = yield* read(conversation, "Yes")
        assert.deepStrictEqual([two.text, two.answer.text], ["Final", "Final"])
      }).pipe(Effect.provide(layer))
    }), covers("field:N2-04"))

  it.effect("delivers all events as they were sent", () =>
    inEach((combination) => {
      const second = seconds["a snapshot at the beginning and at the end"]!
      const { layer } = peer(combination, [first, second])
      return Effect.gen(function*() {
        const conversation = yield* Conversation.make()
        yield* read(conversation, "Write")
        const { events } = yield* read(conversation, "Yes")
        assert.deepStrictEqual(events, second)
      }).pipe(Effect.provide(layer))
    }), covers("field:N2-04"))

  it.effect(
    "has an answer that begins with the turn if it is asked for without a stream",
    () =>
      inEach((combination) => {
        const bodies = [task("input-required", [before], question), task("completed", [before, artifact("b", "Final")])]
        const { layer } = talkTo(combination, (asked) => {
          const json = JSON.parse(encode(combination, asked, bodies.shift()!))
          return Response.json(json)
        })
        return Effect.gen(function*() {
          const conversation = yield* Conversation.make()
          const one = yield* conversation.ask("Write")
          assert.strictEqual(one.text, "The first draft")
          const two = yield* conversation.ask("Yes")
          assert.deepStrictEqual([two.text, two.artifacts.map(Artifact.text)], ["Final", ["Final"]])
          // the task itself is whole
          assert.strictEqual(two.task?.artifacts?.length, 2)
        }).pipe(Effect.provide(Agent.layer.pipe(Layer.provide(layer))))
      }),
    covers("field:N2-04")
  )

  it.effect("of our own server begins with the turn", () => {
    const script = Script.layer(({ task }) =>
      task === undefined
        ? [Script.say("The first draft"), Script.askForInput("Shall I go on?")]
        : [Script.say("Final")]
    )
    return Effect.gen(function*() {
      const conversation = yield* Conversation.make()
      yield* read(conversation, "Write")
      const { answer, text } = yield* read(conversation, "Yes")
      assert.deepStrictEqual([text, answer.text], ["Final", "Final"])
    }).pipe(Effect.provide(Agent.layer.pipe(Layer.provide(AgentTest.layer), Layer.provide(script))))
  }, covers("field:N2-04"))
})

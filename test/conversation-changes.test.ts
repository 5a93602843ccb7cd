/** The states that a conversation goes through, as `changes` reports them. */
import { Agent, Artifact, Conversation, Id, Message, Part, StreamEvent, TaskState } from "@effect-a2a/core"
import { AgentTest, Script } from "@effect-a2a/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { chunks, combination, event as encode, frame, talkTo } from "./support/peer.ts"

const script = Script.layer(({ message, task }) => {
  const text = Message.text(message)
  if (text === "fail") return [Script.fail("no luck")]
  if (text === "plan" && task === undefined) return [Script.askForInput("Which city?")]
  return [Script.say("one"), Script.wait("1 minute"), Script.say(" two")]
})
const agent = Agent.layer.pipe(Layer.provide(AgentTest.layer), Layer.provide(script))

/** Starts to collect the states of a conversation. */
const watch = Effect.fnUntraced(function*(conversation: Conversation.Service) {
  const states: Array<Conversation.State> = []
  yield* Effect.forkScoped(
    Stream.runForEach(conversation.changes, (state) => Effect.sync(() => void states.push(state))),
    { startImmediately: true }
  )
  yield* TestClock.adjust(1)
  return states
})

const outline = ({ pending, question, transcript, unanswered }: Conversation.State) =>
  [
    transcript.map(Message.text).join("/"),
    pending === undefined ? "-" : `${pending.status.state} ${(pending.artifacts ?? []).map(Artifact.text).join("")}`,
    question === undefined ? "" : "asked",
    unanswered === undefined ? "" : "unanswered"
  ].join("; ")

/** Every state agrees with itself. */
const check = (states: ReadonlyArray<Conversation.State>) => {
  for (const { pending, question, transcript, unanswered } of states) {
    if (pending !== undefined) assert.isFalse(TaskState.isTerminal(pending.status.state))
    assert.strictEqual(
      question?.messageId,
      pending !== undefined && TaskState.isInterrupted(pending.status.state)
        ? pending.status.message?.messageId
        : undefined
    )
    if (unanswered !== undefined) assert.strictEqual(transcript.at(-1)?.messageId, unanswered)
  }
}

describe("the changes of a conversation", () => {
  it.effect("begin with the current state, and report each change as a whole", () =>
    Effect.gen(function*() {
      const conversation = yield* Conversation.make()
      const states = yield* watch(conversation)
      const late: Array<string> = []
      for (const text of ["plan", "Lisbon", "fail"]) {
        const turn = yield* Effect.forkChild(Effect.exit(Stream.runDrain(conversation.stream(text))))
        yield* TestClock.adjust("30 seconds")
        yield* TestClock.adjust("1 minute")
        yield* Fiber.join(turn)
        late.push(outline((yield* watch(conversation))[0]!))
      }
      check(states)
      const outlines = states.map(outline).filter((one, at, all) => one !== all[at - 1])
      assert.deepStrictEqual(outlines, [
        "; -; ; ",
        "plan; -; ; unanswered",
        "plan/Which city?; input-required ; asked; ",
        "plan/Which city?/Lisbon; unspecified ; ; unanswered",
        "plan/Which city?/Lisbon; working one; ; ",
        "plan/Which city?/Lisbon/one two; -; ; ",
        "plan/Which city?/Lisbon/one two/fail; -; ; unanswered",
        "plan/Which city?/Lisbon/one two/fail/no luck; -; ; "
      ])
      assert.deepStrictEqual(late, [outlines[2], outlines[5], outlines.at(-1)])
    }).pipe(Effect.scoped, Effect.provide(agent)))

  it.effect("are the same in every order of messages that are sent at the same time", () =>
    Effect.gen(function*() {
      const conversation = yield* Conversation.make()
      const states = yield* watch(conversation)
      const turns = yield* Effect.forkChild(
        Effect.forEach(["a", "fail", "b", "c"], (text) => Effect.exit(conversation.ask(text)), { concurrency: 4 })
      )
      yield* TestClock.adjust("10 minutes")
      yield* Fiber.join(turns)
      check(states)
      for (const [at, { transcript }] of states.entries()) {
        const last = states.at(-1)!.transcript
        assert.deepStrictEqual(last.slice(0, transcript.length), transcript, `state ${at}`)
      }
    }).pipe(Effect.scoped, Effect.provide(agent)))

  it.effect("include the task of another conversation in the same context", () =>
    Effect.gen(function*() {
      const contextId = Id.ContextId.make("c-1")
      const one = yield* Conversation.make({ contextId })
      const other = yield* Conversation.make({ contextId })
      const states = yield* watch(other)
      const turn = yield* Effect.forkChild(Stream.runDrain(one.stream("go")))
      yield* TestClock.adjust("30 seconds")
      assert.match(outline(states.at(-1)!), /; working one; ; $/)
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(turn)
      assert.deepStrictEqual(states.at(-1), yield* other.state)
      assert.deepStrictEqual(yield* other.state, { contextId, transcript: [] })
    }).pipe(Effect.scoped, Effect.provide(agent)))

  it.effect("copy a long artifact in proportion to its length, and lack nothing at the end", () => {
    const main = combination("1.0 HTTP+JSON")
    const at = { taskId: Id.TaskId.make("t-1"), contextId: Id.ContextId.make("c-1") }
    const length = 3000
    const events = [
      ...Array.from({ length }, (_, n) =>
        StreamEvent.artifactUpdate({
          ...at,
          artifact: Artifact.make(Id.ArtifactId.make("a"), [Part.text(`${n % 10}`)]),
          append: n > 0
        })),
      StreamEvent.statusUpdate({ ...at, status: { state: "completed" } })
    ]
    const { layer } = talkTo(main, (asked) => chunks(events.map((one) => frame(encode(main, asked, one)))))
    return Effect.gen(function*() {
      const conversation = yield* Conversation.make()
      let copied = 0
      yield* Effect.forkScoped(
        Stream.runForEach(conversation.changes, ({ pending }) =>
          Effect.sync(() => {
            copied += pending?.artifacts?.[0]?.parts.length ?? 0
          })),
        { startImmediately: true }
      )
      let read: number | undefined
      yield* conversation.stream("go").pipe(
        Stream.zipWithIndex,
        Stream.runForEach(([, index]) =>
          index === 2499
            ? Effect.map(conversation.state, ({ pending }) => {
              read = pending?.artifacts?.[0]?.parts.length
            })
            : Effect.void
        )
      )
      assert.isAtLeast(read!, 2500)
      assert.isBelow(copied, 40 * length)
      const { transcript } = yield* conversation.state
      assert.strictEqual(Message.text(transcript.at(-1)!).length, length)
    }).pipe(Effect.scoped, Effect.provide(Agent.layer.pipe(Layer.provide(layer))))
  })
})

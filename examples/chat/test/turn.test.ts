import {
  AgentStream,
  Artifact,
  Id,
  type Message,
  Part,
  Recognizer,
  StreamEvent,
  type Task,
  TaskProgress
} from "@effect-a2a/core"
import { MemoryLake } from "@effect-a2a/memorylake"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Stream } from "effect"
import { covers } from "../../../test/support/covers.ts"
import * as Events from "../src/events.ts"
import * as Turn from "../src/turn.ts"

type All = ReadonlyArray<StreamEvent.StreamEvent>

const taskId = Id.TaskId.make("t-1")
const contextId = Id.ContextId.make("c-1")

const message = (id: string, ...parts: ReadonlyArray<Part.Part>): Message.Message => ({
  _tag: "Message",
  role: "agent",
  messageId: Id.MessageId.make(id),
  parts
})
const status = (state: Task.Task["status"]["state"], message?: Message.Message) =>
  StreamEvent.statusUpdate({ taskId, contextId, status: { state, ...(message !== undefined && { message }) } })
const say = (id: string, ...parts: ReadonlyArray<Part.Part>) => status("working", message(id, ...parts))
const chunk = (id: string, text: string, append = false) =>
  StreamEvent.artifactUpdate({
    taskId,
    contextId,
    artifact: Artifact.make(Id.ArtifactId.make(id), [Part.text(text)]),
    ...(append && { append })
  })
const call = (name: string, id?: string) =>
  Part.data({}, { mark: { _tag: "Call", name, args: {}, ...(id !== undefined && { id }) } })
const result = (name: string, id?: string) =>
  Part.data({}, {
    mark: { _tag: "Result", name, outcome: { _tag: "Success", response: 1 }, ...(id !== undefined && { id }) }
  })
const submitted: Task.Task = { _tag: "Task", id: taskId, contextId, status: { state: "submitted" } }

const runs: Readonly<Record<string, All>> = {
  "pieces of one text in messages, a tool, and the text again as an artifact": [
    submitted,
    status("working"),
    say("m-1", Part.text("Let me look.")),
    say("m-2", call("search", "call-1")),
    say("m-3", result("search", "call-1")),
    say("m-4", Part.thought("Hm.")),
    say("m-5", Part.text("2")),
    say("m-6", Part.text("0")),
    say("m-7", Part.text("0")),
    say("m-8", Part.text("0")),
    chunk("a", "2000"),
    status("completed")
  ].map((event) => Recognizer.apply([MemoryLake.recognizer], event)),
  "a message, and two artifacts in chunks that are alike": [
    status("submitted"),
    say("m-1", Part.text("Two of them.")),
    chunk("a", "ha"),
    chunk("a", "ha", true),
    chunk("a", "ha", true),
    chunk("b", "ha"),
    chunk("b", " ho", true),
    status("completed")
  ],
  "tools without ids, a file, and messages alone": [
    status("working"),
    say("m-1", Part.text("First.")),
    say("m-2", call("search")),
    say("m-3", result("search")),
    say("m-4", call("search")),
    say("m-5", result("search")),
    say("m-6", Part.url("https://files.test/a.png")),
    say("m-7", Part.text("Second.")),
    say("m-8", Part.text("Third.")),
    status("completed")
  ],
  "an artifact around a tool, and a question": [
    submitted,
    chunk("a", "One"),
    say("m-1", call("search", "call-1")),
    say("m-2", result("search", "call-1")),
    chunk("a", ", two", true),
    status("input-required", message("m-3", Part.text("Which one?")))
  ]
}

/** Receives events; `isCut`: and then leaves the page. */
const receive = (start: Turn.Turn, events: Stream.Stream<StreamEvent.StreamEvent>, isCut = false) => {
  let turn = start
  return (isCut ? Stream.concat(events, Stream.fail("cut")) : events).pipe(
    AgentStream.steps,
    Stream.runForEach((step) => Effect.sync(() => turn = Turn.receive(turn, step))),
    Effect.ignore,
    Effect.map(() => turn)
  )
}

const ask = (events: All, isCut = false) => receive(Turn.make("?", undefined), Stream.fromIterable(events), isCut)

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** Loads the page again, with a turn and its events, and subscribes to the task. */
const reload = (left: Turn.Turn, events: All, subscription: All, isCut = false) =>
  receive(
    Turn.restart(left),
    Events.continueWith(
      Option.getOrThrow(Events.decode(asJson(events.map((event) => Events.encode(event))))),
      Stream.fromIterable(subscription)
    ),
    isCut
  )

/** What is on the page. */
const page = (turn: Turn.Turn) => ({
  asks: turn.asks,
  files: turn.files,
  state: turn.state,
  text: Turn.answerText(turn),
  steps: turn.steps.map((step) =>
    step._tag === "Tool"
      ? `${step.call.id} ${step.call.outcome?._tag}`
      : step._tag === "File"
      ? step.file.name
      : step.text.trim()
  )
})

const snapshot = (events: All): ReadonlyArray<Task.Task> => {
  const task = TaskProgress.applyAll(undefined, events)
  return task === undefined ? [] : [task]
}

/** The messages of updates as the history of a task. */
const history = (events: All) =>
  events.flatMap((event) => event._tag === "StatusUpdate" ? event.status.message ?? [] : [])

/** What a subscription emits after some events: all kinds of subscriptions. */
const subscriptions: Readonly<Record<string, (all: All, at: number) => All>> = {
  "a replay": (all) => all,
  "a snapshot": (all, at) => [...snapshot(all.slice(0, at)), ...all.slice(at)],
  "a snapshot with its history": (all, at) => [
    ...snapshot(all.slice(0, at)).map((task) => ({ ...task, history: history(all.slice(0, at)) })),
    ...all.slice(at)
  ],
  "a tail": (all, at) => all.slice(at),
  "a tail and then the whole task": (all, at) => [...all.slice(at), ...snapshot(all)]
}

describe("a turn of the page", () => {
  for (const [run, events] of Object.entries(runs)) {
    for (const [kind, subscription] of Object.entries(subscriptions)) {
      it.effect(`is the same after a reload anywhere, with ${kind}: ${run}`, () =>
        Effect.gen(function*() {
          const undisturbed = page(yield* ask(events))
          for (let at = 1; at < events.length; at++) {
            const kept = events.slice(0, at)
            const left = yield* ask(kept, true)
            assert.deepStrictEqual(page(yield* reload(left, kept, subscription(events, at))), undisturbed, `${at}`)
          }
        }), covers("ML-28"))
    }
  }

  it.effect("stays on the page until a subscription has repeated it", () =>
    Effect.gen(function*() {
      for (const events of Object.values(runs)) {
        for (let at = 1; at < events.length; at++) {
          const kept = events.slice(0, at)
          const left = yield* ask(kept, true)
          for (let repeated = 1; repeated <= at; repeated++) {
            const turn = yield* reload(left, kept, events.slice(0, repeated), true)
            assert.deepStrictEqual(page(Turn.furthest(left, turn)), page(left), `${at} ${repeated}`)
          }
        }
      }
    }), covers("ML-28"))

  it.effect("shows of a task that continued only what is new, after a reload too", () =>
    Effect.gen(function*() {
      const first = runs["an artifact around a tool, and a question"] ?? []
      const asked = yield* ask(first)
      assert.deepInclude(page(asked), { text: "One, two", asks: "Which one?", state: "input-required" })
      const second: All = [
        status("working"),
        say("m-4", call("search", "call-2"), result("search", "call-2")),
        say("m-5", Part.text("The second.")),
        chunk("b", "Three"),
        status("completed")
      ]
      const undisturbed: ReturnType<typeof page> = {
        asks: undefined,
        files: [],
        state: "completed",
        text: "Three",
        steps: ["call-2 Success", "The second."]
      }
      const all = [...first, ...second]
      for (let at = first.length; at < all.length; at++) {
        const kept = all.slice(0, at)
        const before = Turn.make("That one", asked)
        const left = yield* receive(before, Stream.fromIterable(kept.slice(first.length)), true)
        for (const [kind, subscription] of Object.entries(subscriptions)) {
          assert.deepStrictEqual(page(yield* reload(left, kept, subscription(all, at))), undisturbed, `${kind} ${at}`)
        }
      }
    }), covers("ML-28"))
})

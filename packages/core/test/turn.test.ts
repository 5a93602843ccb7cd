import {
  AgentStream,
  Answer,
  Artifact,
  Id,
  Message,
  Part,
  StreamEvent,
  type Task,
  TaskProgress
} from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { covers } from "../../../test/support/covers.ts"
import * as Baseline from "../src/internal/turn/baseline.ts"
import * as Marked from "./marked.ts"
import * as Sayings from "./sayings.ts"

type Event = StreamEvent.StreamEvent
type State = Task.Task["status"]["state"]

const taskId = Id.TaskId.make("t-1")

const message = (id: string, ...parts: ReadonlyArray<string | Part.Part>): Message.Message => ({
  _tag: "Message",
  messageId: Id.MessageId.make(id),
  role: "agent",
  parts: Message.parts(parts)
})

const says = (id: string, ...parts: ReadonlyArray<string | Part.Part>) => becomes("working", message(id, ...parts))

const becomes = (state: State, message?: Message.Message) =>
  StreamEvent.statusUpdate({ taskId, status: { state, ...(message && { message }) } })

const writes = (id: string, append: boolean, ...parts: ReadonlyArray<string | Part.Part>) =>
  StreamEvent.artifactUpdate({
    taskId,
    artifact: Artifact.make(Id.ArtifactId.make(id), Message.parts(parts)),
    append
  })

const snapshot = (state: State, fields: Partial<Task.Task> = {}): Task.Task => ({
  _tag: "Task",
  id: taskId,
  status: { state },
  ...fields
})

const view = <A>(f: (events: Stream.Stream<Event>) => Stream.Stream<A>, events: ReadonlyArray<Event>) =>
  Effect.runSync(Stream.runCollect(f(Stream.fromArray(events))))

const text = (...events: ReadonlyArray<Event>) => view(AgentStream.text, events)

const answer = (...events: ReadonlyArray<Event>) =>
  Answer.fromProgress(TaskProgress.addAll(TaskProgress.make(), events))

describe("text of a message", () => {
  it("is emitted piece by piece under one id, equal neighbours included", covers("field:N2-01"), () => {
    const events = ["The ", "year is ", "2", "0", "0", "0"].map((piece) => says("m-1", piece))
    assert.deepStrictEqual(text(...events), ["The ", "year is ", "2", "0", "0", "0"])
    assert.strictEqual(answer(...events, becomes("completed")).text, "The year is 2000")
  })

  it("that grows under one id is emitted by its remainder", covers("field:N2-01"), () => {
    const events = ["The", "The year", "The year is 2000."].map((whole) => says("m-1", whole))
    assert.deepStrictEqual(text(...events), ["The", " year", " is 2000."])
    assert.strictEqual(answer(...events).text, "The year is 2000.")
  })

  it("is not repeated by the status that settles the task", () => {
    const events = ["2", "0", "0"].map((piece) => says("m-1", piece))
    assert.deepStrictEqual(text(...events, becomes("completed", message("m-1", "200"))), ["2", "0", "0"])
    assert.deepStrictEqual(text(...events, becomes("completed", message("m-1", "200!"))), ["2", "0", "0", "!"])
    assert.deepStrictEqual(text(...events, becomes("completed", message("m-1", "!"))), ["2", "0", "0", "!"])
  })

  it("is not repeated by a snapshot of the task", () => {
    const events = ["2", "0", "0"].map((piece) => says("m-1", piece))
    for (const last of ["200", "0"]) {
      const status = { state: "working", message: message("m-1", last) } as const
      assert.deepStrictEqual(text(...events, snapshot("working", { status })), ["2", "0", "0"])
    }
  })

  it("joins the halves of a surrogate pair", () => {
    assert.deepStrictEqual(text(says("m-1", "a\uD83D"), says("m-1", "\uDE00b")), ["a", "\uD83D\uDE00b"])
    assert.deepStrictEqual(text(writes("a", false, "\uD83D")), ["\uD83D"])
    assert.deepStrictEqual(text(says("m-1", "a\uD83D"), writes("b", false, "c")), ["a", "\uD83D", "\n\nc"])
    const events = Stream.make<Array<Event>>(says("m-1", "a\uD83D"), becomes("completed"))
    assert.strictEqual(Effect.runSync(AgentStream.answer(events)).text, "a\uD83D")
  })

  it("stands apart from that of a message without an id", () => {
    assert.deepStrictEqual(text(says(Message.missingMessageId, "One."), says(Message.missingMessageId, "Two.")), [
      "One.",
      "\n\nTwo."
    ])
  })

  it("that is a piece of one text joins without a blank line, whatever its id", () => {
    const piece = (id: string, text: string) => says(id, { ...Part.text(text), mark: { _tag: "Delta" } })
    const events = [piece("r-1", "Pa"), piece("r-2", "ris"), writes("a", false, "Paris"), becomes("completed")]
    assert.deepStrictEqual(text(...events), ["Pa", "ris"])
    assert.deepStrictEqual(text(piece("r-1", "ha"), piece("r-2", "ha")), ["ha", "ha"])
    assert.strictEqual(answer(...events).text, "Paris")
  })
})

describe("text of an artifact", () => {
  it("is emitted as it is appended", () => {
    assert.deepStrictEqual(text(writes("a", false, "0"), writes("a", true, "0"), writes("a", true, "0")), [
      "0",
      "0",
      "0"
    ])
  })

  it("that replaces what it begins with is emitted by its remainder", () => {
    const events = [writes("a", false, "Hel"), writes("a", true, "lo")]
    assert.deepStrictEqual(text(...events, writes("a", false, "Hello")), ["Hel", "lo"])
    assert.deepStrictEqual(text(...events, writes("a", false, "Hello!")), ["Hel", "lo", "!"])
    assert.deepStrictEqual(text(...events, writes("a", false, "Bye")), ["Hel", "lo", "\n\nBye"])
  })

  it("repeats nothing that messages said since the last tool call", () => {
    const call = Marked.call({ id: "c", name: "search", args: {} })
    assert.deepStrictEqual(text(says("m-1", "Hello"), writes("a", false, "Hello")), ["Hello"])
    assert.deepStrictEqual(text(says("m-1", "Hello"), writes("a", false, "Hello world")), ["Hello", " world"])
    const events = [says("m-1", "Let me look."), says("m-2", call), says("m-3", "Found "), says("m-3", "it.")]
    assert.deepStrictEqual(text(...events, writes("a", false, "Found it.")), [
      "Let me look.",
      "\n\nFound ",
      "it."
    ])
  })

  it("stands apart from that of other artifacts, in the answer too", covers("field:N2-34"), () => {
    const events = [writes("a", false, "one", Part.data(1), "+"), writes("b", false, "two"), becomes("completed")]
    assert.strictEqual(text(...events).join(""), "one+\n\ntwo")
    assert.strictEqual(answer(...events).text, "one+\n\ntwo")
    const between = [writes("a", false, "one"), says("m-1", "Half way."), writes("a", true, "two")]
    assert.strictEqual(text(...between).join(""), "one\n\nHalf way.\n\ntwo")
    assert.strictEqual(answer(...between).text, "onetwo")
  })
})

describe("events of another task", () => {
  const other = { taskId: Id.TaskId.make("t-sub") }
  const foreign: ReadonlyArray<Event> = [
    StreamEvent.artifactUpdate({
      ...other,
      artifact: Artifact.make(Id.ArtifactId.make("a"), [Part.text("sub says ")])
    }),
    StreamEvent.statusUpdate({ ...other, status: { state: "completed" } }),
    { ...message("m-9", "sub"), ...other }
  ]

  it("enter no view", covers("field:N2-05"), () => {
    const own = [says("m-1", "Hm."), writes("a", false, "42"), becomes("completed")]
    const mixed = own.flatMap((event) => [event, ...foreign])
    assert.deepStrictEqual(view(AgentStream.steps, mixed), view(AgentStream.steps, own))
    assert.deepStrictEqual(view(AgentStream.snapshots, mixed), view(AgentStream.snapshots, own))
    assert.deepStrictEqual(answer(...mixed), answer(...own))
  })
})

describe("an answer", () => {
  it("has its text and the question", covers("field:N2-03"), () => {
    const asked = becomes("input-required", message("m-2", "Which city?"))
    const one = answer(writes("a", false, "I found three cities. "), asked)
    assert.deepStrictEqual([one.text, one.question], ["I found three cities. ", "Which city?"])
    const two = answer(says("m-1", "I found three cities."), asked)
    assert.deepStrictEqual([two.text, two.question], ["I found three cities.", "Which city?"])
    const three = answer(says("m-2", "Which "), becomes("auth-required", message("m-2", "Which key?")))
    assert.deepStrictEqual([three.text, three.question], ["", "Which key?"])
  })

  it("is the reason of a task that failed", () => {
    const one = answer(says("m-1", "Trying."), becomes("failed", message("m-2", "No model.")))
    assert.deepStrictEqual([one.text, one.question], ["No model.", undefined])
  })
})

describe("a turn of a task that exists", () => {
  const before = [writes("a", false, "Turn one."), becomes("input-required", message("q", "And?"))]
  const past = TaskProgress.applyAll(undefined, before)!
  const after = [becomes("working"), writes("b", false, "Turn two."), becomes("completed")]
  const turn = (baseline: Baseline.Baseline, ...events: ReadonlyArray<Event>) =>
    events.map((event) => Baseline.set(event, baseline))

  it("begins with the turn if the first snapshot is the past", covers("field:N2-04"), () => {
    const events = turn({}, past, ...after)
    assert.deepStrictEqual(text(...events), ["Turn two."])
    const { artifacts, task, text: said } = answer(...events)
    assert.deepStrictEqual([said, artifacts.length, task?.artifacts?.length], ["Turn two.", 1, 2])
  })

  it("begins with the turn if the task before is known", covers("field:N2-04"), () => {
    const known = turn({ task: past }, snapshot("working", { artifacts: past.artifacts! }), ...after)
    assert.deepStrictEqual(text(...known), ["Turn two."])
    assert.strictEqual(answer(...known).text, "Turn two.")
    const whole = TaskProgress.applyAll(past, after)!
    assert.deepStrictEqual(text(...turn({ task: past }, whole)), ["Turn two."])
    assert.strictEqual(Answer.fromTask(whole, past).text, "Turn two.")
  })

  it("has only what is new of an artifact that grows", () => {
    const events = turn({ task: past }, writes("a", true, " More."), becomes("completed"))
    assert.deepStrictEqual(text(...events), [" More."])
    assert.strictEqual(answer(...events).text, " More.")
  })

  it("reports no tool call of the turn before", () => {
    const history = [message("m-1", Marked.call({ id: "c", name: "search", args: {} }))]
    const calls = view(AgentStream.toolCalls, turn({}, { ...past, history }, ...after))
    assert.deepStrictEqual(calls, [])
  })

  it("counts a first snapshot that is the end", () => {
    const whole = snapshot("completed", { artifacts: [Artifact.make(Id.ArtifactId.make("a"), [Part.text("All.")])] })
    assert.deepStrictEqual(text(...turn({}, whole)), ["All."])
  })
})

describe("tool calls", () => {
  const call = (name: string, city: string, id?: string | null) =>
    Marked.call({ ...(id === undefined ? undefined : { id }), name, args: { city } })
  const result = (name: string, response: Schema.Json, id?: string | null) =>
    Marked.result({ ...(id === undefined ? undefined : { id }), name, response })

  for (const id of [undefined, null, ""]) {
    it(
      `without an id (${JSON.stringify(id)}) are paired by name and order`,
      covers("field:N2-27", "field:N2-28"),
      () => {
        const { text: said, toolCalls } = answer(
          says("m-1", call("weather", "Lisbon", id), call("weather", "Porto", id), call("time", "", id)),
          says("m-2", result("weather", 24, id), result("weather", 19, id), result("time", 12, id)),
          says("m-3", "Done."),
          becomes("completed")
        )
        assert.deepStrictEqual(toolCalls.map(({ args, name, outcome }) => [name, args.city, outcome]), [
          ["weather", "Lisbon", { _tag: "Success", response: 24 }],
          ["weather", "Porto", { _tag: "Success", response: 19 }],
          ["time", "", { _tag: "Success", response: 12 }]
        ])
        assert.strictEqual(new Set(toolCalls.map(({ id }) => id)).size, 3)
        assert.strictEqual(said, "Done.")
      }
    )
  }

  it("are not reported again by a snapshot with the same messages", () => {
    const events = [says("m-1", call("weather", "Lisbon")), says("m-2", result("weather", 24))]
    const history = [message("m-1", call("weather", "Lisbon")), message("m-2", result("weather", 24))]
    assert.strictEqual(view(AgentStream.toolCalls, [...events, snapshot("completed", { history })]).length, 2)
  })

  it("have the last of several results", () => {
    const events = [
      says("m-1", call("pay", "Lisbon", "c")),
      says("m-2", result("pay", "pending", "c")),
      says("m-3", result("pay", "paid", "c"))
    ]
    assert.deepStrictEqual(answer(...events).toolCalls[0]?.outcome, { _tag: "Success", response: "paid" })
    assert.strictEqual(view(AgentStream.toolCalls, events).length, 3)
  })
})

describe("steps", () => {
  it("has everything in order, and the answer last", () => {
    const file = Part.url("https://agent.test/a.png")
    const steps = view(AgentStream.steps, [
      snapshot("submitted"),
      says("m-1", Marked.thought("Hm."), Marked.call({ id: "c", name: "search", args: {} })),
      says("m-2", Marked.result({ id: "c", name: "search", response: 1 })),
      writes("a", false, "42", file, Part.data({ n: 1 })),
      becomes("completed")
    ])
    assert.deepStrictEqual(
      steps.map((step) => step._tag === "Text" || step._tag === "Thought" ? `${step._tag} ${step.text}` : step._tag),
      ["State", "State", "Thought Hm.", "ToolCall", "ToolResult", "Text 42", "File", "Data", "State", "Answer"]
    )
    assert.deepStrictEqual(view(AgentStream.thoughts, [says("m-1", Marked.thought("Hm."))]), ["Hm."])
  })
})

describe("any run", () => {
  const options = { arbitrary: { runs: 300, seed: 23 } }
  const Run = Arbitrary.array(Arbitrary.schema(Sayings.Said))

  it.prop("has the text that the rules say", [Run], ([run]) => {
    assert.deepStrictEqual(text(...run.map(Sayings.toEvent)), Sayings.shown(run))
  }, options)

  it.prop("has the same text with a snapshot anywhere in it", [Run], ([run]) => {
    const events = run.map(Sayings.toEvent)
    for (let cut = 1; cut <= events.length; cut++) {
      const task = TaskProgress.applyAll(undefined, events.slice(0, cut))!
      const disturbed = [...events.slice(0, cut), task, ...events.slice(cut)]
      assert.deepStrictEqual(text(...disturbed).join(""), text(...events).join(""), JSON.stringify(run))
    }
  }, options)

  it.prop("has as its answer the texts of its artifacts, or else of its messages", [Run], ([run]) => {
    const events = run.map(Sayings.toEvent)
    const ofArtifacts = Sayings.answered(run)
    const messages = run.filter(Sayings.isMessage)
    const one = answer(...events, becomes("completed"))
    if (ofArtifacts !== "") assert.strictEqual(one.text, ofArtifacts)
    else if (messages.length === run.length) assert.strictEqual(one.text, Sayings.shown(messages).join(""))
  }, options)
})

describe("the answer of a task that waits", () => {
  it("has other text under the id of the question, and none of the question", () => {
    const other = answer(says("m", "Looking. "), becomes("input-required", message("m", "Which city?")))
    assert.deepStrictEqual([other.text, other.question], ["Looking. ", "Which city?"])
    const grown = answer(says("m", "Which"), becomes("input-required", message("m", "Which city?")))
    assert.deepStrictEqual([grown.text, grown.question], ["", "Which city?"])
  })
})

describe("data", () => {
  it("that came last is not repeated by a snapshot", () => {
    const [one, two] = [Part.data({ n: 1 }), Part.data({ n: 2 })]
    const last = snapshot("working", { status: { state: "working", message: message("m", two) } })
    const steps = view(AgentStream.steps, [says("m", one), says("m", two), last])
    assert.deepStrictEqual(steps.flatMap((step) => step._tag === "Data" ? [step.data.data] : []), [{ n: 1 }, { n: 2 }])
  })
})

import * as Artifact from "@effect-a2a/core/Artifact"
import * as Id from "@effect-a2a/core/Id"
import * as Part from "@effect-a2a/core/Part"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import * as TaskProgress from "@effect-a2a/core/TaskProgress"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { covers } from "../../../test/support/covers.ts"
import * as Delivered from "../src/internal/transport/delivery.ts"
import * as LastEventId from "../src/internal/transport/lastEventId.ts"

type Event = StreamEvent.StreamEvent

const taskId = Id.TaskId.make("t-1")

const chunk = (parts: ReadonlyArray<Part.Part>, options: { readonly id?: string; readonly append?: boolean } = {}) =>
  StreamEvent.artifactUpdate({
    taskId,
    artifact: Artifact.make(Id.ArtifactId.make(options.id ?? "a"), parts),
    append: options.append ?? true
  })

const says = (text: string, messageId = "m-1") =>
  StreamEvent.statusUpdate({
    taskId,
    status: {
      state: "working",
      message: { _tag: "Message", role: "agent", messageId: Id.MessageId.make(messageId), parts: [Part.text(text)] }
    }
  })

const completed = StreamEvent.statusUpdate({ taskId, status: { state: "completed" } })

/** What a program receives over the first connection and the second. */
const receive = (
  first: ReadonlyArray<Event>,
  second: ReadonlyArray<Event>,
  { isContinued = false, isWhole = false }: { readonly isContinued?: boolean; readonly isWhole?: boolean } = {}
) => {
  const delivered = Delivered.make(undefined)
  const before = Delivered.makeFirst(delivered)(first)
  return [...before, ...Delivered.makeResumed(delivered, { ...LastEventId.make(), isContinued }, isWhole)(second)]
}

const task = (events: ReadonlyArray<Event>): Task.Task | undefined =>
  events.reduce<Task.Task | undefined>(TaskProgress.apply, undefined)

describe("a connection that did not follow a drop", () => {
  it("delivers equal neighbours and repeated ids", () => {
    const events = [says("2"), says("0"), says("0"), says("0"), chunk([Part.text("x")]), chunk([Part.text("x")])]
    assert.deepStrictEqual(receive(events, []), events)
  })
})

describe("a replay after a drop", () => {
  it("is skipped up to where the first connection ended, equal neighbours included", () => {
    const events = [says("2"), says("0"), says("0"), says("0"), completed]
    for (let cut = 1; cut < events.length; cut++) {
      assert.deepStrictEqual(receive(events.slice(0, cut), events), events, `cut after ${cut}`)
    }
  })

  it("is known whatever the order of members", () => {
    const first = [chunk([Part.data({ city: "Lisbon", days: [1, 2] })])]
    assert.deepStrictEqual(receive(first, [chunk([Part.data({ days: [1, 2], city: "Lisbon" })])]), first)
  })

  it("differs from what was delivered if values differ", covers("field:N2-36"), () => {
    for (
      const [one, other] of [
        [Part.data({ city: "Lisbon", days: { first: 1 } }), Part.data({ city: "Lisbon", days: { first: 2 } })],
        [Part.raw(Uint8Array.of(1, 2, 3)), Part.raw(Uint8Array.of(1, 2, 4))]
      ] as const
    ) {
      const events = [chunk([one], { id: "a" }), chunk([other], { id: "b" })]
      assert.deepStrictEqual(receive([events[0]!], [events[1]!]), events)
    }
  })

  it("that merges chunks is caught up with by what each source has", () => {
    const first = [chunk([Part.text("Hel")], { append: false }), chunk([Part.text("lo ")]), says("thinking")]
    const second = [
      chunk([Part.text("Hello wor")], { append: false }),
      says("thinking"),
      chunk([Part.text("ld")]),
      completed
    ]
    const received = receive(first, second)
    assert.strictEqual(Artifact.text(task(received)!.artifacts![0]!), "Hello world")
    assert.strictEqual(received.filter((event) => event._tag === "StatusUpdate").length, 3)
  })

  it("that leaves events out is caught up with, too", () => {
    const first = [says("a", "m-1"), says("b", "m-2"), chunk([Part.text("x")], { append: false })]
    const second = [says("a", "m-1"), chunk([Part.text("x")], { append: false }), chunk([Part.text("y")]), completed]
    const received = receive(first, second)
    assert.strictEqual(Artifact.text(task(received)!.artifacts![0]!), "xy")
    assert.deepStrictEqual(received.slice(3), [chunk([Part.text("y")]), completed])
  })
})

describe("a replay that leaves events out", () => {
  const whole = (text: string) => chunk([Part.text(text)], { append: false })
  const piece = (text: string) => chunk([Part.text(text)])
  const holding = (text: string): Task.Task => ({
    _tag: "Task",
    id: taskId,
    status: { state: "working" },
    artifacts: [whole(text).artifact]
  })
  const begin = says("begin", "m-0")

  it("lacks nothing of an artifact that was replaced, grew or stood in a snapshot", () => {
    for (
      const [name, first, second, text] of [
        ["replaced once less", [begin, whole("Hello"), whole("World")], [begin, whole("World"), piece("!")], "World!"],
        ["grown", [begin, whole("H"), whole("He"), whole("Hel")], [begin, whole("Hell"), whole("Hello")], "Hello"],
        ["a snapshot between", [begin, whole("Hel"), holding("Hel"), piece("lo")], [
          begin,
          whole("Hello"),
          piece("!")
        ], "Hello!"],
        ["a snapshot first", [holding("Hel"), piece("lo"), piece(" w")], [
          holding("Hel"),
          piece("lo w"),
          piece("o")
        ], "Hello wo"],
        ["a snapshot with more", [begin, whole("Hel")], [begin, holding("Hello wor"), piece("ld")], "Hello world"]
      ] as const
    ) {
      assert.strictEqual(Artifact.text(task(receive(first, [...second, completed]))!.artifacts![0]!), text, name)
    }
  })

  it("lacks nothing of a message that grows", () => {
    const received = receive([begin, says("A"), says("AB"), says("ABC")], [begin, says("ABCD"), completed])
    assert.deepStrictEqual(received.slice(4), [says("D"), completed])
  })
})

describe("a replay of more events than are remembered one by one", () => {
  const many = Array.from({ length: 65_536 }, () => says("0"))
  const x = chunk([Part.text("x")])

  it("is skipped up to where the first connection ended", () => {
    const events = [...many, x, x, chunk([Part.text("z")]), completed]
    assert.deepStrictEqual(receive(events.slice(0, -2), events).slice(many.length), events.slice(many.length))
  })

  it("loses nothing if the peer merged chunks behind them", () => {
    const first = [...many, x, x]
    const merged = [...many, chunk([Part.text("xx")]), chunk([Part.text("z")]), completed]
    assert.deepStrictEqual(receive(first, merged).slice(first.length), merged.slice(-2))
  })
})

describe("a snapshot after a drop", () => {
  it("is delivered as it is, and so is everything behind it", () => {
    const first = [says("a"), says("a")]
    const snapshot: Task.Task = { _tag: "Task", id: taskId, status: { state: "working" } }
    const second = [snapshot, says("a"), completed]
    assert.deepStrictEqual(receive(first, second), [...first, ...second])
  })

  it("that equals the first task delivered begins a replay if more has come since", () => {
    const submitted: Task.Task = { _tag: "Task", id: taskId, status: { state: "submitted" } }
    const events = [submitted, says("a"), says("b"), completed]
    assert.deepStrictEqual(receive(events.slice(0, 2), events), events)
  })
})

describe("a replay of the whole task after a drop of a stream that continued it", () => {
  const question = StreamEvent.statusUpdate({
    taskId,
    status: {
      state: "input-required",
      message: { _tag: "Message", role: "agent", messageId: Id.MessageId.make("q"), parts: [Part.text("Which?")] }
    }
  })
  const before: Task.Task = { _tag: "Task", id: taskId, status: question.status }
  const past = [says("one", "m-0"), chunk([Part.text("Turn one.")]), question]
  const turn = [says("0"), says("0"), chunk([Part.text("Turn two.")], { id: "b" }), completed]

  it("repeats neither the turns before nor what was delivered", () => {
    for (let cut = 0; cut < turn.length; cut++) {
      const first = [before, ...turn.slice(0, cut)]
      const expected = [before, ...turn]
      assert.deepStrictEqual(receive(first, [...past, ...turn], { isWhole: true }), expected, `cut after ${cut}`)
      assert.deepStrictEqual(receive(first, [question, ...turn]), expected, `cut after ${cut}, question first`)
    }
  })

  it("ends with the task, whatever it leaves out", () => {
    const first = [before, turn[0]!]
    assert.deepStrictEqual(receive(first, [past[0]!, completed], { isWhole: true }), [...first, completed])
    const snapshot = task([...past, ...turn])!
    assert.deepStrictEqual(receive(first, [past[0]!, snapshot], { isWhole: true }), [...first, snapshot])
  })
})

describe("a continuation after a drop", () => {
  it("delivers everything, even what equals the first event", () => {
    const first = [says("0"), says("0")]
    assert.deepStrictEqual(receive(first, [says("0"), completed], { isContinued: true }), [
      ...first,
      says("0"),
      completed
    ])
  })
})

describe("a tail after a drop", () => {
  it("is new", () => {
    const first = [says("a"), says("b")]
    assert.deepStrictEqual(receive(first, [says("c"), completed]), [...first, says("c"), completed])
  })
})

describe("events of another task", () => {
  it("are delivered, and do not count in a replay", () => {
    const other = StreamEvent.statusUpdate({ taskId: Id.TaskId.make("t-2"), status: { state: "completed" } })
    const first = [says("a"), other, says("b")]
    assert.deepStrictEqual(receive(first, [says("a"), says("b"), says("c"), completed]), [
      ...first,
      says("c"),
      completed
    ])
  })
})

/** Merges neighbouring chunks that are appended to the same artifact. */
const merge = (events: ReadonlyArray<Event>): ReadonlyArray<Event> => {
  const merged: Array<Event> = []
  for (const event of events) {
    const last = merged.at(-1)
    if (
      last?._tag === "ArtifactUpdate" && event._tag === "ArtifactUpdate" && event.append === true &&
      last.artifact.artifactId === event.artifact.artifactId
    ) {
      const text = Artifact.text(last.artifact) + Artifact.text(event.artifact)
      merged.splice(-1, 1, { ...last, artifact: { ...last.artifact, parts: [Part.text(text)] } })
    } else merged.push(event)
  }
  return merged
}

/** The text of each artifact, and what each message added up to. */
const textOf = (events: ReadonlyArray<Event>) => {
  const messages: Record<string, string> = {}
  for (const event of events) {
    if (event._tag !== "StatusUpdate" || event.status.message === undefined) continue
    const { messageId, parts } = event.status.message
    messages[messageId] = (messages[messageId] ?? "") + Part.joinText(parts)
  }
  return {
    messages,
    artifacts: (task(events)?.artifacts ?? []).map((artifact) => [artifact.artifactId, Artifact.text(artifact)])
  }
}

const Piece = Schema.Struct({
  source: Schema.Literals(["m-1", "m-2", "a", "b"]),
  text: Schema.Literals(["", "0", "ab", "ab "]),
  append: Schema.Boolean
})

const toEvent = ({ append, source, text }: typeof Piece.Type): Event =>
  source.startsWith("m") ? says(text, source) : chunk([Part.text(text)], { id: source, append })

const Run = Arbitrary.array(Arbitrary.schema(Piece))

/** Every cut of a run. */
const cuts = (pieces: ReadonlyArray<typeof Piece.Type>) => {
  const events = [...pieces.map(toEvent), completed]
  return Array.from({ length: events.length }, (_, cut) => ({ events, before: events.slice(0, cut), cut }))
}

describe("any run, dropped anywhere,", () => {
  const options = { arbitrary: { runs: 300, seed: 11 } }

  it.prop("is whole if the peer replays", [Run], ([pieces]) => {
    for (const { before, events } of cuts(pieces)) assert.deepStrictEqual(receive(before, events), events)
  }, options)

  it.prop("is whole if the peer continues behind the last event id", [Run], ([pieces]) => {
    for (const { before, cut, events } of cuts(pieces)) {
      assert.deepStrictEqual(receive(before, events.slice(cut), { isContinued: true }), events)
    }
  }, options)

  it.prop("is whole if the peer sends a snapshot first", [Run], ([pieces]) => {
    for (const { before, cut, events } of cuts(pieces)) {
      const snapshot = task(before)
      if (snapshot === undefined) continue
      assert.deepStrictEqual(task(receive(before, [snapshot, ...events.slice(cut)])), task(events))
    }
  }, options)

  it.prop("has the same content if the peer replays and merges neighbouring chunks", [Run], ([pieces]) => {
    for (const { before, events } of cuts(pieces)) {
      const merged = merge(events)
      // a replay is known by its first event
      if (merged[0] !== events[0]) continue
      assert.deepStrictEqual(textOf(receive(before, merged)), textOf(events), JSON.stringify({ before, events }))
    }
  }, options)
})

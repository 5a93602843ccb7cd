/**
 * Random sequences of events as bytes, in each combination: repeated ids, equal neighbours, growing texts, events of other
 * tasks, end marks of 0.3, refusals under a wrong media type; cut anywhere and resumed by each kind of peer. Text, answer
 * and events are those of the undisturbed run.
 */
import { Agent, AgentStream, AgentTransport, Artifact, Id, Part, StreamEvent, TaskProgress } from "@effect-a2a/core"
import * as Fault from "@effect-a2a/testing/Fault"
import { Effect, Layer, Schedule, Stream } from "effect"
import * as Sayings from "../../../packages/core/test/sayings.ts"
import { type Asked, chunks, type Combination, event, frame, notFound, talkTo } from "../../support/peer.ts"

type Event = StreamEvent.StreamEvent

/** The ways in which a peer serves a subscription after a drop, and a peer that refuses the message. */
export const kinds = ["replay", "snapshot", "ids", "refusal"] as const
export type Kind = (typeof kinds)[number]

/** A run, and what a peer makes of it. */
interface Sequence {
  readonly kind: Kind
  readonly run: ReadonlyArray<Sayings.Said>
  readonly events: ReadonlyArray<Event>
  /** The number of events before the connection is lost. */
  readonly cut: number
  /** The event of 0.3 that reports the end too early, if there is one. */
  readonly early: number | undefined
}

const completed = StreamEvent.statusUpdate({ taskId: Sayings.taskId, status: { state: "completed" } })

const other = { taskId: Id.TaskId.make("t-other") }
const foreign: ReadonlyArray<Event> = [
  StreamEvent.statusUpdate({ ...other, status: { state: "completed" } }),
  StreamEvent.artifactUpdate({ ...other, artifact: Artifact.make(Id.ArtifactId.make("a"), [Part.text("other")]) }),
  { _tag: "Task", id: other.taskId, status: { state: "input-required" } }
]

const sources: ReadonlyArray<Sayings.Said["source"]> = ["m-1", "m-2", "a", "b"]
const texts: ReadonlyArray<Sayings.Said["text"]> = ["", "0", "a", "aa", "ab", "0a"]

const make = (seed: number, hasEndMarks: boolean): Sequence => {
  const random = Fault.random(seed)
  const pick = <A>(from: ReadonlyArray<A>): A => from[Math.floor(random() * from.length)]!
  const run = Array.from({ length: 1 + Math.floor(random() * 8) }, (): Sayings.Said => ({
    source: pick(sources),
    text: pick(texts),
    append: random() < 0.6
  }))
  const own = run.map(Sayings.toEvent)
  const early = hasEndMarks && random() < 0.3 ? Math.floor(random() * own.length) + 1 : undefined
  const ended = early === undefined ? own : own.toSpliced(early, 0, completed)
  const [first, ...rest] = [...ended, completed]
  // another task's event cannot be first: it would name the task
  const events = [first!, ...rest.flatMap((one) => random() < 0.2 ? [pick(foreign), one] : [one])]
  const last = early === undefined ? events.length : events.indexOf(completed)
  return { kind: pick(kinds), run, events, cut: 1 + Math.floor(random() * Math.max(1, last - 1)), early }
}

/** Writes the end mark of 0.3 into a frame. */
const mark = (json: string, isFinal: boolean): string => {
  const document = JSON.parse(json)
  const body = document.result ?? document
  Object.assign(body.statusUpdate ?? body, { final: isFinal })
  return JSON.stringify(document)
}

const framesOf = (combination: Combination, asked: Asked, { early, events, kind }: Sequence): ReadonlyArray<string> =>
  events.map((one, at) => {
    const json = event(combination, asked, one)
    const text = frame(early !== undefined && one === completed ? mark(json, at === events.length - 1) : json)
    return kind === "ids" ? `id: ${at + 1}\n${text}` : text
  })

const isSubscription = (asked: Asked) => asked.url.includes(":subscribe") || /ubscri/.test(asked.body)

const respond = (combination: Combination, sequence: Sequence) => (asked: Asked): Response => {
  const { cut, events, kind } = sequence
  const frames = framesOf(combination, asked, sequence)
  if (kind === "refusal") return chunks([notFound(combination, asked)])
  if (!isSubscription(asked)) return chunks(frames.slice(0, cut), { end: "reset" })
  switch (kind) {
    case "replay":
      return chunks(frames)
    case "ids":
      return chunks(frames.slice(Number(asked.headers["last-event-id"])))
    case "snapshot": {
      const task = TaskProgress.applyAll(undefined, events.slice(0, cut))!
      return chunks([frame(event(combination, asked, task)), ...frames.slice(cut)])
    }
  }
}

const isOwn = (event: Event): boolean => StreamEvent.taskId(event) === Sayings.taskId

/** Returns what is wrong with the reading of a sequence, or `undefined`. */
const check = Effect.fnUntraced(function*(combination: Combination, sequence: Sequence) {
  const { events, kind, run } = sequence
  const { layer } = talkTo(combination, respond(combination, sequence))
  const received: Array<Event> = []
  const steps: Array<AgentStream.Final | { readonly _tag: string; readonly text?: string }> = []
  const end = yield* Agent.stream("hi").pipe(
    Stream.tap((event) => Effect.sync(() => received.push(event))),
    AgentStream.steps,
    Stream.runForEach((step) => Effect.sync(() => steps.push(step))),
    Effect.as("success"),
    Effect.catch((error) => Effect.succeed(error.reason._tag)),
    Effect.provide(Agent.layer.pipe(
      Layer.provide(AgentTransport.resumable(Schedule.recurs(3))(layer))
    ))
  )
  if (kind === "refusal") return end === "TaskNotFoundError" ? undefined : `ends with ${end} instead of a refusal`
  if (end !== "success") return `ends with ${end}`
  const text = steps.flatMap((step) => step._tag === "Text" && "text" in step ? [step.text] : []).join("")
  const expected = Sayings.shown(run).join("")
  if (text !== expected) return `text ${JSON.stringify(text)} instead of ${JSON.stringify(expected)}`
  const last = steps.at(-1)
  const answer = last !== undefined && "answer" in last ? last.answer : undefined
  const answered = Sayings.answered(run) || Sayings.shown(run.filter(Sayings.isMessage)).join("")
  const hasArtifacts = run.some((said) => !Sayings.isMessage(said))
  if (Sayings.answered(run) !== "" || !hasArtifacts) {
    if (answer?.text !== answered) {
      return `answer ${JSON.stringify(answer?.text)} instead of ${JSON.stringify(answered)}`
    }
  }
  const delivered = received.filter(isOwn).filter(({ _tag }) => kind !== "snapshot" || _tag !== "Task")
  const lost = events.filter(isOwn).length - delivered.length
  return lost === 0 ? undefined : `${Math.abs(lost)} events ${lost > 0 ? "lost" : "too many"}`
})

export interface Report {
  readonly sequences: number
  readonly kinds: Readonly<Record<Kind, number>>
  readonly wrong: ReadonlyArray<string>
}

/** Reads random sequences in one combination. */
export const runSequences = Effect.fnUntraced(function*(
  combination: Combination,
  options: { readonly sequences: number; readonly seed: number }
): Effect.fn.Return<Report> {
  const wrong: Array<string> = []
  const counts: Record<Kind, number> = { replay: 0, snapshot: 0, ids: 0, refusal: 0 }
  const hasEndMarks = combination.protocol.version === "0.3"
  for (let at = 0; at < options.sequences; at++) {
    const sequence = make(options.seed * 1_000_003 + at, hasEndMarks)
    counts[sequence.kind]++
    const issue = yield* Effect.orDie(check(combination, sequence))
    if (issue !== undefined) {
      wrong.push(`${combination.name}, seed ${options.seed}, sequence ${at}: ${issue}; ${JSON.stringify(sequence)}`)
    }
  }
  return { sequences: options.sequences, kinds: counts, wrong }
})

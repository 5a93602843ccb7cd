/** A randomized run: streams through faults of the network, each compared with the same stream without faults. */
import * as Agent from "@effect-a2a/core/Agent"
import * as AgentError from "@effect-a2a/core/AgentError"
import * as AgentStream from "@effect-a2a/core/AgentStream"
import * as AgentTransport from "@effect-a2a/core/AgentTransport"
import * as Credentials from "@effect-a2a/core/Credentials"
import * as Message from "@effect-a2a/core/Message"
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as Task from "@effect-a2a/core/Task"
import * as Timeouts from "@effect-a2a/core/Timeouts"
import * as Fault from "@effect-a2a/testing/Fault"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { Peer } from "./peers.ts"

/** The events and the end of one stream. */
interface Outcome {
  readonly events: ReadonlyArray<StreamEvent.StreamEvent>
  /** Absent if the stream succeeded. */
  readonly error: AgentError.AgentError | undefined
  readonly text: string
  readonly answer: string
  readonly resumed: number
}

export interface Report {
  readonly streams: number
  /** Streams that reached their end, and how many of them were resumed. */
  readonly undisturbed: number
  readonly resumed: number
  /** Typed errors by reason. */
  readonly errors: Readonly<Record<string, number>>
  /** Faults by kind. */
  readonly faults: Readonly<Record<string, number>>
  /** Deviations, each with the seed that reproduces it. */
  readonly wrong: ReadonlyArray<string>
}

/** Describes an event without ids and times, which vary. */
const shape = (event: StreamEvent.StreamEvent): string => {
  switch (event._tag) {
    case "Task":
      return `Task ${event.status.state} ${Task.text(event) ?? ""}`
    case "Message":
      return `Message ${Message.text(event)}`
    case "StatusUpdate":
      return `Status ${event.status.state} ${
        event.status.message === undefined ? "" : JSON.stringify(event.status.message.parts)
      }`
    case "ArtifactUpdate":
      return `Artifact ${event.append === true} ${JSON.stringify(event.artifact.parts)}`
  }
}

/** Credentials that can be renewed. */
const credentials = Layer.succeed(Credentials.Credentials, {
  get: () => Effect.succeed([{ _tag: "Bearer", token: Redacted.make("sk_demo") }] as const),
  renew: () => Effect.succeed(true)
})

const runStream = Effect.fnUntraced(function*(
  transport: Layer.Layer<AgentTransport.AgentTransport, AgentError.AgentError, Credentials.Credentials>,
  question: string
): Effect.fn.Return<Outcome> {
  let resumed = 0
  const events: Array<StreamEvent.StreamEvent> = []
  const agent = Agent.layer.pipe(Layer.provide(transport), Layer.provide(credentials))
  const error = yield* Effect.scoped(
    Effect.flatMap(Layer.build(agent), (context) =>
      Agent.stream(question).pipe(
        Stream.runForEach((event) => Effect.sync(() => events.push(event))),
        Effect.provide(context)
      ))
  ).pipe(
    Effect.as(undefined),
    Effect.catch(Effect.succeed),
    Effect.provideService(AgentTransport.CurrentOnResume, () => Effect.sync(() => resumed++))
  )
  const emitted = Stream.fromIterable(events)
  const { artifacts, state, text } = yield* AgentStream.answer(emitted)
  return {
    events,
    error,
    text: (yield* Stream.runCollect(AgentStream.text(emitted))).join(""),
    answer: JSON.stringify([state, text, artifacts.map(({ parts }) => parts)]),
    resumed
  }
})

const withoutTasks = (events: ReadonlyArray<StreamEvent.StreamEvent>) =>
  events.filter(({ _tag }) => _tag !== "Task").map(shape)

const isPrefix = (some: ReadonlyArray<string>, all: ReadonlyArray<string>) => some.every((one, at) => one === all[at])

/** Returns `true` if `some` is a subsequence of `all`. */
const isAmong = (some: ReadonlyArray<string>, all: ReadonlyArray<string>) => {
  let at = 0
  for (const one of some) {
    at = all.indexOf(one, at) + 1
    if (at === 0) return false
  }
  return true
}

const reasonOf = ({ error }: Outcome) => error?.reason._tag
/** Returns `true` if the call succeeded, even if the task did not. */
const isComplete = (outcome: Outcome) => outcome.error === undefined || outcome.error.origin === "task"

/** Describes the deviation of a stream, if there is one. */
const compare = (peer: Peer, outcome: Outcome, expected: Outcome): string | undefined => {
  const some = withoutTasks(outcome.events)
  const all = withoutTasks(expected.events)
  if (peer.mode === "replay" ? !isPrefix(some, all) : !isAmong(some, all)) {
    return `events not as undisturbed: ${some.join(" | ")} instead of ${all.join(" | ")}`
  }
  if (!isComplete(outcome)) {
    return outcome.error instanceof AgentError.AgentError
      ? undefined
      : `untyped: ${String(outcome.error)}`
  }
  if (reasonOf(outcome) !== reasonOf(expected)) {
    return `ended with ${reasonOf(outcome)} instead of ${reasonOf(expected)}`
  }
  if (outcome.answer !== expected.answer) return `answer ${outcome.answer} instead of ${expected.answer}`
  if (peer.mode === "replay" && some.length < all.length && outcome.events.at(-1)?._tag !== "Task") {
    return "events are missing"
  }
  // a snapshot lacks the status messages that were sent while no connection was open
  return outcome.text === expected.text || (peer.mode === "snapshot" && peer.speaks)
    ? undefined
    : `text ${JSON.stringify(outcome.text)} instead of ${JSON.stringify(expected.text)}`
}

export interface Options {
  readonly streams: number
  readonly seed: number
  readonly peers: ReadonlyArray<Peer>
  readonly concurrency: number
  readonly timeouts: Timeouts.Timeouts
  readonly policy: () => AgentTransport.Policy
  /** Kinds of faults, in addition to those of the peers' own client. */
  readonly kinds?: Fault.Options["kinds"]
  readonly rate: number
  /** Milliseconds after which a stream counts as hung. */
  readonly patience: number
}

const add = (counts: Record<string, number>, name: string, n = 1) => void (counts[name] = (counts[name] ?? 0) + n)

/** All faults that a client can undo: an event that a peer sends twice is two events. */
const undoable = Arr.filter(Fault.kinds, (kind) => kind !== "duplicate") as [Fault.Kind, ...Array<Fault.Kind>]

export const run = Effect.fnUntraced(function*(options: Options): Effect.fn.Return<Report> {
  const { concurrency, kinds = undoable, patience, peers, policy, rate, seed, streams, timeouts } = options
  const errors: Record<string, number> = {}
  const faults: Record<string, number> = {}
  const wrong: Array<string> = []
  let resumed = 0
  let undisturbed = 0
  const expected = new Map<string, Outcome>()

  for (const peer of peers) {
    for (const question of peer.questions) {
      expected.set(
        `${peer.name} ${question}`,
        yield* runStream((peer.undisturbed ?? peer.transport).pipe(Layer.provide(peer.clean)), question)
      )
    }
  }

  const one = Effect.fnUntraced(function*(at: number) {
    const own = seed * 1_000_003 + at
    const peer = peers[at % peers.length]!
    const question = peer.questions[Math.floor(Fault.random(own)() * peer.questions.length)]!
    const where = `${peer.name}, seed ${seed}, stream ${at}, "${question}"`
    yield* Effect.scoped(Effect.gen(function*() {
      const client = Fault.inject(peer.client, { seed: own, rate, kinds })
      const context = yield* Layer.build(client)
      const transport = peer.transport.pipe(
        AgentTransport.retry(policy()),
        AgentTransport.resumable(policy()),
        Layer.provide(Layer.succeedContext(context))
      )
      const outcome = yield* runStream(transport, question).pipe(
        Effect.provideService(Timeouts.CurrentTimeouts, timeouts),
        Effect.timeoutOption(patience)
      )
      if (Option.isNone(outcome)) return void wrong.push(`${where}: hangs`)
      const issue = compare(peer, outcome.value, expected.get(`${peer.name} ${question}`)!)
      if (issue !== undefined) wrong.push(`${where}: ${issue}`)
      if (isComplete(outcome.value)) undisturbed++
      else add(errors, outcome.value.error!.reason._tag)
      if (isComplete(outcome.value) && outcome.value.resumed > 0) resumed++
      const { open, requests, ...counts } = yield* Effect.flatMap(Fault.Faults, ({ counts }) => counts).pipe(
        Effect.provide(context)
      )
      for (const [kind, n] of Object.entries(counts)) add(faults, kind, n)
      add(faults, "requests", requests)
      if (open !== 0) wrong.push(`${where}: ${open} responses are left open`)
    }))
  })

  yield* Effect.forEach(Array.from({ length: streams }, (_, at) => at), one, { concurrency, discard: true })
  return { streams, undisturbed, resumed, errors, faults, wrong }
})

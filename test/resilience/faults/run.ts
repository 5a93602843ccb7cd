/** A randomized run: streams through faults of the network, each compared with the undisturbed one. */
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
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { Peer } from "./peers.ts"

/** What was heard of one stream. */
interface Heard {
  readonly events: ReadonlyArray<StreamEvent.StreamEvent>
  /** Absent: the stream ended well. */
  readonly error: AgentError.AgentError | undefined
  readonly text: string
  readonly answer: string
  readonly resumed: number
}

export interface Report {
  readonly streams: number
  /** Told to their ends; of which so many after being taken up again. */
  readonly undisturbed: number
  readonly resumed: number
  /** Typed errors by reason. */
  readonly errors: Readonly<Record<string, number>>
  /** What was done to them. */
  readonly faults: Readonly<Record<string, number>>
  /** What is wrong, each with the seed that brings it about. */
  readonly wrong: ReadonlyArray<string>
}

/** The same in every run: ids and times left out. */
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

const hear = Effect.fnUntraced(function*(
  transport: Layer.Layer<AgentTransport.AgentTransport, AgentError.AgentError, Credentials.Credentials>,
  question: string
): Effect.fn.Return<Heard> {
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
  const told = Stream.fromIterable(events)
  const { artifacts, state, text } = yield* AgentStream.answer(told)
  return {
    events,
    error,
    text: (yield* Stream.runCollect(AgentStream.text(told))).join(""),
    answer: JSON.stringify([state, text, artifacts.map(({ parts }) => parts)]),
    resumed
  }
})

const withoutTasks = (events: ReadonlyArray<StreamEvent.StreamEvent>) =>
  events.filter(({ _tag }) => _tag !== "Task").map(shape)

const isPrefix = (some: ReadonlyArray<string>, all: ReadonlyArray<string>) => some.every((one, at) => one === all[at])

/** Whether `some` are of `all`, in order and no more often. */
const isAmong = (some: ReadonlyArray<string>, all: ReadonlyArray<string>) => {
  let at = 0
  for (const one of some) {
    at = all.indexOf(one, at) + 1
    if (at === 0) return false
  }
  return true
}

const reasonOf = ({ error }: Heard) => error?.reason._tag
/** The call went well, whatever became of the task. */
const isTold = (heard: Heard) => heard.error === undefined || heard.error.origin === "task"

/** What is wrong with a stream, if anything is. */
const compare = (peer: Peer, heard: Heard, expected: Heard): string | undefined => {
  const some = withoutTasks(heard.events)
  const all = withoutTasks(expected.events)
  if (peer.mode === "replay" ? !isPrefix(some, all) : !isAmong(some, all)) {
    return `events not as undisturbed: ${some.join(" | ")} instead of ${all.join(" | ")}`
  }
  if (!isTold(heard)) {
    return heard.error instanceof AgentError.AgentError
      ? undefined
      : `untyped: ${String(heard.error)}`
  }
  if (reasonOf(heard) !== reasonOf(expected)) return `ended with ${reasonOf(heard)} instead of ${reasonOf(expected)}`
  if (heard.answer !== expected.answer) return `answer ${heard.answer} instead of ${expected.answer}`
  if (peer.mode === "replay" && some.length < all.length && heard.events.at(-1)?._tag !== "Task") {
    return "events are missing"
  }
  // what an agent says beside its answer while nobody listens, a snapshot does not tell
  return heard.text === expected.text || (peer.mode === "snapshot" && peer.speaks)
    ? undefined
    : `text ${JSON.stringify(heard.text)} instead of ${JSON.stringify(expected.text)}`
}

export interface Options {
  readonly streams: number
  readonly seed: number
  readonly peers: ReadonlyArray<Peer>
  readonly concurrency: number
  readonly timeouts: Timeouts.Timeouts
  readonly policy: () => AgentTransport.Policy
  /** Faults besides those that the peers' own wire makes. */
  readonly kinds?: Fault.Options["kinds"]
  readonly rate: number
  /** After which a stream counts as hung. */
  readonly patience: number
}

const add = (counts: Record<string, number>, name: string, n = 1) => void (counts[name] = (counts[name] ?? 0) + n)

export const run = Effect.fnUntraced(function*(options: Options): Effect.fn.Return<Report> {
  const { concurrency, kinds, patience, peers, policy, rate, seed, streams, timeouts } = options
  const errors: Record<string, number> = {}
  const faults: Record<string, number> = {}
  const wrong: Array<string> = []
  let resumed = 0
  let undisturbed = 0
  const expected = new Map<string, Heard>()

  for (const peer of peers) {
    for (const question of peer.questions) {
      expected.set(
        `${peer.name} ${question}`,
        yield* hear((peer.undisturbed ?? peer.transport).pipe(Layer.provide(peer.clean)), question)
      )
    }
  }

  const one = Effect.fnUntraced(function*(at: number) {
    const own = seed * 1_000_003 + at
    const peer = peers[at % peers.length]!
    const question = peer.questions[Math.floor(Fault.random(own)() * peer.questions.length)]!
    const where = `${peer.name}, seed ${seed}, stream ${at}, "${question}"`
    yield* Effect.scoped(Effect.gen(function*() {
      const client = Fault.inject(peer.client, { seed: own, rate, ...(kinds && { kinds }) })
      const context = yield* Layer.build(client)
      const transport = peer.transport.pipe(
        AgentTransport.retry(policy()),
        AgentTransport.resumable(policy()),
        Layer.provide(Layer.succeedContext(context))
      )
      const heard = yield* hear(transport, question).pipe(
        Effect.provideService(Timeouts.CurrentTimeouts, timeouts),
        Effect.timeoutOption(patience)
      )
      if (Option.isNone(heard)) return void wrong.push(`${where}: hangs`)
      const issue = compare(peer, heard.value, expected.get(`${peer.name} ${question}`)!)
      if (issue !== undefined) wrong.push(`${where}: ${issue}`)
      if (isTold(heard.value)) undisturbed++
      else add(errors, heard.value.error!.reason._tag)
      if (isTold(heard.value) && heard.value.resumed > 0) resumed++
      const { open, requests, ...counts } = yield* Effect.flatMap(Fault.Faults, ({ counts }) => counts).pipe(
        Effect.provide(context)
      )
      for (const [kind, n] of Object.entries(counts)) add(faults, kind, n)
      add(faults, "requests", requests)
      if (open !== 0) wrong.push(`${where}: ${open} answers are left open`)
    }))
  })

  yield* Effect.forEach(Array.from({ length: streams }, (_, at) => at), one, { concurrency, discard: true })
  return { streams, undisturbed, resumed, errors, faults, wrong }
})

/** Asks all agents at once, limits the time of each, and keeps a conversation with each for every user. */
import { Agent, AgentError, AgentStream, AgentTransport, Conversations } from "@effect-a2a/core"
import type { Answer, StreamEvent } from "@effect-a2a/core"
import { MemoryLake } from "@effect-a2a/memorylake"
import { Adk } from "@effect-a2a/transport-adk"
import { Config, Context, Duration, Effect, flow, Layer, Result, Schema, Stream } from "effect"
import { Lake, SpareLake, Travel, Weather } from "./Agents.ts"
import { Refusal, refusal, Source } from "./Refusal.ts"

/** A piece of an agent's text. */
export const Delta = Schema.TaggedStruct("Delta", { source: Source, text: Schema.String })
/** The end of an agent's answer, with all its text. */
export const Done = Schema.TaggedStruct("Done", { source: Source, state: Schema.String, text: Schema.String })
/** An agent that does not answer. */
export const Failed = Schema.TaggedStruct("Failed", { source: Source, refusal: Refusal })
/** An item of the stream. */
export const Chunk = Schema.Union([Delta, Done, Failed])
export type Chunk = typeof Chunk.Type

/** The longest that each agent may take, and that we wait when an agent asks us to. */
const limits = Config.all({
  lake: Config.withDefault(Config.Duration("LAKE_TIMEOUT"), Duration.seconds(60)),
  travel: Config.withDefault(Config.Duration("TRAVEL_TIMEOUT"), Duration.seconds(30)),
  weather: Config.withDefault(Config.Duration("WEATHER_TIMEOUT"), Duration.seconds(20)),
  patience: Config.withDefault(Config.Duration("PATIENCE"), Duration.seconds(5))
})

export class Orchestrator extends Context.Service<Orchestrator, {
  /** Returns every agent's answer or refusal. */
  readonly ask: (user: string, question: string) => Effect.Effect<ReadonlyArray<Answer.Answer | Refusal>>
  /** Returns the first answer; the tasks of the other agents are canceled. */
  readonly first: (user: string, question: string) => Effect.Effect<Answer.Answer, Refusal>
  /** Emits what all agents say, as they say it. */
  readonly stream: (user: string, question: string) => Stream.Stream<Chunk>
}>()("backend/Orchestrator") {
  static readonly layer = Layer.effect(Orchestrator, Effect.suspend(() => make))
}

const kept = { pending: "cancel", timeToLive: "30 days" } as const

/** The conversations of all users with each agent, in the application's store. */
const conversations = Effect.all({
  lake: Conversations.make(Lake, { storeId: "lake", ...kept }),
  spare: Conversations.make(SpareLake, { storeId: "spare", ...kept }),
  travel: Conversations.make(Travel, { storeId: "travel", ...kept }),
  weather: Conversations.make(Weather, { storeId: "weather", ...kept })
})

/** Names the user to the agents that know users. */
const forUser = (user: string) => flow(MemoryLake.withOptions({ extra: { endUser: user } }), Adk.withUser(user))

const tooSlow = (source: Source) =>
  Effect.fail(AgentError.make("ask", "TimeoutError", { message: `${source} took too long`, phase: "total" }))

/** Our chunks of an agent's stream: its text as it comes, and the answer in the end. */
const toChunks = (source: Source) => <E, R>(events: Stream.Stream<StreamEvent.StreamEvent, E, R>) =>
  AgentStream.steps(events).pipe(
    Stream.filterMap((step): Result.Result<Chunk, void> => {
      switch (step._tag) {
        case "Text":
          return Result.succeed(Delta.make({ source, text: step.text }))
        case "Answer":
          return Result.succeed(Done.make({ source, state: step.answer.state, text: step.answer.text }))
        default:
          return Result.failVoid
      }
    })
  )

const make = Effect.gen(function*() {
  const { patience, ...timeout } = yield* limits
  const agents = yield* conversations

  /** Waits once if the agent asks for no more than we have patience for. */
  const isWorthWaiting = ({ reason }: AgentError.AgentError) =>
    reason._tag === "RateLimitError" && reason.retryAfter !== undefined &&
    Duration.isLessThanOrEqualTo(reason.retryAfter, patience)

  const patiently = { schedule: AgentTransport.respectRetryAfter(AgentTransport.backoff(1)), while: isWorthWaiting }

  const askAgent = (source: Source, { get }: Conversations.Service, user: string, question: string) =>
    Effect.flatMap(get(user), (conversation) => Effect.retry(conversation.ask(question), patiently)).pipe(
      Effect.scoped,
      Effect.timeoutOrElse({ duration: timeout[source], orElse: () => tooSlow(source) })
    )

  const ask = Effect.fn("Orchestrator.ask")(
    function*(user: string, source: Source, question: string) {
      const asked = askAgent(source, agents[source], user, question)
      if (source !== "lake") return yield* asked
      const spare = () => askAgent("lake", agents.spare, user, question)
      return yield* asked.pipe(Effect.catchReasons("AgentError", { QuotaExceededError: spare, RateLimitError: spare }))
    },
    (effect, user, source) => effect.pipe(forUser(user), Effect.mapError(refusal(source)))
  )

  const streamAgent = (source: Source, { get }: Conversations.Service, user: string, question: string) =>
    Stream.unwrap(Effect.map(get(user), (conversation) => conversation.stream(question))).pipe(
      Agent.withTimeouts({ response: timeout[source], idle: timeout[source] }),
      toChunks(source)
    )

  const stream = (user: string, source: Source, question: string): Stream.Stream<Chunk> => {
    const streamed = streamAgent(source, agents[source], user, question)
    const spare = () => streamAgent("lake", agents.spare, user, question)
    return (source === "lake"
      ? Stream.catchReasons(streamed, "AgentError", { QuotaExceededError: spare, RateLimitError: spare })
      : streamed).pipe(
        forUser(user),
        Stream.catch((error) => Stream.succeed(Failed.make({ source, refusal: refusal(source)(error) }))),
        Stream.withSpan("Orchestrator.stream", { attributes: { source } })
      )
  }

  return Orchestrator.of({
    ask: (user, question) =>
      Effect.forEach(
        Source.literals,
        (source) => Effect.catchTag(ask(user, source, question), "Refusal", (refusal) => Effect.succeed(refusal)),
        { concurrency: "unbounded" }
      ),
    first: (user, question) => Effect.raceAll(Source.literals.map((source) => ask(user, source, question))),
    stream: (user, question) =>
      Stream.mergeAll(Source.literals.map((source) => stream(user, source, question)), { concurrency: "unbounded" })
  })
})

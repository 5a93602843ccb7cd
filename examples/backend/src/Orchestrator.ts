/** Asks all agents at once, limits the time of each, and keeps a conversation with each for every user. */
import { Agent, AgentError, AgentTransport, Conversation } from "@effect-a2a/core"
import type { Answer } from "@effect-a2a/core"
import { MemoryLake } from "@effect-a2a/memorylake"
import { Adk } from "@effect-a2a/transport-adk"
import { Config, Context, Duration, Effect, flow, Layer, RcMap, Schema, Stream } from "effect"
import { Lake, SpareLake, Travel, Weather } from "./Agents.ts"
import * as AgentStream from "./interim.ts"
import { Refusal, refusal, Source } from "./Refusal.ts"

/** A piece of an agent's text. */
export const Delta = Schema.TaggedStruct("Delta", { source: Source, text: Schema.String })
/** The end of an agent's answer, with all its text. */
export const Done = Schema.TaggedStruct("Done", { source: Source, state: Schema.String, text: Schema.String })
/** An agent that does not answer. */
export const Failed = Schema.TaggedStruct("Failed", { source: Source, refusal: Refusal })
/** What the stream emits. */
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

/** The conversations of a user: one with each agent. */
const conversations = Effect.all({
  lake: Conversation.of(Lake, { pending: "cancel" }),
  spare: Conversation.of(SpareLake, { pending: "cancel" }),
  travel: Conversation.of(Travel, { pending: "cancel" }),
  weather: Conversation.of(Weather, { pending: "cancel" })
})

/** Names the user to the agents that know users. */
const forUser = (user: string) => flow(MemoryLake.withOptions({ extra: { endUser: user } }), Adk.withUser(user))

const tooSlow = (source: Source) =>
  Effect.fail(AgentError.make("ask", "TimeoutError", { message: `${source} took too long`, phase: "total" }))

const step = (source: Source) => (step: AgentStream.Step): ReadonlyArray<Chunk> => {
  switch (step._tag) {
    case "Text":
      return [Delta.make({ source, text: step.text })]
    case "Answer":
      return [Done.make({ source, state: step.answer.state, text: step.answer.text })]
  }
}

const make = Effect.gen(function*() {
  const { patience, ...timeout } = yield* limits
  const users = yield* RcMap.make({ lookup: (_user: string) => conversations, idleTimeToLive: "30 minutes" })

  /** Waits once if the agent asks for no more than we have patience for. */
  const isWorthWaiting = ({ reason }: AgentError.AgentError) =>
    reason._tag === "RateLimitError" && reason.retryAfter !== undefined &&
    Duration.isLessThanOrEqualTo(reason.retryAfter, patience)

  const askAgent = (source: Source, conversation: Conversation.Service, question: string) =>
    conversation.ask(question).pipe(
      Effect.retry({
        schedule: AgentTransport.respectRetryAfter(AgentTransport.backoff(1)),
        while: isWorthWaiting
      }),
      Effect.timeoutOrElse({ duration: timeout[source], orElse: () => tooSlow(source) })
    )

  const ask = Effect.fn("Orchestrator.ask")(
    function*(user: string, source: Source, question: string) {
      const agents = yield* RcMap.get(users, user)
      const asked = askAgent(source, agents[source], question)
      if (source !== "lake") return yield* asked
      const spare = () => askAgent("lake", agents.spare, question)
      return yield* asked.pipe(Effect.catchReasons("AgentError", { QuotaExceededError: spare, RateLimitError: spare }))
    },
    (effect, user, source) => effect.pipe(forUser(user), Effect.mapError(refusal(source)), Effect.scoped)
  )

  const streamAgent = (source: Source, conversation: Conversation.Service, question: string) =>
    conversation.stream(question).pipe(
      Agent.withTimeouts({ response: timeout[source], idle: timeout[source] }),
      AgentStream.steps,
      Stream.flatMap((one) => Stream.fromIterable(step(source)(one)))
    )

  const stream = (user: string, source: Source, question: string): Stream.Stream<Chunk> =>
    Stream.unwrap(Effect.map(RcMap.get(users, user), (agents) => {
      const streamed = streamAgent(source, agents[source], question)
      if (source !== "lake") return streamed
      const spare = () => streamAgent("lake", agents.spare, question)
      return Stream.catchReasons(streamed, "AgentError", { QuotaExceededError: spare, RateLimitError: spare })
    })).pipe(
      forUser(user),
      Stream.catchTag(
        "AgentError",
        (error) => Stream.succeed(Failed.make({ source, refusal: refusal(source)(error) }))
      ),
      Stream.withSpan("Orchestrator.stream", { attributes: { source } })
    )

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

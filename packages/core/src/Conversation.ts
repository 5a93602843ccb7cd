/**
 * A conversation: messages to one agent within one context, sent one at a time.
 *
 * The context goes with every message. If the agent asked a question (input-required or auth-required), the next message
 * continues that task; if a task still runs, the next message waits for it or cancels it.
 *
 * Messages of one conversation, and of all conversations with the same agent value in the same context, are sent in
 * order; other contexts run in parallel. A stream holds the lock until it ends or is interrupted; sending from inside it
 * deadlocks. Other processes and other agent values share nothing.
 *
 * ```ts
 * import { Agent, Conversation } from "@effect-a2a/core"
 * import { AgentTest, Script } from "@effect-a2a/testing"
 * import { Effect, Layer } from "effect"
 *
 * const agent = Agent.layer.pipe(
 *   Layer.provide(AgentTest.layer),
 *   Layer.provide(Script.layer(({ task }) =>
 *     task === undefined ? [Script.askForInput("Which city?")] : [Script.say("A weekend in Lisbon")]
 *   ))
 * )
 * const program = Effect.gen(function*() {
 *   const conversation = yield* Conversation.make()
 *   const asked = yield* conversation.ask("Plan a weekend")
 *   const answer = yield* conversation.ask("Lisbon") // continues the task that asked
 *   const { transcript } = yield* conversation.state
 *   return [asked.question, answer.text, answer.taskId === asked.taskId, transcript.length]
 * })
 * await Effect.runPromise(program.pipe(Effect.provide(agent)))
 * // => ["Which city?", "A weekend in Lisbon", true, 4]
 * ```
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Agent from "./Agent.ts"
import type { AgentError } from "./AgentError.ts"
import * as Answer from "./Answer.ts"
import * as ConversationState from "./ConversationState.ts"
import type * as Id from "./Id.ts"
import * as Saving from "./internal/conversation/autosave.ts"
import * as Resume from "./internal/conversation/resume.ts"
import * as Thread from "./internal/conversation/thread.ts"
import * as Turn from "./internal/conversation/turn.ts"
import { CurrentOnEarlyTask } from "./internal/transport/earlyTask.ts"
import type * as Message from "./Message.ts"
import type * as StreamEvent from "./StreamEvent.ts"
import type * as Task from "./Task.ts"

/** The beginning of a conversation, and its treatment of tasks that still run. */
export interface Options {
  /** The context of an existing conversation. Default: the agent names it in its first answer. */
  readonly contextId?: Id.ContextId | undefined
  /**
   * Waits for a task that still runs when the next message is to be sent, or cancels it. Such tasks are left by sends that
   * return immediately and by interrupted streams. Default: `"wait"`.
   */
  readonly pending?: "wait" | "cancel" | undefined
  /** The state of a conversation that continues here, from another process or an earlier page load. */
  readonly state?: State | undefined
}

/**
 * The schema of a conversation's state, which can be saved and continued elsewhere: `Schema.toCodecJson` turns it into JSON
 * and back.
 */
export const State = ConversationState.ConversationState
/** The state of a conversation. */
export type State = ConversationState.ConversationState

/**
 * A conversation with an agent: its `send`, `ask` and `stream`, within one context. Ids that are given as options or in a
 * message are used instead of the conversation's. A message that was refused leaves no trace.
 */
export interface Service extends Pick<Agent.Service, "send" | "ask" | "stream"> {
  /** Returns the current state. */
  readonly state: Effect.Effect<State>
  /**
   * Emits the current state, and then each change of it, until the consumer stops. Each state is consistent: a message,
   * its task and its answer change together. Chunks of a long artifact may be reported several at a time. If
   * another conversation with the same agent sends messages in the context, their task is reported, too.
   */
  readonly changes: Stream.Stream<State>
  /**
   * Emits the events of the pending task until it settles, as `Agent.subscribe` does; if the agent does not let it be
   * subscribed to, waits for it and emits it as a whole. Holds the lock as a message does. Empty if nothing is pending or
   * the agent has asked for input.
   */
  readonly resume: Stream.Stream<StreamEvent.StreamEvent, AgentError>
  /**
   * Cancels the pending task and returns it, if there is one. Does not wait for the lock, so that it can be used while a
   * message is answered and when that is interrupted. The task of a message without any response is searched for in the
   * agent's list of tasks; if the agent lists none, nothing is canceled.
   */
  readonly cancel: Effect.Effect<Task.Task | undefined, AgentError>
}

const send = (thread: Thread.Thread, input: Message.Input, options?: Agent.Options) =>
  Effect.scoped(
    Effect.flatMap(Turn.begin(thread, input, options), ({ asked, fail, message, observe, options, policy }) =>
      thread.agent.send(message, options).pipe(
        // so that the task is known if nobody waits for it any longer
        Effect.provideService(CurrentOnEarlyTask, (task) =>
          observe([task])),
        Effect.retry(policy),
        Effect.tapError(fail),
        Effect.tap((result) => observe([result])),
        Effect.map((result) => ({ result, asked }))
      ))
  )

const stream = (thread: Thread.Thread, input: Message.Input, options?: Agent.Options) =>
  Stream.unwrap(
    Effect.map(Turn.begin(thread, input, options), ({ fail, message, observe, options, policy }) =>
      thread.agent.stream(message, options).pipe(
        Stream.retry(policy),
        Stream.tapError(fail),
        Stream.mapArrayEffect((events) =>
          Effect.as(observe(events), events)
        )
      ))
  )

const cancel = Effect.fnUntraced(function*(thread: Thread.Thread): Effect.fn.Return<Task.Task | undefined, AgentError> {
  const pending = yield* Thread.find(thread)
  if (pending === undefined) return undefined
  const task = yield* thread.agent.cancel(pending.id)
  // a turn that follows the task records it
  if (thread.context.turns === 0) yield* Thread.apply(thread, { _tag: "Receive", progress: { task, news: task } })
  return task
})

const start = Effect.fnUntraced(function*(
  agent: Agent.Service,
  { contextId, pending = "wait", state = ConversationState.empty }: Options
): Effect.fn.Return<Service> {
  const thread = yield* Thread.make(agent, pending, contextId === undefined ? state : { ...state, contextId })
  return {
    state: Thread.current(thread),
    changes: Thread.changes(thread),
    send: (input, options) => Effect.map(send(thread, input, options), ({ result }) => result),
    ask: (input, options) =>
      Effect.map(send(thread, input, options), ({ asked, result }) => Answer.from(result, asked)),
    stream: (input, options) => stream(thread, input, options),
    resume: Resume.resume(thread),
    cancel: cancel(thread)
  }
})

/**
 * Starts or continues a conversation with a given agent: a value, or a tag made by `Agent.Tag`.
 *
 * ```ts
 * import { Agent, Conversation } from "@effect-a2a/core"
 * import { AgentTest, Script } from "@effect-a2a/testing"
 * import { Effect, Layer } from "effect"
 *
 * class Travel extends Agent.Tag<Travel>()("app/Travel") {}
 *
 * const program = Effect.gen(function*() {
 *   const conversation = yield* Conversation.of(Travel)
 *   const first = yield* conversation.ask("Plan a weekend")
 *   const second = yield* conversation.ask("And another one")
 *   return first.contextId === second.contextId
 * })
 * const travel = Travel.layer.pipe(Layer.provide(AgentTest.layer), Layer.provide(Script.layer(Script.say("Lisbon"))))
 * await Effect.runPromise(program.pipe(Effect.provide(travel))) // => true
 * ```
 */
export const of = <E = never, R = never>(
  agent: Agent.Service | Effect.Effect<Agent.Service, E, R>,
  options: Options = {}
): Effect.Effect<Service, E, R> =>
  Effect.flatMap(Effect.isEffect(agent) ? agent : Effect.succeed(agent), (agent) => start(agent, options))

/** Starts or continues a conversation with the application's agent. */
export const make = (options?: Options): Effect.Effect<Service, never, Agent.Agent> => of(Agent.Agent, options)

/** A conversation that is saved. */
export interface Autosave<E, R> {
  /** Saves now, if there is anything new. */
  readonly flush: Effect.Effect<void, E, R>
}

/** Options of {@link autosave}. */
export interface AutosaveOptions {
  /** The time between two saves while a task makes progress. Default: 1 second. */
  readonly interval?: Duration.Input | undefined
}

/**
 * Saves the state of a conversation as it changes, until the scope closes, and once more then: at once if a message was
 * sent, answered or refused or the task's state changed, and at most once per interval while the task makes progress.
 * Saves run one at a time; a failed one is logged, and made up for by the next.
 *
 * ```ts
 * import { Agent, Conversation } from "@effect-a2a/core"
 * import { AgentTest, Script } from "@effect-a2a/testing"
 * import { Effect, Layer } from "effect"
 *
 * const saved: Array<Conversation.State> = []
 * const program = Effect.gen(function*() {
 *   const conversation = yield* Conversation.make()
 *   yield* Conversation.autosave(conversation, (state) => Effect.sync(() => void saved.push(state)))
 *   yield* conversation.ask("Hi")
 * }).pipe(Effect.scoped)
 * const agent = Agent.layer.pipe(Layer.provide(AgentTest.layer), Layer.provide(Script.layer(Script.say("Hello"))))
 * await Effect.runPromise(program.pipe(Effect.provide(agent)))
 * saved.at(-1)?.transcript.length // => 2
 * ```
 */
export const autosave = <E, R>(
  conversation: Pick<Service, "state" | "changes">,
  save: (state: State) => Effect.Effect<void, E, R>,
  { interval = "1 second" }: AutosaveOptions = {}
): Effect.Effect<Autosave<E, R>, never, R | Scope.Scope> => Saving.autosave(conversation, save, interval)

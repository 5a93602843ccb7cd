/**
 * A conversation: one context, one message at a time, and what is left to do before the next one.
 *
 * Messages of one conversation, and of all conversations of one agent value on the same context, wait for each other in
 * order; a stream holds its turn until it ends or is interrupted, so that sending from within it waits for ever. Other
 * contexts go on in parallel. Processes, and agent values, know nothing of each other.
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
 *   const question = yield* conversation.ask("Plan a weekend")
 *   const answer = yield* conversation.ask("Lisbon") // answers the question: goes to the same task
 *   const { transcript } = yield* conversation.state
 *   return [question.text, answer.text, answer.taskId === question.taskId, transcript.length]
 * })
 * await Effect.runPromise(program.pipe(Effect.provide(agent)))
 * // => ["Which city?", "A weekend in Lisbon", true, 4]
 * ```
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import * as Agent from "./Agent.ts"
import type { AgentError } from "./AgentError.ts"
import type { Policy } from "./AgentTransport.ts"
import * as Answer from "./Answer.ts"
import type * as Id from "./Id.ts"
import * as Rooms from "./internal/conversation/contexts.ts"
import * as Transcript from "./internal/conversation/transcript.ts"
import * as Told from "./internal/transport/deduplicate.ts"
import * as Message from "./Message.ts"
import type * as StreamEvent from "./StreamEvent.ts"
import type * as Task from "./Task.ts"
import * as TaskState from "./TaskState.ts"

/**
 * `contextId`: of a conversation that there is already; otherwise the agent's first answer names it. `pending`: what
 * becomes of a task that still runs when the next message is to be sent, left by a send that returned immediately or by a
 * stream that was given up: it is waited for (default), or canceled.
 */
export interface Options {
  readonly contextId?: Id.ContextId
  readonly pending?: "wait" | "cancel"
  /** Where a conversation was left that is gone on with, in another process or after a page was loaded again. */
  readonly state?: State
}

/**
 * `pending` is the task that runs, or that the next message answers. `transcript`: what was sent; lone messages, questions
 * and reasons of the agent; and the answer of each completed task, made of its artifacts.
 */
export interface State {
  readonly contextId: Id.ContextId | undefined
  readonly pending: Task.Task | undefined
  readonly transcript: ReadonlyArray<Message.Message>
}

/**
 * An agent's `send`, `ask` and `stream`, within one context. The context goes with every message, and the task where it
 * asked for input or credentials; ids that the caller gives count instead. A message that was refused leaves no trace.
 */
export interface Conversation extends Pick<Agent.Interface, "send" | "ask" | "stream"> {
  readonly state: Effect.Effect<State>
  /**
   * Follows the pending task to its end, as `Agent.subscribe` does; one that cannot be followed is waited for and told
   * whole. Holds its turn as a message does. Empty where nothing is pending, or the agent has asked for input.
   */
  readonly resume: Stream.Stream<StreamEvent.StreamEvent, AgentError>
  /** Cancels the pending task, if there is one; may be called while a message is under way. */
  readonly cancel: Effect.Effect<Task.Task | undefined, AgentError>
}

/** How a task stands is to be looked up before the next message. */
const lookUp = (id: Id.TaskId, known: Task.Task | undefined): Task.Task => ({
  ...(known?.id === id ? known : { _tag: "Task", id }),
  status: { ...known?.status, state: "unspecified" }
})

/** Nothing more is to come of a task, for reasons that are not the next message's. */
const isOver = ({ reason }: AgentError): boolean =>
  "task" in reason || reason._tag === "TaskNotFoundError" ||
  (reason._tag === "StreamInterruptedError" && !reason.isRetryable)

/** The agent has said no; any other failure leaves open whether it got the message. */
const isRefusal = ({ origin, reason }: AgentError): boolean =>
  (origin === "local" || origin === "agent" || origin === "policy") && reason._tag !== "InternalError" &&
  reason._tag !== "ServiceUnavailableError"

/** The task is not to be followed, for whatever reason the agent has. */
const cannotFollow = ({ origin }: AgentError): boolean => origin === "agent" || origin === "local" || origin === "other"

const once: Policy = Schedule.recurs(0)

/**
 * For agents that list no tasks: where a message may have got through of which nothing was heard, the next one is sent
 * again for a minute as long as it is refused. A refused message has not been acted upon.
 */
const whileBusy: Policy = Schedule.min([Schedule.exponential("500 millis"), Schedule.spaced("5 seconds")]).pipe(
  Schedule.upTo({ duration: "1 minute" }),
  Schedule.setInputType<AgentError>(),
  Schedule.while(({ input }) => input.reason._tag === "InvalidArgumentError")
)

/** A conversation with the agent at hand. */
export const make = (options: Options = {}): Effect.Effect<Conversation, never, Agent.Agent> =>
  Effect.map(Agent.Agent, (agent) => {
    const rooms = Rooms.of(agent)
    const lock = Semaphore.makeUnsafe(1)
    const transcript = Transcript.make()
    let contextId = options.contextId ?? options.state?.contextId
    let last = options.state === undefined ? Rooms.empty() : Rooms.left(rooms, contextId, options.state)
    options.state?.transcript.forEach(transcript.add)

    const room = () => contextId === undefined ? last : rooms.get(contextId) ?? last

    /** A task once it has ended or asks for something; as told if nothing more is to come of it. */
    const settle = Effect.fnUntraced(
      function*(task: Task.Task) {
        const { id, status } = task
        const isKnown = status.state !== "unspecified" && status.state !== "auth-required"
        const read = isKnown ? task : yield* agent.getTask(id)
        const current = { ...read, status: { ...status, ...read.status } }
        if (TaskState.isInterrupted(current.status.state)) return current
        if (options.pending !== "cancel" || TaskState.isSettled(current.status.state)) {
          return yield* agent.waitFor(current)
        }
        // one that cannot be canceled ends by itself, or has ended
        const canceled = yield* Effect.orElseSucceed(agent.cancel(id), () => current)
        return canceled.status.state === "canceled" ? canceled : yield* agent.waitFor(current)
      },
      (effect, task) =>
        Effect.catchIf(effect, isOver, ({ reason }) => Effect.succeed("task" in reason ? reason.task : task))
    )

    /** What runs in a context, as far as the agent lists it. */
    const running = (contextId: Id.ContextId) =>
      agent.listTasks({ contextId, pageSize: 10 }).pipe(
        Stream.take(10),
        Stream.filter(({ status }) => !TaskState.isSettled(status.state)),
        Stream.runCollect,
        Effect.option
      )

    /** Sees to it that nothing runs in a room. */
    const clear = Effect.fnUntraced(function*(room: Rooms.Room, contextId: Id.ContextId | undefined) {
      const finish = Effect.fnUntraced(function*(task: Task.Task) {
        const settled = yield* settle(task)
        transcript.conclude(settled)
        Rooms.put(room, TaskState.isInterrupted(settled.status.state) ? settled : undefined)
      })
      const pending = Rooms.pending(room)
      if (pending !== undefined && pending.status.state !== "input-required") yield* finish(pending)
      if (!room.isUncertain || contextId === undefined) return
      const listed = yield* running(contextId)
      if (listed._tag === "None") return
      for (const task of listed.value) {
        Rooms.put(room, task)
        yield* finish(task)
      }
      room.isUncertain = false
    })

    /** Waits for its turn, which lasts until the scope closes. From then on the message counts as sent. */
    const begin = Effect.fnUntraced(function*(input: Message.Input, options: Agent.Options = {}) {
      yield* lock.takeScoped(1)
      const given = {
        ...(Message.isMessage(input) ? Struct.pick(input, ["contextId", "taskId"]) : undefined),
        ...options
      }
      const at = given.contextId ?? contextId
      let current = at === undefined ? last : yield* Rooms.enter(rooms, at)
      yield* clear(current, at)
      const asked = Rooms.pending(current)
      const taskId = given.taskId ?? asked?.id
      const message = yield* Message.user(input, {
        ...Struct.pick(options, ["extensions", "messageId", "referenceTaskIds"]),
        ...(options.messageMetadata && { metadata: options.messageMetadata }),
        ...(at !== undefined && { contextId: at }),
        ...(taskId !== undefined && { taskId })
      })
      const adopted = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
      const collected = Answer.collector()
      const before = [contextId, last] as const
      let reply: Message.Message | undefined
      let failure: AgentError | undefined

      const end = (isNew: boolean) => {
        const task = collected.task()
        if (task !== undefined || reply !== undefined) {
          current.isUncertain = false
          if (task !== undefined) transcript.conclude(task)
          else transcript.add(reply!)
          return Rooms.put(current, task ?? (asked && reply?.taskId === asked.id ? lookUp(asked.id, asked) : undefined))
        }
        const isRefused = failure !== undefined && isRefusal(failure)
        if (isRefused && isNew) transcript.remove(message)
        if (isRefused) [contextId, last] = before
        if (failure?.origin === "local") return Rooms.put(current, asked)
        const told = failure?.reason._tag === "StreamInterruptedError" ? failure.reason.taskId : undefined
        const id = told ?? taskId
        Rooms.put(current, id === undefined ? undefined : lookUp(id, asked))
        if (!isRefused) current.isUncertain = id === undefined && at !== undefined
      }

      /** Notes what comes, and where it comes from. */
      const hear = (events: ReadonlyArray<StreamEvent.StreamEvent>): Effect.Effect<void> =>
        Effect.suspend(() => {
          for (const event of events) {
            collected.add(event)
            if (event._tag === "Message") reply = event
          }
          const told = events.findLast((event) => event.contextId !== undefined)?.contextId
          if (told === undefined || told === contextId) return Effect.void
          return Rooms.adopt(rooms, told).pipe(
            Effect.provideService(Scope.Scope, adopted),
            Effect.map((room) => {
              room.task = current.task
              Rooms.put(current, undefined)
              current = last = room
              contextId = told
            })
          )
        }).pipe(Effect.uninterruptible)

      const fail = (error: AgentError): Effect.Effect<void> => {
        failure = error
        return "task" in error.reason ? hear([error.reason.task]) : Effect.void
      }

      yield* Effect.acquireRelease(Effect.sync(() => transcript.add(message)), (isNew) => Effect.sync(() => end(isNew)))
      current.task = () => collected.task() ?? asked
      last = current
      contextId = at
      return {
        message,
        hear,
        fail,
        policy: current.isUncertain ? Schedule.while(whileBusy, () => collected.task() === undefined) : once
      }
    })

    const send: Agent.Interface["send"] = (input, options) =>
      Effect.scoped(
        Effect.flatMap(begin(input, options), ({ fail, hear, message, policy }) =>
          agent.send(message, options).pipe(
            Effect.retry(policy),
            Effect.tapError(fail),
            Effect.tap((answer) => hear([answer]))
          ))
      )

    const lost = Effect.fnUntraced(function*(room: Rooms.Room) {
      if (!room.isUncertain || contextId === undefined) return undefined
      const listed = yield* running(contextId)
      return listed._tag === "None" ? undefined : listed.value[0]
    })

    const resume = Effect.gen(function*() {
      yield* lock.takeScoped(1)
      const at = contextId === undefined ? last : yield* Rooms.enter(rooms, contextId)
      const task = Rooms.pending(at) ?? (yield* lost(at))
      if (task === undefined || task.status.state === "input-required") return Stream.empty
      const collected = Answer.collector()
      let first: StreamEvent.StreamEvent | undefined
      let isGone = false
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          const told = collected.task()
          if (told !== undefined) transcript.conclude(told)
          at.isUncertain = false
          Rooms.put(at, isGone ? undefined : told ?? task)
        })
      )
      at.task = () => collected.task() ?? task
      /** Of a peer that tells only what is new. */
      const whole = Stream.suspend(() => {
        if (first?._tag === "Task" || collected.task()?.status.state !== "completed") return Stream.empty
        return Stream.fromEffect(agent.getTask(task.id)).pipe(
          Stream.filter((read) => !Told.isUntold(read)),
          Stream.catch(() => Stream.empty)
        )
      })
      return agent.subscribe(task.id).pipe(
        Stream.catchIf(cannotFollow, () => Stream.fromEffect(agent.waitFor(task))),
        Stream.tapError((error) =>
          Effect.sync(() => {
            if ("task" in error.reason) collected.add(error.reason.task)
            isGone = isOver(error) && collected.task() === undefined
          })
        ),
        Stream.mapArray((events) => {
          first ??= events[0]
          for (const event of events) collected.add(event)
          return events
        }),
        Stream.concat(whole)
      )
    })

    return {
      state: Effect.sync(() => ({ contextId, pending: Rooms.pending(room()), transcript: transcript.messages() })),
      send,
      ask: (input, options) => Effect.map(send(input, options), Answer.from),
      stream: (input, options) =>
        Stream.unwrap(
          Effect.map(begin(input, options), ({ fail, hear, message, policy }) =>
            agent.stream(message, options).pipe(
              Stream.retry(policy),
              Stream.tapError(fail),
              Stream.mapArrayEffect((events) => Effect.as(hear(events), events))
            ))
        ),
      resume: Stream.unwrap(resume),
      cancel: Effect.suspend(() => {
        const at = room()
        const task = Rooms.pending(at)
        return task === undefined ?
          Effect.undefined :
          Effect.tap(agent.cancel(task.id), (canceled) =>
            Effect.sync(() => {
              // whoever follows the task hears of it
              if (at.users === 0) Rooms.put(at, canceled)
            }))
      })
    }
  })

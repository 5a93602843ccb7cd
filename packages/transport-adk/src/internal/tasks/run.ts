/**
 * Runs a turn as a task. A refused run creates no task. A run that failed by the word of its agent or server is a failed
 * task; if its end is unknown, because the connection dropped or a timeout passed, the call fails. Tested in
 * test/adk/transport.test.ts.
 */
import * as AgentError from "@effect-a2a/core/AgentError"
import * as Id from "@effect-a2a/core/Id"
import * as Part from "@effect-a2a/core/Part"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import * as TaskState from "@effect-a2a/core/TaskState"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AdkClient } from "../../AdkClient.ts"
import * as AdkError from "../../AdkError.ts"
import type * as AdkEvent from "../../AdkEvent.ts"
import * as PendingCalls from "../mapping/pendingCalls.ts"
import * as RunMapping from "../mapping/runMapping.ts"
import type * as RunSummary from "../mapping/runSummary.ts"
import * as UpdateMetadata from "../mapping/updateMetadata.ts"
import * as Files from "./files.ts"
import * as RunSpan from "./runSpan.ts"
import type * as TaskRegistry from "./taskRegistry.ts"
import type { Turn } from "./turn.ts"

type Event = StreamEvent.StreamEvent
type Reason = AgentError.AgentErrorReason
type Events = Stream.Stream<AdkEvent.Event, AdkError.AdkError>

/** `whole`: all events at once; `events`: each as it arrives; `pieces`: text in pieces too. */
export type Mode = "whole" | "events" | "pieces"

export interface Settings extends Files.Settings {
  readonly createSessions: boolean
}

/** Services and settings that all runs of a transport share. */
export interface Runner {
  readonly client: AdkClient["Service"]
  readonly tasks: TaskRegistry.TaskRegistry
  readonly settings: Settings
}

const cancellation = "The request was abandoned; ADK cannot stop a run, so the agent may have gone on"

// -----------------------------------------------------------------------------
// failures
// -----------------------------------------------------------------------------

type AgentFailure = AdkError.StreamError | AdkError.AgentFailedError

const isAgentFailure = (reason: AdkError.AdkErrorReason): reason is AgentFailure =>
  reason._tag === "StreamError" || reason._tag === "AgentFailedError"

const toFailure = (reason: AgentFailure): RunSummary.Failure => ({
  message: reason.message,
  metadata: {
    adk_error_message: reason.message,
    ...("type" in reason && reason.type !== undefined && { adk_error_type: reason.type })
  }
})

/** Converts an error after which the end of the run is unknown. `hasBegun`: the task has been emitted. */
const toReason = ({ entry }: Turn, error: AdkError.AdkError, hasBegun: boolean): Reason => {
  const { reason } = AdkError.toAgentError(error)
  if (reason._tag === "StreamInterruptedError" || (hasBegun && reason._tag === "ConnectionError")) {
    return new AgentError.StreamInterruptedError({
      message: `${reason.message}; ADK streams cannot be resumed, and the agent may have gone on`,
      isRetryable: false,
      isResumable: false,
      ...(hasBegun && { taskId: entry.taskId }),
      ...(reason.cause !== undefined && { cause: reason.cause })
    })
  }
  return reason
}

// -----------------------------------------------------------------------------
// the beginning
// -----------------------------------------------------------------------------

const sessionOf = ({ client }: Runner, { run: { sessionId, userId } }: Turn): UpdateMetadata.SessionRef => ({
  userId,
  sessionId,
  appName: client.appName
})

/** Returns the task with its earlier question and the new message in its history. */
const begin = Effect.fnUntraced(function*(runner: Runner, turn: Turn) {
  const { entry: { contextId, task: current, taskId }, request } = turn
  const task = current()
  const question = task?.status.message
  const begun: Task.Task = {
    _tag: "Task",
    ...task,
    id: taskId,
    contextId,
    status: { state: task === undefined ? "submitted" : "working", timestamp: yield* DateTime.now },
    history: [
      ...task?.history ?? [],
      ...question === undefined ? [] : [question],
      { ...request.message, taskId, contextId }
    ],
    metadata: { ...task?.metadata, ...UpdateMetadata.fromSession(sessionOf(runner, turn)) }
  }
  return begun
})

/** Returns the events of the run once the server has accepted it; of a run that failed, those before the failure. */
const open = (
  { client, settings }: Runner,
  { isNewSession, run }: Turn,
  mode: Mode
): Effect.Effect<Events, AdkError.AdkError, Scope.Scope> => {
  const start: Effect.Effect<Events, AdkError.AdkError, Scope.Scope> = mode === "whole"
    ? Effect.map(client.run(run), (events) => Stream.fromArray(events))
    : client.openSse({ ...run, ...(mode === "pieces" && { streaming: true }) })
  const startInNewSession = Effect.andThen(
    client.ensureSession({ sessionId: run.sessionId, userId: run.userId }),
    start
  )
  // a refusal for a missing session has run nothing, so starting again repeats no run
  const started = isNewSession
    ? startInNewSession
    : settings.createSessions
    ? Effect.catchReason(start, "AdkError", "SessionNotFoundError", () => startInNewSession)
    : start
  return started.pipe(Effect.catch((error) =>
    error.reason._tag === "AgentFailedError"
      ? Effect.succeed(Stream.concat(Stream.fromArray(error.reason.events), Stream.fail(error)))
      : Effect.fail(error)
  ))
}

const toReminder = ({ length }: PendingCalls.PendingCalls): string =>
  length === 1
    ? "This does not answer the agent's question: a function response to its call is required"
    : `This does not say which of the agent's ${length} questions it answers: a function response to each call is required`

/** Asks the same question again, for a message that does not answer it. */
const askAgain = (runner: Runner, turn: Turn): Stream.Stream<Event> =>
  Stream.fromEffect(Effect.gen(function*() {
    const { add, contextId, pending, taskId } = turn.entry
    const parts = [Part.text(toReminder(pending)), ...PendingCalls.toParts(pending)]
    const task = yield* begin(runner, turn)
    const messageId = yield* Id.messageId
    const asked: Task.Task = {
      ...task,
      status: {
        ...task.status,
        state: PendingCalls.toState(pending),
        message: { _tag: "Message", messageId, role: "agent", parts, taskId, contextId }
      }
    }
    add([asked])
    return asked
  }))

// -----------------------------------------------------------------------------
// the run
// -----------------------------------------------------------------------------

/** A run in progress. */
interface Progress {
  readonly turn: Turn
  readonly mapping: RunMapping.RunMapping
  readonly canceled: Deferred.Deferred<void>
  readonly span: RunSpan.RunSpan
  /** The task has been emitted. */
  hasBegun: boolean
  /** The reason why the end of the run is unknown. */
  failure: Reason | undefined
}

const stateOf = ({ turn: { entry } }: Progress): TaskState.TaskState => entry.task()?.status.state ?? "unspecified"

/** Records the last state of a run that failed or was abandoned, and the calls it left pending. */
const finish = (progress: Progress): Effect.Effect<void> =>
  Effect.gen(function*() {
    const { failure, hasBegun, mapping, span, turn: { entry } } = progress
    entry.cancel = undefined
    if (!hasBegun) return failure === undefined ? undefined : yield* span.end(undefined, failure)
    const timestamp = yield* DateTime.now
    if (failure !== undefined) {
      entry.add(mapping.end(timestamp, { message: failure.message, metadata: { adk_transport_error: true } }))
    } else if (!TaskState.isSettled(stateOf(progress))) entry.add(mapping.cancel(timestamp, cancellation))
    entry.pending = TaskState.isInterrupted(stateOf(progress)) ? mapping.pending() : []
    yield* span.end(entry.task(), failure)
  })

const start = (
  { client }: Runner,
  turn: Turn,
  session: UpdateMetadata.SessionRef
): Effect.Effect<Progress, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.gen(function*() {
      const { entry: { contextId, taskId }, pending } = turn
      const span = yield* RunSpan.start({ client, contextId, taskId })
      const generate = yield* Id.CurrentGenerator
      const canceled = yield* Deferred.make<void>()
      turn.entry.cancel = canceled
      const mapping = RunMapping.make({ taskId, contextId, session, pending, generate })
      const progress: Progress = { turn, mapping, canceled, span, hasBegun: false, failure: undefined }
      return progress
    }),
    finish
  )

const fail = (progress: Progress, error: AdkError.AdkError): Effect.Effect<never, Reason> =>
  Effect.suspend(() => Effect.fail(progress.failure = toReason(progress.turn, error, progress.hasBegun)))

const end = (progress: Progress, failure?: RunSummary.Failure): Stream.Stream<Event> =>
  Stream.unwrap(Effect.map(DateTime.now, (now) =>
    Stream.fromArray(
      stateOf(progress) === "canceled"
        ? progress.mapping.cancel(now, cancellation)
        : progress.mapping.end(now, failure)
    )))

/** Returns the events before the agent's first one: the task, and a new task's state `working`. */
const makeHead = Effect.fnUntraced(function*(task: Task.Task, session: UpdateMetadata.SessionRef) {
  if (task.status.state === "working" || task.contextId === undefined) return [task]
  const working = StreamEvent.statusUpdate({
    taskId: task.id,
    contextId: task.contextId,
    status: { state: "working", timestamp: yield* DateTime.now },
    metadata: UpdateMetadata.fromSession(session)
  })
  return [task, working]
})

/** Maps the agent's events, loads the files they report, and ends with the task's last state. */
const mapEvents = ({ client, settings }: Runner, progress: Progress, events: Events): Stream.Stream<Event, Reason> => {
  const { canceled, mapping, span, turn } = progress
  const mapEvent = (event: AdkEvent.Event) =>
    Effect.map(
      span.around(Files.load(client, settings, turn.run, event)),
      (files) => [...files.map(mapping.addFile), ...mapping.add(event)]
    )
  return events.pipe(
    Stream.interruptWhen(Deferred.await(canceled)),
    Stream.mapAccumArrayEffect(
      () => undefined,
      (_, events) => Effect.map(Effect.forEach(events, mapEvent), (mapped) => [undefined, mapped.flat()] as const)
    ),
    Stream.concat(Stream.suspend(() => end(progress))),
    Stream.catch((error) =>
      isAgentFailure(error.reason) ? end(progress, toFailure(error.reason)) : Stream.fromEffect(fail(progress, error))
    )
  )
}

const run = (runner: Runner, turn: Turn, mode: Mode): Stream.Stream<Event, Reason> =>
  Stream.unwrap(Effect.gen(function*() {
    const { entry } = turn
    const session = sessionOf(runner, turn)
    const progress = yield* start(runner, turn, session)
    const events = yield* open(runner, turn, mode).pipe(
      progress.span.around,
      Effect.catch((error) => fail(progress, error))
    )
    const task = yield* begin(runner, turn)
    progress.hasBegun = true
    entry.pending = []
    entry.add([task])
    runner.tasks.put(entry)
    const head: ReadonlyArray<Event> = yield* makeHead(task, session)
    return Stream.concat(Stream.fromArray(head), mapEvents(runner, progress, events)).pipe(
      Stream.mapArray((events) => {
        entry.add(events)
        return events
      })
    )
  }))

/** Runs a turn and emits its events. The registry knows the task from the first event on. */
export const runTurn = (runner: Runner, turn: Turn, mode: Mode): Stream.Stream<Event, Reason> =>
  turn.isUnanswered ? askAgain(runner, turn) : run(runner, turn, mode)

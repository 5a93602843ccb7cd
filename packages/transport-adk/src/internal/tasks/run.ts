/**
 * A turn as it is run. A refused run leaves no trace. A run that the agent or its server says has failed is a failed task;
 * one of which nothing more is known, since the connection broke or a limit passed, is a failed call.
 */
import * as AgentError from "@effect-a2a/core/AgentError"
import * as Artifact from "@effect-a2a/core/Artifact"
import * as HttpExchange from "@effect-a2a/core/HttpExchange"
import * as Id from "@effect-a2a/core/Id"
import type * as Message from "@effect-a2a/core/Message"
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
import * as From from "../mapping/metadata.ts"
import * as Parts from "../mapping/parts.ts"
import * as Pending from "../mapping/pendingCalls.ts"
import * as Mapping from "../mapping/runMapping.ts"
import type * as Tasks from "./taskRegistry.ts"
import type { Turn } from "./turn.ts"

type Event = StreamEvent.StreamEvent
type Failure = AgentError.AgentErrorReason
type Source = Stream.Stream<AdkEvent.Event, AdkError.AdkError>

/** `whole`: all at once; `events`: as they come; `pieces`: with pieces of text. */
export type Mode = "whole" | "events" | "pieces"

export interface Settings {
  readonly createSessions: boolean
  readonly loadArtifacts: boolean
}

const whyCanceled = "The request was left; ADK cannot stop a run, so the agent may have gone on"

type OfAgent = AdkError.StreamError | AdkError.AgentFailedError

const isOfAgent = (reason: AdkError.AdkErrorReason): reason is OfAgent =>
  reason._tag === "StreamError" || reason._tag === "AgentFailedError"

const failureOf = (reason: OfAgent): Mapping.Failure => ({
  message: reason.message,
  metadata: {
    adk_error_message: reason.message,
    ...("type" in reason && reason.type !== undefined && { adk_error_type: reason.type })
  }
})

/** What a caller has to know who does not know what became of a message. */
const lost = (turn: Turn, error: AdkError.AdkError, isTold: boolean): Failure => {
  const { messageId } = turn.request.message
  const { reason } = AdkError.toAgentError(error)
  if (reason._tag === "StreamInterruptedError" || (isTold && reason._tag === "ConnectionError")) {
    return new AgentError.StreamInterruptedError({
      message: `${reason.message}; ADK streams cannot be taken up again, and the agent may have gone on`,
      isRetryable: false,
      messageId,
      ...(isTold && { taskId: turn.entry.taskId }),
      ...(reason.cause !== undefined && { cause: reason.cause })
    })
  }
  return HttpExchange.unknownOutcome(turn.request, reason)
}

export const make = (client: AdkClient["Service"], tasks: ReturnType<typeof Tasks.make>, settings: Settings) => {
  const says = (parts: ReadonlyArray<Part.Part>, { contextId, taskId }: Tasks.Entry) =>
    Effect.map(Id.messageId, (messageId): Message.Message => ({
      _tag: "Message",
      messageId,
      role: "agent",
      parts,
      taskId,
      contextId
    }))

  /** The task as the turn finds it, with what it asked and the answer in its history. */
  const begun = Effect.fnUntraced(function*({ entry, request, run }: Turn) {
    const { contextId, taskId } = entry
    const task = entry.task()
    const asked = task?.status.message
    return {
      _tag: "Task",
      ...task,
      id: taskId,
      contextId,
      status: { state: task === undefined ? "submitted" : "working", timestamp: yield* DateTime.now },
      history: [
        ...task?.history ?? [],
        ...asked === undefined ? [] : [asked],
        { ...request.message, taskId, contextId }
      ],
      metadata: { ...task?.metadata, ...From.ofPlace({ ...run, appName: client.appName }) }
    } satisfies Task.Task as Task.Task
  })

  /** Files that an event tells of, as artifacts. A text is a file here, and no part of the answer. */
  const files = Effect.fnUntraced(function*({ userId, sessionId }: Turn["run"], event: AdkEvent.Event) {
    const found: Array<Artifact.Artifact> = []
    for (const [filename, version] of Object.entries(event.actions?.artifactDelta ?? {})) {
      const named = Part.data({ filename, version }, { metadata: { adk_type: "artifact" } })
      const loaded = settings.loadArtifacts
        ? yield* client.loadArtifact({ userId, sessionId, filename, version }).pipe(
          Effect.map((part) => Parts.toPart(part, () => false)),
          Effect.orElseSucceed(() => undefined)
        )
        : undefined
      const part = loaded?._tag === "Text"
        ? Part.raw(new TextEncoder().encode(loaded.text), { mediaType: "text/plain" })
        : loaded
      found.push(Artifact.make(
        Id.ArtifactId.make(`${filename}@${version}`),
        [part === undefined ? named : { ...part, filename }],
        { name: filename, metadata: { ...From.ofEvent(event), adk_artifact_version: version } }
      ))
    }
    return found
  })

  const ensure = ({ sessionId, userId }: Turn["run"]) => client.ensureSession({ sessionId, userId })

  /** The run, once it is taken on; of one that failed, what came before. */
  const open = ({ isNewSession, run }: Turn, mode: Mode): Effect.Effect<Source, AdkError.AdkError, Scope.Scope> => {
    const attempt: Effect.Effect<Source, AdkError.AdkError, Scope.Scope> = mode === "whole"
      ? Effect.map(client.run(run), (events) => Stream.fromArray(events))
      : client.openSse({ ...run, ...(mode === "pieces" && { streaming: true }) })
    const made = isNewSession
      ? Effect.andThen(ensure(run), attempt)
      : settings.createSessions
      // nothing has run where there is no session
      ? Effect.catchReason(attempt, "AdkError", "SessionNotFoundError", () => Effect.andThen(ensure(run), attempt))
      : attempt
    return Effect.catchIf(
      made,
      ({ reason }) => reason._tag === "AgentFailedError",
      (error) =>
        Effect.succeed(Stream.concat(
          Stream.fromArray((error.reason as AdkError.AgentFailedError).events),
          Stream.fail(error)
        ))
    )
  }

  /** The same question again, for a message that does not answer it. */
  const unanswered = (turn: Turn) =>
    Stream.unwrap(Effect.gen(function*() {
      const { entry } = turn
      const words = "This does not answer what the agent asked: a function response for each of its calls is needed"
      const message = yield* says([Part.text(words), ...Pending.parts(entry.pending)], entry)
      const task = yield* begun(turn)
      const again: Task.Task = { ...task, status: { ...task.status, state: Pending.stateOf(entry.pending), message } }
      entry.add([again])
      return Stream.succeed<Event>(again)
    }))

  const running = (turn: Turn, mode: Mode): Stream.Stream<Event, Failure> =>
    Stream.unwrap(Effect.gen(function*() {
      const { entry, run } = turn
      const { contextId, taskId } = entry
      const generate = yield* Id.CurrentGenerator
      const canceled = yield* Deferred.make<void>()
      const place = { ...run, appName: client.appName }
      const mapping = Mapping.make({ taskId, contextId, place, pending: turn.pending, generate })
      let failure: Failure | undefined
      let isTold = false

      const state = () => entry.task()?.status.state ?? "unspecified"
      const record = (events: ReadonlyArray<Event>): void => entry.add(events)
      const fail = (error: AdkError.AdkError) => Effect.sync(() => failure = lost(turn, error, isTold))

      yield* Effect.acquireRelease(
        Effect.sync(() => entry.cancel = canceled),
        () =>
          Effect.gen(function*() {
            entry.cancel = undefined
            if (!isTold) return
            const timestamp = yield* DateTime.now
            if (failure !== undefined) {
              record(mapping.end(timestamp, { message: failure.message, metadata: { adk_transport_error: true } }))
            } else if (!TaskState.isSettled(state())) record(mapping.cancel(timestamp, whyCanceled))
            entry.pending = TaskState.isInterrupted(state()) ? mapping.pending() : []
          })
      )
      const source = yield* Effect.tapError(open(turn, mode), fail).pipe(Effect.mapError(() => failure!))
      const task = yield* begun(turn)
      isTold = true
      entry.pending = []
      record([task])
      tasks.put(entry)

      const head: ReadonlyArray<Event> = [
        task,
        ...task.status.state === "working"
          ? []
          : [StreamEvent.statusUpdate({
            taskId,
            contextId,
            status: { state: "working", timestamp: yield* DateTime.now },
            metadata: From.ofPlace(place)
          })]
      ]
      const end = (failed?: Mapping.Failure) =>
        Stream.unwrap(Effect.map(DateTime.now, (now) =>
          Stream.fromArray(state() === "canceled" ? mapping.cancel(now, whyCanceled) : mapping.end(now, failed))))

      const told = source.pipe(
        Stream.interruptWhen(Deferred.await(canceled)),
        Stream.mapAccumArrayEffect(() =>
          undefined, (_, events) =>
          Effect.map(
            Effect.forEach(events, (event) =>
              Effect.map(files(run, event), (files) => [...files.map(mapping.file), ...mapping.add(event)])),
            (all) =>
              [undefined, all.flat()] as const
          )),
        Stream.concat(Stream.suspend(end)),
        Stream.catch((error) =>
          isOfAgent(error.reason)
            ? end(failureOf(error.reason))
            : Stream.unwrap(Effect.map(fail(error), (reason) => Stream.fail(reason)))
        )
      )
      return Stream.concat(Stream.fromArray(head), told).pipe(
        Stream.mapArray((events) => {
          record(events)
          return events
        })
      )
    }))

  /** All events of a turn, and its task afterwards in what is known of it. */
  return (turn: Turn, mode: Mode): Stream.Stream<Event, Failure> =>
    turn.isUnanswered ? unanswered(turn) : running(turn, mode)
}

/** The status that a task gets which is canceled by its caller. */
export const canceled = (entry: Tasks.Entry): Effect.Effect<StreamEvent.StatusUpdate> =>
  Effect.map(DateTime.now, (timestamp) =>
    StreamEvent.statusUpdate({
      taskId: entry.taskId,
      contextId: entry.contextId,
      status: { state: "canceled", timestamp }
    }))

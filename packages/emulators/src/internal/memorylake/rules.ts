/**
 * MemoryLake's rules around an agent: validation of messages, the form of tasks and events, and the binding of
 * conversations to agents and projects. Decorates an `AgentServer` that replays events. Tested in
 * `packages/emulators/test/memorylake/rules.test.ts`.
 */
import * as AgentError from "@effect-a2a/core/AgentError"
import { AgentTransport } from "@effect-a2a/core/AgentTransport"
import * as Id from "@effect-a2a/core/Id"
import * as Message from "@effect-a2a/core/Message"
import { isObject } from "@effect-a2a/core/Metadata"
import * as Operation from "@effect-a2a/core/Operation"
import * as Part from "@effect-a2a/core/Part"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import * as TaskProgress from "@effect-a2a/core/TaskProgress"
import * as TaskState from "@effect-a2a/core/TaskState"
import * as Transport from "@effect-a2a/core/Transport"
import * as MemoryLake from "@effect-a2a/memorylake/MemoryLake"
import * as MemoryLakeOptions from "@effect-a2a/memorylake/MemoryLakeOptions"
import * as Caller from "@effect-a2a/server/Caller"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import * as Refusals from "./refusals.ts"

type Reason = AgentError.AgentErrorReason

/** A conversation: its agent, its project, and the message that it is busy with. */
interface Conversation {
  readonly agentId: string
  readonly projectId: string | undefined
  /** True if the task of a received message does not exist yet. */
  readonly isBeginning: boolean
  readonly taskId: Id.TaskId | undefined
}

/** The conversations of a workspace, which all its agents share. */
export class Conversations extends Context.Service<Conversations, Map<string, Conversation>>()(
  "@effect-a2a/emulators/memorylake/Conversations"
) {}

/** Provides a workspace whose only conversation belongs to another agent. */
export const layerConversations: Layer.Layer<Conversations> = Layer.sync(
  Conversations,
  () =>
    new Map([[Refusals.foreignContext, {
      agentId: "another",
      projectId: undefined,
      isBeginning: false,
      taskId: undefined
    }]])
)

const refuse = (code: Refusals.Code, message: string): Effect.Effect<never, Reason> =>
  Effect.fail(Refusals.refusal(code, message))

const isActorId = Schema.is(MemoryLakeOptions.ActorId)
const isProjectId = Schema.is(MemoryLakeOptions.ProjectId)

const checkActor = Effect.fnUntraced(function*(actorId: string | undefined) {
  if (actorId === undefined) {
    const caller = yield* Caller.Current
    return caller?.id === Refusals.keyWithoutActor
      ? yield* refuse("STATE_NOT_READY", "you have no actor in this workspace: name one in actorId")
      : undefined
  }
  if (!isActorId(actorId)) return yield* refuse("INVALID_ARGUMENT", "actorId is malformed")
  if (actorId === Refusals.inactiveActor) return yield* refuse("ACTOR_INACTIVE", "the actor was deleted")
  if (actorId === Refusals.unboundActor) return yield* refuse("INVALID_ARGUMENT", "the actor is not of this workspace")
  if (actorId === Refusals.deniedActor) return yield* refuse("ACCESS_DENIED", "workspace_actor:fact_search is missing")
})

const checkProjects = Effect.fnUntraced(
  function*({ readOnlyProjectIds = [], readWriteProjectId }: MemoryLakeOptions.Options) {
    if (readWriteProjectId !== undefined && !isProjectId(readWriteProjectId)) {
      return yield* refuse("INVALID_ARGUMENT", "readWriteProjectId is malformed")
    }
    if (readWriteProjectId === Refusals.unknownProject) return yield* refuse("NOT_FOUND", "there is no such project")
    if ([readWriteProjectId, ...readOnlyProjectIds].some((projectId) => projectId === Refusals.deniedProject)) {
      return yield* refuse("ACCESS_DENIED", "project:mem_search is missing")
    }
  }
)

/** Validates a message, before all other checks. Returns its options. */
const checkMessage = Effect.fnUntraced(function*({ message, metadata }: Operation.SendMessageRequest) {
  const memorylake = metadata?.memorylake
  if (!isObject(memorylake)) return yield* refuse("INVALID_ARGUMENT", "metadata.memorylake is required")
  const requested = Refusals.byPrompt(Message.text(message))
  if (requested !== undefined) return yield* Effect.fail(requested)
  const overrides = memorylake.overrides
  const capabilities = isObject(overrides) ? overrides.capabilitiesOverride : undefined
  if (capabilities !== undefined && !isObject(capabilities)) {
    return yield* refuse("INVALID_ARGUMENT", "capabilitiesOverride must be an object")
  }
  const options = MemoryLakeOptions.decode(memorylake)
  yield* checkActor(options.actorId)
  yield* checkProjects(options)
  if (options.readWriteProjectId === undefined && message.parts.some(Part.isFile)) {
    return yield* refuse("INVALID_ARGUMENT", "a message with files must name its readWriteProjectId")
  }
  return options
})

// tasks and events

const withoutTimestamp = <A extends { readonly status: Task.TaskStatus }>(self: A): A => {
  const { timestamp: _, ...status } = self.status
  return { ...self, status }
}

/** Removes timestamps, which events do not carry. */
const toEvent = (event: StreamEvent.StreamEvent): StreamEvent.StreamEvent =>
  event._tag === "Task" || event._tag === "StatusUpdate" ? withoutTimestamp(event) : event

/** Keeps the members that Get returns: id, context, and status without its message. */
const toStatusOnly = ({ contextId, id, status }: Task.Task): Task.Task => ({
  _tag: "Task",
  id,
  ...(contextId === undefined ? undefined : { contextId }),
  status: Struct.omit(status, ["message"])
})

const isText = ({ parts: [part, ...others] }: Message.Message) =>
  part !== undefined && others.length === 0 && part._tag === "Text" && !Part.isThought(part)

/** Appends a message, or joins it to the last one if both are text. */
const append = (messages: ReadonlyArray<Message.Message>, message: Message.Message): ReadonlyArray<Message.Message> => {
  const last = messages.at(-1)
  return last !== undefined && last.role === "agent" && isText(last) && isText(message)
    ? messages.with(-1, { ...last, parts: [Part.text(Part.joinText([...last.parts, ...message.parts]))] })
    : [...messages, message]
}

const progress = (event: StreamEvent.StreamEvent): ReadonlyArray<Message.Message> =>
  event._tag === "StatusUpdate" && event.status.state === "working" && event.status.message !== undefined
    ? [event.status.message]
    : []

/** Returns the task after a whole run, with the agent's messages in its history. */
const foldRun = (
  events: ReadonlyArray<StreamEvent.StreamEvent>,
  historyLength: number | undefined
): Task.Task | undefined => {
  const task = TaskProgress.applyAll(undefined, events)
  if (task === undefined) return undefined
  const { history = [], ...rest } = withoutTimestamp(task)
  const all = [...history, ...events.flatMap(progress).reduce(append, [])]
  return historyLength === 0
    ? rest
    : { ...rest, history: historyLength === undefined ? all : all.slice(-historyLength) }
}

// the rules

const isAtWork = (agent: AgentTransport["Service"], taskId: Id.TaskId | undefined) =>
  taskId === undefined
    ? Effect.succeed(false)
    : agent.call(Operation.GetTask, { id: taskId }).pipe(
      Effect.map(({ status }) => !TaskState.isSettled(status.state)),
      Effect.orElseSucceed(() => false)
    )

const contextOf = Effect.fnUntraced(function*(
  agent: AgentTransport["Service"],
  { contextId, taskId }: Message.Message
) {
  if (contextId !== undefined) return contextId
  const task = taskId === undefined ? undefined : yield* agent.call(Operation.GetTask, { id: taskId })
  return task?.contextId ?? (yield* Id.contextId)
})

const make = Effect.fnUntraced(function*(agentId: string) {
  const agent = yield* AgentTransport
  const conversations = yield* Conversations

  const update = (contextId: Id.ContextId, change: Partial<Conversation>) =>
    Effect.sync(() => {
      const known = conversations.get(contextId)
      if (known !== undefined) conversations.set(contextId, { ...known, ...change })
    })

  /** Enters a conversation: it has one agent, one project, and one message at a time. */
  const enter = Effect.fnUntraced(function*(contextId: Id.ContextId, projectId: string | undefined) {
    const known = conversations.get(contextId)
    if (known !== undefined && known.agentId !== agentId) {
      return yield* refuse("INVALID_ARGUMENT", "the context belongs to another agent")
    }
    if (known !== undefined && projectId !== undefined && projectId !== known.projectId) {
      return yield* refuse("INVALID_ARGUMENT", "the context is bound to another project, or to none")
    }
    const busy = refuse("INVALID_ARGUMENT", "the context is busy with another message")
    if (known?.isBeginning === true) return yield* busy
    // set before the last task is read: of two simultaneous messages, one finds the other
    conversations.set(contextId, { agentId, projectId, taskId: undefined, ...known, isBeginning: true })
    if (yield* isAtWork(agent, known?.taskId)) {
      return yield* Effect.andThen(update(contextId, { isBeginning: false }), busy)
    }
  })

  /** Validates a request and completes it for the agent. Push configurations are ignored, as by the service. */
  const admit = Effect.fnUntraced(function*(operation: Operation.Any, request: Operation.SendMessageRequest) {
    const toError = (reason: Reason) => new AgentError.AgentError({ operation: operation._tag, reason })
    const { readWriteProjectId } = yield* Effect.mapError(checkMessage(request), toError)
    const contextId = yield* contextOf(agent, request.message)
    const messageId = request.message.messageId === MemoryLake.missingMessageId
      ? yield* Id.messageId
      : request.message.messageId
    yield* Effect.mapError(enter(contextId, readWriteProjectId), toError)
    const { taskPushNotificationConfig: _, ...configuration } = request.configuration ?? {}
    return { ...request, message: { ...request.message, messageId, contextId }, configuration, contextId }
  })

  const onBegin = (contextId: Id.ContextId) => (event: StreamEvent.StreamEvent) =>
    update(contextId, { isBeginning: false, taskId: StreamEvent.taskId(event) })

  const follow = (operation: Operation.Any, request: Operation.SendMessageRequest, all: boolean) =>
    Stream.unwrap(Effect.map(admit(operation, request), ({ contextId, ...admitted }) => {
      const { historyLength: _, ...whole } = admitted.configuration
      return agent.stream(Operation.SendStreamingMessage, all ? { ...admitted, configuration: whole } : admitted).pipe(
        Stream.onFirst(onBegin(contextId)),
        Stream.ensuring(update(contextId, { isBeginning: false }))
      )
    }))

  const send = (request: Operation.SendMessageRequest) =>
    request.configuration?.returnImmediately === true
      // the task as it was created, even if it has ended by now
      ? Effect.map(Stream.runHead(follow(Operation.SendMessage, request, false)), (event) =>
        toEvent(Option.getOrThrow(event)) as Task.Task | Message.Message)
      : follow(Operation.SendMessage, request, true).pipe(
        Stream.runCollect,
        Effect.map((events) =>
          foldRun(events, request.configuration?.historyLength) ?? events[0] as Message.Message
        )
      )

  return Transport.intercept({
    SendMessage: send,
    GetTask: (request, next) => Effect.map(next(request), toStatusOnly),
    SendStreamingMessage: (request) => Stream.map(follow(Operation.SendStreamingMessage, request, false), toEvent),
    SubscribeToTask: (request, next) => Stream.map(next(request), toEvent)
  })(agent)
})

/** Applies the rules to an agent. `agentId`: its id in the workspace. */
export const withRules =
  (agentId: string) =>
  <E, R>(self: Layer.Layer<AgentTransport, E, R>): Layer.Layer<AgentTransport, E, R | Conversations> =>
    Layer.effect(AgentTransport, make(agentId)).pipe(Layer.provide(self))

/** Generates ids as MemoryLake does: `run-` and 32 hexadecimal digits for a task. */
export const generator = (next: (kind: Id.Kind) => string) => (kind: Id.Kind): string =>
  kind === "task" ? `run-${next(kind).replaceAll("-", "")}` : next(kind)

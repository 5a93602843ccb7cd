/** Converts a message to a run: its task, its session and the agent's input. Tested in test/adk/{transport,questions}.test.ts. */
import * as AgentError from "@effect-a2a/core/AgentError"
import * as Id from "@effect-a2a/core/Id"
import type * as Operation from "@effect-a2a/core/Operation"
import * as Part from "@effect-a2a/core/Part"
import * as TaskState from "@effect-a2a/core/TaskState"
import * as Effect from "effect/Effect"
import * as AdkContent from "../../AdkContent.ts"
import * as AdkEvent from "../../AdkEvent.ts"
import type { RunRequest } from "../../AdkRun.ts"
import * as FunctionNames from "../mapping/functionNames.ts"
import * as Parts from "../mapping/parts.ts"
import * as PendingCalls from "../mapping/pendingCalls.ts"
import * as CurrentUser from "./currentUser.ts"
import * as TaskRegistry from "./taskRegistry.ts"

export interface Settings {
  readonly userId: string | undefined
  readonly dataParts: Parts.DataForm
  readonly resumable: boolean
}

/** A message and the run that it becomes. */
export interface Turn {
  readonly entry: TaskRegistry.TaskEntry
  readonly request: Operation.SendMessageRequest
  readonly run: RunRequest
  /** Calls that wait for an answer after this message. */
  readonly pending: PendingCalls.PendingCalls
  readonly isNewSession: boolean
  /** The task waits for an answer, and this message holds none. */
  readonly isUnanswered: boolean
}

type Reason = AgentError.AgentErrorReason

/** Returns the failure for a task that this transport does not know. */
export const unknownTask = (id: Id.TaskId): Reason =>
  AgentError.reason("TaskNotFoundError", {
    message: `unknown task ${id}: ADK servers do not store tasks, and this client did not create it`
  })

/** Returns the failure for push notifications. */
export const pushNotSupported = (): Reason =>
  AgentError.reason("PushNotificationNotSupportedError", {
    message: "ADK servers send no push notifications; poll the task with GetTask instead"
  })

const isAnswer = ({ metadata }: Part.Part) => metadata?.adk_type === "function_response"

const checkKnown = (entry: TaskRegistry.TaskEntry, contextId: Id.ContextId | undefined): Reason | undefined => {
  const { cancel, taskId } = entry
  if (contextId !== undefined && contextId !== entry.contextId) {
    return AgentError.reason("InvalidParamsError", {
      message: `message.contextId: ${contextId} is not the context of task ${taskId}`
    })
  }
  if (cancel !== undefined) {
    return AgentError.reason("UnsupportedOperationError", {
      message: `task ${taskId} is being worked on; wait until it settles, or cancel it`
    })
  }
  const state = entry.task()?.status.state ?? "unspecified"
  return TaskState.isTerminal(state)
    ? AgentError.reason("UnsupportedOperationError", { message: `task ${taskId} is ${state}; start a new one` })
    : undefined
}

/** Finds the task that a message continues; `undefined` begins a new one. */
const findEntry = Effect.fnUntraced(
  function*(
    tasks: TaskRegistry.TaskRegistry,
    user: TaskRegistry.User,
    { message }: Operation.SendMessageRequest
  ) {
    const { contextId, taskId } = message
    const hasAnswer = message.parts.some(isAnswer)
    if (taskId === undefined) {
      return contextId !== undefined && hasAnswer ? tasks.findPending(user, contextId) : undefined
    }
    const entry = tasks.get(user, taskId)
    if (entry === undefined) {
      // after a restart of the client the session still knows its question
      return contextId !== undefined && hasAnswer
        ? TaskRegistry.makeEntry(user, taskId, contextId)
        : yield* Effect.fail(unknownTask(taskId))
    }
    const reason = checkKnown(entry, contextId)
    return reason === undefined ? entry : yield* Effect.fail(reason)
  }
)

/** Plain text answers a single request for a value. */
const answerInWords = (
  pending: PendingCalls.PendingCalls,
  parts: ReadonlyArray<Part.Part>
): ReadonlyArray<AdkContent.Part> => {
  const [only, ...others] = pending
  return only?.call.name === FunctionNames.input && others.length === 0 && parts.every(({ _tag }) => _tag === "Text")
    ? [AdkContent.respond(only.call, { result: Part.joinText(parts) })]
    : []
}

/** Adds the name of the call to an answer that has only its id. */
const addCallName = (pending: PendingCalls.PendingCalls) => (part: AdkContent.Part): AdkContent.Part => {
  const { functionResponse } = part
  if (functionResponse === undefined || functionResponse.name) return part
  const name = pending.find(({ call }) => call.id === functionResponse.id)?.call.name
  return name === undefined ? part : { ...part, functionResponse: { ...functionResponse, name } }
}

const toContent = (
  { parts }: Operation.SendMessageRequest["message"],
  pending: PendingCalls.PendingCalls,
  form: Parts.DataForm
): AdkContent.Content => {
  const converted = parts.map((part) => Parts.fromPart(part, form)).map(addCallName(pending))
  const hasAnswer = converted.some(({ functionResponse }) => functionResponse !== undefined)
  const inWords = hasAnswer ? [] : answerInWords(pending, parts)
  return AdkContent.user(...(inWords.length > 0 ? inWords : converted))
}

const checkRequest = ({ configuration, message }: Operation.SendMessageRequest): Reason | undefined => {
  if (message.parts.length === 0) {
    const violations = [{ field: "message.parts", description: "must not be empty" }]
    return AgentError.reason("InvalidRequestError", { message: AgentError.describe(violations), violations })
  }
  return configuration?.taskPushNotificationConfig === undefined ? undefined : pushNotSupported()
}

/** Creates a turn. Nothing has been sent if this fails. */
export const make = Effect.fnUntraced(function*(
  tasks: TaskRegistry.TaskRegistry,
  { dataParts, resumable, userId }: Settings,
  request: Operation.SendMessageRequest
) {
  const invalid = checkRequest(request)
  if (invalid !== undefined) return yield* Effect.fail(invalid)
  const { message, metadata } = request
  const user = yield* CurrentUser.get(userId)
  const known = yield* findEntry(tasks, user, request)
  const entry = known ?? TaskRegistry.makeEntry(user, yield* Id.taskId, message.contextId ?? (yield* Id.contextId))
  const { contextId, pending } = entry
  const newMessage = toContent(message, pending, dataParts)
  const answers = AdkEvent.responses({ content: newMessage })
  const invocationId = pending.find(({ call }) => answers.some(({ id }) => id === call.id))?.invocationId
  const turn: Turn = {
    entry,
    request,
    run: {
      userId: user ?? `A2A_USER_${contextId}`,
      sessionId: contextId,
      newMessage,
      ...(metadata !== undefined && { customMetadata: { a2a_metadata: metadata } }),
      ...(resumable && invocationId !== undefined && { invocationId })
    },
    pending: PendingCalls.remove(pending, answers),
    isNewSession: known === undefined && message.contextId === undefined,
    isUnanswered: pending.length > 0 && answers.length === 0
  }
  return turn
})

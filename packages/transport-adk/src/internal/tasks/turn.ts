/** A message becomes a run: which task and session it belongs to, what the agent is asked, and what it is told to do. */
import * as AgentError from "@effect-a2a/core/AgentError"
import * as Id from "@effect-a2a/core/Id"
import type * as Operation from "@effect-a2a/core/Operation"
import * as Part from "@effect-a2a/core/Part"
import * as TaskState from "@effect-a2a/core/TaskState"
import * as Effect from "effect/Effect"
import * as AdkContent from "../../AdkContent.ts"
import * as AdkEvent from "../../AdkEvent.ts"
import type { RunRequest } from "../../AdkRun.ts"
import * as Names from "../mapping/functionNames.ts"
import * as Parts from "../mapping/parts.ts"
import * as Pending from "../mapping/pendingCalls.ts"
import * as Tasks from "./taskRegistry.ts"

export interface Settings {
  readonly userId: string | undefined
  readonly dataParts: Parts.DataForm
  readonly resumable: boolean
}

export interface Turn {
  readonly entry: Tasks.Entry
  readonly request: Operation.SendMessageRequest
  readonly run: RunRequest
  /** What still waits for an answer after this message. */
  readonly pending: Pending.Calls
  readonly isNewSession: boolean
  /** The task waits for an answer, and this message has none. */
  readonly isUnanswered: boolean
}

const fail = <const T extends "InvalidParamsError" | "TaskNotFoundError" | "UnsupportedOperationError">(
  tag: T,
  message: string
) => Effect.fail(AgentError.reason(tag, { message } as never))

const isAnswer = ({ metadata }: Part.Part) => metadata?.adk_type === "function_response"

const find = Effect.fnUntraced(
  function*(tasks: ReturnType<typeof Tasks.make>, { message }: Operation.SendMessageRequest) {
    const { contextId, taskId } = message
    if (taskId === undefined) {
      return contextId !== undefined && message.parts.some(isAnswer) ? tasks.waiting(contextId) : undefined
    }
    const known = tasks.get(taskId)
    if (known === undefined) {
      // an answer can be given after a restart: the session knows what was asked
      if (contextId !== undefined && message.parts.some(isAnswer)) return Tasks.entry(taskId, contextId)
      return yield* fail("TaskNotFoundError", `the task ${taskId} is none of this transport's, and ADK has no tasks`)
    }
    if (contextId !== undefined && contextId !== known.contextId) {
      return yield* fail("InvalidParamsError", `message.contextId: is not the context of the task ${taskId}`)
    }
    if (known.cancel !== undefined) {
      return yield* fail("UnsupportedOperationError", `the task ${taskId} is being worked on`)
    }
    const state = known.task()?.status.state ?? "unspecified"
    if (TaskState.isTerminal(state)) return yield* fail("UnsupportedOperationError", `the task ${taskId} is ${state}`)
    return known
  }
)

/** Who was asked for a value in words answers in words. */
const inWords = (pending: Pending.Calls, parts: ReadonlyArray<Part.Part>): ReadonlyArray<AdkContent.Part> => {
  const [only, ...others] = pending
  return only?.call.name === Names.input && others.length === 0 && parts.every(({ _tag }) => _tag === "Text")
    ? [AdkContent.respond(only.call, { result: Part.joinText(parts) })]
    : []
}

const named = (pending: Pending.Calls) => (part: AdkContent.Part): AdkContent.Part => {
  const { functionResponse } = part
  if (functionResponse === undefined || functionResponse.name) return part
  const name = pending.find(({ call }) => call.id === functionResponse.id)?.call.name
  return name === undefined ? part : { ...part, functionResponse: { ...functionResponse, name } }
}

/** Nothing has been sent yet when this fails. */
export const make = Effect.fnUntraced(function*(
  tasks: ReturnType<typeof Tasks.make>,
  settings: Settings,
  request: Operation.SendMessageRequest
) {
  const { configuration, message, metadata } = request
  if (message.parts.length === 0) {
    const violations = [{ field: "message.parts", description: "must not be empty" }]
    return yield* Effect.fail(
      AgentError.reason("InvalidRequestError", { message: AgentError.describe(violations), violations })
    )
  }
  if (configuration?.taskPushNotificationConfig !== undefined) {
    return yield* Effect.fail(
      AgentError.reason("PushNotificationNotSupportedError", { message: "ADK servers send no push notifications" })
    )
  }
  const known = yield* find(tasks, request)
  const entry = known ?? Tasks.entry(yield* Id.taskId, message.contextId ?? (yield* Id.contextId))
  const { contextId } = entry
  const given = message.parts.map(Parts.fromPart(settings.dataParts)).map(named(entry.pending))
  const answers = given.some(({ functionResponse }) => functionResponse !== undefined)
  const said = answers ? [] : inWords(entry.pending, message.parts)
  const parts = said.length > 0 ? said : given
  const newMessage = AdkContent.user(...parts)
  const answered = AdkEvent.responses({ content: newMessage })
  const asking = entry.pending.find(({ call }) => answered.some(({ id }) => id === call.id))?.invocationId
  const turn: Turn = {
    entry,
    request,
    run: {
      userId: settings.userId ?? `A2A_USER_${contextId}`,
      sessionId: contextId,
      newMessage,
      ...(metadata !== undefined && { customMetadata: { a2a_metadata: metadata } }),
      ...(settings.resumable && asking !== undefined && { invocationId: asking })
    },
    pending: Pending.without(entry.pending, answered),
    isNewSession: known === undefined && message.contextId === undefined,
    isUnanswered: entry.pending.length > 0 && answered.length === 0
  }
  return turn
})

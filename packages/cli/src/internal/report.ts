/** Reports failures: what went wrong, where, and what to do about it. */
import type { AgentError, AgentErrorReason } from "@effect-a2a/core/AgentError"
import type * as Id from "@effect-a2a/core/Id"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { codeOf, Exit, faultLine, internalError, type UsageError } from "./exit.ts"
import { oneLine, Output } from "./output.ts"
import * as Usage from "./usage.ts"

const otherCombination = "the agent may use another protocol version or binding: try --protocol and --binding"
const otherCredentials =
  "set A2A_TOKEN, A2A_TOKEN_FILE, A2A_TOKEN_COMMAND or MEMORYLAKE_API_KEY, or A2A_API_KEY with --api-key-header"

const advice: { readonly [tag in AgentErrorReason["_tag"]]?: string } = {
  InvalidRequestError: "correct the request; nothing was sent",
  OperationNotInProtocolError: otherCombination,
  NoCompatibleInterfaceError: "see a2a card; drop --protocol and --binding if they exclude an interface",
  UntrustedCardError: "ask who runs the agent for its signing keys",
  CredentialsUnavailableError: otherCredentials,
  ConnectionError: "check the URL and that the agent is running",
  TimeoutError: "allow more time, or try again later",
  UnauthenticatedError: otherCredentials,
  AccessDeniedError: "ask for the permission, or use another key",
  RateLimitError: "try again later",
  QuotaExceededError: "raise the account's quota",
  ServiceUnavailableError: "try again later",
  InvalidArgumentError: "correct the request",
  NotFoundError: "check the URL and the ids",
  TaskNotFoundError: "check the task id; a2a task list shows the tasks",
  TaskNotCancelableError: "the task is terminal already; see a2a task get",
  VersionNotSupportedError: otherCombination,
  InvalidParamsError: "correct the request",
  MethodNotFoundError: otherCombination,
  InternalError: "try again later, or report it to the operator of the agent",
  TaskFailedError: "ask again with other words or options",
  TaskCanceledError: "ask again if the cancellation was not intended",
  TaskRejectedError: "ask something else",
  MalformedResponseError: otherCombination
}

/** Returns a member that only some reasons have, if it is text. */
const text = (reason: AgentErrorReason, name: string): string | undefined => {
  const value: unknown = Reflect.get(reason, name)
  return typeof value === "string" ? value : undefined
}

const whatToDo = (reason: AgentErrorReason, taskId: string | undefined): string => {
  if (reason._tag === "TimeoutError" && taskId !== undefined) return `allow more time; see a2a task get ${taskId}`
  if (reason.delivery === "unknown") return "see a2a task list before you ask again: the agent may be at work"
  if (reason.retryAfter !== undefined) return `try again in ${Duration.format(reason.retryAfter)}`
  if (reason._tag === "StreamInterruptedError" && taskId !== undefined) {
    return reason.isResumable ? `resume it with a2a task watch ${taskId}` : `see a2a task get ${taskId}`
  }
  return advice[reason._tag] ?? "run the command with --verbose for the trace"
}

const taskOf = (reason: AgentErrorReason): Id.TaskId | undefined =>
  "task" in reason ? reason.task.id : "taskId" in reason ? reason.taskId : undefined

/** Removes the parts of a URL that may be secret: user, password, query, fragment. */
const publicUrl = (target: string) => {
  const url = URL.parse(target)
  return url === null ? target : `${url.origin}${url.pathname}`
}

/** The URL that was asked, else that of the agent. */
const urlOf = ({ reason, target }: AgentError): string | undefined => {
  const url = text(reason, "url") ?? target
  return url === undefined ? undefined : publicUrl(url)
}

type Members = { readonly [name: string]: Schema.Json | undefined }

/** Leaves out members without a value. */
const present = (members: Members): Schema.JsonObject =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => value === undefined ? [] : [[name, value] as const])
  )

const toJson = (error: AgentError, taskId: string | undefined): Schema.Json => {
  const { operation, reason } = error
  return {
    error: present({
      reason: reason._tag,
      code: reason.code,
      message: reason.message,
      operation,
      retryable: reason.isRetryable,
      retryAfterMs: reason.retryAfter && Duration.toMillis(reason.retryAfter),
      taskId,
      status: reason.status,
      url: urlOf(error),
      contentType: text(reason, "contentType"),
      phase: text(reason, "phase"),
      delivery: reason.delivery === "delivered" ? undefined : reason.delivery,
      details: reason.details
    })
  }
}

const toLine = (error: AgentError, taskId: string | undefined): string => {
  const { operation, reason } = error
  const url = urlOf(error)
  const contentType = text(reason, "contentType")
  const where = [
    url === undefined ? operation : `${operation} at ${url}`,
    ...(reason.status === undefined ? [] : [`HTTP ${reason.status}`]),
    ...(contentType === undefined ? [] : [contentType]),
    ...(taskId === undefined ? [] : [`task ${taskId}`])
  ]
  return `a2a: ${oneLine(reason.message)} (${reason.code}; ${where.join(", ")}); ${whatToDo(reason, taskId)}`
}

/** Reports a failed call and fails with its exit code. `known` is the id of the task, if the error lacks it. */
export const reportFailure = Effect.fnUntraced(function*(error: AgentError, known?: string): Effect.fn.Return<
  never,
  Exit,
  Output
> {
  const output = yield* Output
  const taskId = taskOf(error.reason) ?? known
  yield* output.say(toLine(error, taskId))
  if (output.verbose) yield* output.say(Cause.pretty(Cause.fail(error)))
  if (output.json) yield* output.document(toJson(error, taskId))
  return yield* new Exit({ code: codeOf(error) })
})

/** Writes the last document after an interruption, once: what is interrupted inside knows more than what is around it. */
export const reportInterruption = Effect.fnUntraced(function*(operation: string, taskId: string | undefined) {
  const output = yield* Output
  yield* output.last({
    error: present({
      reason: "Interrupted",
      code: "INTERRUPTED",
      message: "interrupted by the user",
      operation,
      retryable: false,
      taskId
    })
  })
})

const misuse = Effect.fnUntraced(function*({ message }: UsageError) {
  const output = yield* Output
  yield* output.say(`a2a: ${oneLine(message)}`)
  if (output.json) yield* output.document(Usage.toJson(message))
  return yield* new Exit({ code: 2 })
})

const fault = Effect.fnUntraced(function*(defect: unknown) {
  const output = yield* Output
  yield* output.say(faultLine(defect))
  if (output.verbose) yield* output.say(Cause.pretty(Cause.die(defect)))
  if (output.json) {
    yield* output.document({
      error: { reason: "Defect", code: "INTERNAL", message: String(defect), operation: "a2a", retryable: false }
    })
  }
  return yield* new Exit({ code: internalError })
})

/** Reports every failure and turns it into an exit code. */
export const failures = <A, R>(
  self: Effect.Effect<A, AgentError | UsageError | Exit, R>
): Effect.Effect<A, Exit, R | Output> =>
  self.pipe(
    Effect.catchTags({ AgentError: (error) => reportFailure(error), UsageError: misuse }),
    Effect.catchDefect(fault)
  )

import { type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"
import * as Id from "@effect-a2a/core/Id"
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import type { Cursor } from "../TaskStore.ts"

/** The request is wrong in one member. */
export const invalid = (field: string, description: string): AgentErrorReason =>
  reason("InvalidParamsError", { message: `${field}: ${description}`, violations: [{ field, description }] })

export const check = (isValid: boolean, field: string, description: string): Effect.Effect<void, AgentErrorReason> =>
  isValid ? Effect.void : Effect.fail(invalid(field, description))

export const checkHistoryLength = (value: number | undefined, field = "historyLength") =>
  check(value === undefined || value >= 0, field, "must not be negative")

/** As much of the history as was asked for: none at all is no member, absent is everything. */
export const trim = (task: Task.Task, historyLength: number | undefined): Task.Task => {
  if (historyLength === undefined || task.history === undefined) return task
  const { history, ...rest } = task
  return historyLength === 0 ? rest : { ...rest, history: history.slice(-historyLength) }
}

/** The same for the task that a stream begins with. */
export const trimEvent = (historyLength: number | undefined) => (event: StreamEvent.StreamEvent) =>
  event._tag === "Task" ? trim(event, historyLength) : event

export const withoutArtifacts = (task: Task.Task): Task.Task => Struct.omit(task, ["artifacts"])

export const pageToken = (cursor: Cursor | undefined): string =>
  cursor === undefined ? "" : Base64Url.encode(`${cursor.at} ${cursor.id}`)

export const cursor = (token: string): Effect.Effect<Cursor, AgentErrorReason> => {
  const decoded = Base64Url.decodeString(token)
  const found = Result.isSuccess(decoded) ? /^(\d+) (.+)$/s.exec(decoded.success) : null
  return found?.[1] === undefined || found[2] === undefined
    ? Effect.fail(invalid("pageToken", "is not one that this server gave out"))
    : Effect.succeed({ at: Number(found[1]), id: Id.TaskId.make(found[2]) })
}

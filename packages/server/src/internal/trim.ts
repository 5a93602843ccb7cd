/** Leaves out of tasks what the caller does not ask for. */
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import * as Struct from "effect/Struct"

/** Keeps the latest `historyLength` messages: 0 removes the member, `undefined` keeps all. */
export const trimHistory = (task: Task.Task, historyLength: number | undefined): Task.Task => {
  if (historyLength === undefined || task.history === undefined) return task
  const { history, ...rest } = task
  return historyLength === 0 ? rest : { ...rest, history: history.slice(-historyLength) }
}

/** Trims the task that a stream begins with. */
export const trimEvent = (historyLength: number | undefined) => (event: StreamEvent.StreamEvent) =>
  event._tag === "Task" ? trimHistory(event, historyLength) : event

/** Removes the artifacts. */
export const withoutArtifacts = (task: Task.Task): Task.Task => Struct.omit(task, ["artifacts"])

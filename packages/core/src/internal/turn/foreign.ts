/**
 * Events of other tasks, which a stream may contain: they are delivered, and nothing else. If the task of a stream is known
 * before its first event, they have a hidden member, so that no view takes the first of them for the task.
 */
import type { TaskId } from "../../Id.ts"
import * as StreamEvent from "../../StreamEvent.ts"

const key = "~@effect-a2a/core/other"

/** True for an event of another task than the one that is known. */
export const isForeign = (
  { taskId }: { readonly taskId: TaskId | undefined },
  event: StreamEvent.StreamEvent
): boolean => {
  if (key in event) return true
  const other = StreamEvent.taskId(event)
  return taskId !== undefined && other !== undefined && other !== taskId
}

/** Returns the event of a stream, and of an event of another task than the stream's a copy that is known as such. */
export const mark = (taskId: TaskId, event: StreamEvent.StreamEvent): StreamEvent.StreamEvent =>
  isForeign({ taskId }, event) ? Object.defineProperty({ ...event }, key, { value: true }) : event

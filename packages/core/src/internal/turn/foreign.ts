/** Events of other tasks, which a stream may contain: they are delivered, and nothing else. */
import type { TaskId } from "../../Id.ts"
import * as StreamEvent from "../../StreamEvent.ts"

/** True for an event of another task than the one that is known. */
export const isForeign = (
  { taskId }: { readonly taskId: TaskId | undefined },
  event: StreamEvent.StreamEvent
): boolean => {
  const other = StreamEvent.taskId(event)
  return taskId !== undefined && other !== undefined && other !== taskId
}

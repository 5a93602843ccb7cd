/** One answer in place of a stream: what it says decides how the stream ends. */
import * as Stream from "effect/Stream"
import * as AgentError from "../../AgentError.ts"
import * as StreamEvent from "../../StreamEvent.ts"

export const oneAnswer = (
  event: StreamEvent.StreamEvent
): Stream.Stream<StreamEvent.StreamEvent, AgentError.StreamInterruptedError> => {
  const taskId = StreamEvent.taskId(event)
  return StreamEvent.isSettling(event)
    ? Stream.make(event)
    : Stream.make(event).pipe(Stream.concat(Stream.fail(
      new AgentError.StreamInterruptedError({
        message: "one answer instead of a stream, before the task ended",
        ...(taskId === undefined ? undefined : { taskId })
      })
    )))
}

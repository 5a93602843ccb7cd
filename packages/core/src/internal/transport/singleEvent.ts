/** Converts one response in place of a stream: its event decides how the stream ends. Tested in `test/engine`. */
import * as Stream from "effect/Stream"
import * as AgentError from "../../AgentError.ts"
import * as StreamEvent from "../../StreamEvent.ts"

export const singleEvent = (
  event: StreamEvent.StreamEvent
): Stream.Stream<StreamEvent.StreamEvent, AgentError.StreamInterruptedError> => {
  const taskId = StreamEvent.taskId(event)
  return StreamEvent.isSettling(event)
    ? Stream.make(event)
    : Stream.make(event).pipe(Stream.concat(Stream.fail(
      new AgentError.StreamInterruptedError({
        message: "expected an event stream, got a single response, and the task is not finished",
        ...(taskId === undefined ? undefined : { taskId })
      })
    )))
}

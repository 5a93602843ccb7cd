/** Converts one response in place of a stream: its event decides how the stream ends. Tested in `test/engine`. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as AgentError from "../../AgentError.ts"
import * as StreamEvent from "../../StreamEvent.ts"

/** True if a stream stands for a unary call: one response is all of it. Default: false. */
export const CurrentIsWhole = Context.Reference<boolean>("@effect-a2a/core/internal/SingleEventIsWhole", {
  defaultValue: () => false
})

export const singleEvent = (
  event: StreamEvent.StreamEvent
): Stream.Stream<StreamEvent.StreamEvent, AgentError.StreamInterruptedError> => {
  if (StreamEvent.isSettling(event)) return Stream.make(event)
  const taskId = StreamEvent.taskId(event)
  const interrupted = new AgentError.StreamInterruptedError({
    message: "expected an event stream, got a single response, and the task is not finished",
    ...(taskId === undefined ? undefined : { taskId })
  })
  const end = Effect.map(CurrentIsWhole, (isWhole) => isWhole ? Stream.empty : Stream.fail(interrupted))
  return Stream.concat(Stream.make(event), Stream.unwrap(end))
}

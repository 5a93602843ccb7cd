/** Reports what passes a transport. Tested in `test/resilience/record.test.ts`. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { AgentError } from "../../AgentError.ts"
import type * as Operation from "../../Operation.ts"
import type { Entry, Transport } from "../../Transport.ts"

export const record = (report: (entry: Entry) => Effect.Effect<void>) => (self: Transport): Transport => {
  let calls = 0
  const begin = (operation: Operation.Any, request: Operation.Request<Operation.Any>) => {
    const at = { call: ++calls, operation: operation._tag }
    return {
      request: report({ _tag: "Request", ...at, request }),
      result: (result: Operation.Success<Operation.Any>) => report({ _tag: "Result", ...at, result }),
      failure: (error: AgentError) => report({ _tag: "Failure", ...at, error })
    }
  }
  return {
    ...self,
    call: (operation, request) =>
      Effect.suspend(() => {
        const entry = begin(operation, request)
        return Effect.andThen(entry.request, self.call(operation, request)).pipe(
          Effect.tap(entry.result),
          Effect.tapError(entry.failure)
        )
      }),
    stream: (operation, request) =>
      Stream.suspend(() => {
        const entry = begin(operation, request)
        return Stream.unwrap(Effect.as(entry.request, self.stream(operation, request))).pipe(
          Stream.tap(entry.result),
          Stream.tapError(entry.failure)
        )
      })
  }
}

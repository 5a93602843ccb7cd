/** Waits for a task at the intervals of a policy. Tested in `test/waiting.test.ts`. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as AgentError from "../../AgentError.ts"
import type { TaskId } from "../../Id.ts"
import type { Task } from "../../Task.ts"
import type { Transport } from "../../Transport.ts"
import { publicUrl } from "../errors/publicUrl.ts"
import * as FollowTask from "./followTask.ts"
import * as Retry from "./retry.ts"

/** Polls after half a second, doubled each time up to 10 s, jittered; for an hour. */
const defaultPolicy: Retry.Policy = Schedule.min([
  Schedule.exponential("500 millis"),
  Schedule.spaced("10 seconds")
])
  .pipe(Schedule.jittered, Schedule.upTo({ duration: "1 hour" }))

/** Returns the task of an agent once it has settled. Fails if it failed, was canceled or was rejected. */
export const waitForSuccess = (
  { transport }: { readonly transport: Transport },
  task: TaskId | Task,
  policy: Retry.Policy = defaultPolicy
): Effect.Effect<Task, AgentError.AgentError> => {
  const target = publicUrl(transport.target.url)
  return FollowTask.follow(transport, target, task).pipe(
    Effect.flatMap((attempt) => Effect.retry(attempt, Retry.respectRetryAfter(policy))),
    Effect.flatMap((settled) => {
      const reason = AgentError.fromTask(settled)
      return reason === undefined
        ? Effect.succeed(settled)
        : Effect.fail(new AgentError.AgentError({ operation: FollowTask.operation, target, reason }))
    })
  )
}

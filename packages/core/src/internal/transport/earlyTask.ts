/** Who wants to know of a task that an agent returns early. Tested in `test/early.test.ts`. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Task } from "../../Task.ts"

/** Runs when an agent returns a task early, before the wait for it. Default: nothing. */
export const CurrentOnEarlyTask = Context.Reference<(task: Task) => Effect.Effect<unknown>>(
  "@effect-a2a/core/internal/CurrentOnEarlyTask",
  { defaultValue: () => () => Effect.void }
)

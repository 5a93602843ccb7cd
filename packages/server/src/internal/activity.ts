/**
 * Knows whether an application in this process has work to do: bytes that move, or fibers that are ready to run. Tested in
 * packages/testing/test/settled.test.ts.
 */
import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"

/** The activity of an application. */
export interface Activity {
  /** Runs fibers as the scheduler around it does, and counts those that are ready. */
  readonly scheduler: Scheduler.Scheduler
  /** Notes that bytes moved. */
  readonly note: () => void
  /** Completes when all fibers wait, for the clock or for something outside, and no bytes move. */
  readonly settled: Effect.Effect<void>
}

// turns of the event loop without activity: promises settle within one, fibers of other schedulers within a few
const quietTurns = 10

/** Makes the activity of an application that does nothing yet. */
export const make: Effect.Effect<Activity> = Effect.map(Scheduler.Scheduler, (outer) => {
  let ready = 0
  let moves = 0

  const makeDispatcher = (): Scheduler.SchedulerDispatcher => {
    const dispatcher = outer.makeDispatcher()
    return {
      scheduleTask: (task, priority) => {
        ready++
        dispatcher.scheduleTask(() => {
          ready--
          moves++
          task()
        }, priority)
      },
      flush: () => dispatcher.flush()
    }
  }

  const turn = Effect.callback<void>((resume) => {
    outer.makeDispatcher().scheduleTask(() => resume(Effect.void), 0)
  })

  const settled = Effect.gen(function*() {
    let quiet = 0
    let seen = moves
    while (quiet < quietTurns) {
      yield* turn
      quiet = ready === 0 && moves === seen ? quiet + 1 : 0
      seen = moves
    }
  })

  return {
    scheduler: { executionMode: outer.executionMode, shouldYield: (fiber) => outer.shouldYield(fiber), makeDispatcher },
    note: () => {
      moves++
    },
    settled
  }
})

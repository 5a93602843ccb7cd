/** Waits that peers ask for, which may be of any length. Tested in `test/errors/retryAfter.test.ts`. */
import * as Duration from "effect/Duration"

const max = Duration.days(365)

/** Returns a wait of a year at most. */
export const limit = (wait: Duration.Duration): Duration.Duration => Duration.min(wait, max)

/** Returns the seconds of a wait; of a year at most. */
export const toSeconds = (wait: Duration.Duration): number => Duration.toSeconds(limit(wait))

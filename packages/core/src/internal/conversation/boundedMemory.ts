/** A bounded store in memory. Tested in `test/conversations.test.ts`. */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Persistence from "effect/persistence/Persistence"

interface Entry {
  readonly value: object
  readonly expires: number
}

const expiry = (now: number, timeToLive: Duration.Duration | undefined) =>
  timeToLive === undefined ? Infinity : now + Duration.toMillis(timeToLive)

const store = (capacity: number): Persistence.BackingPersistenceStore => {
  const entries = new Map<string, Entry>()

  const read = (now: number) => (key: string): object | undefined => {
    const entry = entries.get(key)
    if (entry === undefined || entry.expires > now) return entry?.value
    entries.delete(key)
    return undefined
  }

  const write = (now: number, key: string, value: object, timeToLive: Duration.Duration | undefined): void => {
    entries.delete(key)
    entries.set(key, { value, expires: expiry(now, timeToLive) })
    for (const [oldest, { expires }] of entries) {
      if (entries.size <= capacity && expires > now) return
      entries.delete(oldest)
    }
  }

  return {
    get: (key) => Effect.map(Clock.currentTimeMillis, (now) => read(now)(key)),
    getMany: (keys) => Effect.map(Clock.currentTimeMillis, (now) => Arr.map(keys, read(now))),
    set: (key, value, timeToLive) => Effect.map(Clock.currentTimeMillis, (now) => write(now, key, value, timeToLive)),
    setMany: (all) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        for (const [key, value, timeToLive] of all) write(now, key, value, timeToLive)
      }),
    remove: (key) => Effect.sync(() => void entries.delete(key)),
    clear: Effect.sync(() => entries.clear())
  }
}

/** Provides stores of that many documents each; the one that was written longest ago is removed first. */
export const layer = (capacity: number): Layer.Layer<Persistence.BackingPersistence> =>
  Layer.succeed(Persistence.BackingPersistence, { make: () => Effect.sync(() => store(capacity)) })

/** Queues of notifications, one for each receiver, each worked off by a fiber while it is not empty. */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"

/** The limits of the queues. */
export interface Limits {
  /** The most receivers with waiting notifications. */
  readonly maxQueues: number
  /** The most bytes that wait for one receiver. */
  readonly maxQueueBytes: number
  /** The most bytes that wait for all. */
  readonly maxBytes: number
}

interface Item {
  readonly size: number
  readonly run: Effect.Effect<void>
}

interface Lane {
  readonly items: Array<Item>
  size: number
}

/** Makes the function that queues an effect for a receiver; it returns false if the limits do not allow it. */
export const make = Effect.fnUntraced(function*({ maxBytes, maxQueueBytes, maxQueues }: Limits) {
  const fibers = yield* FiberSet.make<void>()
  const lanes = new Map<string, Lane>()
  let bytes = 0
  const work = (key: string, lane: Lane): Effect.Effect<void> =>
    Effect.suspend(() => {
      const [item] = lane.items
      if (item === undefined) {
        lanes.delete(key)
        return Effect.void
      }
      return Effect.andThen(
        Effect.ensuring(
          item.run,
          Effect.sync(() => {
            lane.items.shift()
            lane.size -= item.size
            bytes -= item.size
          })
        ),
        work(key, lane)
      )
    })
  const offer = (key: string, size: number, run: Effect.Effect<void>): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      const known = lanes.get(key)
      const lane = known ?? { items: [], size: 0 }
      if (bytes + size > maxBytes || lane.size + size > maxQueueBytes || (!known && lanes.size >= maxQueues)) {
        return Effect.succeed(false)
      }
      lane.items.push({ size, run })
      lane.size += size
      bytes += size
      if (known !== undefined) return Effect.succeed(true)
      lanes.set(key, lane)
      return Effect.as(FiberSet.run(fibers, work(key, lane)), true)
    })
  return { offer, drain: FiberSet.awaitEmpty(fibers) }
})

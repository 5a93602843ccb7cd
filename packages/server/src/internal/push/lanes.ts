/** Queues of notifications, one for each webhook of an owner, each worked off by a fiber while it is not empty. */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"

/** The limits of the queues. */
export interface Limits {
  /** The most webhooks with waiting notifications, of all owners and of one. */
  readonly maxQueues: number
  readonly maxQueuesPerOwner: number
  /** The most bytes that wait for one webhook. */
  readonly maxQueueBytes: number
  /** The most bytes that wait for all; half of it of one owner. */
  readonly maxBytes: number
}

/** A notification that is sent when those before it are. */
export interface Item {
  readonly owner: string
  readonly url: string
  readonly size: number
  readonly run: Effect.Effect<void>
}

interface Lane {
  readonly items: Array<Item>
  size: number
}

interface Share {
  readonly lanes: Map<string, Lane>
  size: number
}

/** Makes the function that queues an item; it returns false if the limits do not allow it. */
export const make = Effect.fnUntraced(function*({ maxBytes, maxQueueBytes, maxQueues, maxQueuesPerOwner }: Limits) {
  const fibers = yield* FiberSet.make<void>()
  const shares = new Map<string, Share>()
  let size = 0
  let count = 0
  const add = (share: Share, lane: Lane, bytes: number) => {
    lane.size += bytes
    share.size += bytes
    size += bytes
  }
  const leave = (owner: string, url: string, share: Share) => {
    share.lanes.delete(url)
    count -= 1
    if (share.lanes.size === 0) shares.delete(owner)
  }
  const work = (share: Share, lane: Lane, { owner, url }: Item): Effect.Effect<void> =>
    Effect.suspend(() => {
      const [item] = lane.items
      if (item === undefined) {
        leave(owner, url, share)
        return Effect.void
      }
      const done = Effect.sync(() => {
        lane.items.shift()
        add(share, lane, -item.size)
      })
      return Effect.andThen(Effect.ensuring(item.run, done), work(share, lane, item))
    })
  const offer = (item: Item): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      const share: Share = shares.get(item.owner) ?? { lanes: new Map(), size: 0 }
      const known = share.lanes.get(item.url)
      const lane = known ?? { items: [], size: 0 }
      if (lane.size + item.size > maxQueueBytes) return Effect.succeed(false)
      if (size + item.size > maxBytes || share.size + item.size > maxBytes / 2) return Effect.succeed(false)
      if (!known && (count >= maxQueues || share.lanes.size >= maxQueuesPerOwner)) return Effect.succeed(false)
      lane.items.push(item)
      add(share, lane, item.size)
      if (known !== undefined) return Effect.succeed(true)
      count += 1
      shares.set(item.owner, share)
      share.lanes.set(item.url, lane)
      return Effect.as(FiberSet.run(fibers, work(share, lane, item)), true)
    })
  return { offer, drain: FiberSet.awaitEmpty(fibers) }
})

/**
 * The sizes of what several owners have, and whose item is forgotten when there is no room: first the oldest of the owner
 * that wants more than it may have, otherwise the oldest of the owner that has the most. Tested in
 * `packages/server/test/limits.test.ts`.
 */
import { type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"

export interface Item {
  readonly owner: string | undefined
  size: number
}

/** Items that may be forgotten, each in one group; the others cannot. */
export type Group = "finished" | "waiting"

interface Account<A> {
  size: number
  /** In the order in which they entered. */
  readonly finished: Set<A>
  readonly waiting: Set<A>
}

export interface Limits {
  /** Items of a group. */
  readonly counts: { readonly [_ in Group]: number }
  /** Bytes of one owner, and of all. */
  readonly owner: number
  readonly all: number
}

export interface Ledger<in A> {
  readonly grow: (item: A, bytes: number) => void
  readonly enter: (group: Group, item: A) => void
  readonly leave: (group: Group, item: A) => void
  /** Makes room for bytes of an item, which itself stays. Returns why it cannot. */
  readonly makeRoom: (item: A, bytes: number) => AgentErrorReason | undefined
}

const full = (tag: "RateLimitError" | "ServiceUnavailableError", whose: string): AgentErrorReason =>
  reason(tag, { message: `the tasks of ${whose} take too much memory; try again later`, retryAfter: "1 second" })

/** Returns the account that has the most by a measure; the first of equals. */
const heaviest = <A>(accounts: Iterable<Account<A>>, measure: (account: Account<A>) => number) => {
  let found: Account<A> | undefined
  for (const account of accounts) if (found === undefined || measure(account) > measure(found)) found = account
  return found
}

/** Returns the item that is forgotten first, except one. */
const oldest = <A>(account: Account<A> | undefined, except: A): A | undefined => {
  for (const group of [account?.finished, account?.waiting]) {
    for (const item of group ?? []) if (item !== except) return item
  }
  return undefined
}

/** `onForget` is called for each item that is forgotten. */
export const make = <A extends Item>(limits: Limits, onForget: (item: A) => void): Ledger<A> => {
  const accounts = new Map<Item["owner"], Account<A>>()
  const counts = { finished: 0, waiting: 0 }
  let all = 0

  const grow = (item: A, bytes: number) => {
    const account = accounts.get(item.owner) ?? { size: 0, finished: new Set(), waiting: new Set() }
    item.size += bytes
    account.size += bytes
    all += bytes
    accounts.set(item.owner, account)
  }

  const leave = (group: Group, item: A) => {
    if (accounts.get(item.owner)?.[group].delete(item) === true) counts[group]--
  }

  const forget = (item: A) => {
    leave("finished", item)
    leave("waiting", item)
    grow(item, -item.size)
    if (accounts.get(item.owner)?.size === 0) accounts.delete(item.owner)
    onForget(item)
  }

  return {
    grow,
    leave,
    enter: (group, item) => {
      accounts.get(item.owner)?.[group].add(item)
      counts[group]++
      while (counts[group] > limits.counts[group]) {
        const [first] = heaviest(accounts.values(), (account) => account[group].size)?.[group] ?? []
        if (first === undefined) return
        forget(first)
      }
    },
    makeRoom: (item, bytes) => {
      while ((accounts.get(item.owner)?.size ?? 0) + bytes > limits.owner) {
        const first = oldest(accounts.get(item.owner), item)
        if (first === undefined) return full("RateLimitError", "this caller")
        forget(first)
      }
      while (all + bytes > limits.all) {
        const size = (account: Account<A>) => oldest(account, item) === undefined ? -1 : account.size
        const first = oldest(heaviest(accounts.values(), size), item)
        if (first === undefined) return full("ServiceUnavailableError", "this server")
        forget(first)
      }
      return undefined
    }
  }
}

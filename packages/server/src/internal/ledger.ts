/**
 * The sizes of what several owners have, and whose item is forgotten when there is no room: first the oldest of the owner
 * that wants more than it may have, otherwise the oldest of the owner that has the most. Tested in
 * `packages/server/test/limits.test.ts`.
 */
import { type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"

export interface Item {
  readonly owner: string
  size: number
  /** The time of the last change, in milliseconds since the epoch. */
  at: number
}

/** Items that may be forgotten, each in one group; the others cannot. */
export type Group = "transcript" | "finished" | "waiting"

/** The groups in the order in which they are forgotten. */
const groups: ReadonlyArray<Group> = ["finished", "transcript", "waiting"]

/** The items of each group are in the order in which they entered. */
interface Account<A> extends Readonly<Record<Group, Set<A>>> {
  size: number
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
  /** Forgets the items that may be and have not changed since a time. */
  readonly forgetBefore: (at: number) => void
}

/** What is done to items. */
export interface Hooks<in A> {
  /** Called for each item that is forgotten. */
  readonly onForget: (item: A) => void
  /** Drops the part of an item that is not needed, and returns its bytes. */
  readonly shrink: (item: A) => number
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
  for (const group of groups) {
    for (const item of account?.[group] ?? []) if (item !== except) return item
  }
  return undefined
}

/** Returns the items of an account that may be forgotten, the first to go first. */
const forgettable = <A>(account: Account<A>): ReadonlyArray<A> => groups.flatMap((group) => [...account[group]])

export const make = <A extends Item>(limits: Limits, { onForget, shrink }: Hooks<A>): Ledger<A> => {
  const accounts = new Map<Item["owner"], Account<A>>()
  const counts = { transcript: 0, finished: 0, waiting: 0 }
  let all = 0

  const grow = (item: A, bytes: number) => {
    const account = accounts.get(item.owner) ??
      { size: 0, transcript: new Set(), finished: new Set(), waiting: new Set() }
    item.size += bytes
    account.size += bytes
    all += bytes
    accounts.set(item.owner, account)
  }

  const leave = (group: Group, item: A) => {
    if (accounts.get(item.owner)?.[group].delete(item) === true) counts[group]--
  }

  const forget = (item: A) => {
    for (const group of groups) leave(group, item)
    grow(item, -item.size)
    if (accounts.get(item.owner)?.size === 0) accounts.delete(item.owner)
    onForget(item)
  }

  /** Drops what is not needed of an item, and returns true if that was anything. */
  const shrinkItem = (item: A): boolean => {
    const bytes = shrink(item)
    if (bytes > 0) grow(item, -bytes)
    return bytes > 0
  }

  const shrinkOne = (account: Account<A> | undefined): boolean =>
    account !== undefined && forgettable(account).some(shrinkItem)

  return {
    grow,
    leave,
    forgetBefore: (at) => {
      for (const account of accounts.values()) {
        for (const item of forgettable(account)) if (item.at < at) forget(item)
      }
    },
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
        if (shrinkOne(accounts.get(item.owner))) continue
        const first = oldest(accounts.get(item.owner), item)
        if (first === undefined && shrinkItem(item)) continue
        if (first === undefined) return full("RateLimitError", "this caller")
        forget(first)
      }
      while (all + bytes > limits.all) {
        const size = (account: Account<A>) => oldest(account, item) === undefined ? -1 : account.size
        const account = heaviest(accounts.values(), size)
        if (shrinkOne(account)) continue
        const first = oldest(account, item)
        if (first === undefined && shrinkItem(item)) continue
        if (first === undefined) return full("ServiceUnavailableError", "this server")
        forget(first)
      }
      return undefined
    }
  }
}

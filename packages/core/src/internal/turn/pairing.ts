/**
 * Pairs tool calls with their results: by id, and without one by name and order. Tested in
 * `packages/core/test/turn.test.ts`.
 */
import type * as Part from "../../Part.ts"
import * as Hash from "./eventHash.ts"

interface Identity {
  readonly id: string
}

interface Entry extends Identity {
  readonly name: string
  isCalled: boolean
  /** The hash of the outcome, if there is one. */
  outcome: number | undefined
}

/** The calls so far, without their arguments and results. */
export type Pairing = Map<string, Entry>

export const make = (): Pairing => new Map()

/** Returns an id for a call that came without one: the tool's name, numbered from the second call on. */
const nextId = (self: Pairing, name: string): string => {
  let id = name
  for (let number = 2; self.has(id); number++) id = `${name} ${number}`
  return id
}

const put = (self: Pairing, id: string, name: string): Entry => {
  const entry: Entry = { id, name, isCalled: false, outcome: undefined }
  self.set(id, entry)
  return entry
}

/** Records a call and returns it with its id, or `undefined` if it was recorded before. */
export const call = (self: Pairing, mark: Part.CallMark): (Part.CallMark & Identity) | undefined => {
  const known = mark.id ? self.get(mark.id) : undefined
  if (known?.isCalled === true) return undefined
  const entry = known ?? put(self, mark.id || nextId(self, mark.name), mark.name)
  entry.isCalled = true
  return { ...mark, id: entry.id }
}

/** The first call of the tool that has no result. A result without a name belongs to the first of any tool. */
const firstOpen = (self: Pairing, name: string): Entry | undefined => {
  for (const entry of self.values()) {
    if (entry.outcome === undefined && (name === "" || entry.name === name)) return entry
  }
  return undefined
}

/** Records a result and returns it with the id and the name of its call, or `undefined` if it was recorded before. */
export const result = (self: Pairing, mark: Part.ResultMark): (Part.ResultMark & Identity) | undefined => {
  const { name, outcome } = mark
  const known = mark.id ? self.get(mark.id) : undefined
  const entry = known ?? firstOpen(self, name) ?? put(self, mark.id || nextId(self, name), name)
  const hash = Hash.mixJson(Hash.seed, { ...outcome })
  if (entry.outcome === hash) return undefined
  entry.outcome = hash
  return { ...mark, id: entry.id, name: name || entry.name }
}

// Random choices that a seed repeats.

export interface Random {
  /** A whole number below `end`. */
  readonly below: (end: number) => number
  readonly pick: <A>(list: ReadonlyArray<A>) => A
  readonly chance: (probability: number) => boolean
}

/** Returns a hash of a text. */
const hash = (text: string): number => {
  let value = 2166136261
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 16777619)
  return value >>> 0
}

/** Mulberry32. */
export const make = (seed: string): Random => {
  let state = hash(seed)
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let value = Math.imul(state ^ (state >>> 15), state | 1)
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61)
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296
  }
  const below = (end: number) => Math.floor(next() * end)
  return {
    below,
    pick: (list) => list[below(list.length)]!,
    chance: (probability) => next() < probability
  }
}

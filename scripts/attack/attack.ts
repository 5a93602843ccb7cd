// What an attack is, and how its answers are counted.
import type { Answer } from "./wire.ts"

export interface Attack {
  readonly name: string
  /** Rows of the table in docs/security.md. */
  readonly ids: ReadonlyArray<`S2-${number}`>
  /** Ends within a second or two: the suite runs it. */
  readonly isCheap?: boolean
  /** Executors that die are answered with 500. */
  readonly answersInternalErrors?: boolean
  /** Attacks the server on a port of this machine; the codes of its answers, and how often each was seen. */
  readonly run: (port: number) => Promise<Codes>
}

export type Codes = Readonly<Record<string, number>>

const codeOf = (one: Answer | number | string): string => {
  if (typeof one !== "object") return String(one)
  const failure = /^\{"jsonrpc":"2\.0","id":[^{]{1,100}"error":\{"code":(-?\d+)/.exec(one.body)?.[1]
  return failure === undefined ? String(one.status) : `${one.status} ${failure}`
}

export const codes = (answers: ReadonlyArray<Answer | number | string>): Codes => {
  const counts: Record<string, number> = {}
  for (const answer of answers) counts[codeOf(answer)] = (counts[codeOf(answer)] ?? 0) + 1
  return counts
}

// What is fuzzed.
import * as Result from "effect/Result"
import type { Random } from "./random.ts"

/** What became of an input: a value or a typed refusal are right, anything else is a finding. */
export type Outcome =
  | { readonly _tag: "Value" }
  | { readonly _tag: "Refusal" }
  | { readonly _tag: "Finding"; readonly what: string }

export const value: Outcome = { _tag: "Value" }
export const refusal: Outcome = { _tag: "Refusal" }
/** Parses JSON without the limits of the SDK. */
export const parse = (text: string): Result.Result<unknown, unknown> =>
  Result.try({ try: (): unknown => JSON.parse(text), catch: (cause) => cause })

export const finding = (what: string): Outcome => ({ _tag: "Finding", what })

/** `variant` chooses among forms of the target, such as the operation; it is part of the input. */
export interface Input {
  readonly variant: string
  readonly text: string
}

export interface Target {
  readonly name: string
  readonly generate: (random: Random) => Input
  /** Throws, or rejects, if the code under test does. */
  readonly run: (input: Input) => Outcome | Promise<Outcome>
  /** Releases what the target holds, such as a server. Returns what is wrong at the end. */
  readonly end?: () => Promise<string | undefined>
}

/** What every decoder promises of input by strangers: work in proportion to its size, and errors of a few kilobytes. */
import { assert } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { inspect } from "node:util"

const maxText = 5000
/** An error has its reason twice, as its cause too. */
const maxJson = 20_000

/** Escapes and line breaks of a text are not its own. */
const withoutEscapes = (text: string): string => text.replace(/\\u[\da-fA-F]{4}|\\\w|' \+\s+'/g, ".")

/** Asserts that an error is short however it is shown. */
export const assertShort = (error: unknown, name: string): void => {
  const message = error instanceof Error ? error.message : String(error)
  assert.isBelow(message.length, maxText, `${name}: message ${message.slice(0, 300)}`)
  const json = withoutEscapes(JSON.stringify(error) ?? "")
  assert.isBelow(json.length, maxJson, `${name}: JSON ${json.slice(0, 300)}`)
  const shown = withoutEscapes(inspect(error, { depth: 20, compact: true, breakLength: Infinity }))
  assert.isBelow(shown.length, maxJson, `${name}: inspected ${shown.slice(0, 300)}`)
}

/** Returns the value, or `undefined` after a typed and short error. A defect fails the test. */
export const outcome = <A, E>(effect: Effect.Effect<A, E>, name: string): Effect.Effect<A | undefined> =>
  Effect.map(Effect.exit(effect), (exit) => {
    if (Exit.isSuccess(exit)) return exit.value
    for (const reason of exit.cause.reasons) {
      if (reason._tag !== "Fail") assert.fail(`${name}: ${Cause.pretty(exit.cause).slice(0, 2000)}`)
      assertShort(reason.error, name)
    }
    return undefined
  })

const measure = (effect: Effect.Effect<unknown>): Effect.Effect<number> =>
  Effect.suspend(() => {
    const begun = performance.now()
    return Effect.map(effect, () => performance.now() - begun)
  })

/** The shortest of several runs: the others shared the machine. */
const shortest = (effect: Effect.Effect<unknown>, runs: number): Effect.Effect<number> =>
  Effect.map(Effect.replicateEffect(measure(effect), runs), (all) => Math.min(...all))

/**
 * Asserts that ten times the size takes less than 50 times as long, where quadratic work takes a hundred times. Times
 * below two milliseconds are noise, and count as two.
 */
export const assertLinear = (
  run: (count: number) => Effect.Effect<unknown>,
  name: string,
  count = 1000
): Effect.Effect<void> =>
  Effect.gen(function*() {
    const isLinear = (small: number, large: number) => large < 50 * Math.max(small, 2)
    const large = run(10 * count)
    const first = yield* measure(large)
    if (isLinear(0, first)) return
    const small = run(count)
    const [few, many] = [yield* shortest(small, 5), yield* shortest(large, 4)]
    assert.isTrue(isLinear(few, many), `${name}: ${few} ms for ${count}, ${many} ms for ten times as many`)
  })

interface Codec {
  readonly encode: (value: any) => Result.Result<unknown, unknown>
  readonly decode: (json: unknown) => Result.Result<unknown, unknown>
}

/** Asserts that a value that was read can be written, and that what is written is read and written alike. */
export const assertWritable = (codec: Codec, value: unknown, name: string): void => {
  const write = (value: unknown): string => {
    const encoded = codec.encode(value)
    return Result.isSuccess(encoded)
      ? JSON.stringify(encoded.success)
      : assert.fail(`${name} cannot be written again: ${JSON.stringify(encoded.failure)}`)
  }
  const written = write(value)
  const again = codec.decode(JSON.parse(written))
  if (Result.isFailure(again)) assert.fail(`${name} cannot be read again: ${JSON.stringify(again.failure)}`)
  else assert.strictEqual(write(again.success), written, name)
}

/** What is written where: answers and documents to stdout, everything else to stderr, secrets nowhere. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { CurrentProcess, variable } from "./environment.ts"
import { Json, Verbose } from "./flags.ts"

/** Values that must not be written, whoever says them; more may become known. */
export const CurrentSecrets = Context.Reference<Set<string>>("@effect-a2a/cli/CurrentSecrets", {
  defaultValue: () => new Set()
})

/** Shorter values are words of their own more often than secrets. */
const shortest = 6

const secretHeader = /^[^:]*(?:auth|cookie|key|secret|token)[^:]*:\s*(?:(?:basic|bearer)\s+)?(.*)$/i

/** What an URL may hide: its password, and its query. */
const ofUrl = (text: string): ReadonlyArray<string> => {
  const url = URL.parse(text)
  return url === null ? [] : [url.password, ...url.searchParams.values()]
}

/** The secrets that the command was given. */
export const secrets = Effect.fnUntraced(function*(args: ReadonlyArray<string>) {
  return new Set([
    yield* variable("A2A_TOKEN"),
    yield* variable("MEMORYLAKE_API_KEY"),
    yield* variable("A2A_API_KEY"),
    ...ofUrl((yield* variable("A2A_URL")) ?? ""),
    ...args.flatMap((arg) => {
      const value = arg.replace(/^--[\w-]+=/, "")
      return [secretHeader.exec(value)?.[1], ...ofUrl(value)]
    })
  ].map((secret) => secret?.trim() ?? ""))
})

const scrub = (secrets: ReadonlySet<string>) => (text: string): string =>
  [...secrets].reduce(
    (text, secret) => secret.length < shortest ? text : text.replaceAll(secret, "<redacted>"),
    text
  )

/** Done when the text is out, so that none is lost where the process ends. */
const write = (name: "stdout" | "stderr", text: string): Effect.Effect<void> =>
  Effect.flatMap(
    CurrentProcess,
    (process) => Effect.callback((resume) => void process[name].write(text, () => resume(Effect.void)))
  )

export interface Interface {
  /** For programs, not for people. */
  readonly json: boolean
  readonly verbose: boolean
  /** Whether stdout is a terminal. */
  readonly isLive: boolean
  /** Text of the answer, as it is. */
  readonly print: (text: string) => Effect.Effect<void>
  /** Where the text of the answer stands in the middle of a line, ends it; so does whatever else is written. */
  readonly endLine: Effect.Effect<void>
  /** A document on a line of its own. */
  readonly document: (json: Schema.Json) => Effect.Effect<void>
  /** What the agent does, for people. */
  readonly step: (text: string) => Effect.Effect<void>
  /** A line on stderr. */
  readonly say: (line: string) => Effect.Effect<void>
}

export class Output extends Context.Service<Output, Interface>()("@effect-a2a/cli/Output") {}

/** A line on stderr, for when there is no {@link Output} yet. */
export const complain = (line: string): Effect.Effect<void> =>
  Effect.flatMap(CurrentSecrets, (secrets) => write("stderr", `${scrub(secrets)(line)}\n`))

export const document = (json: Schema.Json): Effect.Effect<void> =>
  Effect.flatMap(CurrentSecrets, (secrets) => write("stdout", `${scrub(secrets)(JSON.stringify(json))}\n`))

export const make = Effect.gen(function*() {
  const json = yield* Json
  const clean = scrub(yield* CurrentSecrets)
  const { stderr, stdout } = yield* CurrentProcess
  const isColored = stderr.isTTY === true && (yield* variable("NO_COLOR")) === undefined
  const dim = (text: string) => isColored ? `\u001b[2m${text}\u001b[22m` : text
  let isMidLine = false
  const print = (text: string) =>
    Effect.suspend(() => {
      isMidLine = text === "" ? isMidLine : !text.endsWith("\n")
      return write("stdout", clean(text))
    })
  const endLine = Effect.suspend(() => isMidLine ? print("\n") : Effect.void)
  return Output.of({
    json,
    verbose: yield* Verbose,
    isLive: stdout.isTTY === true,
    print,
    endLine,
    document,
    step: (text) => json ? Effect.void : Effect.andThen(endLine, write("stderr", `${dim(clean(text))}\n`)),
    say: (line) => Effect.andThen(endLine, complain(line))
  })
})

/** In one line. */
export const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, " ").trim()

/** Writes answers and documents to stdout and everything else to stderr, without secrets. */
import * as HttpPeer from "@effect-a2a/core/HttpPeer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { CurrentProcess, variable } from "./environment.ts"
import { Json, Verbose } from "./flags.ts"
import { write } from "./sink.ts"

/** Values that are redacted from all output, answers included. More are added while the command runs. */
export const CurrentSecrets = Context.Reference<Set<string>>("@effect-a2a/cli/CurrentSecrets", {
  defaultValue: () => new Set()
})

/** Values that are redacted, in all forms, from what the command itself says. In an answer they may be words. */
export const CurrentHeaders = Context.Reference<ReadonlyArray<string>>("@effect-a2a/cli/CurrentHeaders", {
  defaultValue: () => []
})

/** Shorter values are more likely common words than secrets. */
const minLength = 6

const secretHeader = /^[^:]*(?:auth|cookie|key|secret|token)[^:]*:\s*(?:(?:basic|bearer)\s+)?(.*)$/i

/** Returns the parts of a URL that may be secret: the password and the query. */
const secretsOfUrl = (text: string): ReadonlyArray<string> => {
  const url = URL.parse(text)
  return url === null ? [] : [url.password, ...url.searchParams.values()]
}

/** A proxy's URL may lack its scheme. */
const proxies = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"]

/** Collects the secrets in the environment and the arguments. */
export const secrets = Effect.fnUntraced(function*(args: ReadonlyArray<string>) {
  const proxyUrls = yield* Effect.forEach(proxies, variable)
  return new Set([
    ...proxyUrls.flatMap((url = "") => secretsOfUrl(url.includes("://") ? url : `http://${url}`)),
    yield* variable("A2A_TOKEN"),
    yield* variable("MEMORYLAKE_API_KEY"),
    yield* variable("A2A_API_KEY"),
    ...secretsOfUrl((yield* variable("A2A_URL")) ?? ""),
    ...args.flatMap((arg) => {
      const value = arg.replace(/^--[\w-]+=/, "")
      return [secretHeader.exec(value)?.[1], ...secretsOfUrl(value)]
    })
  ].map((secret) => secret?.trim() ?? ""))
})

const redact = (secrets: ReadonlySet<string>) => (text: string): string =>
  [...secrets].reduce(
    (text, secret) => secret.length < minLength ? text : text.replaceAll(secret, "<redacted>"),
    text
  )

/** Control characters except tab and line feed, and characters that change the direction of text. */
const controls = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu

/**
 * Replaces control characters by visible escapes, so that text of a peer cannot command the terminal, nor disguise what it
 * says. The escapes are those of JSON.
 */
const escapeControls = (text: string): string =>
  text.replaceAll("\r\n", "\n").replace(
    controls,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/** The outputs of the command. */
export interface Service {
  /** True if the output is for programs. */
  readonly json: boolean
  /** True if failures are written with their trace. */
  readonly verbose: boolean
  /** True if stdout is a terminal. */
  readonly isLive: boolean
  /** Writes text of the answer; exactly, unless stdout is a terminal. */
  readonly print: (text: string) => Effect.Effect<void>
  /** Ends the line, if the text of the answer stopped in the middle of one. */
  readonly endLine: Effect.Effect<void>
  /** Writes a document on its own line. */
  readonly document: (json: Schema.Json) => Effect.Effect<void>
  /** Writes a document for programs, unless it wrote one before. */
  readonly last: (json: Schema.Json) => Effect.Effect<void>
  /** Writes a step of the agent to stderr; not for programs. */
  readonly step: (text: string) => Effect.Effect<void>
  /** Writes a line to stderr. */
  readonly say: (line: string) => Effect.Effect<void>
}

/** The service of the outputs. */
export class Output extends Context.Service<Output, Service>()("@effect-a2a/cli/Output") {}

/** Writes a line to stderr, before there is an {@link Output}. */
export const complain = Effect.fnUntraced(function*(line: string) {
  const known = [...yield* CurrentSecrets, ...yield* CurrentHeaders].filter(({ length }) => length >= minLength)
  yield* write("stderr", `${escapeControls(HttpPeer.makeRedact(() => known)(line))}\n`)
})

/** Writes a document to stdout. */
export const document = (json: Schema.Json): Effect.Effect<void> =>
  Effect.flatMap(
    CurrentSecrets,
    (secrets) => write("stdout", `${escapeControls(redact(secrets)(JSON.stringify(json)))}\n`)
  )

/** Creates the outputs from the flags and the process. */
export const make = Effect.gen(function*() {
  const json = yield* Json
  const redacted = redact(yield* CurrentSecrets)
  const { stderr, stdout } = yield* CurrentProcess
  const isColored = stderr.isTTY === true && (yield* variable("NO_COLOR")) === undefined
  const dim = (text: string) => isColored ? `\u001b[2m${text}\u001b[22m` : text
  const isLive = stdout.isTTY === true
  let isMidLine = false
  const print = (text: string) =>
    Effect.suspend(() => {
      isMidLine = text === "" ? isMidLine : !text.endsWith("\n")
      return write("stdout", isLive ? escapeControls(redacted(text)) : redacted(text))
    })
  let hasLast = !json
  const last = (json: Schema.Json) =>
    Effect.suspend(() => {
      const isWritten = hasLast
      hasLast = true
      return isWritten ? Effect.void : document(json)
    })
  const endLine = Effect.suspend(() => isMidLine ? print("\n") : Effect.void)
  return Output.of({
    json,
    verbose: yield* Verbose,
    isLive,
    print,
    endLine,
    document,
    last,
    step: (text) =>
      json ? Effect.void : Effect.andThen(endLine, write("stderr", `${dim(escapeControls(redacted(text)))}\n`)),
    say: (line) => Effect.andThen(endLine, complain(line))
  })
})

/** Replaces line breaks by spaces. */
export const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, " ").trim()

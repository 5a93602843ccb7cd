/**
 * Removes the secrets of a request from errors: some peers repeat what they were sent, in whatever escapes. Tested in
 * `test/secrets/forms.test.ts`.
 */
import { toBytes } from "../credentials/placement.ts"

/** The characters of an error that are read, at most: the rest of its long texts, lists and objects is left out. */
const maxRead = 256 * 1024

/** What is kept of each text and each object beyond that, so that a value of the model stays one, and of all of them. */
const minText = 64
const minMembers = 20
const maxBeyond = 64 * 1024

/** The characters of a secret that are searched; what follows on them is redacted with them. */
const maxLength = 128

/** The beginning of a secret that is redacted with what follows on it, since the rest may have been cut off. */
const headLength = 8

const following = "[^\\s\"'<>&,;…]*"
const backslash = "(?:\\\\|%(?:25)*5c)"

const escapeUnits = (text: string, prefix: string) =>
  text.replace(/[^]/g, (unit) => prefix + unit.charCodeAt(0).toString(16))

/**
 * Returns a pattern of a character in the escapes of JSON, HTML, URLs and forms, once more around one another, and in both
 * alphabets of Base64.
 */
const toPattern = (char: string): string => {
  const code = char.codePointAt(0)!
  const hex = code.toString(16)
  // such as "n" for a line feed
  const short = code < 32 ? `|${backslash}{1,9}${JSON.stringify(char).at(-2)}` : ""
  return `(?:${escapeUnits(char, `${backslash}{1,9}u0*`)}${short}|${backslash}{0,9}(?:` +
    `(?:&|%(?:25)*26)(?:amp(?:;|%(?:25)*3b))*(?:(?:#|%(?:25)*23)(?:x0*${hex}|0*${code})|[a-z]{2,4})(?:;|%(?:25)*3b)|` +
    `${escapeUnits(toBytes(char), "%(?:25)*0*")}|[\\u{${hex}}${"+-_"[" +/".indexOf(char)] ?? ""}]))`
}

/** Returns the patterns of a secret: the beginning of each, and the whole. */
const toPatterns = (secret: string): ReadonlyArray<readonly [head: string, whole: string]> => {
  const bytes = toBytes(secret)
  // wherever it begins in what is encoded
  const encoded = [0, 1, 2].map((shift) =>
    btoa(" ".repeat(shift) + bytes).slice(shift && shift + 1, (shift + bytes.length) * 4 / 3)
  )
  return [secret, ...encoded].map((text, index) => {
    // nobody escapes a letter of Base64
    const chars = Array.from(text.slice(0, maxLength), (char) => index > 0 && /\w/.test(char) ? char : toPattern(char))
    const head = chars.slice(0, headLength).join("")
    return [head, `${chars.join("")}${text.length > maxLength ? following : ""}|${head}${following}`]
  })
}

/** Returns a value without secrets. */
export type Redact = <A>(value: A) => A

/**
 * Makes the function that replaces secrets in the texts of a value: those of arrays, objects and errors, names of members
 * included. It returns the value itself if it contains no secret. `secrets` is read at its first use.
 */
export const make = (secrets: () => ReadonlyArray<string>): Redact => {
  let heads: RegExp | undefined
  let whole: RegExp | undefined
  let patterns: ReturnType<typeof toPatterns>
  const join = (index: 0 | 1) => patterns.map((one) => one[index]).join("|") || "(?!)"

  return (value) => {
    patterns ??= secrets().flatMap(toPatterns)
    const mayContain = heads ??= new RegExp(join(0), "iu")
    let left = maxRead
    let isSame = true

    const isFull = (count: number, min: number) => left <= 0 && (count >= min || left <= -maxBeyond)

    const clean = (text: string): string => {
      const read = text.slice(0, Math.max(left, minText))
      left -= read.length
      isSame &&= read === text && !mayContain.test(read)
      if (isSame) return read
      // costs more to compile
      whole ??= new RegExp(join(1), "giu")
      return read.replace(whole, "<redacted>")
    }

    const deep = (value: unknown): unknown => {
      if (typeof value === "string") return clean(value)
      if (Array.isArray(value)) {
        const copy: Array<unknown> = []
        for (const one of value) {
          if (isFull(copy.length, 1)) break
          copy.push(deep(one))
        }
        return copy
      }
      const prototype: unknown = Object.getPrototypeOf(value ?? 0)
      if (!(value instanceof Error) && prototype !== Object.prototype) return value
      const copy = Object.create(prototype as object)
      let count = 0
      for (const [name, { enumerable }] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
        if (isFull(count++, minMembers)) break
        // an error may be its own cause
        left -= 1
        const member = Reflect.get(value as object, name)
        Object.defineProperty(copy, clean(name), { enumerable: enumerable!, value: deep(member), writable: true })
      }
      return copy
    }

    const cleaned = deep(value)
    return isSame && left > 0 ? value : cleaned as typeof value
  }
}

/** Headers of the protocol and of HTTP itself, whose values are not secret. */
const open = /^(?:accept|content-|(?:x-)?a2a-[ev]|last-event-id|user-agent)/i

/** Returns what may be secret in the value of a header: the whole, without its scheme, and the values of its pairs. */
export const ofHeader = ([name, value]: readonly [string, string]): ReadonlyArray<string> => {
  if (open.test(name)) return []
  const bare = value.replace(/^[\w-]+ (?=\S+$)/, "")
  return [bare, ...bare.split(/[;,]\s*/).map((pair) => pair.replace(/^[^=]*="?|"$/g, ""))]
}

/** Returns what is secret in a request: `secrets`, headers that a program gave, the URL's query, tokens of webhooks. */
export const ofRequest = (request: {
  readonly base: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly secrets: ReadonlyArray<string>
}): ReadonlyArray<string> => {
  const given = [...Object.entries(request.headers).flatMap(ofHeader), ...request.base.searchParams.values()]
  // by which an agent authenticates itself to a webhook
  JSON.stringify(request.body, (name, value) => {
    if (/^(?:token|credentials)$/.test(name)) given.push(String(value))
    return value
  })
  // shorter ones would be found anywhere, or are words
  return [...request.secrets.filter((one) => one.length > 3), ...given.filter((one) => one.length > 5)]
}

/**
 * The text of a refusal in one line, without markup and stack traces. Whoever answers may have written the text to make
 * work: no pattern looks at a character more than a few times. Tested in packages/transport-adk/test/errors.test.ts and
 * test/decoders/adk.test.ts.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

const entities: Readonly<Record<string, string>> = {
  "&nbsp;": " ",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": "\"",
  "&#39;": "'",
  "&amp;": "&"
}

const isHtml = (text: string) => /^\s*<(?:!doctype|html|head|body|pre)\b/i.test(text)

/** Returns the text within the first element `pre`, if it ends. */
const preText = (html: string): string | undefined => {
  const [, ...within] = html.split(/<pre>/i)
  const [text, end] = within.join("<pre>").split(/<\/pre>/i, 2)
  return end === undefined ? undefined : text
}

/** Express writes the error into `pre`, and only "Error" into the title. */
const fromHtml = (html: string): string =>
  (preText(html) ?? html.replace(/<(script|style)\b(?:.*?<\/\1>|.*)/gis, ""))
    .replace(/<br\s*\/?>/gi, "\n")
    .replace(/<[^<>]*>/g, " ")
    .replace(/&(?:nbsp|lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? entity)

/** The characters of a text that are read. */
const maxRead = 100_000

const tracebackHead = "Traceback (most recent call last):"

/** Removes the lines of Node's and Python's stack traces. */
export const removeTrace = (text: string): string => {
  let isTraceback = false
  return text.slice(0, maxRead).split("\n").flatMap((line) => {
    const isHead = line.endsWith(tracebackHead)
    isTraceback = isHead || (isTraceback && /^[ \t]/.test(line))
    if (isHead) return [line.slice(0, -tracebackHead.length)]
    return isTraceback || /^\s*at\s/.test(line) ? [] : [line]
  }).join("\n").trim()
}

/** Returns a text, or the beginning of a longer one. */
export const truncate = (text: string, length = 500): string =>
  text.length <= length ? text : `${text.slice(0, length)}…`

/** Returns the text in a JSON body, in any member where servers put it. */
export const fromJson = (json: unknown): string | undefined => {
  if (Predicate.isString(json)) return json
  if (!Predicate.isReadonlyObject(json)) return undefined
  const { detail, error, message, msg } = json
  if (Array.isArray(detail)) return detail.flatMap((item) => fromJson(item) ?? []).join("; ")
  return fromJson(detail) ?? fromJson(error) ?? fromJson(message) ?? fromJson(msg)
}

/** Returns the text of a response, or `HTTP` and its status if the body has none. */
export const fromResponse = (
  { body, status, text }: {
    readonly status: number
    readonly text: string
    readonly body: Result.Result<unknown, string>
  }
): string => {
  const json = Result.getOrUndefined(body)
  const found = json !== undefined ? fromJson(json) ?? text : isHtml(text) ? fromHtml(text) : text
  const lines = removeTrace(found).split("\n").map((line) => line.replace(/[ \t]+/g, " ").trim())
  return truncate(lines.filter((line) => line !== "").join(" ")) || `HTTP ${status}`
}

/** What a server says in a refusal, in one line: JSON, text or a page; no markup, no stack trace. */
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

const isPage = (text: string) => /^\s*<(?:!doctype|html|head|body|pre)\b/i.test(text)

/** Express puts what it says into `pre`, and says "Error" in the title. */
const fromPage = (html: string): string =>
  (/<pre>(.*?)<\/pre>/is.exec(html)?.[1] ?? html.replace(/<(script|style)\b.*?<\/\1>/gis, ""))
    .replace(/<br\s*\/?>/gi, "\n")
    .replace(/<[^>]*>/g, " ")
    .replace(/&(?:nbsp|lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? entity)

/** Frames of Node are lines that begin with "at"; of Python, what is indented after "Traceback". */
export const withoutTrace = (text: string): string =>
  text
    .replace(/Traceback \(most recent call last\):\n(?:[ \t].*\n?)*/g, "")
    .split("\n")
    .filter((line) => !/^\s*at\s/.test(line))
    .join("\n")
    .trim()

const short = (text: string, size = 500) => text.length <= size ? text : `${text.slice(0, size)}…`

/** What JSON says, if it says something. */
export const ofJson = (json: unknown): string | undefined => {
  if (Predicate.isString(json)) return json
  if (!Predicate.isObject(json)) return undefined
  const { detail, error, message, msg } = json as { readonly [name: string]: unknown }
  if (Array.isArray(detail)) return detail.flatMap((one) => ofJson(one) ?? []).join("; ")
  return ofJson(detail) ?? ofJson(error) ?? ofJson(message) ?? ofJson(msg)
}

/** The words of an answer; of one that has none, its status. */
export const of = (
  { body, status, text }: {
    readonly status: number
    readonly text: string
    readonly body: Result.Result<unknown, string>
  }
): string => {
  const said = Result.isSuccess(body) && body.success !== undefined
    ? ofJson(body.success) ?? text
    : isPage(text)
    ? fromPage(text)
    : text
  return short(withoutTrace(said).replace(/[ \t]+/g, " ").replace(/\s*\n\s*/g, " ")) || `HTTP ${status}`
}

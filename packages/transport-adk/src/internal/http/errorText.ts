/** The text of a refusal in one line, without markup and stack traces. Tested in packages/transport-adk/test/errors.test.ts. */
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

/** Express writes the error into `pre`, and only "Error" into the title. */
const fromHtml = (html: string): string =>
  (/<pre>(.*?)<\/pre>/is.exec(html)?.[1] ?? html.replace(/<(script|style)\b.*?<\/\1>/gis, ""))
    .replace(/<br\s*\/?>/gi, "\n")
    .replace(/<[^>]*>/g, " ")
    .replace(/&(?:nbsp|lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? entity)

/** Removes the lines of Node's and Python's stack traces. */
export const removeTrace = (text: string): string =>
  text
    .replace(/Traceback \(most recent call last\):\n(?:[ \t].*\n?)*/g, "")
    .split("\n")
    .filter((line) => !/^\s*at\s/.test(line))
    .join("\n")
    .trim()

const truncate = (text: string, length = 500) => text.length <= length ? text : `${text.slice(0, length)}…`

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
  return truncate(removeTrace(found).replace(/[ \t]+/g, " ").replace(/\s*\n\s*/g, " ")) || `HTTP ${status}`
}

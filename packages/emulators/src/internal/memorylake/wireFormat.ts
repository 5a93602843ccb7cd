/**
 * The wire format of MemoryLake where it differs from others: `data:` without a space, comments, floats in data. Tested in
 * `packages/emulators/test/memorylake`.
 */
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

const number = (value: number) => Number.isInteger(value) ? value.toFixed(1) : String(value)

/** Writes JSON with all numbers below a `data` member as floats. */
const stringify = (json: Schema.Json, isData = false): string => {
  if (typeof json === "number") return isData ? number(json) : String(json)
  if (Array.isArray(json)) return `[${json.map((item) => stringify(item, isData)).join(",")}]`
  if (typeof json !== "object" || json === null) return JSON.stringify(json)
  const members = Object.entries(json).map(([name, value]) =>
    `${JSON.stringify(name)}:${stringify(value, isData || name === "data")}`
  )
  return `{${members.join(",")}}`
}

const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))

const rewriteText = (text: string) =>
  Option.match(parse(text), { onNone: () => text, onSome: (json) => stringify(json) })

const frame = (text: string) => text.replace(/^data: (.*)$/gm, (_, json: string) => `data:${rewriteText(json)}`)

/** Rewrites the frames of a stream. Each chunk holds whole frames, as the server writes them. */
const ofStream = (response: HttpServerResponse.HttpServerResponse, body: Stream.Stream<Uint8Array, unknown>) =>
  HttpServerResponse.stream(
    body.pipe(Stream.decodeText, Stream.map(frame), Stream.prepend([":\n\n"]), Stream.encodeText),
    { status: response.status, headers: response.headers }
  )

/** Rewrites a response in the format of the service. */
const rewrite = (response: HttpServerResponse.HttpServerResponse) => {
  const { body } = response
  if (body._tag === "Stream") return ofStream(response, body.stream)
  return body._tag === "Uint8Array"
    ? HttpServerResponse.text(rewriteText(new TextDecoder().decode(body.body)), {
      status: response.status,
      headers: response.headers,
      contentType: body.contentType
    })
    : response
}

/** {@link rewrite} for an effect. */
export const apply = Effect.map(rewrite)

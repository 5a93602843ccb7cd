/** Reads requests, and refuses invalid ones as the servers do. */
import type * as AdkRun from "@effect-a2a/transport-adk/AdkRun"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Flavour } from "../../AdkScript.ts"

type Response = HttpServerResponse.HttpServerResponse
/** A JSON object before it is checked. */
export type Json = { readonly [name: string]: any }

const parse = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Json))

const invalid = (detail: ReadonlyArray<Json>): Response => HttpServerResponse.jsonUnsafe({ detail }, { status: 422 })

const notJson = {
  type: "json_invalid",
  loc: ["body", 0],
  msg: "JSON decode error",
  input: {},
  ctx: { error: "Expecting value" }
}

const page =
  "<!DOCTYPE html>\n<html>\n<body>\n<pre>SyntaxError: Unexpected token in JSON<br> &nbsp; &nbsp;at parse (node:json:1:1)</pre>\n</body>\n</html>\n"

/** Reads a body. Fails with the server's refusal if it is not a JSON object. */
export const body = (flavour: Flavour, request: HttpServerRequest.HttpServerRequest): Effect.Effect<Json, Response> =>
  Effect.flatMap(Effect.orElseSucceed(request.text, () => ""), (text) => {
    if (text.trim() === "") return Effect.succeed({})
    const parsed = Result.getOrUndefined(parse(text))
    if (Predicate.isReadonlyObject(parsed)) return Effect.succeed(parsed as Json)
    return Effect.fail(
      flavour === "python"
        ? invalid([notJson])
        : HttpServerResponse.text(page, { status: 400, contentType: "text/html" })
    )
  })

const partFields = new Set(
  ("text thought thoughtSignature inlineData fileData functionCall functionResponse executableCode codeExecutionResult " +
    "toolCall toolResponse mediaResolution videoMetadata partMetadata").split(" ")
)

const issues = (run: Json): ReadonlyArray<Json> => [
  ...["userId", "sessionId"].flatMap((name): ReadonlyArray<Json> =>
    run[name] === undefined
      ? [{ type: "missing", loc: ["body", name], msg: "Field required", input: run }]
      : typeof run[name] === "string"
      ? []
      : [{ type: "string_type", loc: ["body", name], msg: "Input should be a valid string", input: run[name] }]
  ),
  ...((run.newMessage?.parts ?? []) as ReadonlyArray<Json>).flatMap((part, index) =>
    Object.keys(part).filter((name) => !partFields.has(name)).map((name) => ({
      type: "extra_forbidden",
      loc: ["body", "newMessage", "parts", index, name],
      msg: "Extra inputs are not permitted",
      input: part[name]
    }))
  )
]

/** Reads the request of a run. JavaScript checks nothing. */
export const run = (flavour: Flavour, body: Json): Effect.Effect<AdkRun.RunRequest, Response> => {
  const found = flavour === "python" ? issues(body) : []
  return found.length > 0 ? Effect.fail(invalid(found)) : Effect.succeed(body as AdkRun.RunRequest)
}

/** Our own HTTP API: answers as JSON, and a stream of server-sent events for a browser. */
import { Effect, Layer, Schema } from "effect"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Chunk, Orchestrator } from "./Orchestrator.ts"
import { Refusal } from "./Refusal.ts"

const Ask = Schema.Struct({ user: Schema.NonEmptyString, question: Schema.NonEmptyString })
const Summary = Schema.Struct({ state: Schema.String, text: Schema.String })

export class AskApi extends HttpApiGroup.make("ask").add(
  HttpApiEndpoint.post("all", "/ask", { payload: Ask, success: Schema.Array(Schema.Union([Summary, Refusal])) }),
  HttpApiEndpoint.post("first", "/first", { payload: Ask, success: Summary, error: Refusal }),
  HttpApiEndpoint.get("stream", "/stream", { query: Ask.fields, success: HttpApiSchema.StreamSse({ data: Chunk }) })
) {}

export class Api extends HttpApi.make("orchestrator").add(AskApi) {}

export const handlers = HttpApiBuilder.group(
  Api,
  "ask",
  Effect.fnUntraced(function*(handlers) {
    const orchestrator = yield* Orchestrator
    return handlers.handleAll({
      all: ({ payload }) => orchestrator.ask(payload.user, payload.question),
      first: ({ payload }) => orchestrator.first(payload.user, payload.question),
      stream: ({ query }) => Effect.succeed(orchestrator.stream(query.user, query.question))
    })
  })
)

export const routes = HttpApiBuilder.layer(Api, { openapiPath: "/openapi.json" }).pipe(Layer.provide(handlers))

/** Keys of callers in spans and logs of a server that listens: in requests that are served, refused, and that fail. */
import { NodeAgentServer } from "@effect-a2a/node"
import { AgentExecutor, AgentServer, Authentication } from "@effect-a2a/server"
import { JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Logger, Redacted, Stream, Tracer } from "effect"
import { HttpMiddleware, HttpServerRequest } from "effect/http"
import { inspect } from "node:util"
import { makeTracer } from "../../../test/support/spans.ts"

const secret = "PLANTED-key"
const keys = Authentication.apiKey([{ id: "ana", secret: Redacted.make(secret) }])

const message = { message: { role: "ROLE_USER", messageId: "m-1", parts: [{ text: "Hi" }] } }

/** Serves a key in each place, and waits until the span of each request has ended. */
const program = (headers: Record<string, string>, path: string) =>
  Effect.gen(function*() {
    const { spans, tracer } = makeTracer()
    const logged: Array<unknown> = []
    const logger = Logger.layer([Logger.make((options) => void logged.push(options.message, options.cause))])
    const card = {
      name: "Vault",
      description: "Keeps keys",
      securitySchemes: {
        header: { _tag: "ApiKey", location: "header", name: "X-Vault" },
        query: { _tag: "ApiKey", location: "query", name: "vault key" },
        cookie: { _tag: "ApiKey", location: "cookie", name: "vault" }
      }
    } as const
    const routes = Layer.merge(RestServer.routes(), JsonRpcServer.routes()).pipe(
      Layer.provide(Authentication.layer({ schemes: { header: keys, query: keys, cookie: keys } })),
      Layer.provide(AgentServer.layerMemory({ card })),
      Layer.provide(AgentExecutor.layer(() =>
        Stream.unwrap(Effect.gen(function*() {
          // what an executor may log of its request
          yield* Effect.serviceOption(HttpServerRequest.HttpServerRequest).pipe(
            Effect.flatMap((request) => Effect.log(inspect(request, { depth: 9 }), JSON.stringify(request)))
          )
          return Stream.make("Done")
        }))
      ))
    )
    const status = yield* Effect.gen(function*() {
      const url = yield* NodeAgentServer.url
      return yield* Effect.promise(() =>
        fetch(url + path, {
          method: "POST",
          headers: { "a2a-version": "1.0", "content-type": "application/json", ...headers },
          body: JSON.stringify(message)
        }).then(async (response) => [response.status, await response.text()] as const)
      )
    }).pipe(
      Effect.provide(
        NodeAgentServer.layer({ routes, port: 0 }).pipe(
          Layer.provide([Layer.succeed(HttpMiddleware.TracerHeaderFilter, () => true), logger])
        )
      ),
      Effect.provideService(Tracer.Tracer, tracer)
    )
    return { logged, spans: spans.filter(({ kind }) => kind === "server"), status }
  })

const failureOf = ({ status }: Tracer.Span) =>
  status._tag === "Ended" && Exit.isFailure(status.exit) ? inspect(status.exit, { depth: 20 }) : ""

describe("a key of a caller", () => {
  const places = [
    ["header", { "x-vault": secret }, ""],
    ["query", {}, `?vault+key=${secret}&pageSize=1`],
    ["cookie", { cookie: `vault=${secret}` }, ""]
  ] as const
  for (const [place, headers, query] of places) {
    for (
      const [what, path, expected] of [
        ["served", "/message:send", 200],
        ["refused", "/message:cancel", 404],
        ["refused too, over JSON-RPC", "/", 200],
        ["sent elsewhere", "/nowhere", 404]
      ] as const
    ) {
      it.live(`in a ${place} is in no span and no log of a request that is ${what}`, () =>
        Effect.gen(function*() {
          const { logged, spans, status: [status, text] } = yield* program(headers, path + query)
          assert.strictEqual(status, expected, text)
          assert.isNotEmpty(spans)
          for (const span of spans) {
            const shown = inspect(Object.fromEntries(span.attributes), { depth: 9 }) + failureOf(span)
            assert.include(shown, "url.full")
            assert.notInclude(shown, secret)
            if (place === "query" && status === 200) {
              assert.include(shown, "pageSize=1")
              assert.include(shown, "vault+key=REDACTED")
            }
          }
          assert.notInclude(inspect(logged, { depth: 9 }), secret)
          assert.notInclude(text, secret)
        }))
    }
  }
})

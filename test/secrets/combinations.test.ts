/** Logs, spans, responses and errors of server and client contain no credentials. */
import { Agent, Credentials, Id, Part, Protocol, ServiceParameters } from "@effect-a2a/core"
import { AgentExecutor, AgentServer } from "@effect-a2a/server"
import { AgentTest, Wire } from "@effect-a2a/testing"
import { Rest, RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted, References, Stream, Tracer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { inspect } from "node:util"
import * as Field from "../field/support.ts"
import { covers } from "../support/covers.ts"
import { chunks, combinations, isRpc, rpcError, talkTo } from "../support/peer.ts"
import { type Asked, json, respond } from "../support/respond.ts"
import { makeTracer } from "../support/spans.ts"

const secrets = ["tok-s3cr3t", "key-s3cr3t", "proxy-s3cr3t", "cookie-s3cr3t", "hook-s3cr3t"]
const content = "the patient's name"

/** Runs an effect and records its logs and spans. */
const record = <A, E, R>(self: Effect.Effect<A, E, R>) => {
  const { spans, tracer } = makeTracer()
  const logs: Array<string> = []
  return self.pipe(
    Effect.exit,
    Effect.provideService(Tracer.Tracer, tracer),
    Effect.provide(Logger.layer([Logger.make((entry) => logs.push(Logger.formatJson.log(entry)))])),
    Effect.provideService(References.MinimumLogLevel, "All"),
    Effect.map((exit) => ({
      exit,
      spans,
      logs,
      text: [...logs, ...spans.map(({ attributes, events, name }) => inspect([name, attributes, events], { depth: 9 }))]
        .join("\n")
    }))
  )
}

const headers = {
  "x-api-key": "key-s3cr3t",
  "proxy-authorization": "Basic proxy-s3cr3t",
  cookie: "session=cookie-s3cr3t",
  "x-a2a-notification-token": "hook-s3cr3t"
}

const agentOf = (execute: (turn: AgentExecutor.Turn) => AgentExecutor.Execution) =>
  AgentServer.layerMemory({ card: AgentTest.card }).pipe(Layer.provide(AgentExecutor.layer(execute)))

const client = (routes: Parameters<typeof Wire.layerHttp>[0]) =>
  Agent.layer.pipe(
    Layer.provide(Rest.layer({ url: "http://agent.test/a2a", protocol: Protocol.v1_0 })),
    Layer.provideMerge(Wire.layerHttp(routes) as Layer.Layer<Wire.Tape>),
    Layer.provide(Credentials.layerBearer(Redacted.make("tok-s3cr3t")))
  ) as Layer.Layer<Agent.Agent | Wire.Tape>

describe("secrets", () => {
  for (
    const [name, execute] of [
      ["an answer", () => Stream.make("fine")],
      ["a crash", () => Stream.die(new Error("no model"))],
      ["a lone message", () => Effect.succeed("fine")]
    ] as ReadonlyArray<readonly [string, () => AgentExecutor.Execution]>
  ) {
    it.effect(
      `neither spans nor logs of ${name} contain credentials, text or bytes, on either side`,
      () =>
        Effect.gen(function*() {
          const routes = RestServer.routes({ path: "/a2a", protocols: [Protocol.v1_0] }).pipe(
            Layer.provide(agentOf(execute))
          )
          const { spans, text } = yield* record(
            Effect.gen(function*() {
              const parts = [
                Part.text(content),
                Part.raw(new TextEncoder().encode(content), { mediaType: "text/plain" })
              ]
              yield* Effect.exit(Agent.send(parts))
              yield* Effect.exit(Stream.runDrain(Agent.stream(parts)))
              const [exchange] = yield* (yield* Wire.Tape).exchanges
              // all of it was sent
              for (const secret of secrets) assert.include(JSON.stringify(exchange!.headers), secret)
              assert.include(exchange!.body, content)
            }).pipe(ServiceParameters.provide({ headers }), Effect.provide(client(routes)))
          )
          assert.isAbove(spans.filter(({ kind }) => kind === "client").length, 1)
          assert.isAbove(spans.filter(({ kind }) => kind === "server").length, 1)
          for (const secret of [...secrets, content, btoa(content)]) assert.notInclude(text, secret)
        }),
      covers("field:SEC-04")
    )
  }

  it.effect("a key in the query, of the endpoint or a credential, is in no span", () =>
    Effect.gen(function*() {
      const { asked, layer } = respond(() => new Response("", { status: 404 }))
      const { spans, text } = yield* record(
        Agent.getTask(Id.TaskId.make("t-1")).pipe(
          Effect.provide(Agent.layer.pipe(
            Layer.provide(Rest.layer({ url: "http://agent.test/a2a?route=tok-s3cr3t", protocol: Protocol.v1_0 })),
            Layer.provide([
              layer,
              Credentials.layerApiKey({ in: "query", name: "key", value: Redacted.make("key-s3cr3t") })
            ])
          ))
        )
      )
      assert.deepStrictEqual([...new URL(asked[0]!.url).searchParams.values()], ["tok-s3cr3t", "key-s3cr3t"])
      assert.strictEqual(spans.length, 2)
      for (const secret of secrets) assert.notInclude(text, secret)
    }), covers("field:SEC-04"))

  for (const one of combinations) {
    it.effect(`the token is redacted from a refusal that repeats it, ${one.name}`, () =>
      Effect.gen(function*() {
        const token = "tok-\"s3cr3t\""
        const echo = {
          code: -32004,
          message: `bad Bearer ${token}`,
          data: { header: { authorization: `Bearer ${token}` } }
        }
        const bodies: ReadonlyArray<(asked: Asked) => Response> = [
          () => new Response(`<html>${token} is not welcome</html>`, { status: 500 }),
          () => new Response(JSON.stringify(echo), { status: 401, headers: { "www-authenticate": `Bearer ${token}` } }),
          () => new Response(JSON.stringify({ error: { ...echo, code: 400, details: [echo] } }), { status: 400 }),
          ...isRpc(one) ? [(asked: Asked) => json(rpcError(asked, echo))] : [],
          () => chunks([`event: error\ndata: ${JSON.stringify(echo)}\n\n`])
        ]
        for (const body of bodies) {
          const { asked, layer } = talkTo(one, body, { credentials: Credentials.layerBearer(Redacted.make(token)) })
          const agent = Agent.layer.pipe(Layer.provide(layer))
          const errors = [
            yield* Effect.flip(Agent.send("hi")).pipe(Effect.provide(agent)),
            yield* Effect.flip(Stream.runDrain(Agent.stream("hi"))).pipe(Effect.provide(agent))
          ]
          assert.include(asked[0]!.headers.authorization, "s3cr3t")
          for (const error of errors) {
            for (
              const shown of [String(error), JSON.stringify(error), inspect(error, { depth: 20, showHidden: true })]
            ) {
              assert.notInclude(shown, "s3cr3t")
            }
          }
        }
      }), covers("field:SEC-01"))
  }

  Field.inEach("refusals", (combination) => {
    it.effect("neither responses nor logs contain the credentials of a request", () =>
      Effect.gen(function*() {
        const { exit, text } = yield* record(
          Effect.all([
            Field.raw(combination, "GetTask", { id: "nowhere" }, { authorization: "Bearer tok-s3cr3t", ...headers }),
            Field.raw(combination, "SendMessage", {}, { authorization: "Bearer tok-s3cr3t", ...headers }),
            Field.raw(combination, "SendMessage", Field.hello(), { authorization: "Bearer tok-s3cr3t", ...headers }),
            Field.raw(combination, "GetTaskPushNotificationConfig", { taskId: "t", id: "p" }, {
              authorization: "Bearer tok-s3cr3t",
              ...headers
            })
          ]).pipe(Effect.provide(Field.behind(combination, () => Stream.die(new Error("no model")))))
        )
        if (exit._tag === "Failure") return assert.fail(String(exit.cause))
        const shown = exit.value.map(({ headers, text }) => JSON.stringify([headers, text])).join("\n") + text
        assert.include(text, "no model")
        for (const secret of secrets) assert.notInclude(shown, secret)
      }), covers("field:SEC-05"))
  }, "1.0")

  it.effect(
    "an application's own 401 is sent unchanged, and the client's error does not contain the token",
    () =>
      Effect.gen(function*() {
        const closed = HttpRouter.add(
          "*",
          "/*",
          Effect.map(HttpServerRequest.HttpServerRequest, () =>
            HttpServerResponse.text("{\"message\":\"who are you\"}", {
              status: 401,
              contentType: "application/json",
              headers: { "www-authenticate": "Bearer realm=\"agents\"" }
            }))
        )
        const { exit, text } = yield* record(
          Effect.flip(Agent.getTask(Id.TaskId.make("t-1"))).pipe(Effect.provide(client(closed)))
        )
        if (exit._tag === "Failure") return assert.fail(String(exit.cause))
        assert.strictEqual(exit.value.reason._tag, "UnauthenticatedError")
        for (const shown of [String(exit.value), JSON.stringify(exit.value), inspect(exit.value, { depth: 9 }), text]) {
          assert.notInclude(shown, "tok-s3cr3t")
        }
      }),
    covers("field:SEC-05")
  )
})

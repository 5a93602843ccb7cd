/** What our server and our client say where they are listened to: logs, spans and answers, without credentials. */
import { Agent, Credentials, Id, Part, Protocol, ServiceParameters } from "@effect-a2a/core"
import { AgentExecutor, AgentServer } from "@effect-a2a/server"
import { AgentTest, Wire } from "@effect-a2a/testing"
import { Rest, RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted, References, Stream, Tracer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { inspect } from "node:util"
import { cells, chunks, isRpc, rpcError, talkTo } from "../support/peer.ts"
import { type Asked, json, respond } from "../support/respond.ts"
import * as Field from "./support.ts"

const secrets = ["tok-s3cr3t", "key-s3cr3t", "proxy-s3cr3t", "cookie-s3cr3t", "hook-s3cr3t"]
const content = "the patient's name"

/** Runs with everything that is logged or traced written down. */
const overheard = <A, E, R>(self: Effect.Effect<A, E, R>) => {
  const spans: Array<Tracer.NativeSpan> = []
  const logs: Array<string> = []
  return self.pipe(
    Effect.exit,
    Effect.provideService(
      Tracer.Tracer,
      Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
    ),
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
    it.effect(`SEC-04: ${name}: neither spans nor logs hold credentials, text or bytes, on either side`, () =>
      Effect.gen(function*() {
        const routes = RestServer.routes({ path: "/a2a", protocols: [Protocol.v1_0] }).pipe(
          Layer.provide(agentOf(execute))
        )
        const { spans, text } = yield* overheard(
          Effect.gen(function*() {
            const parts = [Part.text(content), Part.raw(new TextEncoder().encode(content), { mediaType: "text/plain" })]
            yield* Effect.exit(Agent.send(parts))
            yield* Effect.exit(Stream.runDrain(Agent.stream(parts)))
            const [exchange] = yield* (yield* Wire.Tape).exchanges
            // all of it was there to be told
            for (const secret of secrets) assert.include(JSON.stringify(exchange!.headers), secret)
            assert.include(exchange!.body, content)
          }).pipe(ServiceParameters.provide({ headers }), Effect.provide(client(routes)))
        )
        assert.isAbove(spans.filter(({ kind }) => kind === "client").length, 1)
        assert.isAbove(spans.filter(({ kind }) => kind === "server").length, 1)
        for (const secret of [...secrets, content, btoa(content)]) assert.notInclude(text, secret)
      }))
  }

  it.effect("SEC-04: a key in the query, the endpoint's own or a credential, is in no span", () =>
    Effect.gen(function*() {
      const { asked, layer } = respond(() => new Response("", { status: 404 }))
      const { spans, text } = yield* overheard(
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
    }))

  for (const one of cells) {
    it.effect(`SEC-01: an agent that repeats the token in its refusal, ${one.name}: the refusal is told without it`, () =>
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
      }))
  }

  Field.everywhere("refusals", (cell) => {
    it.effect("SEC-05: what we answer to a request says nothing of its credentials, and no log does", () =>
      Effect.gen(function*() {
        const { exit, text } = yield* overheard(
          Effect.all([
            Field.raw(cell, "GetTask", { id: "nowhere" }, { authorization: "Bearer tok-s3cr3t", ...headers }),
            Field.raw(cell, "SendMessage", {}, { authorization: "Bearer tok-s3cr3t", ...headers }),
            Field.raw(cell, "SendMessage", Field.hello(), { authorization: "Bearer tok-s3cr3t", ...headers }),
            Field.raw(cell, "GetTaskPushNotificationConfig", { taskId: "t", id: "p" }, {
              authorization: "Bearer tok-s3cr3t",
              ...headers
            })
          ]).pipe(Effect.provide(Field.behind(cell, () => Stream.die(new Error("no model")))))
        )
        if (exit._tag === "Failure") return assert.fail(String(exit.cause))
        const told = exit.value.map(({ headers, text }) => JSON.stringify([headers, text])).join("\n") + text
        assert.include(text, "no model")
        for (const secret of secrets) assert.notInclude(told, secret)
      }))
  }, "1.0")

  it.effect("SEC-05: a 401 of an application's own goes out as it is, and the client's error keeps the token to itself", () =>
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
      const { exit, text } = yield* overheard(
        Effect.flip(Agent.getTask(Id.TaskId.make("t-1"))).pipe(Effect.provide(client(closed)))
      )
      if (exit._tag === "Failure") return assert.fail(String(exit.cause))
      assert.strictEqual(exit.value.reason._tag, "UnauthenticatedError")
      for (const shown of [String(exit.value), JSON.stringify(exit.value), inspect(exit.value, { depth: 9 }), text]) {
        assert.notInclude(shown, "tok-s3cr3t")
      }
    }))
})

/** `Authentication` over sockets: each scheme in each combination, and bodies of requests that are refused. */
import { Agent, Credentials } from "@effect-a2a/core"
import type { SecurityScheme } from "@effect-a2a/core"
import { NodeAgent, NodeAgentServer } from "@effect-a2a/node"
import { AgentExecutor, AgentServer, Authentication, CardServer } from "@effect-a2a/server"
import { JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Stream } from "effect"
import { connect } from "node:net"
import { combinations } from "../../../test/peers/combinations.ts"

const ana = { id: "ana", secret: Redacted.make("secret-of-ana") }

const schemes: Readonly<Record<string, SecurityScheme.SecurityScheme>> = {
  bearer: { _tag: "HttpAuth", scheme: "Bearer" },
  oauth: {
    _tag: "OAuth2",
    flows: [{ _tag: "ClientCredentials", tokenUrl: "https://login.test/token", scopes: {} }]
  },
  basic: { _tag: "HttpAuth", scheme: "Basic" },
  header: { _tag: "ApiKey", location: "header", name: "X-Key" },
  query: { _tag: "ApiKey", location: "query", name: "key" },
  cookie: { _tag: "ApiKey", location: "cookie", name: "key" }
}

const verifiers = {
  bearer: Authentication.bearer([ana]),
  oauth: Authentication.bearer([ana]),
  basic: Authentication.basic([ana]),
  header: Authentication.apiKey([ana]),
  query: Authentication.apiKey([ana]),
  cookie: Authentication.apiKey([ana])
}

type Name = keyof typeof verifiers

const cardOf = (name: Name) => ({
  name: "Who",
  description: "Says who you are",
  securitySchemes: { [name]: schemes[name]! },
  securityRequirements: [{ [name]: [] }]
})

const routes = (name: Name) =>
  Layer.merge(RestServer.routes({ path: "/rest" }), JsonRpcServer.routes({ path: "/rpc" })).pipe(
    Layer.provide(Authentication.layer({ schemes: { [name]: verifiers[name] } })),
    Layer.merge(CardServer.routes()),
    Layer.provide(AgentServer.layerMemory({ card: cardOf(name) })),
    Layer.provide(AgentExecutor.layer(({ caller }) => Stream.make("You are ", caller?.id ?? "nobody")))
  )

const serve = (name: Name, options: Partial<NodeAgentServer.Options<never, never>> = {}) =>
  NodeAgentServer.layer({ routes: routes(name), port: 0, ...options })

const names: ReadonlyArray<Name> = ["bearer", "oauth", "basic", "header", "query", "cookie"]

describe("an agent that listens", () => {
  for (const name of names) {
    it.live(`knows its caller by ${name} in each combination, and refuses a wrong secret`, () =>
      Effect.gen(function*() {
        const url = yield* NodeAgentServer.url
        for (const { binding, path, protocol, ...combination } of combinations) {
          const connect = (secret: string) =>
            NodeAgent.layer({
              url: url + path,
              protocol: protocol.version === "0.3" ? "0.3" : "1.0",
              binding: binding === "JSONRPC" ? "jsonrpc" : "rest"
            }).pipe(Layer.provide(Credentials.layerFromCard(cardOf(name), {
              [name]: Redacted.make(name === "basic" ? `ana:${secret}` : secret)
            })))
          const known = connect("secret-of-ana")
          const answer = yield* Effect.provide(Agent.ask("Who am I?"), known)
          assert.strictEqual(answer.text, "You are ana", combination.name)
          const events = yield* Stream.runCollect(Agent.stream("Who am I?")).pipe(Effect.provide(known))
          assert.include(JSON.stringify(events), "ana", combination.name)

          const guessed = connect("secret-of-eva")
          for (const call of [Agent.ask("Who am I?"), Stream.runDrain(Agent.stream("Who am I?"))]) {
            const { reason } = yield* Effect.flip(Effect.provide(call, guessed))
            assert.strictEqual(reason._tag, "UnauthenticatedError", combination.name)
            assert.match(reason._tag === "UnauthenticatedError" ? reason.challenge ?? "" : "", /realm="Who"/)
            assert.notInclude(JSON.stringify(reason) + String(reason), "secret-of")
          }
        }
      }).pipe(Effect.provide(serve(name))))
  }

  it.live("is found by its card without credentials, and asked with those that the card requires", () =>
    Effect.gen(function*() {
      const agent = NodeAgent.layer({ agent: yield* NodeAgentServer.url }).pipe(
        Layer.provide(Credentials.layerFromCard(cardOf("header"), { header: ana.secret }))
      )
      assert.strictEqual((yield* Effect.provide(Agent.ask("Who am I?"), agent)).text, "You are ana")
    }).pipe(Effect.provide(serve("header"))))
})

/** Opens a request whose body is announced and does not arrive; the text is the response's head. */
const begin = (path: string, size: number, header = "") =>
  Effect.flatMap(NodeAgentServer.url, (url) =>
    Effect.callback<string>((resume) => {
      const socket = connect(Number(new URL(url).port), "127.0.0.1", () => {
        socket.write(
          `POST ${path} HTTP/1.1\r\nhost: localhost\r\na2a-version: 1.0\r\ncontent-type: application/json\r\n` +
            `${header}content-length: ${size}\r\n\r\n{`
        )
      }).on("error", () => {})
      socket.once("data", (chunk) => resume(Effect.succeed(String(chunk))))
    }))

const size = 16 * 1024 * 1024

describe("a request without credentials", () => {
  it.live("is refused before its body arrives, over both bindings", () =>
    Effect.gen(function*() {
      for (const [path, code] of [["/rest/message:send", "\"UNAUTHENTICATED\""], ["/rpc", "-31401"]] as const) {
        const response = yield* Effect.timeout(begin(path, size), "2 seconds")
        assert.match(response, /^HTTP\/1\.1 401 /, path)
        assert.match(response, /www-authenticate: ApiKey realm="Who", in="header", name="X-Key"/i, path)
        assert.include(response, code)
        if (path === "/rpc") assert.include(response, `{"jsonrpc":"2.0","id":null,"error":`)
      }
    }).pipe(Effect.provide(serve("header"))))

  it.live("takes no place among the large bodies that are received", () =>
    Effect.gen(function*() {
      for (let index = 0; index < 8; index++) {
        assert.match(yield* begin("/rest/message:send", size), /^HTTP\/1\.1 401 /)
      }
      const parts = [{ text: "x".repeat(100_000) }]
      const response = yield* Effect.flatMap(NodeAgentServer.url, (url) =>
        Effect.promise(() =>
          fetch(`${url}/rest/message:send`, {
            method: "POST",
            headers: { "x-key": "secret-of-ana", "a2a-version": "1.0", "content-type": "application/json" },
            body: JSON.stringify({ message: { role: "ROLE_USER", messageId: "m-1", parts } })
          })
        ))
      assert.strictEqual(response.status, 200)
    }).pipe(Effect.provide(serve("header", { maxBodiesSize: size }))))
})

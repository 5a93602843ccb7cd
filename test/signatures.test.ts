/** Signed cards, tokens and keys over sockets: an agent, the issuer of its callers' tokens, and clients of both. */
import { Agent, CardVerifier, Credentials, Protocol, PublicOrigin } from "@effect-a2a/core"
import type { AgentCard } from "@effect-a2a/core"
import { NodeAgent, NodeAgentServer } from "@effect-a2a/node"
import { AgentExecutor, AgentServer, Authentication, CardServer } from "@effect-a2a/server"
import { CardSignature, JwksServer, JwtVerifier, KeySet, SigningKey, Token } from "@effect-a2a/signatures"
import { JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Stream, Struct } from "effect"
import { FetchHttpClient, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

const issuer = "https://auth.test"
const audience = "https://agent.test"

/** Listens on a free port, which the card of the routes has to name: those that are served later. */
const listen = (routes: (origin: string) => Layer.Layer<never, unknown, HttpRouter.HttpRouter>) =>
  Effect.gen(function*() {
    let handle: (request: Request) => Promise<Response> = () => Promise.resolve(new Response("", { status: 503 }))
    const asked: Array<string> = []
    const relay = HttpRouter.add("*", "/*", (request) =>
      Effect.gen(function*() {
        asked.push(`${request.method} ${request.url}`)
        const web = yield* Effect.orDie(HttpServerRequest.toWeb(request))
        return HttpServerResponse.fromWeb(yield* Effect.promise(() => handle(web)))
      }))
    const context = yield* Layer.build(NodeAgentServer.layer({ routes: relay, port: 0 }))
    const origin = yield* Effect.provide(NodeAgentServer.url, context)
    const web = HttpRouter.toWebHandler(routes(origin).pipe(Layer.orDie), { disableLogger: true })
    yield* Effect.addFinalizer(() => Effect.promise(() => web.dispose()))
    handle = (request) => web.handler(request)
    return { origin, asked }
  })

const cardOf = (securitySchemes: AgentCard.AgentCard["securitySchemes"] & {}) => ({
  name: "Who",
  description: "Says who you are",
  securitySchemes,
  securityRequirements: [{ token: [] }]
})

/** An agent whose card is signed, and whose callers present tokens of the issuer. */
const serve = Effect.fnUntraced(function*(
  change: (card: AgentCard.AgentCard) => AgentCard.AgentCard = (card) => card
) {
  const [agentKey, issuerKey] = yield* Effect.all([
    SigningKey.generate({ kid: "agent" }),
    SigningKey.generate({ kid: "issuer", alg: "EdDSA" })
  ])
  const issued = yield* listen(() => JwksServer.routes({ keys: [issuerKey] }))
  const served = yield* listen((origin) => {
    const jku = `${origin}/.well-known/jwks.json`
    const sign = CardSignature.makeSigner({ keys: [agentKey], jku })
    const card = cardOf({ token: { _tag: "HttpAuth", scheme: "Bearer", bearerFormat: "JWT" } })
    const extended = sign({
      ...card,
      version: "2",
      supportedInterfaces: [{ url: `${origin}/rpc`, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
      capabilities: { extendedAgentCard: true },
      defaultInputModes: [],
      defaultOutputModes: [],
      skills: []
    })
    const token = JwtVerifier.make({
      keys: KeySet.fromUrl(`${issued.origin}/.well-known/jwks.json`),
      issuer,
      audience
    })
    return Layer.mergeAll(
      RestServer.routes({ path: "/rest" }),
      JsonRpcServer.routes({ path: "/rpc" }),
      CardServer.routes({ sign: (card) => Effect.map(sign(card), change) }),
      JwksServer.routes({ keys: [agentKey] })
    ).pipe(
      Layer.provide(PublicOrigin.layer(origin)),
      Layer.provide(Authentication.layer({ schemes: { token } })),
      Layer.provide(AgentServer.layerMemory({ card, extendedCard: Effect.map(extended, change) })),
      Layer.provide(AgentExecutor.layer(({ caller }) => Stream.make(`You are ${caller?.id}`))),
      Layer.provide(NodeAgent.layerClient)
    )
  })
  const present = (claims: object = {}) =>
    Effect.map(
      Token.sign({ iss: issuer, aud: audience, sub: "ada", ...claims }, { key: issuerKey }),
      (token) => Credentials.layerBearer(token)
    )
  return { ...served, agentKey, issued, present }
})

const verifying = (origin: string) =>
  CardSignature.layerVerify({ keys: KeySet.fromJku({ allow: [origin] }) }).pipe(Layer.provide(NodeAgent.layerClient))

describe("a signed agent over sockets", () => {
  it.live("is found, verified by the keys that it publishes, and knows its caller by a token", () =>
    Effect.gen(function*() {
      const { asked, issued, origin, present } = yield* serve()
      const credentials = yield* present()
      const agent = NodeAgent.layer({ agent: origin }).pipe(Layer.provide([verifying(origin), credentials]))
      const [answer, card, extended] = yield* Effect.all([Agent.ask("Hi"), Agent.card, Agent.extendedCard]).pipe(
        Effect.provide(agent)
      )
      assert.strictEqual(answer.text, "You are ada")
      assert.deepStrictEqual([card.signatures?.length, extended.version], [4, "2"])
      assert.deepStrictEqual(issued.asked, ["GET /.well-known/jwks.json"])
      assert.deepStrictEqual(asked.slice(0, 2), ["GET /.well-known/agent-card.json", "GET /.well-known/jwks.json"])
    }))

  it.live("is verified by clients of each version and binding", () =>
    Effect.gen(function*() {
      const { origin, present } = yield* serve()
      const credentials = yield* present()
      for (const protocol of ["1.0", "0.3"] as const) {
        for (const [binding, path] of [["rest", "/rest"], ["jsonrpc", "/rpc"]] as const) {
          const agent = NodeAgent.layer({ url: origin + path, protocol, binding }).pipe(
            Layer.provide([verifying(origin), credentials])
          )
          const cards = yield* Effect.all([Agent.card, Agent.extendedCard]).pipe(Effect.provide(agent))
          assert.deepStrictEqual(cards.map(({ name }) => name), ["Who", "Who"], `${protocol} ${binding}`)
        }
      }
    }))

  it.live("is sent nothing if its card was changed on the way", () =>
    Effect.gen(function*() {
      const { asked, origin, present } = yield* serve((card) => ({ ...card, description: "Says what it likes" }))
      const credentials = yield* present()
      const agent = NodeAgent.layer({ agent: origin }).pipe(Layer.provide([verifying(origin), credentials]))
      const error = yield* Agent.ask("Hi").pipe(Effect.provide(agent), Effect.flip)
      assert.strictEqual(error._tag === "AgentError" && error.reason._tag, "UntrustedCardError")
      assert.deepStrictEqual(asked.filter((one) => !one.startsWith("GET /.well-known/")), [])
      const known = NodeAgent.layer({ url: `${origin}/rest` }).pipe(Layer.provide([verifying(origin), credentials]))
      const extended = yield* Agent.extendedCard.pipe(Effect.provide(known), Effect.flip)
      assert.deepInclude(extended, { _tag: "AgentError", operation: "GetExtendedAgentCard" })
    }))

  it.live("signs no origin that somebody else named", () =>
    Effect.gen(function*() {
      const key = yield* SigningKey.generate()
      const { origin } = yield* listen(() =>
        Layer.mergeAll(RestServer.routes(), CardServer.routes({ sign: CardSignature.makeSigner({ keys: [key] }) }))
          .pipe(
            Layer.provide(AgentServer.layerMemory({ card: { name: "Who", description: "" } })),
            Layer.provide(AgentExecutor.layer(() => Stream.make("Hi")))
          )
      )
      const response = yield* Effect.promise(() => fetch(`${origin}/.well-known/agent-card.json`))
      const text = yield* Effect.promise(() => response.text())
      assert.strictEqual(response.status, 500)
      assert.include(text, "the URL of an interface is not absolute")
    }))

  it.live("keeps the ETag of its signed card", () =>
    Effect.gen(function*() {
      const { origin } = yield* serve()
      const get = (headers: Record<string, string> = {}) =>
        Effect.promise(() => fetch(`${origin}/.well-known/agent-card.json`, { headers }))
      const etag = (yield* get()).headers.get("etag") ?? ""
      assert.strictEqual((yield* get({ "if-none-match": etag })).status, 304)
    }))

  it.live("refuses tokens, and says that it cannot judge them while its issuer is down", () =>
    Effect.gen(function*() {
      const { origin, present } = yield* serve()
      const ask = (credentials: Layer.Layer<Credentials.Credentials>) =>
        Agent.ask("Hi").pipe(
          Effect.provide(NodeAgent.layer({ url: `${origin}/rest` }).pipe(Layer.provide(credentials))),
          Effect.match({
            onSuccess: ({ text }) => text,
            onFailure: ({ reason }) => `${reason.status} ${reason.message}`
          })
        )
      assert.strictEqual(yield* ask(yield* present({ aud: "x" })), "401 the token is for another audience")
      assert.include(yield* ask(Credentials.layerBearer(Redacted.make("opaque"))), "401 the token is not a JWT")
      assert.strictEqual(yield* ask(yield* present()), "You are ada")

      const key = yield* SigningKey.generate()
      const silent = yield* listen(() => HttpRouter.add("GET", "/x", HttpServerResponse.empty()))
      const down = yield* listen(() =>
        RestServer.routes({ path: "/rest" }).pipe(
          Layer.provide(Authentication.layer({
            schemes: { token: JwtVerifier.make({ keys: KeySet.fromUrl(`${silent.origin}/jwks`), issuer, audience }) }
          })),
          Layer.provide(AgentServer.layerMemory({ card: cardOf({ token: { _tag: "HttpAuth", scheme: "Bearer" } }) })),
          Layer.provide(AgentExecutor.layer(() => Stream.make("Hi"))),
          Layer.provide(NodeAgent.layerClient)
        )
      )
      const token = yield* Token.sign({ iss: issuer, aud: audience, sub: "ada" }, { key })
      const { status } = yield* Effect.promise(() =>
        fetch(`${down.origin}/rest/tasks/t-1`, {
          headers: { authorization: `Bearer ${Redacted.value(token)}`, "a2a-version": Protocol.v1_0.version }
        })
      )
      assert.strictEqual(status, 503)
    }))

  it.live("is asked for its keys without following it elsewhere", () =>
    Effect.gen(function*() {
      const key = yield* SigningKey.generate({ kid: "k1" })
      const { asked, origin } = yield* listen(() =>
        Layer.merge(
          HttpRouter.add("GET", "/moved", HttpServerResponse.redirect("/.well-known/jwks.json")),
          JwksServer.routes({ keys: [key] })
        )
      )
      const find = (path: string) =>
        KeySet.fromUrl(origin + path).pipe(
          Effect.flatMap((keys) => keys.find({ alg: "ES256", kid: "k1" })),
          Effect.match({ onSuccess: ({ length }) => length, onFailure: ({ message }) => message }),
          Effect.provide(FetchHttpClient.layer)
        )
      assert.strictEqual(yield* find("/moved"), `the keys at ${origin}/moved cannot be fetched: HTTP 302`)
      assert.strictEqual(yield* find("/.well-known/jwks.json"), 1)
      assert.strictEqual(asked.length, 2)
    }))

  it.live("that is not signed is used unless signatures are required", () =>
    Effect.gen(function*() {
      const { agentKey, origin, present } = yield* serve(Struct.omit(["signatures"]))
      const credentials = yield* present()
      const keys = KeySet.fromJwks(SigningKey.toJwks([agentKey]))
      const read = (verifier: Layer.Layer<never, unknown>) =>
        Agent.card.pipe(
          Effect.provide(NodeAgent.layer({ agent: origin }).pipe(Layer.provide([Layer.orDie(verifier), credentials]))),
          Effect.match({ onSuccess: ({ name }) => name, onFailure: ({ reason }) => reason.code })
        )
      assert.strictEqual(yield* read(CardSignature.layerVerify({ keys })), "UNTRUSTED_CARD")
      assert.strictEqual(yield* read(CardSignature.layerVerify({ keys, required: false })), "Who")
      assert.strictEqual(yield* read(Layer.succeed(CardVerifier.Current, undefined)), "Who")
    }))
})

/** Signed tokens of callers through `Authentication`: keys that are fetched, scopes, and keys that cannot be fetched. */
import { Agent, Credentials } from "@effect-a2a/core"
import { AgentExecutor, AgentServer, Authentication, InProcessHttp } from "@effect-a2a/server"
import { JwksServer, JwtVerifier, KeySet, SigningKey, Token } from "@effect-a2a/signatures"
import { JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { type Duration, Effect, Layer, Stream } from "effect"
import type { HttpRouter } from "effect/http"
import { type Combination, combinations } from "./peers/combinations.ts"

const card = {
  name: "Who",
  description: "Says who you are",
  securitySchemes: {
    login: { _tag: "OpenIdConnect", openIdConnectUrl: "https://login.test/.well-known/openid-configuration" }
  },
  securityRequirements: [{ login: ["ask"] }]
} as const

/** A server whose keys are those of another one in this process. */
const serve = (publisher: Layer.Layer<never, never, HttpRouter.HttpRouter>) =>
  InProcessHttp.layer(
    Layer.merge(RestServer.routes({ path: "/rest" }), JsonRpcServer.routes({ path: "/rpc" })).pipe(
      Layer.provide(Authentication.layer({
        schemes: {
          login: JwtVerifier.make({
            keys: KeySet.fromUrl("https://login.test/.well-known/jwks.json"),
            issuer: "https://login.test",
            audience: "https://agent.test"
          })
        }
      })),
      Layer.provide(AgentServer.layerMemory({ card })),
      Layer.provide(AgentExecutor.layer(({ caller }) =>
        Stream.make(`${caller?.id} ${caller?.scopes?.join()} ${caller?.claims?.team}`)
      )),
      Layer.provide(InProcessHttp.layer(publisher))
    )
  )

const ask = Effect.fnUntraced(function*(
  key: SigningKey.SigningKey,
  { lifetime = "1 minute", scope = "ask read" }: { readonly scope?: string; readonly lifetime?: Duration.Input } = {},
  { client, path, protocol }: Combination = combinations[0]!
) {
  const claims = { iss: "https://login.test", aud: "https://agent.test", sub: "ana", scope, team: "blue" }
  const token = yield* Token.sign(claims, { key, lifetime })
  const agent = Agent.layer.pipe(
    Layer.provide(client({ url: `http://agent.test${path}`, protocol })),
    Layer.provide(Credentials.layerBearer(token))
  )
  return yield* Agent.ask("Who am I?").pipe(
    Effect.map(({ text }): ReadonlyArray<string | undefined> => [text]),
    Effect.catch(({ reason }) => Effect.succeed([reason._tag, "challenge" in reason ? reason.challenge : undefined])),
    Effect.provide(agent)
  )
})

describe("callers with signed tokens", () => {
  it.effect("are known by them in each combination", () =>
    Effect.gen(function*() {
      const key = yield* SigningKey.generate()
      yield* Effect.gen(function*() {
        for (const combination of combinations) {
          assert.deepStrictEqual(yield* ask(key, {}, combination), ["ana ask,read blue"], combination.name)
          assert.deepStrictEqual(yield* ask(key, { lifetime: "-1 minute" }, combination), [
            "UnauthenticatedError",
            `Bearer realm="Who", scope="ask", error="invalid_token"`
          ], combination.name)
          assert.deepStrictEqual(yield* ask(key, { scope: "read" }, combination), [
            "AccessDeniedError",
            `Bearer realm="Who", error="insufficient_scope", scope="ask"`
          ], combination.name)
        }
        assert.strictEqual((yield* ask(yield* SigningKey.generate()))[0], "UnauthenticatedError")
      }).pipe(Effect.provide(serve(JwksServer.routes({ keys: [key] }))))
    }))

  it.effect("are refused for now, not for good, if the keys cannot be fetched", () =>
    Effect.gen(function*() {
      const key = yield* SigningKey.generate()
      assert.strictEqual((yield* ask(key))[0], "ServiceUnavailableError")
    }).pipe(Effect.provide(serve(Layer.empty))))
})

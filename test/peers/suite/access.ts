/** Discovery of a peer, and refused credentials. */
import * as Agent from "@effect-a2a/core/Agent"
import * as Credentials from "@effect-a2a/core/Credentials"
import * as Discovery from "@effect-a2a/core/Discovery"
import * as NodeAgent from "@effect-a2a/node/NodeAgent"
import * as JsonRpc from "@effect-a2a/transport-jsonrpc/JsonRpc"
import * as Rest from "@effect-a2a/transport-rest/Rest"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Peer } from "../peer.ts"
import { type Context, layer, runStream } from "./client.ts"

const binding = { "HTTP+JSON": Rest.binding, JSONRPC: JsonRpc.binding }

export const discovery = ({ combination, it }: Context, name: string): void => {
  it.effect("the card is found above the interface's path, with its security schemes", () =>
    Effect.gen(function*() {
      const { origin } = yield* Peer
      const card = yield* Agent.card
      assert.strictEqual(card.name, name)
      assert.isTrue(card.capabilities.streaming)
      assert.isTrue(
        card.supportedInterfaces.some(({ protocolBinding, protocolVersion, url }) =>
          url === origin + combination.path && protocolBinding === combination.binding &&
          protocolVersion.startsWith(combination.protocol.version)
        )
      )
      assert.deepStrictEqual(card.securitySchemes?.key, { _tag: "ApiKey", location: "header", name: "x-key" })
    }))

  it.effect("the interface is found from the origin", () =>
    Effect.gen(function*() {
      const { origin } = yield* Peer
      const agent = Discovery.layer({
        agent: origin,
        bindings: [binding[combination.binding]],
        protocols: [combination.protocol]
      })
      const answer = yield* Agent.ask("echo found").pipe(
        Effect.provide(
          Layer.fresh(Agent.layer).pipe(
            Layer.provide(agent),
            Layer.provide([Credentials.layerNone, Layer.fresh(NodeAgent.layerClient)])
          )
        )
      )
      assert.strictEqual(answer.text, "found")
    }))
}

/** Credentials that return each token once. */
const tokens = (...left: Array<string>) => {
  const given: Array<string> = []
  return {
    given,
    layer: Credentials.layerBearerEffect(Effect.sync(() => {
      const token = left.shift()!
      given.push(token)
      return Redacted.make(token)
    }))
  }
}

export const refusedCredentials = ({ combination, it }: Context): void => {
  it.effect("a refused token is an error with the challenge and without the token", () =>
    Effect.gen(function*() {
      const { origin } = yield* Peer
      const credentials = Credentials.layerBearer(Redacted.make("stale"))
      const errors = yield* Effect.all([
        Effect.flip(Agent.send("echo x")),
        Effect.map(runStream(Agent.stream("echo x")), ({ failure }) => failure!)
      ]).pipe(Effect.provide(layer(combination, origin, { credentials })))
      for (const error of errors) {
        const { reason } = error
        assert.strictEqual(reason._tag, "UnauthenticatedError")
        assert.strictEqual(reason._tag === "UnauthenticatedError" && reason.challenge, "Bearer error=\"invalid_token\"")
        assert.notInclude(JSON.stringify(error), "stale")
      }
    }))

  it.effect("a refused token is renewed once, and the call is repeated", () =>
    Effect.gen(function*() {
      const { origin } = yield* Peer
      for (
        const call of [
          Agent.ask("echo x"),
          Effect.map(runStream(Agent.stream("echo x")), ({ answer: text }) => ({ text }))
        ]
      ) {
        const { given, layer: credentials } = tokens("stale", "fresh", "another")
        const { text } = yield* Effect.provide(call, layer(combination, origin, { credentials }))
        assert.strictEqual(text, "x")
        assert.deepStrictEqual(given, ["stale", "fresh"])
      }
    }))
}

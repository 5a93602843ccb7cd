import type { AgentError, AgentTransport } from "@effect-a2a/core"
import { Agent } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { covers } from "../support/covers.ts"
import { inEach, rest, talkTo } from "../support/peer.ts"

const card = (layer: Layer.Layer<AgentTransport.AgentTransport, AgentError.AgentError>) =>
  Agent.card.pipe(Effect.provide(Agent.layer.pipe(Layer.provide(layer))))

const document = {
  name: "x",
  description: "",
  version: "1",
  protocolVersion: "0.3.0",
  url: "https://agent.test/agents/foo",
  supportedInterfaces: [{ url: "https://agent.test/agents/foo", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }],
  capabilities: {},
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: []
}
const found = () => new Response(JSON.stringify(document), { headers: { "content-type": "application/json" } })

const below = "https://agent.test/agents/foo/.well-known/agent-card.json"
const origin = "https://agent.test/.well-known/agent-card.json"

const url = "https://agent.test/agents/foo"

describe("the card", () => {
  it.effect(
    "is read below the agent's path first, with or without a trailing slash",
    () =>
      inEach((combination) =>
        Effect.gen(function*() {
          for (const slash of ["", "/"]) {
            const { asked, layer } = talkTo(combination, found, { url: url + slash })
            assert.strictEqual((yield* card(layer)).name, "x")
            assert.deepStrictEqual(asked.map(({ method, url }) => `${method} ${url}`), [`GET ${below}`])
          }
        })
      ),
    covers("field:CARD-01")
  )

  it.effect("is read below the origin after 404, 405 and 410", () =>
    inEach((combination) =>
      Effect.gen(function*() {
        for (const status of [404, 405, 410]) {
          const { asked, layer } = talkTo(
            combination,
            (asked) => asked.url === origin ? found() : new Response("", { status }),
            { url }
          )
          assert.strictEqual((yield* card(layer)).name, "x")
          assert.deepStrictEqual(asked.map(({ url }) => url), [below, origin])
        }
      })
    ), covers("field:CARD-01"))

  it.effect("if missing, fails with an error that names the URLs and their statuses", () =>
    Effect.gen(function*() {
      const { layer } = talkTo(rest, (asked) => new Response("", { status: asked.url === below ? 405 : 404 }), { url })
      const { reason } = yield* Effect.flip(card(layer))
      assert.strictEqual(reason._tag, "NotFoundError")
      assert.include(reason.message, `${below} (HTTP 405)`)
      assert.include(reason.message, `${origin} (HTTP 404)`)
    }), covers("field:CARD-01"))

  it.effect("is not searched any further after another status", () =>
    Effect.gen(function*() {
      for (const [status, tag] of [[403, "AccessDeniedError"], [500, "InternalError"]] as const) {
        const { asked, layer } = talkTo(rest, () => new Response("<html>", { status }), { url })
        assert.strictEqual((yield* Effect.flip(card(layer))).reason._tag, tag)
        assert.strictEqual(asked.length, 1)
      }
    }), covers("field:CARD-01"))

  it.effect(
    "is read from the URL of the options alone if there is one, exactly as written",
    () =>
      Effect.gen(function*() {
        const agentCardUrl = "https://cards.test/cards/7.json?v=2"
        const { asked, layer } = talkTo(rest, () => new Response("", { status: 404 }), { url, agentCardUrl })
        assert.strictEqual((yield* Effect.flip(card(layer))).reason._tag, "NotFoundError")
        assert.deepStrictEqual(asked.map(({ url }) => url), [agentCardUrl])
      }),
    covers("field:CARD-02")
  )
})

import type { AgentError, AgentTransport } from "@effect-a2a/core"
import { Agent } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { combinations, talkTo } from "../support/peer.ts"

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

for (const one of combinations) {
  describe(`the card, ${one.name}`, () => {
    const url = "https://agent.test/agents/foo"

    it.effect("CARD-01: below the agent's path first, whatever its slash", () =>
      Effect.gen(function*() {
        for (const slash of ["", "/"]) {
          const { asked, layer } = talkTo(one, found, { url: url + slash })
          assert.strictEqual((yield* card(layer)).name, "x")
          assert.deepStrictEqual(asked.map(({ method, url }) => `${method} ${url}`), [`GET ${below}`])
        }
      }))

    for (const status of [404, 405, 410]) {
      it.effect(`CARD-01: then below the origin, after ${status}`, () =>
        Effect.gen(function*() {
          const { asked, layer } = talkTo(
            one,
            (asked) => asked.url === origin ? found() : new Response("", { status }),
            { url }
          )
          assert.strictEqual((yield* card(layer)).name, "x")
          assert.deepStrictEqual(asked.map(({ url }) => url), [below, origin])
        }))
    }

    it.effect("CARD-01: where there is none, the error names the places and what they answered", () =>
      Effect.gen(function*() {
        const { layer } = talkTo(one, (asked) => new Response("", { status: asked.url === below ? 405 : 404 }), { url })
        const { reason } = yield* Effect.flip(card(layer))
        assert.strictEqual(reason._tag, "NotFoundError")
        assert.include(reason.message, `${below} (405)`)
        assert.include(reason.message, `${origin} (HTTP 404)`)
      }))

    it.effect("CARD-01: any other answer ends the search", () =>
      Effect.gen(function*() {
        for (const [status, tag] of [[403, "AccessDeniedError"], [500, "InternalError"]] as const) {
          const { asked, layer } = talkTo(one, () => new Response("<html>", { status }), { url })
          assert.strictEqual((yield* Effect.flip(card(layer))).reason._tag, tag)
          assert.strictEqual(asked.length, 1)
        }
      }))

    it.effect("CARD-02: a place of its own is the only one asked, exactly as written", () =>
      Effect.gen(function*() {
        const agentCardUrl = "https://cards.test/cards/7.json?v=2"
        const { asked, layer } = talkTo(one, () => new Response("", { status: 404 }), { url, agentCardUrl })
        assert.strictEqual((yield* Effect.flip(card(layer))).reason._tag, "NotFoundError")
        assert.deepStrictEqual(asked.map(({ url }) => url), [agentCardUrl])
      }))
  })
}

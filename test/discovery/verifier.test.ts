import { Agent, AgentError, CardVerifier, Credentials, Discovery, Protocol } from "@effect-a2a/core"
import { JsonRpc } from "@effect-a2a/transport-jsonrpc"
import { Rest } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { card, card03, find, isCard, json, one, respond } from "./support.ts"

const refusal = new AgentError.UntrustedCardError({ message: "not signed", problem: "unsigned" })

/** Refuses the first cards, then trusts one by another document, and notes what it was asked. */
const verifying = (refused: number) => {
  const seen: Array<readonly [document: unknown, source: CardVerifier.Source]> = []
  const layer = Layer.succeed(CardVerifier.Current, {
    verify: (document, source) => {
      seen.push([document, source])
      return seen.length <= refused
        ? Effect.fail(refusal)
        : Effect.succeed({ ...(document as object), description: "verified" })
    }
  })
  return { seen, layer }
}

const agent = "https://agent.test"
const document = { ...card(one(`${agent}/a2a`)), "x-vendor": { unknown: [1] } }

describe("a verifier of cards", () => {
  it.effect("is given the document as it was received, and refuses before anything is sent to an interface", () =>
    Effect.gen(function*() {
      const verifier = verifying(1)
      const { layer, urls } = find(`${agent}/?key=secret`, document)
      const error = yield* Agent.ask("Hi").pipe(Effect.provide(Layer.provide(layer, verifier.layer)), Effect.flip)
      assert.deepStrictEqual([error.operation, error.reason], ["GetAgentCard", refusal])
      assert.deepStrictEqual(verifier.seen, [[document, { url: `${agent}/.well-known/agent-card.json` }]])
      assert.deepStrictEqual(urls().filter((url) => !url.includes(".json")), [])
    }))

  it.effect("decides what the card is read from", () =>
    Effect.gen(function*() {
      const { layer } = find(agent, document)
      const read = yield* Agent.card.pipe(Effect.provide(Layer.provide(layer, verifying(0).layer)))
      assert.strictEqual(read.description, "verified")
    }))

  it.effect("is asked again when the card is fetched again, outside of the layer too", () =>
    Effect.gen(function*() {
      const verifier = verifying(0)
      const { layer } = find(agent, document)
      yield* Effect.andThen(Agent.card, Agent.card).pipe(Effect.provide(Layer.provide(layer, verifier.layer)))
      assert.strictEqual(verifier.seen.length, 3)
    }))

  it.effect("is asked about cards of known interfaces and about extended cards, in each combination", () =>
    Effect.gen(function*() {
      const extended = { ...card03(), ...document, name: "extended", supportsAuthenticatedExtendedCard: true }
      for (const binding of [Rest, JsonRpc]) {
        for (const protocol of [Protocol.v1_0, Protocol.v0_3]) {
          const verifier = verifying(0)
          const { layer: http } = respond((asked) =>
            isCard(asked)
              ? json(JSON.stringify(document))
              : json(
                asked.body === ""
                  ? JSON.stringify(extended)
                  : JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(asked.body).id, result: extended })
              )
          )
          const layer = Agent.layer.pipe(
            Layer.provide(binding.layer({ url: `${agent}/a2a`, protocol })),
            Layer.provide([http, Credentials.layerNone, verifier.layer])
          )
          const cards = yield* Effect.all([Agent.card, Agent.extendedCard]).pipe(Effect.provide(layer))
          assert.deepStrictEqual(cards.map(({ description }) => description), ["verified", "verified"])
          assert.deepStrictEqual(verifier.seen.map(([document]) => document), [document, extended])
        }
      }
    }))

  it.effect("is asked about documents that a program reads, and not about other documents", () =>
    Effect.gen(function*() {
      const verifier = verifying(0)
      const read = yield* Effect.provide(Discovery.fromJson(document), verifier.layer)
      assert.strictEqual(read.description, "verified")
      const error = yield* Discovery.fromJson({ name: 1 }).pipe(Effect.provide(verifier.layer), Effect.flip)
      assert.strictEqual(error.reason._tag, "MalformedResponseError")
      assert.deepStrictEqual(verifier.seen, [[document, {}]])
    }))

  it.effect("is not asked about a card that the program wrote", () =>
    Effect.gen(function*() {
      const verifier = verifying(1)
      const { layer } = find({ ...card(), supportedInterfaces: [one(`${agent}/a2a`)] }, document)
      const read = yield* Agent.card.pipe(Effect.provide(Layer.provide(layer, verifier.layer)))
      assert.deepStrictEqual([read.description, verifier.seen], ["d", []])
    }))
})

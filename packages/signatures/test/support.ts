/** Keys, a card with every kind of member, and the sets of an issuer. */
import type { AgentCard } from "@effect-a2a/core"
import { KeySet, SigningKey } from "@effect-a2a/signatures"
import { Effect, Layer, type Schema } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import type { Random } from "../../../scripts/fuzz/random.ts"

/** The key `kid`, and the set that has it. */
export const makeKey = (kid: string, options: Omit<SigningKey.Options, "kid"> = {}) =>
  Effect.map(SigningKey.generate({ kid, ...options }), (key) => ({
    key,
    jwks: SigningKey.toJwks([key]),
    keys: KeySet.fromJwks(SigningKey.toJwks([key]))
  }))

export const card: AgentCard.AgentCard = {
  name: "Café \u{1F980}",
  description: "",
  version: "1.0.0",
  supportedInterfaces: [
    { url: "https://agent.test/a2a", protocolBinding: "JSONRPC", protocolVersion: "1.0", tenant: "acme" },
    { url: "https://agent.test/v1", protocolBinding: "HTTP+JSON", protocolVersion: "0.3" }
  ],
  provider: { organization: "Example", url: "https://example.test" },
  documentationUrl: "https://docs.test",
  capabilities: {
    streaming: false,
    extensions: [{
      uri: "https://ext.test",
      required: true,
      params: { rate: 1e-7, none: null, list: [], deep: { a: 0 } }
    }]
  },
  securitySchemes: {
    bearer: { _tag: "HttpAuth", scheme: "Bearer" },
    key: { _tag: "ApiKey", location: "header", name: "x-key" }
  },
  securityRequirements: [{ bearer: [] }, { key: [] }],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: [],
  skills: [{ id: "s", name: "S", description: "d", tags: [], securityRequirements: [{ bearer: ["read"] }] }]
}

/** A client whose requests a function answers, and the URLs that were asked. */
export const serve = (answer: (url: string) => Response | Effect.Effect<Response>) => {
  const asked: Array<string> = []
  const client = HttpClient.make((request) =>
    Effect.suspend(() => {
      asked.push(request.url)
      const response = answer(request.url)
      return Effect.map(
        Effect.isEffect(response) ? response : Effect.succeed(response),
        (response) => HttpClientResponse.fromWeb(request, response)
      )
    })
  )
  return { asked, layer: Layer.succeed(HttpClient.HttpClient, client) }
}

const characters = [
  "a",
  "B",
  "0",
  " ",
  "\"",
  "\\",
  "\n",
  "\u0000",
  "é",
  "€",
  "\u2028",
  "\ufb33",
  "\u{1F600}",
  "\u{10FFFF}"
]

/** A text with characters of every kind. */
export const textOf = (random: Random): string =>
  Array.from({ length: random.below(8) }, () => random.pick(characters)).join("")

const numbers = [0, -1, 1e21, 1e-7, 123456789, 0.1, -5e-324, 1.7976931348623157e308, 9007199254740991]

/** A JSON value of a few levels. */
export const jsonOf = (random: Random, levels = 3): Schema.Json => {
  const kind = random.below(levels === 0 ? 4 : 6)
  if (kind === 0) return random.pick([null, true, false])
  if (kind === 1) return random.chance(0.5) ? random.pick(numbers) : random.below(1000) / 7
  if (kind < 4) return textOf(random)
  const members = Array.from({ length: random.below(5) }, () => jsonOf(random, levels - 1))
  return kind === 4 ? members : Object.fromEntries(members.map((member) => [textOf(random), member]))
}

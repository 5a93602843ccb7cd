/** Agent cards that are wrong everywhere: found, read, chosen from and obeyed. */
import { Agent, Credentials, Protocol } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { find, getCard } from "../discovery/support.ts"
import { covers } from "../support/covers.ts"
import { json } from "../support/respond.ts"
import { costly, few, nameOf, places, plant } from "./documents.ts"
import * as Samples from "./samples.ts"
import { assertLinear, assertWritable, outcome } from "./support.ts"

const codecs = { "1.0": Protocol.v1_0.agentCard, "0.3": Protocol.v0_3.agentCard }

/** A card of both versions, and one of 0.3 alone. */
const samples = {
  "1.0": {
    ...Result.getOrThrow(Protocol.v0_3.agentCard.encode(Samples.card(true))) as object,
    ...Result.getOrThrow(Protocol.v1_0.agentCard.encode(Samples.card(false))) as object
  },
  "0.3": Result.getOrThrow(Protocol.v0_3.agentCard.encode(Samples.card(true)))
}

/** Finds an agent by its card, and reads the card. */
const read = (text: string) => {
  const { layer } = find("https://agent.test", undefined, { answer: () => json(text) })
  return getCard.pipe(Effect.provide(layer))
}

const versions = ["1.0", "0.3"] as const

describe.each(versions)("a card of %s", (version) => {
  const sample = samples[version]
  const codec = codecs[version]

  it.live("that is wrong is an error of few words, or can be written again", () =>
    Effect.gen(function*() {
      // below, its decoder is tested with the results
      for (const path of places(sample).filter(({ length }) => length < 2)) {
        for (const [kind, make] of Object.entries(few)) {
          const name = `${kind} at ${nameOf(path)}`
          const card = yield* outcome(read(plant(sample, path, make(300))), name)
          if (card !== undefined) assertWritable(codec, card, name)
        }
      }
    }))

  it.live("costs the same for each of its members", () =>
    Effect.gen(function*() {
      const decode = (text: string) => Effect.sync(() => codec.decode(JSON.parse(text)))
      for (const path of places(sample).filter(({ length }) => length < 2)) {
        for (const [kind, make] of Object.entries(costly)) {
          yield* assertLinear((count) => decode(plant(sample, path, make(count))), `${kind} at ${nameOf(path)}`)
        }
      }
    }), covers("attack:S2-44"))
})

const many = (count: number, make: (index: number) => string) =>
  `[${Array.from({ length: count }, (_, n) => make(n)).join(",")}]`

const members = (count: number, make: (index: number) => string) =>
  `{${Array.from({ length: count }, (_, n) => make(n)).join(",")}}`

const cardWith = (more: string) => `${JSON.stringify(samples["0.3"]).slice(0, -1)},${more}}`

describe("a card of very many", covers("attack:S2-44"), () => {
  const cards: Readonly<Record<string, (count: number) => string>> = {
    "interfaces of 0.3": (count) =>
      cardWith(`"additionalInterfaces":${many(count, (n) => `{"url":"https://agent.test/${n}","transport":"T${n}"}`)}`),
    "interfaces of 1.0": (count) =>
      cardWith(
        `"supportedInterfaces":${
          many(count, (n) => `{"url":"https://agent.test/${n}","protocolBinding":"T${n}","protocolVersion":"9.${n}"}`)
        }`
      ),
    schemes: (count) =>
      cardWith(`"securitySchemes":${members(count, (n) => `"s${n}":{"type":"http","scheme":"bearer"}`)}`),
    "members of a scheme": (count) => cardWith(`"securitySchemes":{"s":${members(count, (n) => `"k${n}":{}`)}}`),
    "kinds of a scheme": (count) =>
      cardWith(
        `"securitySchemes":{"s":${
          members(count, (n) => `"${"_".repeat(n % 7)}apiKey${"-".repeat(n % 11)}${n % 5 ? "" : n}":{}`)
        }}`
      ),
    flows: (count) =>
      cardWith(`"securitySchemes":{"s":{"type":"oauth2","flows":${members(count, (n) => `"f${n}":{}`)}}}`),
    requirements: (count) => cardWith(`"security":${many(count, (n) => `{"r${n}":[]}`)}`),
    "schemes of a requirement": (count) => cardWith(`"security":[${members(count, (n) => `"r${n}":["x"]`)}]`),
    versions: (count) => cardWith(`"protocolVersion":"1${".1".repeat(count)}x"`),
    "versions of digits": (count) => cardWith(`"protocolVersion":"1.1${"1".repeat(count)}x"`)
  }

  it.live.each(Object.entries(cards))(
    "%s costs the same for each",
    ([name, make]) =>
      assertLinear(
        (count) => Effect.sync(() => Protocol.v1_0.agentCard.decode(JSON.parse(make(count)))),
        name,
        name.includes("requirement") ? 10_000 : 3000
      )
  )

  it.live("interfaces or requirements that cannot be met is an error of few words", () =>
    Effect.gen(function*() {
      for (const name of ["interfaces of 1.0", "interfaces of 0.3"]) {
        const { layer } = find("https://agent.test", undefined, { answer: () => json(cards[name]!(10_000)) })
        yield* outcome(Agent.send("hi").pipe(Effect.provide(layer)), name)
      }
      for (const name of ["requirements", "schemes of a requirement"]) {
        const card = Result.getOrThrow(Protocol.v1_0.agentCard.decode(JSON.parse(cards[name]!(10_000))))
        const target = card.supportedInterfaces[0]!
        const get = Effect.flatMap(Credentials.Credentials, (credentials) => credentials.get(target)).pipe(
          Effect.provide(Credentials.layerFromCard(card, { other: Redacted.make("x") }))
        )
        assert.isUndefined(yield* outcome(get, name))
      }
    }))

  it.live("letters in a URL is an error of few words", () =>
    Effect.gen(function*() {
      for (
        const url of [`https://other.test/${"x".repeat(100_000)}`, "x".repeat(100_000), `//${"x".repeat(100_000)}`]
      ) {
        const text = JSON.stringify({
          ...samples["1.0"],
          supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }]
        })
        const { layer } = find("https://agent.test", undefined, { answer: () => json(text) })
        yield* outcome(Agent.send("hi").pipe(Effect.provide(layer)), url.slice(0, 30))
      }
    }))
})

// Signed cards, sets of keys and tokens: what is accepted is what was signed, and everything else is a typed refusal.
import * as Protocol from "@effect-a2a/core/Protocol"
import * as CardSignature from "@effect-a2a/signatures/CardSignature"
import type { Jwks } from "@effect-a2a/signatures/Jwk"
import * as JwtVerifier from "@effect-a2a/signatures/JwtVerifier"
import * as KeySet from "@effect-a2a/signatures/KeySet"
import * as SigningKey from "@effect-a2a/signatures/SigningKey"
import * as Token from "@effect-a2a/signatures/Token"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import { Buffer } from "node:buffer"
import { createPrivateKey } from "node:crypto"
import { mutate } from "../mutate.ts"
import * as Seeds from "../seeds.ts"
import { finding, type Outcome, parse, refusal, type Target, value } from "../target.ts"

/** A key that every run has, whose signatures are always the same. */
const key = createPrivateKey({
  key: Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), Buffer.alloc(32, 1)]),
  format: "der",
  type: "pkcs8"
}).export({ format: "jwk" })

const setup = Effect.gen(function*() {
  const signingKey = yield* SigningKey.fromJwk(Redacted.make({ ...key, kty: "OKP" }), { alg: "EdDSA", kid: "k1" })
  const jwks = SigningKey.toJwks([signingKey])
  const keys = yield* KeySet.fromJwks(jwks)
  const cards: Array<string> = []
  for (const { documents } of Seeds.all.filter(({ name }) => /card/i.test(name))) {
    for (const text of documents) {
      // halves of surrogate pairs cannot be signed
      const read = Protocol.v1_0.agentCard.decode(JSON.parse(text.replace(/\\u[dD][89a-fA-F]../g, "x")))
      if (Result.isFailure(read)) continue
      const supportedInterfaces = read.success.supportedInterfaces.map((one, index) => ({
        ...one,
        url: `https://agent.test/${index}`
      }))
      const card = { ...read.success, supportedInterfaces }
      const signed = yield* Effect.result(CardSignature.sign(card, { keys: [signingKey] }))
      if (Result.isFailure(signed)) continue
      // both are signed
      for (const { agentCard } of [Protocol.v1_0, Protocol.v0_3]) {
        cards.push(JSON.stringify(Result.getOrThrow(agentCard.encode(signed.success))))
      }
    }
  }
  const token = yield* Token.sign({ iss: "i", aud: "a", sub: "s", jti: "j" }, {
    key: signingKey,
    lifetime: "1000 days"
  })
  const verify = yield* JwtVerifier.make({ keys: Effect.succeed(keys), issuer: "i", audience: "a" })
  return { cards, jwks: JSON.stringify(jwks), keys, token: Redacted.value(token), verify }
})

const { cards, jwks, keys, token, verify } = await Effect.runPromise(setup)

const content = (document: unknown) => JSON.stringify(Struct.omit(document as { signatures?: unknown }, ["signatures"]))

const toOutcome = <A, E>(exit: Exit.Exit<A, E>, check: (success: A) => Outcome): Outcome =>
  Exit.isSuccess(exit) ? check(exit.value) : Exit.hasFails(exit) ? refusal : finding(Cause.pretty(exit.cause))

const sorted = (text: string): string =>
  JSON.stringify(
    JSON.parse(text),
    (_, member: unknown) =>
      typeof member === "object" && member !== null && !Array.isArray(member)
        ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => a < b ? -1 : 1))
        : member
  )

/** What the signed cards are read as. */
const known = new Set(
  await Promise.all(cards.map(async (text) => {
    const read = await Effect.runPromise(CardSignature.verify(JSON.parse(text), { keys, strict: true }))
    return sorted(content(read.document))
  }))
)

const runs: Readonly<Record<string, (document: unknown, text: string) => Promise<Outcome>>> = {
  card: async (document) =>
    toOutcome(
      await Effect.runPromiseExit(CardSignature.verify(document, { keys, strict: true })),
      (read) => known.has(sorted(content(read.document))) ? value : finding("accepts what was not signed")
    ),
  keys: async (document) =>
    toOutcome(
      await Effect.runPromiseExit(
        Effect.flatMap(
          KeySet.fromJwks(document as Jwks),
          (keys) => CardSignature.verify(JSON.parse(cards[0]!), { keys })
        )
      ),
      () => value
    ),
  token: async (document) => {
    const parts = Array.isArray(document) ? document : [document]
    const token = parts.map((part) =>
      typeof part === "string" ? part : Buffer.from(JSON.stringify(part) ?? "").toString("base64url")
    ).join(".")
    return toOutcome(
      await Effect.runPromiseExit(verify({ _tag: "Bearer", token: Redacted.make(token) })),
      (caller) => caller?.id === "s" ? value : finding("accepts what was not signed")
    )
  }
}

const [header = "", claims = "", signature = ""] = token.split(".")
const readable = (part: string): unknown => JSON.parse(Buffer.from(part, "base64url").toString())

const seeds: Readonly<Record<string, ReadonlyArray<string>>> = {
  card: cards,
  keys: [jwks],
  token: [
    JSON.stringify([header, claims, signature]),
    JSON.stringify([readable(header), claims, signature]),
    JSON.stringify([header, readable(claims), signature])
  ]
}

export const signatures: Target = {
  name: "signatures",
  generate: (random) => {
    const variant = random.pick(["card", "card", "keys", "token"])
    const all = seeds[variant]!
    return { variant, text: mutate(random.pick(all), random.pick(random.pick(Object.values(seeds))), random) }
  },
  run: ({ text, variant }) => {
    const document = parse(text)
    return Result.isFailure(document) ? refusal : runs[variant]!(document.success, text)
  }
}

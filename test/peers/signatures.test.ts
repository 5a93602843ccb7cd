/** Cards that the official SDKs signed, and cards of ours that they verify. */
import { AgentCard as JsCard, generateAgentCardSignature, verifyAgentCardSignature } from "@a2a-js/sdk"
import { type AgentCard, Discovery, Protocol } from "@effect-a2a/core"
import { CardSignature, KeySet, SigningKey } from "@effect-a2a/signatures"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result, Struct } from "effect"
import { spawnSync } from "node:child_process"
import { generateKeyPairSync } from "node:crypto"
import { afterAll, beforeAll } from "vitest"
import * as Child from "./child.ts"
import * as PythonAgent from "./pythonAgent.ts"

type Document = Record<string, any>

const minimal: AgentCard.AgentCard = {
  name: "Minimal",
  description: "",
  version: "1.0.0",
  supportedInterfaces: [{ url: "https://agent.test/a2a", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  capabilities: {},
  defaultInputModes: [],
  defaultOutputModes: [],
  skills: []
}

const rich: AgentCard.AgentCard = {
  ...minimal,
  name: "Café \u{1F980} \u2028 \"quoted\"",
  description: "Ünïcödé",
  supportedInterfaces: [{ ...minimal.supportedInterfaces[0]!, tenant: "acme" }],
  provider: { url: "https://example.test", organization: "Example" },
  iconUrl: "https://example.test/icon.png",
  capabilities: {
    streaming: false,
    pushNotifications: true,
    extensions: [{
      uri: "https://ext.test",
      required: false,
      params: {
        rate: 1e-7,
        big: 1e21,
        half: 4.5,
        one: 1,
        "\uFB33": "a",
        "\u{1F600}": "b",
        list: [],
        deep: { no: false }
      }
    }]
  },
  securitySchemes: {
    key: { _tag: "ApiKey", location: "header", name: "x-key" },
    login: {
      _tag: "OAuth2",
      flows: [{ _tag: "ClientCredentials", tokenUrl: "https://auth.test", scopes: { read: "Reads" } }]
    }
  },
  securityRequirements: [{ key: [] }, { login: ["read"] }],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain", "application/json"],
  skills: [{
    id: "s",
    name: "S",
    description: "",
    tags: [],
    examples: ["Hi"],
    securityRequirements: [{ login: ["read"] }]
  }]
}

/** One that speaks 0.3 too, so that it has the members of both versions. */
const hybrid: AgentCard.AgentCard = {
  ...rich,
  supportedInterfaces: [
    ...rich.supportedInterfaces,
    { url: "https://agent.test/v1", protocolBinding: "HTTP+JSON", protocolVersion: "0.3" }
  ]
}

const cards = { minimal, rich, hybrid }

const document = (card: AgentCard.AgentCard): Document =>
  JSON.parse(JSON.stringify(Result.getOrThrow(Protocol.v1_0.agentCard.encode(card))))

/** A key as PEM, for each side. */
const makeKey = Effect.fnUntraced(function*(alg: "ES256" | "RS256" = "ES256") {
  const { privateKey } = alg === "ES256"
    ? generateKeyPairSync("ec", { namedCurve: "P-256" })
    : generateKeyPairSync("rsa", { modulusLength: 2048 })
  const pem = privateKey.export({ format: "pem", type: "pkcs8" }).toString()
  const key = yield* SigningKey.fromPem(Redacted.make(pem), { alg, kid: "k1" })
  const keys = yield* KeySet.fromJwks(SigningKey.toJwks([key]))
  return { pem, key, keys }
})

/** The problem of a card for our client, if it has one, and whether it is read as it was meant. */
const verifyByUs = (received: unknown, keys: KeySet.KeySet) =>
  Discovery.fromJson(received).pipe(
    Effect.provide(CardSignature.layerVerify({ keys: Effect.succeed(keys) })),
    Effect.match({
      onSuccess: ({ name, securityRequirements }) => ({ name, securityRequirements }),
      onFailure: ({ reason }) => "problem" in reason ? reason.problem : reason._tag
    })
  )

const read = ({ name, securityRequirements }: AgentCard.AgentCard) => ({ name, securityRequirements })

const tamper = (received: Document) => [
  { ...received, name: "Eve" },
  { ...received, supportedInterfaces: [{ ...received["supportedInterfaces"][0], url: "https://evil.test" }] },
  { ...received, provider: { organization: "Eve", url: "https://evil.test" } }
]

describe("the SDK for JavaScript", () => {
  // it prints each signature that does not fit
  const { debug } = console
  beforeAll(() => {
    console.debug = () => undefined
  })
  afterAll(() => {
    console.debug = debug
  })

  const verifyByThem = (key: SigningKey.SigningKey, received: unknown) =>
    Effect.promise(() =>
      verifyAgentCardSignature(async () => ({ ...key.publicKey }))(received as JsCard).then(() => true, () => false)
    )

  for (const [name, card] of Object.entries(cards)) {
    it.effect(`verifies our ${name} card, and not a changed one`, () =>
      Effect.gen(function*() {
        for (const alg of ["ES256", "RS256"] as const) {
          const { key } = yield* makeKey(alg)
          const received = document(yield* CardSignature.sign(card, { keys: [key] }))
          assert.isTrue(yield* verifyByThem(key, received))
          for (const changed of tamper(received)) assert.isFalse(yield* verifyByThem(key, changed))
        }
      }))

    it.effect(`signs a ${name} card that we verify, and not when it was changed`, () =>
      Effect.gen(function*() {
        const { key, keys } = yield* makeKey()
        const sign = generateAgentCardSignature(key.key, { alg: "ES256", kid: "k1", typ: "JOSE" })
        // of the document: the object that the SDK makes of it has lost its security schemes when it is signed
        const { signatures } = yield* Effect.promise(() => sign(document(card) as never))
        const received = { ...document(card), signatures: JSON.parse(JSON.stringify(signatures)) }
        assert.deepStrictEqual(yield* verifyByUs(received, keys), read(card))
        for (const changed of tamper(received)) assert.strictEqual(yield* verifyByUs(changed, keys), "invalid")
      }))
  }

  it.effect("prints its object in place of the card, which we verify if it has no security schemes", () =>
    Effect.gen(function*() {
      const { key, keys } = yield* makeKey()
      const sign = generateAgentCardSignature(key.key, { alg: "ES256", kid: "k1", typ: "JOSE" })
      const open = Struct.omit(rich, ["securityRequirements", "securitySchemes"])
      const signed = yield* Effect.promise(() => sign(JsCard.fromJSON(document(open))))
      const printed = JSON.parse(JSON.stringify(signed))
      assert.deepInclude(printed, { skills: [{ ...printed.skills[0], inputModes: [] }], securitySchemes: {} })
      assert.deepStrictEqual(yield* verifyByUs(printed, keys), { name: rich.name, securityRequirements: undefined })
      assert.strictEqual(yield* verifyByUs({ ...printed, version: "2" }, keys), "invalid")
    }))
})

describe.skipIf(!PythonAgent.isInstalled)("the SDK for Python", () => {
  const run = (
    key: SigningKey.SigningKey,
    pem: string,
    sign: ReadonlyArray<unknown>,
    verify: ReadonlyArray<unknown>
  ) => {
    const { alg, kid, publicKey } = key
    const { status, stderr, stdout } = spawnSync(
      Child.file("../../.tmp/python-peer/bin/python"),
      [Child.file("python/signing.py")],
      { input: JSON.stringify({ alg, kid, private: pem, public: publicKey, sign, verify }), encoding: "utf8" }
    )
    assert.strictEqual(status, 0, stderr)
    return JSON.parse(stdout) as { readonly signed: ReadonlyArray<Document>; readonly valid: ReadonlyArray<boolean> }
  }

  it.effect("verifies our cards, and not changed ones", () =>
    Effect.gen(function*() {
      for (const alg of ["ES256", "RS256"] as const) {
        const { key, pem } = yield* makeKey(alg)
        const ours = yield* Effect.forEach(Object.values(cards), (card) =>
          Effect.map(CardSignature.sign(card, { keys: [key] }), document))
        const { valid } = run(key, pem, [], [...ours, ...ours.flatMap(tamper)])
        assert.deepStrictEqual(valid, [
          ...ours.map(() =>
            true
          ),
          ...ours.flatMap(tamper).map(() => false)
        ])
      }
    }))

  it.effect("signs cards that we verify, and not when they were changed", () =>
    Effect.gen(function*() {
      const { key, keys, pem } = yield* makeKey()
      const { signed } = run(key, pem, Object.values(cards).map(document), [])
      for (const [index, card] of Object.values(cards).entries()) {
        assert.deepStrictEqual(yield* verifyByUs(signed[index], keys), read(card))
        for (const changed of tamper(signed[index]!)) assert.strictEqual(yield* verifyByUs(changed, keys), "invalid")
      }
    }))
})

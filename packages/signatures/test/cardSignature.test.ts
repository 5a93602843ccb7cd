import { type AgentCard, Discovery, Protocol } from "@effect-a2a/core"
import { CardSignature, KeySet } from "@effect-a2a/signatures"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Struct } from "effect"
import * as Random from "../../../scripts/fuzz/random.ts"
import { change, content, type Document, document, header, other, paths, problem, reorder, signed } from "./cards.ts"
import { card, jsonOf, makeKey, serve, textOf } from "./support.ts"

describe("a signed card", () => {
  it.effect("has for each key a signature of each text, with the header that the specification says", () =>
    Effect.gen(function*() {
      const { key } = yield* makeKey("k1")
      const { key: rsa } = yield* makeKey("k2", { alg: "RS256" })
      const jku = "https://agent.test/jwks.json"
      const { signatures = [] } = yield* CardSignature.sign(card, { keys: [key, rsa], jku })
      // the specification's text and that without empty members, of 1.0 and 0.3
      assert.deepStrictEqual(signatures.map(header).map(({ kid }) => kid), [
        ...Array(4).fill("k1"),
        ...Array(4).fill("k2")
      ])
      assert.deepStrictEqual(header(signatures[0]!), { alg: "ES256", kid: "k1", typ: "JOSE", jku })
      const full: AgentCard.AgentCard = {
        name: "n",
        description: "d",
        version: "1",
        supportedInterfaces: card.supportedInterfaces.slice(0, 1),
        capabilities: { streaming: true },
        defaultInputModes: ["text/plain"],
        defaultOutputModes: ["text/plain"],
        skills: [{ id: "s", name: "S", description: "d", tags: ["t"] }]
      }
      const one = yield* CardSignature.sign(full, { keys: [key], protocols: [Protocol.v1_0] })
      assert.strictEqual(one.signatures?.length, 1)
    }))

  it.effect("is verified in both versions, in whatever order and spelling its members arrive", () =>
    Effect.gen(function*() {
      const { key, keys } = yield* makeKey("k1")
      const signed = yield* CardSignature.sign(card, { keys: [key] })
      for (const protocol of [Protocol.v1_0, Protocol.v0_3]) {
        const received = document(signed, protocol)
        assert.strictEqual(yield* problem(received, keys), "k1")
        assert.strictEqual(yield* problem(reorder(received), keys), "k1")
        const text = JSON.stringify(received, undefined, 7)
        const spelled = text.replace("1e-7", "0.00000010").replace("é", "\\u00e9")
        assert.isAbove(spelled.length, text.length + 5)
        assert.strictEqual(yield* problem(JSON.parse(spelled), keys), "k1")
      }
    }))

  it.effect("is refused when any of its members was changed or removed, or one was added", () =>
    Effect.gen(function*() {
      const { keys, received } = yield* signed
      const { signatures, ...members } = received
      // what 1.0 repeats for clients of 0.3 is neither signed nor used: see below
      const all = paths(members).filter((path) =>
        !/^(protocolVersion|url|preferredTransport|additionalInterfaces|security(?=\/)|skills\/0\/security(?=\/))/.test(
          path.join("/")
        )
      )
      assert.isAbove(all.length, 25)
      for (const path of all) {
        // members without content are covered by the strict text
        const changed = { ...change(members, path, other), signatures }
        assert.strictEqual(yield* problem(changed, keys), "invalid", path.join("/"))
      }
      for (const name of ["name", "provider", "capabilities", "securitySchemes", "securityRequirements", "skills"]) {
        const { [name]: _, ...rest } = received
        const strict = yield* problem(rest, keys, { strict: true })
        assert.strictEqual(strict, "invalid", name)
      }
      const added = [
        { ...received, unknown: 1 },
        { ...received, capabilities: { ...received["capabilities"], pushNotifications: false } },
        { ...received, skills: [...received["skills"], received["skills"][0]] },
        { ...received, supportedInterfaces: received["supportedInterfaces"].toReversed() }
      ]
      for (const one of added) assert.strictEqual(yield* problem(one, keys), "invalid")
    }))

  it.effect("is refused for any change of a text, and verified without one (property)", () =>
    Effect.gen(function*() {
      const { key, keys } = yield* makeKey("k1")
      const random = Random.make("cards")
      for (let run = 0; run < 40; run++) {
        const params = { value: jsonOf(random) }
        const name = `n${textOf(random)}`
        const extensions = [{ uri: "u", params }]
        const one = { ...card, name, description: textOf(random), capabilities: { extensions } }
        const received = document(yield* CardSignature.sign(one, { keys: [key], protocols: [Protocol.v1_0] }))
        assert.strictEqual(yield* problem(reorder(received), keys), "k1")
        for (
          const path of paths(received).filter(([first]) => ["name", "description", "capabilities"].includes(first!))
        ) {
          assert.strictEqual(yield* problem(change(received, path, other), keys), "invalid", path.join("/"))
        }
      }
    }))

  it.effect("that is accepted after a change is read as it was signed, and no change is a defect (property)", () =>
    Effect.gen(function*() {
      const { keys, received } = yield* signed
      const options = { keys: yield* keys, strict: true }
      const read = (document: unknown) =>
        Effect.map(
          CardSignature.verify(document, options),
          ({ document }) => Struct.omit(document as Document, ["signatures"])
        )
      const expected = yield* read(received)
      const random = Random.make("changes")
      const all = paths(received)
      let accepted = 0
      for (let run = 0; run < 300; run++) {
        const path = random.pick(all)
        const at = path.slice(0, 1 + random.below(path.length))
        const outcome = yield* Effect.result(read(change(received, at, () => jsonOf(random))))
        if (Result.isFailure(outcome)) continue
        accepted++
        assert.deepStrictEqual(outcome.success, expected, at.join("/"))
      }
      // those in the words of 0.3, and in one of several signatures
      assert.isAbove(accepted, 20)
    }))

  it.effect("does not vouch for what it repeats to clients of 0.3, which is left out", () =>
    Effect.gen(function*() {
      const { keys, received } = yield* signed
      const repeated = { ...received, url: "https://evil.test", additionalInterfaces: [{ url: "https://evil.test" }] }
      const { document: read } = yield* CardSignature.verify(repeated, { keys: yield* keys })
      assert.notInclude(JSON.stringify(read), "evil.test")
      assert.include(JSON.stringify(read), "https://agent.test/v1")
    }))

  it.effect("vouches for requirements without scopes by its strict signature only", () =>
    Effect.gen(function*() {
      const { keys, received } = yield* signed
      const open = { ...received, securityRequirements: [...received["securityRequirements"], { schemes: {} }] }
      assert.strictEqual(yield* problem(open, keys, { strict: true }), "invalid")
      assert.strictEqual(yield* problem(open, keys), "k1")
      assert.strictEqual(yield* problem(received, keys, { strict: true }), "k1")
    }))

  it.effect("keeps the signatures of others, and replaces those of the same key", () =>
    Effect.gen(function*() {
      const one = yield* makeKey("k1")
      const two = yield* makeKey("k2")
      const first = yield* CardSignature.sign(card, { keys: [one.key] })
      const both = yield* CardSignature.sign(first, { keys: [two.key] })
      assert.strictEqual(yield* problem(document(both), one.keys), "k1")
      assert.strictEqual(yield* problem(document(both), two.keys), "k2")
      const again = yield* CardSignature.sign({ ...both, name: "New" }, { keys: [two.key] })
      assert.strictEqual(again.signatures?.length, both.signatures?.length)
      assert.strictEqual(yield* problem(document(again), one.keys), "invalid")
      assert.strictEqual(yield* problem(document(again), two.keys), "k2")
    }))

  it.effect("is not made for URLs that the client would complete, and for texts without UTF-8", () =>
    Effect.gen(function*() {
      const { key } = yield* makeKey("k1")
      const odd = [
        { ...card, supportedInterfaces: [] },
        { ...card, supportedInterfaces: [{ ...card.supportedInterfaces[0]!, url: "/a2a" }] },
        { ...card, name: "\ud800" }
      ]
      const errors = yield* Effect.forEach(odd, (one) => Effect.flip(CardSignature.sign(one, { keys: [key] })))
      assert.deepStrictEqual(errors.map(({ message }) => message), [
        "cannot sign the card: it names no interface",
        "cannot sign the card: the URL of an interface is not absolute: /a2a",
        "cannot sign the card: half of a surrogate pair"
      ])
    }))

  it.effect("is signed once by a signer, and again when it changes", () =>
    Effect.gen(function*() {
      const { key, keys } = yield* makeKey("k1")
      const sign = CardSignature.makeSigner({ keys: [key] })
      const first = yield* sign(card)
      assert.deepStrictEqual(yield* sign(first), first)
      const second = yield* sign({ ...card, name: "New" })
      assert.notDeepEqual(second.signatures, first.signatures)
      assert.strictEqual(yield* problem(document(second), keys), "k1")
      for (let index = 0; index < 20; index++) yield* sign({ ...card, name: `${index}` })
      assert.notDeepEqual(yield* sign(card), first)
    }))

  it.effect("is the text of the specification's example", () =>
    Effect.gen(function*() {
      const { key, keys } = yield* makeKey("k1")
      const supportedInterfaces = [{ url: "https://a.test", protocolBinding: "JSONRPC", protocolVersion: "1.0" }]
      const card = yield* CardSignature.sign({ ...content, supportedInterfaces }, { keys: [key] })
      const received = {
        ...document(card),
        capabilities: { streaming: false, pushNotifications: false, extensions: [] },
        securitySchemes: {},
        iconUrl: null
      }
      assert.strictEqual(yield* problem(received, keys, { strict: true }), "k1")
      const { document: read } = yield* CardSignature.verify(received, { keys: yield* keys, strict: true })
      assert.deepInclude(read, {
        capabilities: { streaming: false, pushNotifications: false },
        description: "",
        skills: []
      })
    }))
})

describe("the `jku` of a card", () => {
  it.effect("is followed to allowed places only", () =>
    Effect.gen(function*() {
      const { jwks, key } = yield* makeKey("k1")
      const jku = "https://agent.test/keys/jwks.json"
      const received = document(yield* CardSignature.sign(card, { keys: [key], jku }))
      const { asked, layer } = serve(() => Response.json(jwks))
      const trusting = (...allow: ReadonlyArray<string>) => Effect.provide(KeySet.fromJku({ allow }), layer)
      const elsewhere = [
        "https://agent.test.evil.test",
        "https://agent.tes",
        "https://agent.test:8443",
        "https://agent.test/other.json",
        "https://evil.test"
      ]
      for (const allow of elsewhere) {
        assert.strictEqual(yield* problem(received, trusting(allow)), "unknown-key", allow)
      }
      assert.deepStrictEqual(asked, [])
      assert.strictEqual(yield* problem(received, trusting("https://agent.test")), "k1")
      assert.strictEqual(yield* problem(received, trusting("https://evil.test", jku)), "k1")
      assert.deepStrictEqual(asked, [jku, jku])
      const error = yield* Effect.flip(trusting("http://agent.test"))
      assert.strictEqual(error.message, "invalid URL of keys: expected an https URL, got http://agent.test")
    }))

  it.effect("that cannot be fetched says nothing about the card", () =>
    Effect.gen(function*() {
      const { key, keys } = yield* makeKey("k1")
      const received = document(yield* CardSignature.sign(card, { keys: [key], jku: "https://agent.test/jwks.json" }))
      const { layer } = serve(() => new Response("down", { status: 503 }))
      const remote = Effect.provide(KeySet.fromJku({ allow: ["https://agent.test"] }), layer)
      const error = yield* CardSignature.verify(received, { keys: yield* remote }).pipe(Effect.flip)
      assert.deepInclude(Result.getOrThrow(Result.succeed({ ...error, message: error.message })), {
        _tag: "ServiceUnavailableError",
        message: "the keys at https://agent.test/jwks.json cannot be fetched: HTTP 503"
      })
      const merged = Effect.map(Effect.all([remote, keys]), (sets) => KeySet.merge(...sets))
      assert.strictEqual(yield* problem(received, merged), "k1")
    }))
})

describe("a client that verifies", () => {
  const read = (received: unknown, options: CardSignature.LayerOptions<unknown, never>) =>
    Discovery.fromJson(received).pipe(
      Effect.match({
        onSuccess: ({ name }) => name,
        onFailure: ({ reason }) => "problem" in reason ? reason.problem : reason._tag
      }),
      Effect.provide(CardSignature.layerVerify(options))
    )

  it.effect("refuses what is not signed by its keys, unless signatures are not required", () =>
    Effect.gen(function*() {
      const { keys, received } = yield* signed
      const stranger = yield* makeKey("k2")
      const other = document(yield* CardSignature.sign({ ...card, name: "Other" }, { keys: [stranger.key] }))
      const unsigned = { ...received, signatures: [], name: "Unsigned" }
      const changed = { ...received, name: "Changed" }
      const all = [received, unsigned, other, changed]
      const required = yield* Effect.forEach(all, (one) => read(one, { keys }))
      assert.deepStrictEqual(required, [card.name, "unsigned", "unknown-key", "invalid"])
      const optional = yield* Effect.forEach(all, (one) => read(one, { keys, required: false }))
      assert.deepStrictEqual(optional, [card.name, "Unsigned", "Other", "invalid"])
      assert.strictEqual(yield* read(received, { keys, algorithms: ["RS256"] }), "unknown-key")
      // signed by the text of the other SDKs only
      const [, stripped] = received["signatures"]
      const lenient = { ...received, signatures: [stripped] }
      assert.strictEqual(yield* read(lenient, { keys }), card.name)
      assert.strictEqual(yield* read(lenient, { keys, strict: true }), "invalid")
    }))

  it.effect("does not refuse a card because its keys cannot be fetched: it may ask again", () =>
    Effect.gen(function*() {
      const { received } = yield* signed
      const { layer } = serve(() => new Response("", { status: 500 }))
      const keys = Effect.provide(KeySet.fromUrl("https://agent.test/jwks.json"), layer)
      assert.strictEqual(yield* read(received, { keys }), "ServiceUnavailableError")
      assert.strictEqual(yield* read(received, { keys, required: false }), "ServiceUnavailableError")
    }))
})

/**
 * Signs agent cards and verifies them (A2A 1.0.1 §8.4): detached signatures (JWS, RFC 7515) over the canonical JSON of the
 * card. A signature proves who wrote a card, wherever it came from.
 *
 * ```ts
 * import { AgentCard, CardVerifier, Discovery, Protocol } from "@effect-a2a/core"
 * import { CardSignature, KeySet, SigningKey } from "@effect-a2a/signatures"
 * import { Effect, Result } from "effect"
 *
 * const card = AgentCard.AgentCard.make({
 *   name: "Greeter",
 *   description: "Greets",
 *   version: "1.0.0",
 *   supportedInterfaces: [{ url: "https://agent.test/a2a", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
 *   capabilities: {},
 *   defaultInputModes: ["text/plain"],
 *   defaultOutputModes: ["text/plain"],
 *   skills: []
 * })
 * const program = Effect.gen(function*() {
 *   const key = yield* SigningKey.generate({ kid: "2026-12" })
 *   const signed = yield* CardSignature.sign(card, { keys: [key] })
 *   const document = Result.getOrThrow(Protocol.v1_0.agentCard.encode(signed))
 *   const read = (document: unknown) =>
 *     Discovery.fromJson(document).pipe(
 *       Effect.provide(CardSignature.layerVerify({ keys: KeySet.fromJwks(SigningKey.toJwks([key])) })),
 *       Effect.map(({ name }) => name),
 *       Effect.catchReason("AgentError", "UntrustedCardError", ({ message }) => Effect.succeed(message))
 *     )
 *   return [yield* read(document), yield* read({ ...Object(document), name: "Greeter 2" })]
 * })
 * const [received, changed] = await Effect.runPromise(program)
 * received // => "Greeter"
 * changed // => "the card's signatures do not fit it: it was changed, or is signed by another key of that name"
 * ```
 *
 * @since 0.1.0
 */
import type * as AgentCard from "@effect-a2a/core/AgentCard"
import * as AgentError from "@effect-a2a/core/AgentError"
import * as CardVerifier from "@effect-a2a/core/CardVerifier"
import * as Protocol from "@effect-a2a/core/Protocol"
import type * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Jose from "./internal/jose.ts"
import * as Payload from "./internal/payload.ts"
import * as Jwk from "./Jwk.ts"
import type { KeySet } from "./KeySet.ts"
import type { SigningKey } from "./SigningKey.ts"

// -----------------------------------------------------------------------------
// sign
// -----------------------------------------------------------------------------

/** The keys of the signatures, and where their public halves are. */
export interface SignOptions {
  /** The keys that sign: several while one replaces the other. */
  readonly keys: Arr.NonEmptyReadonlyArray<SigningKey>
  /** The URL of the set that has the public keys, written into the signatures. Default: none, clients know the keys. */
  readonly jku?: string | undefined
  /** The versions that the card is written in, each with a signature. Default: 1.0 and 0.3. */
  readonly protocols?: Arr.NonEmptyReadonlyArray<Protocol.Protocol> | undefined
}

const invalid = (message: string, field: string) =>
  new AgentError.InvalidRequestError({
    message: `cannot sign the card: ${message}`,
    violations: [{ field, description: message }]
  })

/** Returns the texts to sign: those of each version, each once. */
const textsOf = (card: AgentCard.AgentCard, protocols: ReadonlyArray<Protocol.Protocol>) =>
  Effect.gen(function*() {
    const relative = card.supportedInterfaces.find(({ url }) => !URL.canParse(url))
    if (card.supportedInterfaces.length === 0 || relative !== undefined) {
      return yield* invalid(
        relative === undefined ? "it names no interface" : `the URL of an interface is not absolute: ${relative.url}`,
        "supportedInterfaces"
      )
    }
    const texts = new Set<string>()
    for (const protocol of protocols) {
      const document = yield* Effect.fromResult(protocol.agentCard.encode(card)).pipe(
        Effect.mapError((violations) => invalid(AgentError.describe(violations), ""))
      )
      const payloads = Payload.toSign(Predicate.isObject(document) ? document : {})
      for (const { text } of yield* Effect.fromResult(Result.mapError(payloads, (issue) => invalid(issue, "")))) {
        texts.add(text)
      }
    }
    return texts
  })

/** Makes the signatures of a card, in the order of the keys. */
const signaturesOf = (texts: Iterable<string>, { jku, keys }: SignOptions) =>
  Effect.forEach(
    keys.flatMap((key) => Array.from(texts, (text) => ({ key, text }))),
    ({ key: { alg, key, kid }, text }) =>
      Jose.sign(text, key, { alg, kid, typ: "JOSE", ...(jku === undefined ? undefined : { jku }) })
  )

const addSignatures = (
  card: AgentCard.AgentCard,
  signatures: ReadonlyArray<AgentCard.AgentCardSignature>,
  { keys }: SignOptions
): AgentCard.AgentCard => {
  const others = (card.signatures ?? []).filter((one) => {
    const kid = Jose.readHeader(one.protected)?.kid
    return !keys.some((key) => key.kid === kid)
  })
  return { ...card, signatures: [...others, ...signatures] }
}

/**
 * Adds signatures to a card: for each key one over the text that the specification says, one over that of the SDKs for
 * JavaScript and Python if it differs, and one over the card of 0.3. They replace those of the same keys; signatures of others
 * stay. Fails with `InvalidRequestError` if an interface has no absolute URL, since clients would complete it by their own.
 */
export const sign = Effect.fnUntraced(function*(
  card: AgentCard.AgentCard,
  options: SignOptions
): Effect.fn.Return<AgentCard.AgentCard, AgentError.InvalidRequestError> {
  const texts = yield* textsOf(card, options.protocols ?? [Protocol.v1_0, Protocol.v0_3])
  return addSignatures(card, yield* signaturesOf(texts, options), options)
})

/** The most cards whose signatures are kept. */
const maxKept = 16

/**
 * Makes the function that signs the cards of a server, such as `CardServer.routes({ sign })`. A card is signed once, so that
 * its bytes and its `ETag` stay the same.
 */
export const makeSigner = (
  options: SignOptions
): (card: AgentCard.AgentCard) => Effect.Effect<AgentCard.AgentCard, AgentError.InvalidRequestError> => {
  const kept = new Map<string, ReadonlyArray<AgentCard.AgentCardSignature>>()
  return Effect.fnUntraced(function*(card) {
    const texts = yield* textsOf(card, options.protocols ?? [Protocol.v1_0, Protocol.v0_3])
    const id = JSON.stringify([...texts])
    const signatures = kept.get(id) ?? (yield* signaturesOf(texts, options))
    const [oldest] = kept.keys()
    if (!kept.has(id) && kept.size >= maxKept && oldest !== undefined) kept.delete(oldest)
    kept.set(id, kept.get(id) ?? signatures)
    return addSignatures(card, kept.get(id) ?? signatures, options)
  })
}

// -----------------------------------------------------------------------------
// verify
// -----------------------------------------------------------------------------

/** The keys that are trusted, and what is done without a signature. */
export interface VerifyOptions {
  readonly keys: KeySet
  /** The algorithms that are accepted. Default: all of `Jwk.Algorithm`. */
  readonly algorithms?: ReadonlyArray<Jwk.Algorithm> | undefined
  /**
   * True: accepts signatures over the text of the specification only. The SDKs for JavaScript and Python (1.3) leave out more,
   * so that their signatures do not say if a list or an object without content was there, such as a requirement without
   * scopes. Default: false.
   */
  readonly strict?: boolean | undefined
}

/** A card that is signed by a trusted key. */
export interface Verified {
  /** What was signed of the card, with all of its signatures. */
  readonly document: unknown
  /** The name of the key. */
  readonly kid: string
  /** The algorithm of the signature. */
  readonly alg: Jwk.Algorithm
}

/** The most signatures of a card that are tried. */
const maxSignatures = 32

const refuse = (problem: AgentError.UntrustedCardError["problem"], message: string) =>
  new AgentError.UntrustedCardError({ message, problem })

const isSignature = (value: unknown): value is Jose.Detached =>
  Predicate.hasProperty(value, "protected") && typeof value.protected === "string" &&
  Predicate.hasProperty(value, "signature") && typeof value.signature === "string"

/** A signature whose header can be read. */
interface Candidate extends Jose.Detached {
  readonly alg: Jwk.Algorithm
  readonly kid: string
  readonly jku: string | undefined
}

const toCandidate = (value: unknown, algorithms: ReadonlyArray<Jwk.Algorithm>): ReadonlyArray<Candidate> => {
  if (!isSignature(value)) return []
  const { alg, jku, kid } = Jose.readHeader(value.protected) ?? {}
  // the unprotected header is signed by nobody, so nothing is read from it
  return Jwk.isAlgorithm(alg) && algorithms.includes(alg) && typeof kid === "string" && kid !== ""
    ? [{
      protected: value.protected,
      signature: value.signature,
      alg,
      kid,
      jku: typeof jku === "string" ? jku : undefined
    }]
    : []
}

const findValid = Effect.fnUntraced(function*(
  candidates: ReadonlyArray<Candidate>,
  payloads: ReadonlyArray<Payload.Payload>,
  keys: KeySet
) {
  let isKnown = false
  let failure: AgentError.ServiceUnavailableError | undefined
  for (const candidate of candidates) {
    const found = yield* Effect.result(keys.find(candidate))
    if (Result.isFailure(found)) {
      failure = found.failure
      continue
    }
    isKnown ||= found.success.length > 0
    for (const key of found.success) {
      for (const payload of payloads) {
        if (yield* Jose.isValid(candidate, payload.text, key, candidate.alg)) return { candidate, payload }
      }
    }
  }
  if (failure !== undefined) return yield* failure
  return yield* isKnown
    ? refuse(
      "invalid",
      "the card's signatures do not fit it: it was changed, or is signed by another key of that name"
    )
    : refuse("unknown-key", "the card is not signed by a trusted key: its signatures name other keys or algorithms")
})

/**
 * Verifies a card as it was received: one signature by a trusted key is enough. The text that is verified is that of the
 * whole document, members included that this SDK does not know. Only what a card of 1.0 repeats for clients of 0.3 may be there without a
 * signature; `document` does not have it then.
 *
 * Fails with `UntrustedCardError` if no signature is valid, and with `ServiceUnavailableError` if that depends on keys that
 * cannot be fetched.
 */
export const verify = Effect.fnUntraced(function*(
  document: unknown,
  { algorithms = Jwk.algorithms, keys, strict = false }: VerifyOptions
): Effect.fn.Return<Verified, AgentError.UntrustedCardError | AgentError.ServiceUnavailableError> {
  const signatures = Predicate.hasProperty(document, "signatures") ? document.signatures : undefined
  if (!Array.isArray(signatures) || signatures.length === 0) {
    return yield* refuse("unsigned", "the card is not signed")
  }
  if (signatures.length > maxSignatures) {
    return yield* refuse("invalid", `the card has ${signatures.length} signatures, more than ${maxSignatures}`)
  }
  const payloads = yield* Effect.fromResult(Payload.ofReceived(document, strict)).pipe(
    Effect.mapError((issue) => refuse("invalid", `the card cannot be verified: ${issue}`))
  )
  const candidates = signatures.flatMap((one) => toCandidate(one, algorithms))
  const { candidate: { alg, kid }, payload } = yield* findValid(candidates, payloads, keys)
  return { document: { ...payload.document, signatures }, kid, alg }
})

/** The keys that clients trust, and what they do with a card that nobody signed. */
export interface LayerOptions<E, R> {
  /** A set of keys, such as `KeySet.fromUrl("https://agent.test/.well-known/jwks.json")`. */
  readonly keys: Effect.Effect<KeySet, E, R>
  /** The algorithms that are accepted. Default: all of `Jwk.Algorithm`. */
  readonly algorithms?: ReadonlyArray<Jwk.Algorithm> | undefined
  /**
   * True: accepts signatures over the text of the specification only. The SDKs for JavaScript and Python (1.3) leave out more,
   * so that their signatures do not say if a list or an object without content was there, such as a requirement without
   * scopes. Default: false.
   */
  readonly strict?: boolean | undefined
  /**
   * False: cards that are not signed, or not by a known key, are used as they are; cards with a wrong signature by a known
   * key are refused. Whoever changes a card can remove its signatures, so this protects from accidents only. Default: true.
   */
  readonly required?: boolean | undefined
}

/**
 * Makes the clients above verify the cards that they receive, before anything is sent to an interface: those found by
 * `Discovery` and read by `Discovery.fromJson`, and extended cards. Cards that the program passes, and interfaces that are
 * used without a card, are not verified.
 */
export const layerVerify = <E, R>(
  { algorithms, keys, required = true, strict }: LayerOptions<E, R>
): Layer.Layer<never, E, R> =>
  Layer.effect(
    CardVerifier.Current,
    Effect.map(keys, (keys): CardVerifier.CardVerifier => ({
      verify: (document) =>
        verify(document, { keys, algorithms, strict }).pipe(
          Effect.map((verified) => verified.document),
          Effect.catchTag(
            "UntrustedCardError",
            (error) => required || error.problem === "invalid" ? Effect.fail(error) : Effect.succeed(document)
          )
        )
    }))
  )

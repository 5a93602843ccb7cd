/**
 * The public keys that signatures are verified with: a set that the program has, or one that is fetched from a URL, kept,
 * and fetched again when a signature names a key that is not in it.
 *
 * ```ts
 * import { KeySet, SigningKey } from "@effect-a2a/signatures"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const key = yield* SigningKey.generate({ kid: "2026-12" })
 *   const keys = yield* KeySet.fromJwks(SigningKey.toJwks([key]))
 *   const found = [
 *     yield* keys.find({ alg: "ES256", kid: "2026-12" }),
 *     yield* keys.find({ alg: "ES256", kid: "2025-12" }),
 *     yield* keys.find({ alg: "RS256", kid: "2026-12" })
 *   ]
 *   return found.map(({ length }) => length)
 * })
 * await Effect.runPromise(program) // => [1, 0, 0]
 * ```
 *
 * @since 0.1.0
 */
import * as AgentError from "@effect-a2a/core/AgentError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Jose from "./internal/jose.ts"
import * as Remote from "./internal/remote.ts"
import type { Algorithm, FetchOptions, Jwk, Jwks } from "./Jwk.ts"

/** What a signature says about its key. */
export interface Wanted {
  readonly alg: Algorithm
  /** The name of the key; without one, all keys for the algorithm may be it. */
  readonly kid?: string | undefined
  /** The URL of the set that has the key, for {@link fromJku} only. */
  readonly jku?: string | undefined
}

/** Keys to verify with. */
export interface KeySet {
  /**
   * Returns the keys that may have made the signature; several if keys share a name. Keys that have expired (`exp`), are
   * not valid yet (`nbf`) or `revoked` are left out. Fails with `ServiceUnavailableError` if keys cannot be fetched.
   */
  readonly find: (wanted: Wanted) => Effect.Effect<ReadonlyArray<CryptoKey>, AgentError.ServiceUnavailableError>
}

/** The most keys that one signature is verified with. */
const maxCandidates = 8

const isCurrent = ({ exp, nbf, revoked }: Jwk, now: number): boolean =>
  (revoked === undefined || revoked === null) &&
  (typeof exp !== "number" || now < exp * 1000) &&
  (typeof nbf !== "number" || now >= nbf * 1000)

/** Makes the function that selects among known keys. Keys are imported once. */
const makeSelect = ({ keys }: Jwks) => {
  const imported = new Map<string, CryptoKey | undefined>()
  const get = (index: number, key: Jwk, alg: Algorithm) => {
    const place = `${alg} ${index}`
    return imported.has(place)
      ? Effect.succeed(imported.get(place))
      : Effect.tap(Jose.importPublic(key, alg), (made) => Effect.sync(() => imported.set(place, made)))
  }
  return ({ alg, kid }: Wanted) =>
    Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const found = keys
        .map((key, index) => ({ key, index }))
        .filter(({ key }) => (kid === undefined || key.kid === kid) && Jose.isFor(key, alg) && isCurrent(key, now))
        .slice(0, maxCandidates)
      const made = yield* Effect.forEach(found, ({ index, key }) => get(index, key, alg))
      return made.filter((key) => key !== undefined)
    })
}

/** Makes a set of known keys. Fails with `InvalidRequestError` if it has not got any. */
export const fromJwks = (jwks: Jwks): Effect.Effect<KeySet, AgentError.InvalidRequestError> =>
  Effect.suspend(() => {
    const keys = Remote.readKeys(jwks)
    return keys === undefined || keys.length === 0
      ? Effect.fail(
        new AgentError.InvalidRequestError({
          message: "invalid key set: it has no keys",
          violations: [{ field: "keys", description: "must have a key" }]
        })
      )
      : Effect.succeed({ find: makeSelect({ keys }) })
  })

const makeRemote = (client: HttpClient.HttpClient, url: URL, options: FetchOptions): KeySet => {
  const remote = Remote.make({ client, url, options, use: (keys) => makeSelect({ keys }) })
  return {
    find: Effect.fnUntraced(function*(wanted) {
      const known = yield* remote.get
      const found = yield* known.value(wanted)
      if (found.length > 0) return found
      const newer = yield* remote.newerThan(known)
      return newer === undefined ? found : yield* newer.value(wanted)
    })
  }
}

/**
 * Makes a set that is fetched when it is first needed: a single request serves all who wait. It is fetched again when it is
 * old, and for an unknown key, at most once per interval. Redirects are not followed, and no credentials are sent.
 *
 * Fails with `InvalidRequestError` unless the URL begins with `https:`, or with `http:` on the loopback interface.
 */
export const fromUrl = Effect.fnUntraced(function*(
  url: string,
  options: FetchOptions = {}
): Effect.fn.Return<KeySet, AgentError.InvalidRequestError, HttpClient.HttpClient> {
  const client = yield* HttpClient.HttpClient
  return makeRemote(client, yield* Remote.parseUrl(url), options)
})

/** Where the sets that signatures name may be. */
export interface JkuOptions extends FetchOptions {
  /**
   * The URLs that may be followed: an origin, such as `https://agent.test`, for all of its paths; otherwise one URL. Whoever
   * writes a card chooses its `jku`: only places that publish the keys of those you trust belong here.
   */
  readonly allow: ReadonlyArray<string>
}

/** The most sets that are kept. */
const maxSets = 16

/**
 * Makes a set that follows the `jku` of signatures to allowed URLs; signatures that name another or none have no key. Fails
 * with `InvalidRequestError` if `allow` contains what {@link fromUrl} does not accept.
 */
export const fromJku = Effect.fnUntraced(function*(
  { allow, ...options }: JkuOptions
): Effect.fn.Return<KeySet, AgentError.InvalidRequestError, HttpClient.HttpClient> {
  const client = yield* HttpClient.HttpClient
  const allowed = yield* Effect.forEach(allow, Remote.parseUrl)
  const sets = new Map<string, KeySet>()
  const isAllowed = (url: URL) =>
    allowed.some((one) => one.pathname === "/" && one.search === "" ? one.origin === url.origin : one.href === url.href)
  return {
    find: (wanted) => {
      const url = wanted.jku === undefined ? null : URL.parse(wanted.jku)
      if (url === null || !isAllowed(url) || url.username !== "" || url.password !== "") return Effect.succeed([])
      url.hash = ""
      const set = sets.get(url.href) ?? makeRemote(client, url, options)
      sets.delete(url.href)
      sets.set(url.href, set)
      const [oldest] = sets.keys()
      if (sets.size > maxSets && oldest !== undefined) sets.delete(oldest)
      return set.find(wanted)
    }
  }
})

/** Returns the keys of all sets. Fails if one of them fails and no other has a key. */
export const merge = (...sets: ReadonlyArray<KeySet>): KeySet => ({
  find: Effect.fnUntraced(function*(wanted) {
    const results = yield* Effect.forEach(sets, (set) => Effect.result(set.find(wanted)))
    const found = results.flatMap((result) => result._tag === "Success" ? result.success : [])
    const failed = results.find((result) => result._tag === "Failure")
    return found.length === 0 && failed !== undefined ? yield* failed.failure : found
  })
})

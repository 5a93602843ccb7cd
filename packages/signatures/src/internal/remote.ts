/** Sets of keys that are fetched: when, how often, and within which bounds. Tested in `packages/signatures/test/keySet.test.ts`. */
import * as AgentError from "@effect-a2a/core/AgentError"
import * as HttpPeer from "@effect-a2a/core/HttpPeer"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { FetchOptions, Jwk } from "../Jwk.ts"

/** Parses the URL of a set. */
export const parseUrl = (text: string): Effect.Effect<URL, AgentError.InvalidRequestError> => {
  const url = URL.parse(text)
  const isLoopback = url !== null && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback)) return Effect.succeed(url)
  return Effect.fail(
    new AgentError.InvalidRequestError({
      message: `invalid URL of keys: expected an https URL, got ${url === null ? "an invalid URL" : url.origin}`,
      violations: [{ field: "url", description: "must begin with https:" }]
    })
  )
}

const isJwk = (value: unknown): value is Jwk => Predicate.hasProperty(value, "kty") && typeof value.kty === "string"

/** Reads the keys of a set; `undefined` if it is not one. Other members are left out (RFC 7517 §5). */
export const readKeys = (document: unknown): ReadonlyArray<Jwk> | undefined =>
  Predicate.hasProperty(document, "keys") && Array.isArray(document.keys) ? document.keys.filter(isJwk) : undefined

const place = ({ origin, pathname }: URL) => origin + pathname

const unavailable = (url: URL) => (issue: string) =>
  new AgentError.ServiceUnavailableError({ message: `the keys at ${place(url)} cannot be fetched: ${issue}` })

const fetch = (
  client: HttpClient.HttpClient,
  url: URL,
  { maxSize = 256 * 1024, timeout = "10 seconds" }: FetchOptions
) =>
  Effect.gen(function*() {
    const request = HttpClientRequest.get(url, { headers: { accept: "application/jwk-set+json, application/json" } })
    const response = yield* HttpPeer.withoutRedirects(client.execute(request)).pipe(
      Effect.mapError((error) => HttpPeer.connectionError(error).message)
    )
    if (response.status !== 200) {
      yield* HttpPeer.release(response)
      return yield* Effect.fail(`HTTP ${response.status}`)
    }
    const { body } = yield* HttpPeer.read(response, maxSize).pipe(Effect.mapError(({ message }) => message))
    const keys = Result.map(body, readKeys)
    if (Result.isFailure(keys) || keys.success === undefined) return yield* Effect.fail("not a set of keys")
    return keys.success
  }).pipe(
    Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail("no response in time") }),
    Effect.mapError(unavailable(url))
  )

/** A fetched set, in the form that it is used in. */
interface Fetched<A> {
  readonly at: number
  readonly value: A
}

interface Failed {
  readonly at: number
  readonly error: AgentError.ServiceUnavailableError
}

/** Makes a set of keys that is fetched, kept, and fetched again. A single request serves all who wait. */
export const make = <A>(options: {
  readonly client: HttpClient.HttpClient
  readonly url: URL
  readonly options: FetchOptions
  readonly use: (keys: ReadonlyArray<Jwk>) => A
}) => {
  const maxAge = Duration.toMillis(options.options.maxAge ?? "10 minutes")
  const minInterval = Duration.toMillis(options.options.minInterval ?? "30 seconds")
  const lock = Semaphore.makeUnsafe(1)
  let known: Fetched<A> | undefined
  let failed: Failed | undefined

  const load = Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    if (failed !== undefined && now - failed.at < minInterval) return yield* failed.error
    return yield* fetch(options.client, options.url, options.options).pipe(
      Effect.mapBoth({
        onSuccess: (keys) => {
          failed = undefined
          return known = { at: now, value: options.use(keys) }
        },
        onFailure: (error) => {
          failed = { at: now, error }
          return error
        }
      })
    )
  })

  /** Returns the known set if it is enough when it is this one's turn; another may have fetched it meanwhile. */
  const unless = (isEnough: (known: Fetched<A>, now: number) => boolean) =>
    lock.withPermits(1)(
      Effect.flatMap(
        Clock.currentTimeMillis,
        (now) => known !== undefined && isEnough(known, now) ? Effect.succeed(known) : load
      )
    )

  const isFresh = ({ at }: Fetched<A>, now: number) => now - at < maxAge

  return {
    /** The set, fetched unless it is fresh. */
    get: Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => known !== undefined && isFresh(known, now) ? Effect.succeed(known) : unless(isFresh)
    ),
    /** A set fetched after that one; `undefined` within the interval. */
    newerThan: (old: Fetched<A>): Effect.Effect<Fetched<A> | undefined, AgentError.ServiceUnavailableError> =>
      Effect.flatMap(
        Clock.currentTimeMillis,
        (now) => now - old.at < minInterval ? Effect.succeed(undefined) : unless((known) => known.at > old.at)
      )
  }
}

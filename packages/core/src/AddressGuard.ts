/**
 * Keeps requests away from private networks if somebody else chose the URL: an interface of a card, a redirect, a file, a
 * webhook. Origins that the user named are always permitted. `Discovery` uses it by default.
 *
 * It judges literal addresses and local names by themselves, and other names by the addresses that
 * {@link CurrentResolver} returns, as `NodeAddressGuard` provides them. It cannot see where a client goes that follows
 * redirects, or resolves names again, on the way.
 *
 * ```ts
 * import { AddressGuard } from "@effect-a2a/core"
 * import { Effect } from "effect"
 *
 * const allow = ["http://127.0.0.1:4000"]
 * await Effect.runPromise(AddressGuard.check("http://127.0.0.1:4000/a2a", { allow })) // => undefined
 * const refused = await Effect.runPromise(Effect.flip(AddressGuard.check("http://[::ffff:10.0.0.1]/a2a", { allow })))
 * refused.code // => "INVALID_REQUEST"
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as Layer from "effect/Layer"
import * as AgentError from "./AgentError.ts"
import * as Address from "./internal/http/address.ts"

/** Exceptions of a guard. */
export interface Options {
  /** Origins, such as `https://agent.test`, that may be in private networks; URLs stand for their origin. Default: none. */
  readonly allow?: ReadonlyArray<string> | undefined
  /** The card or other document that names the URLs; a refusal names its origin. Default: none. */
  readonly namedBy?: string | undefined
}

/**
 * Returns the IP addresses of a host name, or none if they are unknown. Read when a guard is made. Default: returns none,
 * so that only literal addresses and local names are judged.
 */
export const CurrentResolver = Context.Reference<(host: string) => Effect.Effect<ReadonlyArray<string>>>(
  "@effect-a2a/core/AddressGuard/CurrentResolver",
  { defaultValue: () => () => Effect.succeed([]) }
)

const makeCheck = Effect.fnUntraced(function*({ allow = [], namedBy }: Options) {
  const resolve = yield* CurrentResolver
  const allowed = new Set(allow.map((url) => URL.parse(url)?.origin))
  const from = namedBy === undefined ? undefined : URL.parse(namedBy)?.origin
  const source = from === undefined ? "" : `, which ${from} names`

  const refuse = ({ origin }: URL, kind: string) =>
    new AgentError.InvalidRequestError({
      message: `refusing to connect to ${origin} (${kind})${source}: add its origin to \`allow\` to permit it`,
      violations: [{ field: "url", description: `must not lead to ${origin} (${kind})` }]
    })

  const refuseScheme = (url: URL | null) =>
    new AgentError.InvalidRequestError({
      message: `refusing to connect: expected an http or https URL, got ${url?.protocol ?? "an invalid URL"}${source}`,
      violations: [{ field: "url", description: "must be an http or https URL" }]
    })

  return Effect.fnUntraced(function*(input: string): Effect.fn.Return<void, AgentError.InvalidRequestError> {
    const url = URL.parse(input)
    if (url === null || !/^https?:$/.test(url.protocol)) return yield* refuseScheme(url)
    if (allowed.has(url.origin)) return
    const kind = Address.kindOfHost(url.hostname)
    if (kind !== undefined) return yield* refuse(url, `${kind} address`)
    if (Address.isIp(url.hostname)) return
    for (const address of yield* resolve(url.hostname)) {
      const kind = Address.kindOf(address)
      if (kind !== undefined) return yield* refuse(url, `resolves to ${address}, ${kind} address`)
    }
  })
})

/** Fails with `InvalidRequestError` if a URL leads to a private network or does not begin with `http:` or `https:`. */
export const check = (url: string, options: Options = {}): Effect.Effect<void, AgentError.InvalidRequestError> =>
  Effect.flatMap(makeCheck(options), (check) => check(url))

/** Makes a client refuse such URLs before anything is sent. */
export const protect = /*#__PURE__*/ Effect.fnUntraced(function*(
  client: HttpClient.HttpClient,
  options: Options = {}
): Effect.fn.Return<HttpClient.HttpClient> {
  const check = yield* makeCheck(options)
  return HttpClient.mapRequestEffect(client, (request) =>
    Effect.as(
      Effect.mapError(check(request.url), (cause) =>
        new HttpClientError.HttpClientError({ reason: new HttpClientError.InvalidUrlError({ request, cause }) })),
      request
    ))
})

/** Protects the client that is provided to it, for cards from a registry and for files. */
export const layer = (
  options: Options = {}
): Layer.Layer<HttpClient.HttpClient, never, HttpClient.HttpClient> =>
  Layer.effect(HttpClient.HttpClient, Effect.flatMap(HttpClient.HttpClient, (client) => protect(client, options)))

/**
 * Keeps requests away from private networks if somebody else chose the URL: a registry, a file, a webhook. Origins that the
 * user named are always permitted.
 *
 * Schemes, literal addresses and local names are judged before anything is sent, redirects included. Other names are judged
 * by the client that connects, by the addresses that it connects to: `NodeAgent.layerClient` does so, for every connection.
 * Other clients, such as `fetch` in browsers, connect to whatever a name resolves to; a client of your own reads
 * {@link Current}.
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
import * as HttpPeer from "./HttpPeer.ts"
import * as Address from "./internal/http/address.ts"

/** Exceptions of a guard. */
export interface Options {
  /** Origins, such as `https://agent.test`, that may be in private networks; URLs stand for their origin. Default: none. */
  readonly allow?: ReadonlyArray<string> | undefined
  /** The document that names the URLs; a refusal names its origin. Default: none. */
  readonly namedBy?: string | undefined
}

/** Makes the refusal of a URL, which says why. */
export type Refuse = (url: string, why: string) => AgentError.InvalidRequestError

/**
 * The guard of the request that a client is about to send: such a client resolves names by itself, judges the addresses by
 * {@link kindOf}, and connects to none that has a kind. Default: `undefined`, any address may be connected to.
 */
export const Current = Context.Reference<Refuse | undefined>("@effect-a2a/core/AddressGuard/Current", {
  defaultValue: () => undefined
})

/**
 * Returns the kind of an IP address that is not public, such as `"loopback"`; `undefined` for a public address, and for
 * text that is not an address.
 *
 * ```ts
 * import { AddressGuard } from "@effect-a2a/core"
 *
 * const addresses = ["8.8.8.8", "10.0.0.1", "::ffff:7f00:1"]
 * addresses.map(AddressGuard.kindOf) // => [undefined, "private", "loopback"]
 * ```
 */
export const kindOf: (address: string) => string | undefined = Address.kindOf

const parseHttp = (input: string): URL | undefined => {
  const url = URL.parse(input)
  return url !== null && /^https?:$/.test(url.protocol) ? url : undefined
}

const makeRefuse = ({ namedBy = "" }: Options): Refuse => {
  const source = URL.parse(namedBy)?.origin
  const by = source === undefined ? "" : `, which ${source} names`
  return (input, why) => {
    const url = parseHttp(input)
    return new AgentError.InvalidRequestError({
      message: url === undefined
        ? `refusing to connect${by}: ${why}`
        : `refusing to connect to ${url.origin} (${why})${by}: add its origin to \`allow\` to permit it`,
      violations: [{ field: "url", description: url === undefined ? why : `must not lead to ${url.origin} (${why})` }]
    })
  }
}

/** Returns why a URL is refused whatever it resolves to. */
const whyRefused = (input: string): string | undefined => {
  const url = parseHttp(input)
  if (url === undefined) return `expected an http or https URL, got ${URL.parse(input)?.protocol ?? "an invalid URL"}`
  const kind = Address.kindOfHost(url.hostname)
  return kind === undefined ? undefined : `${kind} address`
}

const isAllowed = (input: string, { allow = [] }: Options): boolean => {
  const url = parseHttp(input)
  return url !== undefined && allow.some((one) => URL.parse(one)?.origin === url.origin)
}

/**
 * Fails with `InvalidRequestError` if a URL does not begin with `http:` or `https:`, or if its host is a private address or
 * a local name. Other names are not resolved: that is for the client that connects.
 */
export const check = (url: string, options: Options = {}): Effect.Effect<void, AgentError.InvalidRequestError> =>
  Effect.suspend(() => {
    const why = isAllowed(url, options) ? undefined : whyRefused(url)
    return why === undefined ? Effect.void : Effect.fail(makeRefuse(options)(url, why))
  })

/**
 * Makes a client refuse such URLs before anything is sent. The requests carry the guard as {@link Current}, and `fetch`
 * does not follow redirects.
 */
export const protect = (client: HttpClient.HttpClient, options: Options = {}): HttpClient.HttpClient =>
  HttpClient.transform(client, (effect, request) => {
    const sent = HttpPeer.withoutRedirects(effect)
    if (isAllowed(request.url, options)) return sent
    return Effect.matchEffect(check(request.url, options), {
      onFailure: (cause) =>
        Effect.fail(
          new HttpClientError.HttpClientError({ reason: new HttpClientError.InvalidUrlError({ request, cause }) })
        ),
      onSuccess: () => Effect.provideService(sent, Current, makeRefuse(options))
    })
  })

/** Protects the client that is provided to it, for cards from a registry and for files. */
export const layer = (
  options: Options = {}
): Layer.Layer<HttpClient.HttpClient, never, HttpClient.HttpClient> =>
  Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, (client) => protect(client, options)))

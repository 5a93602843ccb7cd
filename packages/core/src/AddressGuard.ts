/**
 * Keeps requests off private networks where a stranger chose the URL: an interface of a card, a redirect, a file, a
 * webhook. What the user named is never refused. {@link Discovery} has it built in.
 *
 * Literal addresses and local names are known as they are; names that resolve to a private address are found where
 * a {@link CurrentResolver} is provided, as `NodeAddressGuard` does. A client that follows redirects or resolves names
 * anew by itself is beyond its reach.
 *
 * ```ts
 * import { AddressGuard } from "@effect-a2a/core"
 * import { Effect } from "effect"
 *
 * const check = AddressGuard.check({ allow: ["http://127.0.0.1:4000"] })
 * await Effect.runPromise(check("http://127.0.0.1:4000/a2a")) // => undefined
 * const refused = await Effect.runPromise(Effect.flip(check("http://[::ffff:10.0.0.1]/a2a")))
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

/** Origins, such as `https://agent.test`, that may be anywhere; URLs stand for their origin. */
export interface Options {
  readonly allow?: ReadonlyArray<string> | undefined
}

/** The IP addresses of a host name; none where that cannot be told. Read when a guard is made. */
export const CurrentResolver = Context.Reference<(host: string) => Effect.Effect<ReadonlyArray<string>>>(
  "@effect-a2a/core/AddressGuard/CurrentResolver",
  { defaultValue: () => () => Effect.succeed([]) }
)

const refuse = (host: string, why: string) =>
  new AgentError.InvalidRequestError({
    message: `${host} is refused: ${why}, and not named by the user; allow its origin if it is meant`,
    violations: [{ field: "url", description: `must not lead to ${host}: ${why}` }]
  })

const guard = Effect.fnUntraced(function*({ allow = [] }: Options) {
  const resolve = yield* CurrentResolver
  const allowed = new Set(allow.map((url) => URL.parse(url)?.origin))
  return Effect.fnUntraced(function*(input: string): Effect.fn.Return<void, AgentError.InvalidRequestError> {
    const url = URL.parse(input)
    if (url === null || !/^https?:$/.test(url.protocol)) {
      return yield* refuse(url?.protocol ?? "the URL", "no http(s) URL")
    }
    if (allowed.has(url.origin)) return
    const kind = Address.kindOfHost(url.hostname)
    if (kind !== undefined) return yield* refuse(url.hostname, `a ${kind} address`)
    if (Address.isIp(url.hostname)) return
    for (const address of yield* resolve(url.hostname)) {
      const kind = Address.kindOf(address)
      if (kind !== undefined) return yield* refuse(url.hostname, `it resolves to ${address}, a ${kind} address`)
    }
  })
})

/** Fails where a URL leads to a private network or is no `http(s)` URL. */
export const check = (options: Options = {}) => (url: string): Effect.Effect<void, AgentError.InvalidRequestError> =>
  Effect.flatMap(guard(options), (check) => check(url))

/** A client that refuses such URLs before anything is sent. */
export const protect = Effect.fnUntraced(function*(
  client: HttpClient.HttpClient,
  options: Options = {}
): Effect.fn.Return<HttpClient.HttpClient> {
  const check = yield* guard(options)
  return HttpClient.mapRequestEffect(client, (request) =>
    Effect.as(
      Effect.mapError(check(request.url), (cause) =>
        new HttpClientError.HttpClientError({ reason: new HttpClientError.InvalidUrlError({ request, cause }) })),
      request
    ))
})

/** {@link protect} over the client at hand, for cards from a registry and for files; `allow` what the user named. */
export const layer = (
  options: Options = {}
): Layer.Layer<HttpClient.HttpClient, never, HttpClient.HttpClient> =>
  Layer.effect(HttpClient.HttpClient, Effect.flatMap(HttpClient.HttpClient, (client) => protect(client, options)))

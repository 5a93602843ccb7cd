/**
 * The origin under which clients reach a server, which completes the URLs of its card. By default it is that of the request:
 * `http` and its `Host`. Behind a proxy, or with TLS in front, name it, or let the proxy's headers name it.
 *
 * ```ts
 * import { PublicOrigin } from "@effect-a2a/core"
 *
 * const headers = { host: "10.0.0.7", "x-forwarded-proto": "https, http", "x-forwarded-host": "agent.example" }
 * PublicOrigin.fromHost(headers) // => "http://10.0.0.7"
 * PublicOrigin.fromForwarded(headers) // => "https://agent.example"
 * PublicOrigin.fromForwarded({ host: "a.test", "x-forwarded-proto": "https://evil.example/?" }) // => "http://a.test"
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"

/** Headers of a request, in lower case. */
export type Headers = Readonly<Record<string, string | undefined>>

/** Finds the origin of a request. */
export interface PublicOrigin {
  /** Returns an origin such as `https://agent.example`; `undefined` if the request names none. */
  readonly of: (headers: Headers) => string | undefined
  /** True if nobody who only sends requests chooses the origin. */
  readonly isTrusted: boolean
  /** The headers that it reads, for `Vary`. */
  readonly headers: ReadonlyArray<string>
}

/** Returns the origin of a scheme and a host with an optional port; `undefined` if they are anything else. */
const toOrigin = (scheme: string, authority: string): string | undefined => {
  const isHost = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i.test(authority)
  const url = isHost && /^https?$/i.test(scheme) ? URL.parse(`${scheme}://${authority}`) : null
  return url?.origin
}

const first = (list: string | undefined): string => (list ?? "").split(",")[0]!.trim()

/** Returns a parameter of the first element of `Forwarded` (RFC 7239). */
const parameterOf = (header: string | undefined, name: string): string =>
  new RegExp(`(?:^|;)\\s*${name}=("?)([^";]*)\\1`, "i").exec(first(header))?.[2] ?? ""

/** Returns the origin of a request by its `Host`; the scheme is `http`. */
export const fromHost = ({ host = "" }: Headers): string | undefined => toOrigin("http", host)

/**
 * Returns the origin of a request by `Forwarded`, or by `X-Forwarded-Proto` and `X-Forwarded-Host`: their first elements,
 * which the proxy that clients talk to has written. What is absent or malformed is that of {@link fromHost}.
 */
export const fromForwarded = (headers: Headers): string | undefined => {
  const host = parameterOf(headers.forwarded, "host") || first(headers["x-forwarded-host"])
  const scheme = parameterOf(headers.forwarded, "proto") || first(headers["x-forwarded-proto"])
  const own = headers.host ?? ""
  return toOrigin(scheme || "http", host || own) ?? toOrigin("http", host || own) ?? fromHost(headers)
}

/** The origin of requests. Default: {@link fromHost}. Read when routes are made. */
export const Current = Context.Reference<PublicOrigin>("@effect-a2a/core/PublicOrigin/Current", {
  defaultValue: () => ({ of: fromHost, isTrusted: false, headers: [] })
})

/** Names the origin. Dies if it is not an `http` or `https` URL. */
export const layer = (origin: string): Layer.Layer<never> => {
  const url = URL.parse(origin)
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error(`invalid public origin: ${origin}`)
  return Layer.succeed(Current, { of: () => url.origin, isTrusted: true, headers: [] })
}

/**
 * Reads the origin from the headers of a proxy, see {@link fromForwarded}. Only for servers that nobody reaches past a
 * proxy that sets these headers: whoever can send them chooses where clients of the card go.
 */
export const layerForwarded: Layer.Layer<never> = Layer.succeed(Current, {
  of: fromForwarded,
  isTrusted: true,
  headers: ["Forwarded", "X-Forwarded-Proto", "X-Forwarded-Host"]
})

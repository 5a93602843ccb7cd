/**
 * Decides which web pages may send requests to a server, and under which names the server may be addressed.
 *
 * A browser sends some requests of any page to any server without asking first. They have an `Origin` header: one of
 * another origin is refused, be it of another port of the same machine, unless `Cors` lists it. A page can also come from
 * a name that its owner points to the server's address. A server that is reached over a loopback address therefore
 * answers only to `localhost`, to loopback addresses, and to the hosts that {@link layer} lists, such as the name that a
 * proxy on the same machine passes on. Programs other than browsers are not concerned.
 *
 * ```ts
 * import { OriginPolicy } from "@effect-a2a/core"
 * import { RestServer } from "@effect-a2a/transport-rest"
 * import { AgentTest, Script, Wire } from "@effect-a2a/testing"
 * import { Effect, Layer } from "effect"
 * import { HttpClient, HttpClientRequest } from "effect/http"
 *
 * const routes = RestServer.routes().pipe(Layer.provide(AgentTest.layer), Layer.provide(Script.layer(Script.say("Hi"))))
 * const listed = OriginPolicy.layer({ origins: ["https://app.test"] })
 * const cancel = (origin: string) =>
 *   HttpClientRequest.post("http://agent.test/v1/tasks/t-1:cancel").pipe(
 *     HttpClientRequest.setHeader("origin", origin),
 *     HttpClient.execute,
 *     Effect.map(({ status }) => status)
 *   )
 * const both = Effect.all([cancel("https://app.test"), cancel("https://evil.test")])
 * await Effect.runPromise(Effect.provide(both, Wire.layerHttp(Layer.merge(routes, listed)))) // => [404, 403]
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Predicate } from "effect/Predicate"
import * as AgentError from "./AgentError.ts"

/** Origins and hosts that are permitted in addition to the server's own. */
export interface Options {
  /** Origins of pages that may call, such as `https://app.example`. Default: none. */
  readonly origins?: ReadonlyArray<string> | Predicate<string> | undefined
  /** Names of the server without a port, such as `agent.example`. Default: those that the rule above permits. */
  readonly hosts?: ReadonlyArray<string> | Predicate<string> | undefined
}

/** The policy of the current request; `hosts` and `origins` are asked about what the default rule refuses. */
export interface OriginPolicy {
  readonly origins: Predicate<string>
  readonly hosts: Predicate<string>
}

/** The policy of the current request. Default: permits nothing in addition. */
export const Current = Context.Reference<OriginPolicy>("@effect-a2a/core/OriginPolicy/Current", {
  defaultValue: () => ({ origins: () => false, hosts: () => false })
})

const toPredicate = (list: ReadonlyArray<string> | Predicate<string>): Predicate<string> =>
  typeof list === "function" ? list : (one) => list.includes(one)

/** Permits origins and hosts on all routes of the router; merge it with them. Options that are absent change nothing. */
export const layer = ({ hosts, origins }: Options): Layer.Layer<never, never, HttpRouter.HttpRouter> =>
  HttpRouter.middleware(
    Effect.updateService(Current, (policy) => ({
      origins: origins === undefined ? policy.origins : toPredicate(origins),
      hosts: hosts === undefined ? policy.hosts : toPredicate(hosts)
    })),
    { global: true }
  )

const isLoopbackName = (name: string) =>
  /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(name.replace(/\.$/, ""))

const isLoopbackAddress = (address: string) => /^(?:::1$|(?:::ffff:)?127\.)/i.test(address)

const deny = (message: string) => AgentError.reason("AccessDeniedError", { message })

/**
 * Fails with `AccessDeniedError` if the request's `Host` or `Origin` is not permitted. Bindings call it before anything
 * else.
 */
export const check = Effect.fnUntraced(function*(
  { headers: { host, origin }, remoteAddress }: HttpServerRequest
): Effect.fn.Return<void, AgentError.AccessDeniedError> {
  const policy = yield* Current
  const own = host === undefined ? undefined : URL.parse(`http://${host}`)
  if (own === null) return yield* deny("the header Host is not a host")
  const name = own?.hostname
  if (
    name !== undefined && Option.exists(remoteAddress, isLoopbackAddress) && !isLoopbackName(name) &&
    !policy.hosts(name)
  ) {
    return yield* deny(`this server does not answer to the name ${name}; OriginPolicy.layer({ hosts }) permits names`)
  }
  if (origin === undefined || policy.origins(origin)) return
  // the scheme is not compared: a proxy may have ended TLS
  if (own === undefined || URL.parse(origin)?.host !== own.host) {
    return yield* deny(
      `pages of ${JSON.stringify(origin).slice(0, 200)} may not call this server; Cors.layer({ origins }) permits them`
    )
  }
})

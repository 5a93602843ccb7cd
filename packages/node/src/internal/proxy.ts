/** Dispatchers of undici that go through proxies. Tested in `packages/node/test/proxy.test.ts`. */
import * as AgentError from "@effect-a2a/core/AgentError"
import type * as Undici from "@effect/platform-node/Undici"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as NodeProxy from "../NodeProxy.ts"
import type * as Guard from "./guard.ts"

/** Proxies whose URLs are valid. */
interface Parsed {
  readonly http: string | undefined
  readonly https: string | undefined
  readonly except: ReadonlyArray<string>
}

const isDecodable = (text: string) => Result.isSuccess(Result.try(() => decodeURIComponent(text)))

/** Parses the URL of a proxy. The error leaves it out, since it may contain a password. */
const parseUrl = (
  field: "http" | "https",
  proxy: Redacted.Redacted | undefined
): Result.Result<string | undefined, AgentError.InvalidRequestError> => {
  if (proxy === undefined) return Result.succeed(undefined)
  const text = Redacted.value(proxy).trim()
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`)
  if (url !== null && /^https?:$/.test(url.protocol) && isDecodable(url.username) && isDecodable(url.password)) {
    return Result.succeed(url.href)
  }
  const message = `invalid URL of the proxy for ${field} agents: expected http://host:port or https://host:port`
  return Result.fail(
    AgentError.reason("InvalidRequestError", {
      message,
      violations: [{ field: `proxy.${field}`, description: "a URL" }]
    })
  )
}

/** Parses the URLs of proxies. */
export const parse = (
  { except = [], http, https }: NodeProxy.Proxies
): Result.Result<Parsed, AgentError.InvalidRequestError> =>
  Result.all({
    http: parseUrl("http", http),
    https: parseUrl("https", https),
    except: Result.succeed(except)
  })

const usesEnv = Config.orElse(Config.String("NODE_USE_ENV_PROXY"), () => Config.succeed(""))

/** The ambient proxies, or those of the environment if Node is asked to use them. */
export const current: Effect.Effect<NodeProxy.Proxies> = Effect.flatMap(
  NodeProxy.Current,
  (proxies) =>
    proxies === undefined
      ? Effect.flatMap(Effect.orDie(usesEnv), (value) => value === "1" ? NodeProxy.fromEnv : Effect.succeed({}))
      : Effect.succeed(proxies)
)

/**
 * Makes a dispatcher that is destroyed with the scope. With a guard it connects to public addresses only, and to none
 * through a proxy, which connects by itself.
 */
export const makeDispatcher = (
  { except, http, https }: Parsed,
  guard?: typeof Guard | undefined
): Effect.Effect<Undici.Dispatcher, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.map(Effect.promise(() => import("@effect/platform-node/Undici")), (undici) => {
        const direct = guard && { connect: guard.connect(undici) }
        const tunnel = guard && { proxyTunnel: true, clientFactory: guard.refuseProxy(undici) }
        const make = (proxy: string | undefined) =>
          proxy === undefined
            ? new undici.Agent(direct)
            : new undici.EnvHttpProxyAgent({
              ...direct,
              ...tunnel,
              httpProxy: proxy,
              httpsProxy: proxy,
              noProxy: except.join()
            })
        return { plain: make(http), secure: make(https) }
      }),
      ({ plain, secure }) => Effect.promise(() => Promise.all([plain.destroy(), secure.destroy()]))
    ),
    ({ plain, secure }) =>
      plain.compose((dispatch) => (options, handler) =>
        String(options.origin).startsWith("https:") ? secure.dispatch(options, handler) : dispatch(options, handler)
      )
  )

/** Returns the status of the response by which a proxy refused a connection. */
export const refusal = (cause: unknown): number | undefined => {
  const message = cause instanceof Error ? cause.message : ""
  const status = /^Proxy response \((\d+)\)|^Proxy Authentication Required \((\d+)\)/.exec(message)
  return status === null ? undefined : Number(status[1] ?? status[2])
}

/**
 * HTTP proxies between this program and its agents. Provide a layer of this module to `NodeAgent.layer` or
 * `NodeAgent.layerClient`; requests to `https:` agents are tunneled through the proxy (`CONNECT`), others are forwarded.
 *
 * ```ts
 * import { Agent, Credentials } from "@effect-a2a/core"
 * import { NodeAgent, NodeProxy } from "@effect-a2a/node"
 * import { Effect, Layer, Redacted } from "effect"
 *
 * const agent = NodeAgent.layer({ url: "http://agent.test/a2a" }).pipe(
 *   Layer.provide(NodeProxy.layer({ http: Redacted.make("http://user:secret@127.0.0.1:9") })),
 *   Layer.provide(Credentials.layerNone)
 * )
 * const program = Agent.ask("Anybody there?").pipe(
 *   Effect.map(({ text }) => text),
 *   Effect.catchReason("AgentError", "ConnectionError", (reason) => Effect.succeed(reason.message)),
 *   Effect.provide(agent)
 * )
 * const message = await Effect.runPromise(program)
 * message.includes("127.0.0.1:9") // => true
 * ```
 *
 * @since 0.1.0
 */
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/**
 * The URLs of proxies, such as `http://user:password@proxy.example:3128`; without a scheme they are `http:`. Requests
 * fail with `InvalidRequestError` if a URL is invalid, and with `ConnectionError` if the proxy refuses them.
 */
export interface Proxies {
  /** The proxy for agents at `http:` URLs. Default: none. */
  readonly http?: Redacted.Redacted | undefined
  /** The proxy for agents at `https:` URLs. Default: none. */
  readonly https?: Redacted.Redacted | undefined
  /**
   * Hosts that are reached directly, with their subdomains; `*.example.com` stands for subdomains only, `host:8080` for
   * one port, `*` for all. Default: none.
   */
  readonly except?: ReadonlyArray<string> | undefined
}

/**
 * The proxies of HTTP clients made within, read when a client is made. Default: those of {@link layerEnv} if
 * `NODE_USE_ENV_PROXY` is `1`, as for Node's own `fetch`; else none.
 */
export const Current = Context.Reference<Proxies | undefined>("@effect-a2a/node/NodeProxy/Current", {
  defaultValue: () => undefined
})

/** Returns the first variable that is set; the lower case is older and wins. */
const variable = (name: string): Config.Config<string | undefined> =>
  Config.NonEmptyString(name.toLowerCase()).pipe(
    Config.orElse(() => Config.NonEmptyString(name)),
    Config.orElse(() => Config.succeed(undefined))
  )

const secret = (name: string) => Config.map(variable(name), (url) => url === undefined ? undefined : Redacted.make(url))

/** Reads the proxies from `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, in upper or lower case; empty ones count as missing. */
export const fromEnv: Effect.Effect<Proxies> = Effect.orDie(Effect.gen(function*() {
  return {
    http: yield* secret("HTTP_PROXY"),
    https: yield* secret("HTTPS_PROXY"),
    except: ((yield* variable("NO_PROXY")) ?? "").split(/[,\s]+/).filter((host) => host !== "")
  }
}))

/** Provides the proxies of the environment, see {@link fromEnv}; the `a2a` command does so. */
export const layerEnv: Layer.Layer<never> = Layer.effect(Current, fromEnv)

/** Provides the given proxies. */
export const layer = (proxies: Proxies): Layer.Layer<never> => Layer.succeed(Current, proxies)

/** Provides direct connections, whatever the environment says. */
export const layerNone: Layer.Layer<never> = Layer.succeed(Current, {})

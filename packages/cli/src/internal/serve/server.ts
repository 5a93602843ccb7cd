/** The server of `a2a serve`. Imported when it is needed. */
import * as OriginPolicy from "@effect-a2a/core/OriginPolicy"
import type * as Protocol from "@effect-a2a/core/Protocol"
import * as PublicOrigin from "@effect-a2a/core/PublicOrigin"
import * as ServerHandler from "@effect-a2a/core/ServerHandler"
import * as NodeAgent from "@effect-a2a/node/NodeAgent"
import * as NodeAgentServer from "@effect-a2a/node/NodeAgentServer"
import * as AgentServer from "@effect-a2a/server/AgentServer"
import * as Authentication from "@effect-a2a/server/Authentication"
import * as CardServer from "@effect-a2a/server/CardServer"
import * as PushSender from "@effect-a2a/server/PushSender"
import * as PushStore from "@effect-a2a/server/PushStore"
import * as JsonRpcServer from "@effect-a2a/transport-jsonrpc/JsonRpcServer"
import * as RestServer from "@effect-a2a/transport-rest/RestServer"
import type * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { UsageError } from "../exit.ts"
import * as AgentModule from "./agentModule.ts"
import * as Demo from "./demo.ts"

export interface Options {
  /** A file that exports an agent. Default: the demo agent. */
  readonly module: string | undefined
  readonly host: string
  readonly port: number
  readonly name: string | undefined
  readonly publicUrl: string | undefined
  readonly isBehindProxy: boolean
  readonly version: "1.0" | "0.3" | undefined
  readonly binding: "rest" | "jsonrpc" | undefined
  readonly maxRunning: number | undefined
  /** Sends push notifications, to webhooks in private networks too if `allowsPrivateWebhooks`. */
  readonly sendsPush: boolean
  readonly allowsPrivateWebhooks: boolean
  /** The keys of callers. Default: anybody may call. */
  readonly keys: ReadonlyArray<Authentication.Key> | undefined
}

const demoCard = {
  name: "Demo agent",
  description:
    "Rehearses what agents do: chunks, steps, think, tool, ask, auth, slow, collect, fail, file, context, whoami"
}

const cardOf = ({ keys, module, name }: Options): AgentServer.Card => ({
  ...(module === undefined ? demoCard : { name: "Agent", description: `Served from ${module}` }),
  ...(name === undefined ? undefined : { name }),
  ...(keys === undefined ? undefined : {
    securitySchemes: { token: { _tag: "HttpAuth", scheme: "Bearer" } },
    securityRequirements: [{ token: [] }]
  })
})

const routesOf = ({ binding, version }: Options) => {
  const [first, ...others] = ServerHandler.protocols.filter((one) => version === undefined || one.version === version)
  const protocols: Arr.NonEmptyReadonlyArray<Protocol.Protocol> | undefined = first && [first, ...others]
  return Layer.mergeAll(
    CardServer.routes({ protocols }),
    binding === "jsonrpc" ? Layer.empty : RestServer.routes({ path: "/rest", protocols }),
    binding === "rest" ? Layer.empty : JsonRpcServer.routes({ path: "/rpc", protocols })
  )
}

const pushOf = ({ allowsPrivateWebhooks }: Options) =>
  PushSender.layer({ allow: allowsPrivateWebhooks ? "all" : [] }).pipe(
    Layer.provide([PushStore.layerMemory(), NodeAgent.layerClient])
  )

/** Starts to serve, until the scope closes. Returns the base URL. */
export const start = (options: Options): Effect.Effect<string, UsageError, Scope.Scope> =>
  Effect.gen(function*() {
    const { host, isBehindProxy, keys, maxRunning, module, port, publicUrl, sendsPush } = options
    const executor = module === undefined ? Demo.layer : yield* AgentModule.load(module)
    const publicHost = publicUrl === undefined ? undefined : URL.parse(publicUrl)?.hostname
    if (publicUrl !== undefined && !/^https?:\/\//.test(publicUrl)) {
      return yield* Effect.fail(
        new UsageError({ message: `--public-url: expected an http or https URL, got ${publicUrl}` })
      )
    }
    const agent = AgentServer.layerMemory({ card: cardOf(options), maxRunning }).pipe(
      Layer.provide(executor),
      Layer.provide(sendsPush ? pushOf(options) : Layer.empty)
    )
    const origin = publicUrl !== undefined
      ? PublicOrigin.layer(publicUrl)
      : isBehindProxy
      ? PublicOrigin.layerForwarded
      : Layer.empty
    const routes = Layer.mergeAll(
      routesOf(options),
      keys === undefined
        ? Layer.empty
        : Authentication.layer({ schemes: { token: Authentication.bearer(keys) } }),
      HttpRouter.add("GET", "/health", HttpServerResponse.jsonUnsafe({ status: "ok" })),
      // a proxy passes on the name that clients use
      OriginPolicy.layer({ hosts: (name) => isBehindProxy || name === publicHost })
    ).pipe(Layer.provide(origin), Layer.provide(agent))
    const context = yield* Layer.build(NodeAgentServer.layer({ routes, host, port })).pipe(
      Effect.mapError(({ cause }) => new UsageError({ message: `cannot listen on ${host}:${port}: ${String(cause)}` }))
    )
    return yield* Effect.provideContext(NodeAgentServer.url, context)
  })

/**
 * A MemoryLake service in this process: the routes of both protocol versions and both bindings, its rules and refusals,
 * and agents that answer the same question the same way each time. `docs/memorylake.md` lists the input that triggers each
 * refusal.
 *
 * ```ts
 * import { Agent, Protocol } from "@effect-a2a/core"
 * import { MemoryLakeEmulator } from "@effect-a2a/emulators"
 * import { JsonRpc } from "@effect-a2a/transport-jsonrpc"
 * import { Effect } from "effect"
 *
 * const question = Agent.ask("What is the capital of France?")
 * const agent = MemoryLakeEmulator.layer({ binding: JsonRpc.binding, protocol: Protocol.v0_3 })
 * const answer = await Effect.runPromise(question.pipe(Effect.provide(agent)))
 * answer.text // => "Paris is the capital of France."
 * ```
 *
 * @since 0.1.0
 */
import * as Agent from "@effect-a2a/core/Agent"
import type * as AgentCard from "@effect-a2a/core/AgentCard"
import * as AgentTransport from "@effect-a2a/core/AgentTransport"
import * as Credentials from "@effect-a2a/core/Credentials"
import type * as HttpBinding from "@effect-a2a/core/HttpBinding"
import * as Id from "@effect-a2a/core/Id"
import * as Protocol from "@effect-a2a/core/Protocol"
import type { Transport } from "@effect-a2a/core/Transport"
import * as MemoryLake from "@effect-a2a/memorylake/MemoryLake"
import * as TaskFeedback from "@effect-a2a/memorylake/TaskFeedback"
import * as AgentExecutor from "@effect-a2a/server/AgentExecutor"
import * as AgentServer from "@effect-a2a/server/AgentServer"
import * as Caller from "@effect-a2a/server/Caller"
import * as CardServer from "@effect-a2a/server/CardServer"
import * as Cors from "@effect-a2a/server/Cors"
import * as InProcessHttp from "@effect-a2a/server/InProcessHttp"
import * as JsonRpcServer from "@effect-a2a/transport-jsonrpc/JsonRpcServer"
import * as Rest from "@effect-a2a/transport-rest/Rest"
import * as RestServer from "@effect-a2a/transport-rest/RestServer"
import * as Effect from "effect/Effect"
import type { HttpClient } from "effect/http/HttpClient"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Answers from "./internal/memorylake/answers.ts"
import * as Auth from "./internal/memorylake/auth.ts"
import * as Feedback from "./internal/memorylake/feedback.ts"
import * as Rules from "./internal/memorylake/rules.ts"
import * as WireFormat from "./internal/memorylake/wireFormat.ts"

/** The id of the emulated workspace. */
export const workspaceId = "ws-demo"

/** The ids of its agents, which share the conversations of the workspace. */
export const agentIds = ["agent-demo", "agent-other"] as const

/** A valid API key. Any other `sk_…` is valid too, except those that `docs/memorylake.md` lists. */
export const apiKey = "sk_demo"

/** Returns the address of an emulated agent on an origin that serves {@link routes}. */
export const address = (host: string, agentId: typeof agentIds[number] = agentIds[0]): MemoryLake.Address => ({
  host,
  workspaceId,
  agentId
})

const protocols = [MemoryLake.servedProtocol(Protocol.v1_0), MemoryLake.servedProtocol(Protocol.v0_3)] as const

const mount = (agentId: string) =>
  `/openapi/memorylake/api/v3/workspaces/${workspaceId}/agents/${agentId}` satisfies `/${string}`

const card = (agentId: string): AgentCard.AgentCard => ({
  name: agentId,
  description: "An emulated MemoryLake agent: it answers the same question the same way each time.",
  version: "1.0.0",
  supportedInterfaces: protocols.flatMap(({ version }) =>
    ["HTTP+JSON", "JSONRPC"].map((protocolBinding) => ({
      url: `${mount(agentId)}/a2a`,
      protocolBinding,
      protocolVersion: version
    }))
  ),
  capabilities: {
    streaming: true,
    pushNotifications: false,
    extensions: [{ uri: TaskFeedback.uri, description: "Rate a task" }]
  },
  securitySchemes: { apiKey: { _tag: "HttpAuth", scheme: "bearer" } },
  securityRequirements: [{ apiKey: [] }],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: []
})

/** The service sends no ids of events: positions are hidden members, which copies have not. */
const withoutPositions = AgentTransport.transform((transport): Transport => ({
  ...transport,
  stream: (operation, request) => Stream.map(transport.stream(operation, request), (event) => ({ ...event }))
}))

const agent = (agentId: string) =>
  AgentServer.layerMemory({ card: card(agentId), replay: "events" }).pipe(
    Layer.provide(AgentExecutor.layer(Answers.execute)),
    Rules.withRules(agentId),
    Feedback.withRatings,
    withoutPositions
  )

/** Handles all requests to one agent, after authentication. */
const handler = (agentId: string) =>
  Effect.gen(function*() {
    const transport = yield* AgentTransport.AgentTransport
    const ratings = yield* Feedback.Ratings
    const path = mount(agentId)
    // a separate router, so that authentication comes before its routes
    const router = yield* HttpRouter.make
    yield* Layer.build(
      Layer.mergeAll(
        RestServer.routes({ path: `${path}/a2a`, protocols }),
        JsonRpcServer.routes({ path: `${path}/a2a`, protocols }),
        CardServer.routes({ path, protocols })
      ).pipe(
        Layer.provide([
          Layer.succeed(AgentTransport.AgentTransport, transport),
          Layer.succeed(HttpRouter.HttpRouter, router)
        ])
      )
    )
    const handle = router.asHttpEffect()
    return (request: HttpServerRequest.HttpServerRequest) => {
      const caller = Auth.authenticate(request)
      if (caller.refusal !== undefined) return Effect.succeed(Auth.refuse(caller.refusal))
      const taskId = Feedback.ratedTask(request)
      const answer = taskId === undefined
        ? Effect.orElseSucceed(handle, () => Auth.refuse("NOT_FOUND"))
        : Feedback.rate(request, taskId, transport).pipe(Effect.provideService(Feedback.Ratings, ratings))
      const generate = Rules.generator(uuid)
      return answer.pipe(
        Effect.provideService(Caller.Current, { id: caller.key }),
        Effect.provideService(Id.CurrentGenerator, generate),
        WireFormat.apply
      )
    }
  })

const uuid = Id.CurrentGenerator.defaultValue()

/** Provides the routes of the whole service. Pages of any origin may call them. */
export const routes: Layer.Layer<never, never, HttpRouter.HttpRouter> = Layer.mergeAll(
  ...agentIds.map((agentId) =>
    Layer.effectDiscard(Effect.gen(function*() {
      const router = yield* HttpRouter.HttpRouter
      const handle = yield* handler(agentId)
      yield* router.add("*", `${mount(agentId)}/*`, handle)
    })).pipe(Layer.provide(agent(agentId)))
  ) as [Layer.Layer<never, never, HttpRouter.HttpRouter | Rules.Conversations | Feedback.Ratings>],
  Layer.effectDiscard(
    Effect.flatMap(HttpRouter.HttpRouter, (router) => router.add("*", "/*", Effect.succeed(Auth.refuse("NOT_FOUND"))))
  ),
  Cors.layer()
).pipe(Layer.provide([Rules.layerConversations, Feedback.layerRatings]))

/** Options of {@link layer} and {@link layerTransport}. Defaults: REST, protocol version 1.0 and {@link apiKey}. */
export interface Options {
  readonly binding?: HttpBinding.HttpBinding | undefined
  readonly protocol?: Protocol.Protocol | undefined
  readonly apiKey?: Redacted.Redacted | undefined
}

/**
 * Provides a transport to the first agent over HTTP messages in memory, and the tape of them. For agents with tags, and
 * for decorators.
 *
 * ```ts
 * import { Agent, AgentTransport } from "@effect-a2a/core"
 * import { MemoryLakeEmulator } from "@effect-a2a/emulators"
 * import { Effect, Layer } from "effect"
 *
 * class Lake extends Agent.Tag<Lake>()("app/Lake") {}
 *
 * const lake = Lake.layer.pipe(
 *   Layer.provide(MemoryLakeEmulator.layerTransport().pipe(AgentTransport.resumable()))
 * )
 * const answer = await Effect.runPromise(Lake.ask("What is the capital of France?").pipe(Effect.provide(lake)))
 * answer.text // => "Paris is the capital of France."
 * ```
 */
export const layerTransport = (
  { apiKey: key = Redacted.make(apiKey), binding = Rest.binding, protocol }: Options = {}
): Layer.Layer<AgentTransport.AgentTransport | HttpClient | InProcessHttp.Tape> =>
  MemoryLake.layer({ ...address("http://memorylake.test"), binding, protocol }).pipe(
    Layer.provideMerge(InProcessHttp.layer(routes)),
    Layer.provide(Credentials.layerBearer(key)),
    Layer.orDie
  )

/** Provides a client of the first agent over {@link layerTransport}. */
export const layer = (options: Options = {}): Layer.Layer<Agent.Agent | InProcessHttp.Tape> =>
  Agent.layer.pipe(Layer.provideMerge(layerTransport(options)))

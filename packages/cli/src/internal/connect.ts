/** From flags to an agent that can be spoken to, in any version and binding. */
import * as Agent from "@effect-a2a/core/Agent"
import type * as AgentCard from "@effect-a2a/core/AgentCard"
import type { AgentError } from "@effect-a2a/core/AgentError"
import * as AgentTransport from "@effect-a2a/core/AgentTransport"
import * as Credentials from "@effect-a2a/core/Credentials"
import * as Discovery from "@effect-a2a/core/Discovery"
import * as HttpBinding from "@effect-a2a/core/HttpBinding"
import type * as Protocol from "@effect-a2a/core/Protocol"
import * as ServiceParameters from "@effect-a2a/core/ServiceParameters"
import * as MemoryLake from "@effect-a2a/memorylake/MemoryLake"
import * as NodeAgent from "@effect-a2a/node/NodeAgent"
import * as NodeCredentials from "@effect-a2a/node/NodeCredentials"
import * as Adk from "@effect-a2a/transport-adk/Adk"
import * as Arr from "effect/Array"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { flow, identity } from "effect/Function"
import type { HttpClient } from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { variable } from "./environment.ts"
import { UsageError } from "./exit.ts"
import * as MemoryLakeFlags from "./memoryLake.ts"
import { CurrentSecrets, Output } from "./output.ts"
import { root } from "./root.ts"
import * as Target from "./target.ts"

/** A version and a binding. */
export interface Cell {
  readonly protocol: NodeAgent.Version
  readonly binding: NodeAgent.Binding
}

export interface Connection {
  readonly target: Target.Target
  /** What the flags name; where they do not, a card decides. */
  readonly cell: Partial<Cell>
  readonly agent: (cell: Partial<Cell>) => Effect.Effect<Agent.Service, AgentError>
  readonly card: Effect.Effect<AgentCard.AgentCard, AgentError>
  /** The flags' headers, limits and MemoryLake options, around an effect; what is taken up again is told. */
  readonly provide: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** For requests beside the protocol. */
  readonly http: Context.Context<HttpClient | Credentials.Credentials>
}

export const isMemoryLake = (target: Target.Target): boolean => target._tag === "MemoryLake" || target.isMemoryLake

const allOr = <K extends string, A>(all: { readonly [_ in K]: A }, one: K | undefined) =>
  one === undefined ? Object.values<A>(all) as [A, ...Array<A>] : Arr.of(all[one])

const transport = (target: Target.Target, cell: Partial<Cell>, policy: AgentTransport.Policy) => {
  if (target._tag === "Adk") return Adk.layer(target)
  const patched = (protocol: Protocol.Protocol) => isMemoryLake(target) ? MemoryLake.protocol(protocol) : protocol
  const remembering = isMemoryLake(target) ? MemoryLake.withMemory : identity
  if (target._tag === "Card") {
    return remembering(NodeAgent.layerTransport({
      agent: target.url,
      bindings: allOr<NodeAgent.Binding, HttpBinding.HttpBinding>(NodeAgent.bindings, cell.binding),
      protocols: Arr.map(allOr<NodeAgent.Version, Protocol.Protocol>(NodeAgent.protocols, cell.protocol), patched),
      policy
    }))
  }
  const client = HttpBinding.layer(NodeAgent.bindings[cell.binding ?? "rest"])
  const protocol = NodeAgent.protocols[cell.protocol ?? "1.0"]
  return target._tag === "MemoryLake"
    ? MemoryLake.layer(client)({ ...target.address, protocol })
    : remembering(client({ url: target.url, protocol: patched(protocol) }))
}

const header = (text: string): Effect.Effect<readonly [string, string], UsageError> => {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\x20-\x7e]*)$/.exec(text) ?? []
  return name === undefined || value === undefined
    ? new UsageError({
      message: `--header expects 'Name: value', not what begins with ${JSON.stringify(text.split(/[:=\s]/)[0])}`
    })
    : Effect.succeed([name.toLowerCase(), value.trim()])
}

const variables = ["A2A_TOKEN", "A2A_TOKEN_FILE", "A2A_TOKEN_COMMAND", "MEMORYLAKE_API_KEY", "A2A_API_KEY"]

const given = Effect.fnUntraced(function*({ apiKeyHeader }: Target.Flags, { apiKey }: Target.Target) {
  const values = yield* Effect.forEach(variables, variable)
  return apiKey === undefined || values.some((value) => value !== undefined)
    ? NodeCredentials.layerEnv({ apiKeyHeader: Option.getOrUndefined(apiKeyHeader) })
    : Credentials.layerBearer(Redacted.make(apiKey))
})

/** A token that comes from a file or a command is a secret once it is known. */
const watched = Layer.effect(
  Credentials.Credentials,
  Effect.gen(function*() {
    const credentials = yield* Credentials.Credentials
    const secrets = yield* CurrentSecrets
    return {
      ...credentials,
      get: (target) =>
        Effect.tap(credentials.get(target), (presented) =>
          Effect.sync(() => {
            for (const one of presented) if (one._tag === "Bearer") secrets.add(Redacted.value(one.token))
          }))
    }
  })
)

const timeouts = ({ timeout, timeoutHeaders, timeoutSilence }: Target.Flags): HttpBinding.Timeouts => ({
  headers: Option.getOrUndefined(timeoutHeaders),
  silence: Option.getOrUndefined(timeoutSilence),
  call: Option.getOrUndefined(timeout)
})

/** Fails where the flags contradict each other. Nothing is sent yet. */
export const connect = Effect.gen(function*() {
  const flags = yield* root
  const output = yield* Output
  const headers = Object.fromEntries(yield* Effect.forEach(flags.header, (text) => header(text)))
  const target = yield* Target.resolve(flags)
  if (!isMemoryLake(target) && MemoryLakeFlags.isUsed(flags)) {
    return yield* new UsageError({
      message: "the agent is not known to be one of MemoryLake's, whose options are given; add --memorylake if it is"
    })
  }
  const credentials = watched.pipe(Layer.provide(yield* given(flags, target)))
  const http = yield* Layer.build(Layer.merge(credentials, NodeAgent.layerClient)).pipe(
    Effect.mapError((error) => new UsageError({ message: error.message }))
  )
  const withOptions = MemoryLakeFlags.provide(flags)
  const resumed: (resumed: AgentTransport.Resumed) => Effect.Effect<void> = ({ attempt, taskId }) =>
    output.json
      ? output.document({ resumed: { taskId, attempt } })
      : output.step(`the connection was lost: taking task ${taskId} up again, attempt ${attempt}`)
  const provide: Connection["provide"] = (self) =>
    withOptions(ServiceParameters.provide({ headers })(self)).pipe(
      Effect.provideService(HttpBinding.CurrentTimeouts, timeouts(flags)),
      Effect.provideService(AgentTransport.CurrentResumptionObserver, resumed)
    )
  const policy = AgentTransport.backoff(flags.retries)
  const lasting = flow(
    AgentTransport.retry(policy),
    // a stream of ADK cannot be taken up again
    flags.resume && target._tag !== "Adk" ? AgentTransport.resumable() : identity
  )
  const agent: Connection["agent"] = (cell) =>
    Agent.make.pipe(
      Effect.provide(lasting(transport(target, cell, policy))),
      Effect.provideContext(http),
      provide
    )
  const cell = {
    ...(Option.isSome(flags.protocol) && { protocol: flags.protocol.value }),
    ...(Option.isSome(flags.binding) && { binding: flags.binding.value })
  }
  return {
    target,
    cell,
    agent,
    card: target._tag === "Card"
      // also where none of its interfaces can be spoken to
      ? Discovery.card(target.url).pipe(
        Effect.retry(AgentTransport.polite(policy)),
        Effect.provideContext(http),
        provide
      )
      : Effect.flatMap(agent(cell), ({ card }) => provide(card)),
    provide,
    http
  } satisfies Connection as Connection
})

/** The agent in the cell that the flags name. */
export const connectAgent: Effect.Effect<
  Connection & { readonly api: Agent.Service },
  AgentError | UsageError,
  Effect.Services<typeof root> | Output | Scope.Scope
> = Effect.gen(function*() {
  const connection = yield* connect
  return { ...connection, api: yield* connection.agent(connection.cell) }
})

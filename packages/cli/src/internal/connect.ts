/** From flags to an agent that can be spoken to, in any version and binding. */
import * as Agent from "@effect-a2a/core/Agent"
import type { AgentError } from "@effect-a2a/core/AgentError"
import * as Credentials from "@effect-a2a/core/Credentials"
import * as ServiceParameters from "@effect-a2a/core/ServiceParameters"
import * as MemoryLake from "@effect-a2a/memorylake/MemoryLake"
import * as NodeAgent from "@effect-a2a/node/NodeAgent"
import * as NodeCredentials from "@effect-a2a/node/NodeCredentials"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { HttpClient } from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { UsageError } from "./exit.ts"
import * as MemoryLakeFlags from "./memoryLake.ts"
import type { Output } from "./output.ts"
import { root } from "./root.ts"
import * as Target from "./target.ts"

/** A version and a binding. */
export interface Cell {
  readonly protocol: NodeAgent.Version
  readonly binding: NodeAgent.Binding
}

export interface Connection {
  readonly target: Target.Target
  /** What the flags name. */
  readonly cell: Cell
  readonly agent: (cell: Cell) => Effect.Effect<Agent.Interface, AgentError>
  /** The flags' headers and MemoryLake options, around an effect. */
  readonly provide: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** For requests beside the protocol. */
  readonly http: Context.Context<HttpClient | Credentials.Credentials>
}

export const isMemoryLake = (target: Target.Target): boolean => target._tag === "MemoryLake" || target.isMemoryLake

const transport = (target: Target.Target, { binding, protocol: version }: Cell) => {
  const [client, protocol] = [NodeAgent.bindings[binding], NodeAgent.protocols[version]]
  if (target._tag === "MemoryLake") return MemoryLake.layer(client)({ ...target.address, protocol })
  return target.isMemoryLake
    ? MemoryLake.withMemory(client({ url: target.url, protocol: MemoryLake.protocol(protocol) }))
    : client({ url: target.url, protocol })
}

const header = (text: string): Effect.Effect<readonly [string, string], UsageError> => {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\x20-\x7e]*)$/.exec(text) ?? []
  return name === undefined || value === undefined
    ? new UsageError({
      message: `--header expects 'Name: value', not what begins with ${JSON.stringify(text.split(/[:=\s]/)[0])}`
    })
    : Effect.succeed([name.toLowerCase(), value.trim()])
}

const credentials = ({ apiKeyHeader }: Target.Flags, { apiKey }: Target.Target) => {
  const isGiven = ["A2A_TOKEN", "MEMORYLAKE_API_KEY", "A2A_API_KEY"].some((name) => process.env[name])
  return apiKey === undefined || isGiven
    ? NodeCredentials.layerEnv({ apiKeyHeader: Option.getOrUndefined(apiKeyHeader) })
    : Credentials.layerBearer(Redacted.make(apiKey))
}

/** Fails where the flags contradict each other. Nothing is sent yet. */
export const connect = Effect.gen(function*() {
  const flags = yield* root
  const headers = Object.fromEntries(yield* Effect.forEach(flags.header, (text) => header(text)))
  const target = yield* Target.resolve(flags)
  if (!isMemoryLake(target) && MemoryLakeFlags.isUsed(flags)) {
    return yield* new UsageError({
      message: "the agent is not known to be one of MemoryLake's, whose options are given; add --memorylake if it is"
    })
  }
  const http = yield* Layer.build(Layer.merge(credentials(flags, target), NodeAgent.layerClient)).pipe(
    Effect.mapError((error) => new UsageError({ message: error.message }))
  )
  const withOptions = MemoryLakeFlags.provide(flags)
  return {
    target,
    cell: { protocol: flags.protocol, binding: flags.binding },
    agent: (cell) => Agent.make.pipe(Effect.provide(transport(target, cell)), Effect.provideContext(http)),
    provide: (self) => withOptions(ServiceParameters.provide({ headers })(self)),
    http
  } satisfies Connection as Connection
})

/** The agent in the cell that the flags name. */
export const connectAgent: Effect.Effect<
  Connection & { readonly api: Agent.Interface },
  AgentError | UsageError,
  Effect.Services<typeof root> | Output | Scope.Scope
> = Effect.gen(function*() {
  const connection = yield* connect
  return { ...connection, api: yield* connection.agent(connection.cell) }
})

/** Connects to the agent of the flags, in any combination of protocol version and binding. */
import * as Agent from "@effect-a2a/core/Agent"
import type * as AgentCard from "@effect-a2a/core/AgentCard"
import type { AgentError } from "@effect-a2a/core/AgentError"
import * as AgentTransport from "@effect-a2a/core/AgentTransport"
import type { ClientProtocol } from "@effect-a2a/core/ClientProtocol"
import * as Credentials from "@effect-a2a/core/Credentials"
import * as Discovery from "@effect-a2a/core/Discovery"
import type * as HttpBinding from "@effect-a2a/core/HttpBinding"
import * as ServiceParameters from "@effect-a2a/core/ServiceParameters"
import * as Timeouts from "@effect-a2a/core/Timeouts"
import * as MemoryLake from "@effect-a2a/memorylake/MemoryLake"
import * as NodeAgent from "@effect-a2a/node/NodeAgent"
import * as NodeCredentials from "@effect-a2a/node/NodeCredentials"
import * as NodeProxy from "@effect-a2a/node/NodeProxy"
import * as Adk from "@effect-a2a/transport-adk/Adk"
import * as Arr from "effect/Array"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { HttpClient } from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { variable } from "./environment.ts"
import { UsageError } from "./exit.ts"
import * as Headers from "./headers.ts"
import * as Leave from "./leave.ts"
import * as MemoryLakeFlags from "./memoryLake.ts"
import * as Origins from "./origins.ts"
import { CurrentSecrets, Output } from "./output.ts"
import { root } from "./root.ts"
import * as Target from "./target.ts"

/** A protocol version and a binding. */
export interface Combination {
  readonly protocol: NodeAgent.Version
  readonly binding: NodeAgent.Binding
}

/** A client of the agent. */
export interface Client {
  readonly api: Agent.Service
  /** The interface that it calls. */
  readonly interface: AgentCard.AgentInterface
}

/** The agent of the flags, before anything is sent to it. */
export interface Connection {
  readonly target: Target.Target
  /** Further origins that credentials may be sent to. */
  readonly allowed: ReadonlyArray<string>
  readonly canceling: Leave.Canceling
  /** The combination of the flags. The card decides what they leave out. */
  readonly combination: Partial<Combination>
  /** Creates the client in a combination. */
  readonly agent: (combination: Partial<Combination>) => Effect.Effect<Client, AgentError>
  readonly card: Effect.Effect<AgentCard.AgentCard, AgentError>
  /** Provides the headers, time limits and MemoryLake options of the flags; reports resumed streams. */
  readonly provide: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** The HTTP client and the credentials, for requests outside of A2A. */
  readonly http: Context.Context<HttpClient | Credentials.Credentials>
}

const only = <K extends string, A>(installed: { readonly [_ in K]: A }, name: K | undefined) =>
  name === undefined ? Object.values<A>(installed) as [A, ...Array<A>] : Arr.of(installed[name])

const transport = (
  { isMemoryLake, place }: Target.Target,
  { binding, protocol }: Partial<Combination>,
  policy: AgentTransport.Policy,
  allow: ReadonlyArray<string>
): Layer.Layer<AgentTransport.AgentTransport, AgentError, HttpClient | Credentials.Credentials> => {
  if (place._tag === "Adk") return Adk.layer(place)
  if (place._tag === "MemoryLake") {
    return MemoryLake.layer({
      ...place.address,
      binding: NodeAgent.bindings[binding ?? "rest"],
      protocol: NodeAgent.protocols[protocol ?? "1.0"]
    })
  }
  const patch = (protocol: ClientProtocol) => isMemoryLake ? MemoryLake.protocol(protocol) : protocol
  const client = NodeAgent.layerTransport(
    place._tag === "Url" ? { url: place.url, binding, protocol: patch(NodeAgent.protocols[protocol ?? "1.0"]) } : {
      agent: place.url,
      bindings: only<NodeAgent.Binding, HttpBinding.HttpBinding>(NodeAgent.bindings, binding),
      protocols: Arr.map(only<NodeAgent.Version, ClientProtocol>(NodeAgent.protocols, protocol), patch),
      policy,
      allow
    }
  )
  return isMemoryLake ? MemoryLake.withMemory(client) : client
}

const variables = ["A2A_TOKEN", "A2A_TOKEN_FILE", "A2A_TOKEN_COMMAND", "MEMORYLAKE_API_KEY", "A2A_API_KEY"]

const layerCredentials = Effect.fnUntraced(function*({ apiKeyHeader }: Target.Flags, { apiKey }: Target.Target) {
  const values = yield* Effect.forEach(variables, variable)
  return apiKey === undefined || values.some((value) => value !== undefined)
    ? NodeCredentials.layerEnv({ apiKeyHeader: Option.getOrUndefined(apiKeyHeader) })
    : Credentials.layerBearer(Redacted.make(apiKey))
})

/** Adds tokens from files and commands to the secrets, once they are read. */
const redacting = Layer.effect(
  Credentials.Credentials,
  Effect.gen(function*() {
    const credentials = yield* Credentials.Credentials
    const secrets = yield* CurrentSecrets
    return {
      ...credentials,
      get: (target) =>
        Effect.tap(credentials.get(target), (current) =>
          Effect.sync(() => {
            for (const credential of current) {
              if (credential._tag === "Bearer") secrets.add(Redacted.value(credential.token))
            }
          }))
    }
  })
)

const timeouts = ({ timeout, timeoutHeaders, timeoutSilence }: Target.Flags): Timeouts.Timeouts => ({
  response: Option.getOrUndefined(timeoutHeaders),
  idle: Option.getOrUndefined(timeoutSilence),
  total: Option.getOrUndefined(timeout)
})

const client: Effect.Effect<Client, never, AgentTransport.AgentTransport> = Effect.all({
  api: Agent.make,
  interface: AgentTransport.AgentTransport.useSync(({ target }) => target)
})

const reportResumption = (output: Output["Service"]) => ({ attempt, taskId }: AgentTransport.ResumeAttempt) =>
  output.json
    ? output.document({ resumed: { taskId, attempt } })
    : output.step(`the connection dropped: resuming task ${taskId}, attempt ${attempt}`)

/** Reads the flags. Fails with a `UsageError` if they contradict each other. Sends nothing. */
export const connect = Effect.gen(function*() {
  const flags = yield* root
  const output = yield* Output
  const parameters = yield* Headers.read(flags.header)
  const allowed = yield* Origins.read(flags.allowOrigin)
  const target = yield* Target.resolve(flags)
  if (!target.isMemoryLake && MemoryLakeFlags.isUsed(flags)) {
    return yield* new UsageError({
      message:
        "MemoryLake options were given for a target that is not a MemoryLake agent; add --memorylake if it is one"
    })
  }
  const credentials = redacting.pipe(Layer.provide(yield* layerCredentials(flags, target)))
  // the embedded emulator is in this process
  const proxy = target.apiKey === undefined ? NodeProxy.layerEnv : NodeProxy.layerNone
  const http = yield* Layer.build(Layer.merge(credentials, Layer.provide(NodeAgent.layerClient, proxy))).pipe(
    Effect.mapError((error) => new UsageError({ message: error.message }))
  )
  const withOptions = MemoryLakeFlags.provide(flags)
  const provide: Connection["provide"] = (self) =>
    withOptions(ServiceParameters.provide(parameters)(self)).pipe(
      Effect.provideService(Timeouts.CurrentTimeouts, timeouts(flags)),
      Effect.provideService(AgentTransport.CurrentOnResume, reportResumption(output))
    )
  const policy = AgentTransport.backoff(flags.retries)
  // ADK servers cannot resume streams
  const canResume = flags.resume && target.place._tag !== "Adk"
  const canceling = yield* flags.cancelOnInterrupt ? Leave.makeCanceling : Leave.makeNone
  const resilient = (self: ReturnType<typeof transport>) => {
    const retried = AgentTransport.retry(policy)(self)
    return canceling.decorate(canResume ? AgentTransport.resumable()(retried) : retried)
  }
  const scope = yield* Effect.scope
  const agent: Connection["agent"] = (combination) =>
    Layer.build(resilient(transport(target, combination, policy, allowed))).pipe(
      Effect.flatMap((context) => Effect.provideContext(client, context)),
      Effect.mapError(Origins.explain),
      Effect.provideContext(http),
      Scope.provide(scope),
      provide
    )
  const combination = {
    ...(Option.isSome(flags.protocol) && { protocol: flags.protocol.value }),
    ...(Option.isSome(flags.binding) && { binding: flags.binding.value })
  }
  return {
    target,
    allowed,
    canceling,
    combination,
    agent,
    card: target.place._tag === "Card"
      // readable even if none of its interfaces is usable
      ? Discovery.card(target.place.url).pipe(
        Effect.retry(AgentTransport.respectRetryAfter(policy)),
        Effect.provideContext(http),
        provide
      )
      : Effect.flatMap(agent(combination), ({ api }) => provide(api.card)),
    provide,
    http
  } satisfies Connection as Connection
})

/** Connects to the agent in the combination of the flags. Decides what becomes of tasks that go on. */
export const connectAgent: Effect.Effect<
  Connection & Client & {
    /** For a task that the command begins. */
    readonly leave: Leave.Leave
    /** For a task that it follows. */
    readonly leaveFollowed: Leave.Leave
  },
  AgentError | UsageError,
  Effect.Services<typeof root> | Output | Scope.Scope
> = Effect.gen(function*() {
  const connection = yield* connect
  const client = yield* connection.agent(connection.combination)
  const { cancelOnInterrupt } = yield* root
  // ADK servers do not store tasks
  const without = connection.target.place._tag === "Adk" ? Leave.abandon : Leave.leave
  return {
    ...connection,
    ...client,
    leave: cancelOnInterrupt ? connection.canceling.leave(client.api) : without,
    leaveFollowed: cancelOnInterrupt ? Leave.cancelFollowed(client.api) : without
  }
})

// The agent behind the settings, and how a turn is lived through with it.
import * as Agent from "@effect-a2a/core/Agent"
import type { AgentError } from "@effect-a2a/core/AgentError"
import * as AgentTransport from "@effect-a2a/core/AgentTransport"
import * as Conversation from "@effect-a2a/core/Conversation"
import * as Credentials from "@effect-a2a/core/Credentials"
import type * as Id from "@effect-a2a/core/Id"
import * as Protocol from "@effect-a2a/core/Protocol"
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as MemoryLake from "@effect-a2a/memorylake/MemoryLake"
import * as JsonRpc from "@effect-a2a/transport-jsonrpc/JsonRpc"
import * as Rest from "@effect-a2a/transport-rest/Rest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { Settings } from "./settings.ts"

const protocols = { "1.0": Protocol.v1_0, "0.3": Protocol.v0_3 }
const bindings = { rest: Rest.layer, jsonrpc: JsonRpc.layer }

/** Every message is marked as MemoryLake wants it, which other agents do not mind. */
const layerAgent = ({ binding, url, version }: Settings, key: string): Layer.Layer<Agent.Agent, AgentError> =>
  Agent.layer.pipe(
    Layer.provide(
      bindings[binding]({ url, protocol: MemoryLake.protocol(protocols[version]) }).pipe(
        MemoryLake.withMemory,
        AgentTransport.retry(),
        AgentTransport.resumable()
      )
    ),
    Layer.provide(key === "" ? Credentials.layerNone : Credentials.layerBearer(Redacted.make(key))),
    Layer.provide(FetchHttpClient.layer)
  )

export type Events = Stream.Stream<StreamEvent.StreamEvent, AgentError>

const online = Effect.callback<void>((resume) => {
  if (navigator.onLine) return resume(Effect.void)
  const heard = () => resume(Effect.void)
  addEventListener("online", heard, { once: true })
  return Effect.sync(() => removeEventListener("online", heard))
})

/** One conversation with the agent, and its tasks. */
export class Session extends Context.Service<Session, {
  /** `answered`: the task that asked for this. `taskId`: the one at work, once it is known. */
  readonly ask: (question: string, answered: Id.TaskId | undefined, taskId: () => Id.TaskId | undefined) => Events
  readonly follow: (id: Id.TaskId) => Events
  readonly cancel: (id: Id.TaskId) => Effect.Effect<unknown, AgentError>
}>()("example-chat/Session") {}

const make = Effect.fnUntraced(function*(contextId: Id.ContextId | undefined) {
  const agent = yield* Agent.Agent
  const conversation = yield* Conversation.make(contextId === undefined ? {} : { contextId })

  /** A task that cannot be followed, since it has ended, is read. */
  const follow = (id: Id.TaskId): Events =>
    agent.subscribe(id).pipe(
      Stream.catchReason("AgentError", "UnsupportedOperationError", () => Stream.fromEffect(agent.waitFor(id)))
    )

  /** Without a network there is nothing to try, and no reason to give up. */
  const patient = (events: Events, taskId: () => Id.TaskId | undefined): Events =>
    events.pipe(
      Stream.catch((error) => {
        const id = taskId()
        return id !== undefined && error.origin === "network" && error.isRetryable && !navigator.onLine
          ? Stream.unwrap(Effect.as(online, patient(follow(id), taskId)))
          : Stream.fail(error)
      })
    )

  return Session.of({
    ask: (question, answered, taskId) =>
      patient(conversation.stream(question, answered === undefined ? {} : { taskId: answered }), taskId),
    follow: (id) => patient(follow(id), () => id),
    cancel: agent.cancel
  })
})

/** A conversation with the agent that the settings name; a new one without a context. */
export const layer = (
  settings: Settings,
  key: string,
  contextId: Id.ContextId | undefined
): Layer.Layer<Session, AgentError> =>
  Layer.effect(Session, make(contextId)).pipe(Layer.provide(layerAgent(settings, key)))

/**
 * Agents in this process: the whole server, without encoding or sockets.
 *
 * ```ts
 * import { AgentTransport, Operation } from "@effect-a2a/core"
 * import { AgentTest, Script } from "@effect-a2a/testing"
 * import { Effect, Layer } from "effect"
 *
 * const name = Effect.gen(function*() {
 *   const transport = yield* AgentTransport.AgentTransport
 *   return (yield* transport.call(Operation.GetAgentCard, {})).name
 * })
 * const agent = AgentTest.layer.pipe(Layer.provide(Script.layer(Script.say("Hello"))))
 * await Effect.runPromise(name.pipe(Effect.provide(agent))) // => "Test agent"
 * ```
 *
 * @since 0.1.0
 */
import type * as AgentCard from "@effect-a2a/core/AgentCard"
import { reason } from "@effect-a2a/core/AgentError"
import type { AgentTransport } from "@effect-a2a/core/AgentTransport"
import type { TaskId } from "@effect-a2a/core/Id"
import { AgentExecutor } from "@effect-a2a/server/AgentExecutor"
import * as AgentServer from "@effect-a2a/server/AgentServer"
import * as TaskHub from "@effect-a2a/server/TaskHub"
import * as TaskStore from "@effect-a2a/server/TaskStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { CurrentCut } from "./Script.ts"

/** A small, complete card. */
export const card: AgentCard.AgentCard = {
  name: "Test agent",
  description: "Plays a script",
  version: "1.0.0",
  supportedInterfaces: [{ url: "https://agent.test/a2a", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }],
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "script", name: "Script", description: "Plays a script", tags: ["test"] }]
}

/** Provides the server of an executor with options of `AgentServer`; the card is {@link card} by default. */
export const layerWith = (options?: Partial<AgentServer.Options>): Layer.Layer<AgentTransport, never, AgentExecutor> =>
  AgentServer.layer({ card, ...options }).pipe(
    Layer.provide(Layer.fresh(layerCut)),
    Layer.provide([TaskStore.layerMemory(), Layer.fresh(TaskHub.layer)])
  )

/** Lets scripts cut the connections that follow their task. */
const layerCut: Layer.Layer<AgentExecutor, never, AgentExecutor | TaskHub.TaskHub> = Layer.effect(
  AgentExecutor,
  Effect.gen(function*() {
    const executor = yield* AgentExecutor
    const hub = yield* TaskHub.TaskHub
    const cut = (taskId: TaskId) =>
      hub.fail(taskId, reason("StreamInterruptedError", { message: "the connection was cut", taskId }))
    return {
      ...executor,
      execute: (turn) => {
        const execution = executor.execute(turn)
        return Stream.isStream(execution) ? Stream.provideService(execution, CurrentCut, cut) : execution
      }
    }
  })
)

/** Provides the server of an executor. Memoised as every layer: for a second agent beside it use {@link layerWith}. */
export const layer: Layer.Layer<AgentTransport, never, AgentExecutor> = layerWith()

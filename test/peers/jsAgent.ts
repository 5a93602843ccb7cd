/** An agent written with the official JavaScript SDK, on Express, over both bindings and both protocol versions. */
import { AgentCard, Artifact, Message, Task, TaskStatus } from "@a2a-js/sdk"
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
  type RequestContext
} from "@a2a-js/sdk/server"
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from "@a2a-js/sdk/server/express"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import express from "express"
import * as http from "node:http"
import type { AddressInfo } from "node:net"

/** Where it listens; `finish` lets a slow task complete. */
export class JsAgent extends Context.Service<JsAgent, {
  readonly origin: string
  readonly finish: (taskId: string) => Effect.Effect<void>
}>()("test/JsAgent") {}

const agentMessage = (ids: object, text: string) =>
  Message.fromJSON({ messageId: crypto.randomUUID(), role: "ROLE_AGENT", parts: [{ text }], ...ids })

/**
 * What the agent does is told by the first word of the message: `echo …`, `chunks`, `files`, `ask` (and whatever follows
 * in the task), `slow`, `fail`, `throw`, `break` (an event that the SDK does not allow), `hello` (a message, no task).
 */
const makeExecutor = () => {
  const waiting = new Map<string, (state: string) => void>()

  const play = async ({ task, taskId, contextId, userMessage }: RequestContext, bus: ExecutionEventBus) => {
    const ids = { taskId, contextId }
    const part = userMessage.parts[0]?.content
    const text = part?.$case === "text" ? part.value : ""
    const [word] = text.split(" ")
    const begin = () =>
      bus.publish(AgentEvent.task(
        Task.fromJSON({
          id: taskId,
          contextId,
          status: { state: "TASK_STATE_SUBMITTED", timestamp: new Date().toISOString() },
          history: [...(task?.history ?? []), userMessage].map(Message.toJSON)
        })
      ))
    const become = (state: string, said?: string) =>
      bus.publish(AgentEvent.statusUpdate({
        ...ids,
        status: TaskStatus.fromJSON({
          state: `TASK_STATE_${state}`,
          timestamp: new Date().toISOString(),
          ...(said && { message: Message.toJSON(agentMessage(ids, said)) })
        }),
        metadata: undefined
      }))
    const put = (parts: ReadonlyArray<object>, append = false, lastChunk = true) =>
      bus.publish(AgentEvent.artifactUpdate({
        ...ids,
        artifact: Artifact.fromJSON({ artifactId: "result", name: "Result", parts }),
        append,
        lastChunk,
        metadata: undefined
      }))

    if (word === "hello") return bus.publish(AgentEvent.message(agentMessage({ contextId }, "Hello yourself")))
    if (word === "throw") throw new Error("no model")
    begin()
    if (task !== undefined) {
      put([{ text: `You answered ${text}` }])
      return become("COMPLETED")
    }
    become("WORKING", "On it")
    switch (word) {
      case "echo":
        put([{ text: text.slice("echo ".length) }])
        return become("COMPLETED")
      case "chunks":
        put([{ text: "One, " }], false, false)
        put([{ text: "two, " }], true, false)
        put([{ text: "three" }], true)
        return become("COMPLETED")
      case "files":
        put([
          { raw: "aGVsbG8=", mediaType: "text/plain" },
          { url: "https://files.test/a.png", mediaType: "image/png" },
          { data: { answer: 42, list: [1, null] } }
        ])
        return become("COMPLETED")
      case "ask":
        return become("INPUT_REQUIRED", "Which city?")
      case "fail":
        return become("FAILED", "The oven is cold")
      case "break":
        return begin()
      default: {
        const state = await new Promise<string>((resolve) => waiting.set(taskId, resolve))
        if (state === "COMPLETED") put([{ text: "At last" }])
        return become(state)
      }
    }
  }
  const settle = (taskId: string, state: string) => {
    waiting.get(taskId)?.(state)
    waiting.delete(taskId)
  }
  const executor: AgentExecutor = {
    execute: async (context, bus) => play(context, bus),
    cancelTask: async (taskId) => settle(taskId, "CANCELED")
  }
  return { executor, finish: (taskId: string) => settle(taskId, "COMPLETED") }
}

const interfaces = (origin: string) =>
  ["1.0", "0.3"].flatMap((protocolVersion) => [
    { url: `${origin}/rest`, protocolBinding: "HTTP+JSON", protocolVersion },
    { url: `${origin}/rpc`, protocolBinding: "JSONRPC", protocolVersion }
  ])

const card = (origin: string) =>
  AgentCard.fromJSON({
    name: "JS agent",
    description: "Made with @a2a-js/sdk",
    version: "1.0.0",
    supportedInterfaces: interfaces(origin),
    capabilities: { streaming: true, pushNotifications: false },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [{ id: "echo", name: "Echo", description: "Says it again", tags: ["test"] }],
    securitySchemes: { key: { apiKeySecurityScheme: { location: "header", name: "x-key" } } }
  })

const start = Effect.acquireRelease(
  Effect.promise(async () => {
    const app = express()
    const server = http.createServer(app)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { executor, finish } = makeExecutor()
    const requestHandler = new DefaultRequestHandler(card(origin), new InMemoryTaskStore(), executor)
    const options = { requestHandler, userBuilder: UserBuilder.noAuthentication, legacyCompat: { enabled: true } }
    app.use(
      "/.well-known/agent-card.json",
      agentCardHandler({ agentCardProvider: requestHandler, legacyCompat: { enabled: true } })
    )
    app.use("/rpc", jsonRpcHandler(options))
    app.use("/rest", restHandler(options))
    return { server, service: { origin, finish: (taskId: string) => Effect.sync(() => finish(taskId)) } }
  }),
  ({ server }) =>
    Effect.promise(() => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      return closed
    })
)

export const layer: Layer.Layer<JsAgent> = Layer.effect(JsAgent, Effect.map(start, ({ service }) => service))

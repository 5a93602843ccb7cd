/** An agent written with the official JavaScript SDK, over both bindings and both protocol versions. */
import { AgentCard, Artifact, Message, Task, TaskStatus } from "@a2a-js/sdk"
import { AgentEvent, type AgentExecutor, DefaultRequestHandler, InMemoryTaskStore } from "@a2a-js/sdk/server"
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from "@a2a-js/sdk/server/express"
import * as ExpressAgent from "./expressAgent.ts"
import * as Script from "./script.ts"

const makeExecutor = () => {
  const { cancel, finish, run } = Script.make()
  const executor: AgentExecutor = {
    execute: async ({ task, taskId, contextId, userMessage }, bus) => {
      const ids = { taskId, contextId }
      const part = userMessage.parts[0]?.content
      const message = (text: string, ids: object) => ({
        messageId: crypto.randomUUID(),
        role: "ROLE_AGENT",
        parts: [{ text }],
        ...ids
      })
      return run(
        { taskId, isMore: task !== undefined, text: part?.$case === "text" ? part.value : "" },
        {
          message: (text) => bus.publish(AgentEvent.message(Message.fromJSON(message(text, { contextId })))),
          begin: () =>
            bus.publish(AgentEvent.task(
              Task.fromJSON({
                id: taskId,
                contextId,
                status: { state: "TASK_STATE_SUBMITTED", timestamp: new Date().toISOString() },
                history: [...(task?.history ?? []), userMessage].map(Message.toJSON)
              })
            )),
          become: (state, said) =>
            bus.publish(AgentEvent.statusUpdate({
              ...ids,
              status: TaskStatus.fromJSON({
                state: `TASK_STATE_${state.toUpperCase().replace("-", "_")}`,
                timestamp: new Date().toISOString(),
                ...(said && { message: message(said, ids) })
              }),
              metadata: undefined
            })),
          put: (parts, { append = false, more = false } = {}) =>
            bus.publish(AgentEvent.artifactUpdate({
              ...ids,
              artifact: Artifact.fromJSON({ artifactId: "result", name: "Result", parts }),
              append,
              lastChunk: !more,
              metadata: undefined
            }))
        }
      )
    },
    cancelTask: async (taskId) => cancel(taskId)
  }
  return { executor, finish }
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

export const layer = ExpressAgent.layer((origin) => {
  const { executor, finish } = makeExecutor()
  const requestHandler = new DefaultRequestHandler(card(origin), new InMemoryTaskStore(), executor)
  const legacyCompat = { enabled: true }
  const options = { requestHandler, userBuilder: UserBuilder.noAuthentication, legacyCompat }
  return {
    finish,
    routes: {
      "/.well-known/agent-card.json": agentCardHandler({ agentCardProvider: requestHandler, legacyCompat }),
      "/rpc": jsonRpcHandler(options),
      "/rest": restHandler(options)
    }
  }
})

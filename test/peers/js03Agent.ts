/** An agent written with the JavaScript SDK of the 0.3 line, over both bindings. */
import type { AgentCard, Message, Part, TaskState } from "a2a-js-0.3"
import { type AgentExecutor, DefaultRequestHandler, InMemoryTaskStore } from "a2a-js-0.3/server"
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from "a2a-js-0.3/server/express"
import * as ExpressAgent from "./expressAgent.ts"
import * as Script from "./script.ts"

const toPart = ({ data, mediaType, raw, text, url }: Script.Content): Part => {
  if (text !== undefined) return { kind: "text", text }
  if (data !== undefined) return { kind: "data", data: data as Record<string, unknown> }
  const mimeType = mediaType!
  return { kind: "file", file: raw === undefined ? { uri: url!, mimeType } : { bytes: raw, mimeType } }
}

const makeExecutor = () => {
  const { cancel, finish, run } = Script.make()
  const executor: AgentExecutor = {
    execute: async ({ contextId, task, taskId, userMessage }, bus) => {
      const ids = { taskId, contextId }
      const part = userMessage.parts[0]
      const message = (text: string, ids: object): Message => ({
        kind: "message",
        messageId: crypto.randomUUID(),
        role: "agent",
        parts: [{ kind: "text", text }],
        ...ids
      })
      const status = (state: TaskState, said?: string) => ({
        state,
        timestamp: new Date().toISOString(),
        ...(said !== undefined && { message: message(said, ids) })
      })
      await run(
        { taskId, isMore: task !== undefined, text: part?.kind === "text" ? part.text : "" },
        {
          message: (text) => bus.publish(message(text, { contextId })),
          begin: () =>
            bus.publish({
              kind: "task",
              id: taskId,
              contextId,
              status: status("submitted"),
              history: [...(task?.history ?? []), userMessage]
            }),
          become: (state, said) =>
            bus.publish({
              kind: "status-update",
              ...ids,
              status: status(state, said),
              final: state !== "working"
            }),
          put: (parts, { append = false, more = false } = {}) =>
            bus.publish({
              kind: "artifact-update",
              ...ids,
              artifact: { artifactId: "result", name: "Result", parts: parts.map(toPart) },
              append,
              lastChunk: !more
            })
        }
      )
      bus.finished()
    },
    cancelTask: async (taskId) => cancel(taskId)
  }
  return { executor, finish }
}

const card = (origin: string): AgentCard => ({
  protocolVersion: "0.3.0",
  name: "JS 0.3 agent",
  description: "Made with @a2a-js/sdk 0.3",
  version: "1.0.0",
  url: `${origin}/rpc`,
  preferredTransport: "JSONRPC",
  additionalInterfaces: [{ url: `${origin}/rest`, transport: "HTTP+JSON" }],
  capabilities: { streaming: true, pushNotifications: false },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "echo", name: "Echo", description: "Says it again", tags: ["test"] }],
  securitySchemes: { key: { type: "apiKey", in: "header", name: "x-key" } }
})

export const layer = ExpressAgent.layer((origin) => {
  const { executor, finish } = makeExecutor()
  const requestHandler = new DefaultRequestHandler(card(origin), new InMemoryTaskStore(), executor)
  const options = { requestHandler, userBuilder: UserBuilder.noAuthentication }
  return {
    finish,
    routes: {
      "/.well-known/agent-card.json": agentCardHandler({ agentCardProvider: requestHandler }),
      "/rpc": jsonRpcHandler(options),
      "/rest": restHandler(options)
    }
  }
})

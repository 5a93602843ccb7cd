/** Discovery against a peer that is a function, and what it was asked. */
import { Agent, AgentTransport, Credentials, Discovery, Operation } from "@effect-a2a/core"
import { JsonRpc } from "@effect-a2a/transport-jsonrpc"
import { Rest } from "@effect-a2a/transport-rest"
import { Effect, Layer } from "effect"
import { type Asked, json, respond } from "../support/respond.ts"

export { type Asked, json, respond }

export const bindings = [Rest.binding, JsonRpc.binding] as const

export const one = (url: string, protocolBinding = "HTTP+JSON", protocolVersion = "1.0") => ({
  url,
  protocolBinding,
  protocolVersion
})

/** A card of 1.0. */
export const card = (...supportedInterfaces: ReadonlyArray<unknown>) => ({
  name: "x",
  description: "d",
  version: "1",
  supportedInterfaces,
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: []
})

/** A card of 0.3. */
export const card03 = (fields: object = {}) => ({
  name: "x",
  description: "d",
  version: "1",
  protocolVersion: "0.3.0",
  url: "https://agent.test/",
  preferredTransport: "JSONRPC",
  additionalInterfaces: [],
  capabilities: { streaming: true },
  defaultInputModes: [],
  defaultOutputModes: [],
  skills: [],
  ...fields
})

export const isCard = ({ method, url }: Asked) => method === "GET" && new URL(url).pathname.endsWith(".json")

/** A task that is done, in the words of whoever asked. */
export const done = ({ body, headers, url }: Asked): Response => {
  const is03 = headers["a2a-version"] === "0.3"
  const rpc = body === "" || !body.includes("\"jsonrpc\"") ? undefined : JSON.parse(body)
  const state = is03 && rpc !== undefined ? "completed" : "TASK_STATE_COMPLETED"
  const task = { id: "t-1", contextId: "c-1", status: { state }, ...(is03 && { kind: "task" }) }
  const isSend = rpc === undefined ? url.includes(":send") : /send/i.test(rpc.method)
  const result = !isSend ? task : is03 ? (rpc === undefined ? { task } : task) : { task }
  return json(JSON.stringify(rpc === undefined ? result : { jsonrpc: "2.0", id: rpc.id, result }))
}

export interface Setup extends Partial<Discovery.Options> {
  readonly answer?: (asked: Asked) => Response | undefined
  readonly credentials?: Layer.Layer<Credentials.Credentials>
}

/** An agent found by `agent`; cards are answered with `document`, all else as done. */
export const find = (
  agent: Discovery.Options["agent"],
  document: unknown,
  { answer, credentials = Credentials.layerNone, ...options }: Setup = {}
) => {
  const { asked, layer: http } = respond((asked) =>
    answer?.(asked) ?? (isCard(asked) ? json(JSON.stringify(document)) : done(asked))
  )
  const layer = Agent.layer.pipe(
    Layer.provideMerge(Discovery.layer({ agent, bindings, ...options })),
    Layer.provide([http, credentials])
  )
  return { asked, http, layer, urls: () => asked.map(({ url }) => url) }
}

export const getCard = Effect.flatMap(AgentTransport.AgentTransport, (one) => one.call(Operation.GetAgentCard, {}))

/** The whole server behind the wire of each cell, seen through our client and through raw requests. */
import type { AgentTransport } from "@effect-a2a/core/AgentTransport"
import * as ServiceParameters from "@effect-a2a/core/ServiceParameters"
import * as Caller from "@effect-a2a/server/Caller"
import * as Wire from "@effect-a2a/testing/Wire"
import * as JsonRpcServer from "@effect-a2a/transport-jsonrpc/JsonRpcServer"
import * as RestServer from "@effect-a2a/transport-rest/RestServer"
import { describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import { serve } from "../../packages/server/test/support.ts"
import { cells as clients } from "../peers/cells.ts"
import { ask } from "../support/serve.ts"

export * from "../../packages/server/test/support.ts"

/** Whoever a request says it is from: what an application's own authentication does. */
const authentication = HttpRouter.middleware(
  (effect) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
      const id = headers["x-user"]
      return id === undefined ? effect : Effect.provideService(effect, Caller.Current, { id })
    }),
  { global: true }
)

const routes = { JSONRPC: JsonRpcServer.routes, "HTTP+JSON": RestServer.routes }

export const cells = clients.map((cell): Wire.Cell & { readonly name: string } => ({
  name: cell.name,
  protocol: cell.protocol,
  client: cell.client,
  server: (options) => Layer.merge(routes[cell.binding](options), authentication)
}))
export type Cell = (typeof cells)[number]

/** The server, its store and hub in view, and the way to it that leads through the wire of a cell. */
export const behind = (cell: Cell, ...[execute, options]: Parameters<typeof serve>) => {
  const server = serve(execute, options)
  // the transport of the wire comes in the place of the server's own
  return Wire.through(cell)(server).pipe(Layer.provideMerge(server)) as Layer.Layer<
    AgentTransport | Wire.Tape | HttpClient.HttpClient | Layer.Success<typeof server>
  >
}

/** The caller of a request, as its header tells it. */
export const from = (id: string) => ServiceParameters.provide({ headers: { "x-user": id } })

/** Tests in each of the four cells, or in those of one edition. */
export const everywhere = (title: string, tests: (cell: Cell) => void, version?: "1.0") => {
  for (const cell of cells) {
    if (version === undefined || cell.protocol.version === version) {
      describe(`${title}, ${cell.name}`, () => tests(cell))
    }
  }
}

const restPaths: Readonly<Record<string, (params: any) => readonly ["GET" | "POST", string]>> = {
  SendMessage: () => ["POST", "/message:send"],
  SendStreamingMessage: () => ["POST", "/message:stream"],
  SubscribeToTask: ({ id }) => ["POST", `/tasks/${id}:subscribe`],
  GetTask: ({ id, ...query }) => ["GET", `/tasks/${id}?${new URLSearchParams(query)}`],
  ListTasks: (query) => ["GET", `/tasks?${new URLSearchParams(query)}`],
  GetTaskPushNotificationConfig: ({ id, taskId }) => ["GET", `/tasks/${taskId}/pushNotificationConfigs/${id}`]
}

/** A request of 1.0 as it is, past our client, which would not send all of them. */
export const raw = (cell: Cell, method: string, params: object, headers: Readonly<Record<string, string>> = {}) => {
  const all = { "a2a-version": "1.0", ...headers }
  if (cell.name === "1.0 JSONRPC") {
    return ask("/agent", {
      method: "POST",
      headers: all,
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    })
  }
  const [verb, path] = restPaths[method]!(params)
  return ask(`/agent${path}`, { method: verb, headers: all, ...(verb === "POST" && { body: JSON.stringify(params) }) })
}

/** The word of a refusal and the members that it blames. */
export const refusal = (
  { json }: { readonly json: any }
): readonly [reason: string, ...fields: ReadonlyArray<string>] => {
  const details: ReadonlyArray<any> = json.error.details ?? json.error.data
  return [
    details.find((one) => one.reason).reason,
    ...details.flatMap((one) => one.fieldViolations ?? []).map(({ field }) => field)
  ]
}

/** A message of 1.0. */
export const hello = (members: object = {}) => ({
  message: { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "hi" }], ...members }
})

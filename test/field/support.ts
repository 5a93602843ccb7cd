/** The whole server behind each combination of version and binding, through our client and through raw requests. */
import type { AgentTransport } from "@effect-a2a/core/AgentTransport"
import * as ServiceParameters from "@effect-a2a/core/ServiceParameters"
import * as Caller from "@effect-a2a/server/Caller"
import * as Wire from "@effect-a2a/testing/Wire"
import * as JsonRpcServer from "@effect-a2a/transport-jsonrpc/JsonRpcServer"
import * as RestServer from "@effect-a2a/transport-rest/RestServer"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import { serve } from "../../packages/server/test/support.ts"
import { combinations as clients } from "../peers/combinations.ts"
import { ask } from "../support/serve.ts"

export * from "../../packages/server/test/support.ts"

/** Takes the caller from a header, in place of an application's authentication. */
const authentication = HttpRouter.middleware(
  (effect) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
      const id = headers["x-user"]
      return id === undefined ? effect : Effect.provideService(effect, Caller.Current, { id })
    }),
  { global: true }
)

const routes = { JSONRPC: JsonRpcServer.routes, "HTTP+JSON": RestServer.routes }

export const combinations = clients.map((
  { binding, client, name, protocol }
): Wire.Combination & { readonly name: string } => ({
  name,
  protocol,
  client,
  server: (options) => Layer.merge(routes[binding](options), authentication)
}))
export type Combination = (typeof combinations)[number]

/** Provides a transport to a server through a combination's wire, with the server's store and hub. */
export const behind = (combination: Combination, ...[execute, options]: Parameters<typeof serve>) => {
  const server = serve(execute, options)
  // the transport of the wire takes the place of the server's
  return Wire.through(combination)(server).pipe(Layer.provideMerge(server)) as Layer.Layer<
    AgentTransport | Wire.Tape | HttpClient.HttpClient | Layer.Success<typeof server>
  >
}

/** Names the caller in a header. */
export const from = (id: string) => ServiceParameters.provide({ headers: { "x-user": id } })

/** Declares tests of dialects in all four combinations, or in those of one version. */
export const inEach = (title: string, tests: (combination: Combination) => void, version?: "1.0") => {
  for (const combination of combinations) {
    if (version === undefined || combination.protocol.version === version) {
      describe(`${title}, ${combination.name}`, () => tests(combination))
    }
  }
}

/** Declares tests of what lives above the dialects, in one combination. */
export const inOne = (title: string, tests: (combination: Combination) => void) => {
  const combination = combinations.find(({ name }) => name === "1.0 HTTP+JSON")
  assert(combination !== undefined)
  describe(title, () => tests(combination))
}

const restPaths: Readonly<Record<string, (params: any) => readonly ["GET" | "POST", string]>> = {
  SendMessage: () => ["POST", "/message:send"],
  SendStreamingMessage: () => ["POST", "/message:stream"],
  SubscribeToTask: ({ id }) => ["POST", `/tasks/${id}:subscribe`],
  GetTask: ({ id, ...query }) => ["GET", `/tasks/${id}?${new URLSearchParams(query)}`],
  ListTasks: (query) => ["GET", `/tasks?${new URLSearchParams(query)}`],
  GetTaskPushNotificationConfig: ({ id, taskId }) => ["GET", `/tasks/${taskId}/pushNotificationConfigs/${id}`]
}

/** Sends a request of 1.0 without our client, which would refuse some of them. */
export const raw = (
  combination: Combination,
  method: string,
  params: object,
  headers: Readonly<Record<string, string>> = {}
) => {
  const all = { "a2a-version": "1.0", ...headers }
  if (combination.name === "1.0 JSONRPC") {
    return ask("/agent", {
      method: "POST",
      headers: all,
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    })
  }
  const [verb, path] = restPaths[method]!(params)
  return ask(`/agent${path}`, { method: verb, headers: all, ...(verb === "POST" && { body: JSON.stringify(params) }) })
}

/** Returns the reason of a refusal and the members it names. */
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

/** The routes of both versions, which differ in the prefix, the verb of subscribing, and the extended card's path. */
import type * as Arr from "effect/Array"
import type { Route } from "../../Dialect.ts"
import type * as Operation from "../../Operation.ts"

type Routes = { readonly [K in Exclude<Operation.Tag, "GetAgentCard">]: Arr.NonEmptyReadonlyArray<Route> }

const config = "/tasks/{taskId}/pushNotificationConfigs/{id}"
const get: Route = { method: "GET", path: "/tasks/{id}:subscribe", body: "none" }
const post: Route = { ...get, method: "POST" }

/**
 * Matches the end of a URL that is a route of either version, with its verb escaped or not. Paths that may as well be an
 * agent's own, such as `/tasks`, are left out.
 */
export const operationPath =
  /\/(message(?::|%3a)(?:send|stream)|tasks\/[^/]+(?:(?::|%3a)(?:cancel|subscribe|resubscribe)|\/pushNotificationConfigs(?:\/[^/]+)?)|extendedAgentCard|v1\/card)\/*$/i

/** Creates the routes of a version. `subscribe` is the verb to try first: peers disagree on it, so both are known. */
export const makeRoutes = (options: { readonly subscribe: "GET" | "POST"; readonly card: `/${string}` }): Routes => ({
  SendMessage: [{ method: "POST", path: "/message:send" }],
  SendStreamingMessage: [{ method: "POST", path: "/message:stream" }],
  GetTask: [{ method: "GET", path: "/tasks/{id}", query: { historyLength: "integer" }, body: "none" }],
  ListTasks: [{
    method: "GET",
    path: "/tasks",
    query: {
      contextId: "string",
      status: "string",
      pageSize: "integer",
      pageToken: "string",
      historyLength: "integer",
      statusTimestampAfter: "string",
      includeArtifacts: "boolean"
    },
    body: "none"
  }],
  CancelTask: [{ method: "POST", path: "/tasks/{id}:cancel" }],
  SubscribeToTask: options.subscribe === "GET" ? [get, post] : [post, get],
  CreateTaskPushNotificationConfig: [{ method: "POST", path: "/tasks/{taskId}/pushNotificationConfigs" }],
  GetTaskPushNotificationConfig: [{ method: "GET", path: config, body: "none" }],
  ListTaskPushNotificationConfigs: [{
    method: "GET",
    path: "/tasks/{taskId}/pushNotificationConfigs",
    query: { pageSize: "integer", pageToken: "string" },
    body: "none"
  }],
  DeleteTaskPushNotificationConfig: [{ method: "DELETE", path: config, body: "none" }],
  GetExtendedAgentCard: [{ method: "GET", path: options.card, body: "none" }]
})

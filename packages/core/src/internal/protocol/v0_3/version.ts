/** Protocol 0.3, whose two bindings have a dialect each. */
import { readBody, readError, writeBareBody, writeBareError } from "../failure.ts"
import { makeRoutes } from "../routes.ts"
import { agentCard } from "./agentCard.ts"
import { kindJson } from "./kindJson.ts"
import { protoJson } from "./protoJson.ts"

/** Servers of 0.3 have no list of tasks, and a server of both versions reads `/v1/tasks` as 1.0's list of tenant `v1`. */
const { ListTasks: _, ...restRoutes } = makeRoutes({ subscribe: "GET", card: "/card" })

export const v0_3 = {
  version: "0.3" as const,
  versionRequired: false,
  extensionsHeader: "X-A2A-Extensions",
  agentCard,
  recognizers: [],
  http: { failure: { decode: readBody, encode: writeBareBody } },
  rest: {
    dialect: protoJson,
    routes: restRoutes,
    prefix: "/v1" as const,
    contentType: "application/json"
  },
  jsonRpc: {
    dialect: kindJson,
    methods: {
      SendMessage: "message/send",
      SendStreamingMessage: "message/stream",
      GetTask: "tasks/get",
      CancelTask: "tasks/cancel",
      SubscribeToTask: "tasks/resubscribe",
      CreateTaskPushNotificationConfig: "tasks/pushNotificationConfig/set",
      GetTaskPushNotificationConfig: "tasks/pushNotificationConfig/get",
      ListTaskPushNotificationConfigs: "tasks/pushNotificationConfig/list",
      DeleteTaskPushNotificationConfig: "tasks/pushNotificationConfig/delete",
      GetExtendedAgentCard: "agent/getAuthenticatedExtendedCard"
    },
    failure: { decode: readError, encode: writeBareError }
  }
}

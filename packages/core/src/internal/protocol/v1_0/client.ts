/** The calling half of protocol 1.0. */
import { cardDecoder } from "../card.ts"
import { readBody, readError } from "../failure.ts"
import { makeRoutes } from "../routes.ts"
import { calling } from "./dialect.ts"

export const client = {
  version: "1.0" as const,
  extensionsHeader: "A2A-Extensions",
  agentCard: cardDecoder,
  recognizers: [],
  http: { failure: { decode: readBody } },
  rest: {
    dialect: calling,
    routes: makeRoutes({ subscribe: "POST", card: "/extendedAgentCard" }),
    tenantSegment: true,
    contentType: "application/a2a+json"
  },
  jsonRpc: {
    dialect: calling,
    methods: {
      SendMessage: "SendMessage",
      SendStreamingMessage: "SendStreamingMessage",
      GetTask: "GetTask",
      ListTasks: "ListTasks",
      CancelTask: "CancelTask",
      SubscribeToTask: "SubscribeToTask",
      CreateTaskPushNotificationConfig: "CreateTaskPushNotificationConfig",
      GetTaskPushNotificationConfig: "GetTaskPushNotificationConfig",
      ListTaskPushNotificationConfigs: "ListTaskPushNotificationConfigs",
      DeleteTaskPushNotificationConfig: "DeleteTaskPushNotificationConfig",
      GetExtendedAgentCard: "GetExtendedAgentCard"
    },
    failure: { decode: readError }
  }
}

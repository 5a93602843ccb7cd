/** Protocol 1.0. */
import { readBody, readError, writeError, writeStatus } from "../failure.ts"
import { makeRoutes } from "../routes.ts"
import { agentCard } from "./agentCard.ts"
import { dialect } from "./dialect.ts"

export const v1_0 = {
  version: "1.0" as const,
  versionRequired: true,
  extensionsHeader: "A2A-Extensions",
  agentCard,
  recognizers: [],
  http: { failure: { decode: readBody, encode: writeStatus } },
  rest: {
    dialect,
    routes: makeRoutes({ subscribe: "POST", card: "/extendedAgentCard" }),
    tenantSegment: true,
    contentType: "application/a2a+json"
  },
  jsonRpc: {
    dialect,
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
    failure: { decode: readError, encode: writeError }
  }
}

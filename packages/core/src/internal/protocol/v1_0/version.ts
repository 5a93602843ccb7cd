/** Protocol 1.0. */
import type * as Protocol from "../../../Dialect.ts"
import { readBody, readError, writeError, writeStatus } from "../failure.ts"
import { makeRoutes } from "../routes.ts"
import { agentCard } from "./agentCard.ts"
import { dialect } from "./dialect.ts"

export const v1_0: Protocol.Protocol<"1.0"> = {
  version: "1.0",
  versionRequired: true,
  extensionsHeader: "A2A-Extensions",
  agentCard,
  recognizers: [],
  rest: {
    dialect,
    routes: makeRoutes({ subscribe: "POST", card: "/extendedAgentCard" }),
    tenantSegment: true,
    contentType: "application/a2a+json",
    failure: { decode: readBody, encode: writeStatus }
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

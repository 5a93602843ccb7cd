/** The calling half of protocol 0.3, whose two bindings have a dialect each. */
import { cardDecoder } from "../card.ts"
import { readBody, readError } from "../failure.ts"
import { makeRoutes } from "../routes.ts"
import * as KindJson from "./kindJson.ts"
import * as ProtoJson from "./protoJson.ts"

/** Servers of 0.3 have no list of tasks, and a server of both versions reads `/v1/tasks` as 1.0's list of tenant `v1`. */
const { ListTasks: _, ...restRoutes } = makeRoutes({ subscribe: "GET", card: "/card" })

export const client = {
  version: "0.3" as const,
  extensionsHeader: "X-A2A-Extensions",
  agentCard: cardDecoder,
  recognizers: [],
  http: { failure: { decode: readBody } },
  rest: {
    dialect: ProtoJson.calling,
    routes: restRoutes,
    prefix: "/v1" as const,
    contentType: "application/json"
  },
  jsonRpc: {
    dialect: KindJson.calling,
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
    failure: { decode: readError }
  }
}

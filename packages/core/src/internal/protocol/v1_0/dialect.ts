/** The dialect of 1.0, the same over both bindings (A2A 1.0 §4, §5.5). */
import type * as Schema from "effect/Schema"
import type * as Dialect from "../../../Dialect.ts"
import type * as Message from "../../../Message.ts"
import type * as Operation from "../../../Operation.ts"
import { makeRequestCodec, variant } from "../codec.ts"
import { protoRoles, protoStates } from "../enums.ts"
import { makeModel } from "../model.ts"
import { makeConfigRequests, makeEmptyResult, makeTaskPage, makeTaskRequests } from "../requests.ts"
import { makeResultCodecs } from "../sendResult.ts"
import * as Wire from "../wireSchema.ts"
import { agentCard } from "./agentCard.ts"
import * as Parts from "./parts.ts"
import * as Push from "./push.ts"

const model = makeModel({
  hasKind: false,
  partsField: "parts",
  states: protoStates,
  roles: protoRoles,
  hasReferences: true,
  part: Parts.schemas,
  readPart: Parts.read,
  writePart: Parts.write
})

const sendFields = () => ({
  tenant: Wire.text,
  message: model.schemas().strictMessage,
  configuration: Wire.optional(Wire.struct({
    acceptedOutputModes: Wire.texts,
    historyLength: Wire.count,
    returnImmediately: Wire.flag,
    taskPushNotificationConfig: Wire.optional(Wire.struct(Push.fields))
  }, { pushNotificationConfig: "taskPushNotificationConfig" })),
  metadata: Wire.metadata
})

type WireSend = Schema.Struct<ReturnType<typeof sendFields>>["Type"]

const readSend = ({ configuration, message, metadata, tenant }: WireSend): Operation.SendMessageRequest =>
  Wire.compact({
    tenant,
    message: model.readMessage(message),
    configuration: configuration && Wire.compact({
      acceptedOutputModes: configuration.acceptedOutputModes,
      historyLength: configuration.historyLength,
      returnImmediately: configuration.returnImmediately,
      taskPushNotificationConfig: configuration.taskPushNotificationConfig &&
        Push.read(configuration.taskPushNotificationConfig)
    }),
    metadata: metadata as Message.Message["metadata"]
  })

const send = makeRequestCodec<Operation.SendMessageRequest>({
  message: "must be an object",
  variants: () => [variant(Wire.struct(sendFields(), { request: "message" }), readSend)],
  write: ({ configuration, message, metadata, tenant }) =>
    Wire.compact({
      tenant,
      message: model.writeMessage(message),
      configuration: configuration && Wire.compact({
        ...configuration,
        taskPushNotificationConfig: configuration.taskPushNotificationConfig &&
          Push.write(configuration.taskPushNotificationConfig)
      }),
      metadata
    })
})

const { event, result, task } = makeResultCodecs(model, { isWrapped: true, hasFinal: false })

export const dialect: Dialect.Dialect = {
  name: "A2A 1.0",
  request: {
    ...makeTaskRequests(protoStates),
    ...makeConfigRequests(),
    SendMessage: send,
    SendStreamingMessage: send,
    CreateTaskPushNotificationConfig: Push.create
  },
  success: {
    SendMessage: result,
    SendStreamingMessage: event,
    SubscribeToTask: event,
    GetTask: task,
    CancelTask: task,
    ListTasks: makeTaskPage(model),
    CreateTaskPushNotificationConfig: Push.config,
    GetTaskPushNotificationConfig: Push.config,
    ListTaskPushNotificationConfigs: Push.page,
    DeleteTaskPushNotificationConfig: makeEmptyResult(null),
    GetExtendedAgentCard: agentCard
  }
}

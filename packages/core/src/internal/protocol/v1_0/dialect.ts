/** The calling half of the dialect of 1.0, the same over both bindings (A2A 1.0 §4, §5.5). */
import type * as Schema from "effect/Schema"
import type * as Message from "../../../Message.ts"
import type * as Operation from "../../../Operation.ts"
import { cardDecoder } from "../card.ts"
import { makeRequestCodec, variant } from "../codec.ts"
import { protoRoles, protoStates } from "../enums.ts"
import { makeModel } from "../model.ts"
import { emptyResult, makeConfigRequests, makeTaskPage, makeTaskRequests } from "../requests.ts"
import { byOperation, type Decoders } from "../results.ts"
import { makeSendResults } from "../sendResult.ts"
import * as Wire from "../wireSchema.ts"
import * as Parts from "./parts.ts"
import * as Push from "./push.ts"

export const model = makeModel({
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

export const decoders: Decoders = {
  ...makeSendResults(model, { isWrapped: true, hasFinal: false }),
  taskPage: makeTaskPage(model),
  config: Push.config,
  configPage: Push.configPage,
  empty: emptyResult,
  card: cardDecoder
}

export const calling = {
  name: "A2A 1.0",
  request: {
    ...makeTaskRequests(protoStates),
    ...makeConfigRequests(),
    SendMessage: send,
    SendStreamingMessage: send,
    CreateTaskPushNotificationConfig: Push.create
  },
  success: byOperation(decoders)
}

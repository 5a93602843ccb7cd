/** Requests that send a message in 0.3, whose switch for waiting is `blocking`. */
import type * as Schema from "effect/Schema"
import type * as Dialect from "../../../Dialect.ts"
import type { Metadata } from "../../../Metadata.ts"
import type * as Operation from "../../../Operation.ts"
import { makeRequestCodec, variant } from "../codec.ts"
import type { Model } from "../model.ts"
import * as Wire from "../wireSchema.ts"
import * as Push from "./push.ts"
import { unsupportedFields } from "./unsupportedFields.ts"

interface WireSend {
  readonly message: never
  readonly configuration?: {
    readonly acceptedOutputModes?: ReadonlyArray<string>
    readonly historyLength?: number
    readonly blocking?: boolean
    readonly pushNotification?: Push.WireConfig
    readonly pushNotificationConfig?: Push.WireConfig
  }
  readonly metadata?: Metadata
}

export interface SendStyle {
  readonly push: "pushNotification" | "pushNotificationConfig"
}

/** Creates the codecs of both sends. */
export const makeSendCodecs = (model: Model, { push }: SendStyle) => {
  const other = push === "pushNotification" ? "pushNotificationConfig" : "pushNotification"
  const schema = () =>
    Wire.struct({
      message: model.schemas().strictMessage,
      configuration: Wire.optional(Wire.struct({
        acceptedOutputModes: Wire.texts,
        historyLength: Wire.count,
        blocking: Wire.flag,
        [push]: Wire.optional(Push.configSchema())
      }, { [other]: push })),
      metadata: Wire.metadata
    }, { request: "message" }) as Schema.Top as Schema.Codec<WireSend>

  const codec = (isStreaming: boolean): Dialect.Codec<Operation.SendMessageRequest> => {
    const read = ({ configuration = {}, message, metadata }: WireSend): Operation.SendMessageRequest => {
      const { blocking } = configuration
      const config = configuration[push]
      return {
        message: model.readMessage(message),
        ...Wire.compact({
          configuration: Wire.compact({
            acceptedOutputModes: configuration.acceptedOutputModes,
            historyLength: configuration.historyLength,
            returnImmediately: blocking === undefined ? undefined : !blocking,
            taskPushNotificationConfig: config && Push.read(config)
          }),
          metadata
        })
      }
    }
    const writeConfiguration = (configuration: Operation.SendMessageConfiguration = {}) => {
      const others = Wire.compact({
        acceptedOutputModes: configuration.acceptedOutputModes,
        historyLength: configuration.historyLength,
        [push]: configuration.taskPushNotificationConfig && Push.write(configuration.taskPushNotificationConfig)
      })
      const isSilent = isStreaming && configuration.returnImmediately === undefined && Wire.isEmpty(others)
      return isSilent ? undefined : { ...others, blocking: !(configuration.returnImmediately ?? false) }
    }
    return makeRequestCodec({
      message: "must be an object",
      variants: () => [variant(schema(), read)],
      write: ({ configuration, message, metadata }) =>
        Wire.compact({
          message: model.writeMessage(message),
          configuration: writeConfiguration(configuration),
          metadata
        }) as Wire.JsonObject,
      unsupportedFields
    })
  }
  return { SendMessage: codec(false), SendStreamingMessage: codec(true) }
}

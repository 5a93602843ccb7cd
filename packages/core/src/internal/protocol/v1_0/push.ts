/** Push configurations of 1.0: flat, with one authentication scheme. */
import * as Schema from "effect/Schema"
import type * as Id from "../../../Id.ts"
import type * as Operation from "../../../Operation.ts"
import type * as PushNotification from "../../../PushNotification.ts"
import { makeDecoder, makeRequestCodec, variant } from "../codec.ts"
import type { ConfigPage } from "../results.ts"
import * as Wire from "../wireSchema.ts"

export const fields = {
  id: Wire.text,
  url: Wire.id,
  token: Wire.text,
  authentication: Wire.optional(Wire.struct({ scheme: Wire.text, credentials: Wire.text }))
}
type WireConfig = Schema.Struct<typeof fields>["Type"]

export const read = (wire: WireConfig): PushNotification.PushNotificationConfig =>
  Wire.compact({
    id: wire.id,
    url: wire.url,
    token: wire.token,
    authentication: wire.authentication?.scheme
      ? Wire.compact({ scheme: wire.authentication.scheme, credentials: wire.authentication.credentials })
      : undefined
  })

export const write = (config: PushNotification.PushNotificationConfig): Wire.JsonObject =>
  Wire.compact({
    id: config.id,
    url: config.url,
    token: config.token,
    authentication: config.authentication && Wire.compact(config.authentication)
  })

const ofTask = () => Wire.struct({ ...fields, tenant: Wire.text, taskId: Wire.id })

const readOfTask = (wire: WireConfig & { readonly taskId: string }): PushNotification.TaskPushNotificationConfig => ({
  ...read(wire),
  taskId: wire.taskId as Id.TaskId
})

/** Writes a configuration with its task. */
export const writeConfig = (config: PushNotification.TaskPushNotificationConfig) => ({
  ...write(config),
  taskId: config.taskId
})

export const create = makeRequestCodec<Operation.Request<typeof Operation.CreateTaskPushNotificationConfig>>({
  message: "must be a push configuration",
  variants: () => [
    variant(ofTask(), (wire) => ({ ...readOfTask(wire), ...(wire.tenant ? { tenant: wire.tenant } : undefined) }))
  ],
  write: (config) => ({ ...writeConfig(config), ...(config.tenant ? { tenant: config.tenant } : undefined) })
})

export const config = makeDecoder<PushNotification.TaskPushNotificationConfig>({
  message: "must be a push configuration",
  variants: () => [variant(ofTask(), readOfTask)]
})

export const configPage = makeDecoder<ConfigPage>({
  message: "must be a list of push configurations",
  variants: () => {
    const configs = Schema.Array(ofTask())
    return [
      variant(Wire.struct({ configs: Wire.optional(configs), nextPageToken: Wire.text }), (wire) => ({
        configs: (wire.configs ?? []).map(readOfTask),
        ...(wire.nextPageToken ? { nextPageToken: wire.nextPageToken } : undefined)
      })),
      variant(configs, (configs) => ({ configs: configs.map(readOfTask) }))
    ]
  }
})

/** Writes a page of configurations. */
export const writeConfigPage = ({ configs, nextPageToken }: ConfigPage): Wire.JsonObject => ({
  configs: configs.map(writeConfig),
  ...(nextPageToken ? { nextPageToken } : undefined)
})

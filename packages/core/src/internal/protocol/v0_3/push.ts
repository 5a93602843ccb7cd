/** Push configurations of 0.3: in a pair with their task, which REST writes as a resource name. */
import * as Schema from "effect/Schema"
import type * as Id from "../../../Id.ts"
import type * as PushNotification from "../../../PushNotification.ts"
import { makeDecoder, makeRequestCodec, variant } from "../codec.ts"
import type { ConfigPage } from "../results.ts"
import * as Wire from "../wireSchema.ts"
import { unsupportedFields } from "./unsupportedFields.ts"

type TaskConfig = PushNotification.TaskPushNotificationConfig

export interface WireConfig {
  readonly id?: string
  readonly url: string
  readonly token?: string
  readonly authentication?: { readonly schemes?: ReadonlyArray<string>; readonly credentials?: string }
}

export const configSchema = (): Schema.Codec<WireConfig> =>
  Wire.struct({
    id: Wire.text,
    url: Wire.id,
    token: Wire.text,
    authentication: Wire.optional(Wire.struct({ schemes: Wire.texts, credentials: Wire.text }))
  })

/** Reads a configuration. Of several authentication schemes the first counts. */
export const read = (wire: WireConfig): PushNotification.PushNotificationConfig => {
  const scheme = wire.authentication?.schemes?.[0]
  return Wire.compact({
    id: wire.id,
    url: wire.url,
    token: wire.token,
    authentication: scheme ? Wire.compact({ scheme, credentials: wire.authentication?.credentials }) : undefined
  })
}

export const write = ({ authentication, id, token, url }: PushNotification.PushNotificationConfig): Wire.JsonObject =>
  Wire.compact({
    id,
    url,
    token,
    authentication: authentication && {
      schemes: [authentication.scheme],
      ...Wire.compact({ credentials: authentication.credentials })
    }
  })

interface Pair {
  readonly taskId?: string
  readonly name?: string
  readonly pushNotificationConfig: WireConfig
}

const pair = () => Wire.struct({ taskId: Wire.text, name: Wire.text, pushNotificationConfig: configSchema() })

const separator = "/pushNotificationConfigs/"

/** Returns the task's id of a name that may end in the name of a configuration. */
const taskOf = (name: string | undefined): string | undefined => /^tasks\/(.+)$/s.exec(name ?? "")?.[1]

/**
 * Reads a name. Both ids may contain the separator: the configuration's own id says where its name begins; without one
 * the last separator does.
 */
const parse = (name: string | undefined, id: string | undefined) => {
  const rest = taskOf(name)
  const own = id === undefined ? undefined : separator + id
  const at = own !== undefined && rest?.endsWith(own) ? rest.length - own.length : rest?.lastIndexOf(separator) ?? -1
  return at < 0
    ? { task: rest }
    : { task: rest?.slice(0, at), configId: rest?.slice(at + separator.length) || undefined }
}

/** Reads a pair. Returns `undefined` if it does not name its task. */
const readPair = (wire: Pair): TaskConfig | undefined => {
  const config = read(wire.pushNotificationConfig)
  const { configId, task } = parse(wire.name, config.id)
  const taskId = wire.taskId || task
  const { id = configId, ...rest } = config
  return taskId ? { ...Wire.compact({ id }), ...rest, taskId: taskId as Id.TaskId } : undefined
}

const toName = ({ id = "", taskId }: TaskConfig) => `tasks/${taskId}${separator}${id}`

export interface PushStyle {
  /** True if the task is a resource name. */
  readonly isNamed: boolean
}

/** Creates the codec of requests, the decoders of results, and the writers that servers add to these. */
export const makePushCodecs = ({ isNamed }: PushStyle) => {
  const writeConfig = (config: TaskConfig): Wire.JsonObject => ({
    ...(isNamed ? { name: toName(config) } : { taskId: config.taskId }),
    pushNotificationConfig: write(config)
  })
  const reading = {
    message: "must be a push configuration",
    missingField: { field: "taskId", description: "is required" }
  }
  const config = makeDecoder<TaskConfig>({ ...reading, variants: () => [variant(pair(), readPair)] })
  const configPage = makeDecoder<ConfigPage>({
    message: "must be a list of push configurations",
    variants: () => {
      const all = Schema.Array(pair())
      const toPage = (pairs: ReadonlyArray<Pair>, nextPageToken?: string) => ({
        configs: pairs.flatMap((one) => readPair(one) ?? []),
        ...(nextPageToken ? { nextPageToken } : undefined)
      })
      return [
        variant(all, (pairs) => toPage(pairs)),
        variant(
          Wire.struct({ configs: Wire.optional(all), nextPageToken: Wire.text }),
          (wire) => toPage(wire.configs ?? [], wire.nextPageToken)
        )
      ]
    }
  })
  const writeConfigPage = ({ configs, nextPageToken }: ConfigPage): Schema.Json =>
    isNamed ? { configs: configs.map(writeConfig), ...Wire.compact({ nextPageToken }) } : configs.map(writeConfig)
  /** Reads three forms: the pair, the whole request around it, and the request with a pair that has no name. */
  const create = makeRequestCodec<TaskConfig & { readonly tenant?: string }>({
    ...reading,
    variants: () => [
      variant(pair(), readPair),
      variant(
        Wire.struct({ taskId: Wire.text, parent: Wire.text, configId: Wire.text, config: pair() }),
        ({ config, configId, parent, taskId }) => {
          const read = readPair({ ...Wire.compact({ taskId: taskId || taskOf(parent) }), ...config })
          return read && { ...Wire.compact({ id: configId }), ...read }
        }
      )
    ],
    // servers read one of the first two forms and refuse the other, so both are written; the route needs the task's id
    write: (config) => {
      const pair = writeConfig(config)
      const { id, taskId } = config
      return {
        ...pair,
        taskId,
        ...(isNamed && { parent: `tasks/${taskId}`, ...Wire.compact({ configId: id }), config: pair })
      }
    },
    unsupportedFields
  })
  return { create, config, configPage, writeConfig, writeConfigPage }
}

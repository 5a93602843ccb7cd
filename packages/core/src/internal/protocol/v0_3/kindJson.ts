/** The calling half of the dialect of 0.3 over JSON-RPC: every object names its `kind`, enumerations are lower-case. */
import * as Schema from "effect/Schema"
import type * as Id from "../../../Id.ts"
import type { Metadata } from "../../../Metadata.ts"
import type * as Operation from "../../../Operation.ts"
import type * as Part from "../../../Part.ts"
import * as TaskState from "../../../TaskState.ts"
import { cardDecoder } from "../card.ts"
import { makeRequestCodec, variant } from "../codec.ts"
import { makeModel } from "../model.ts"
import { emptyResult, makeTaskPage, makeTaskRequests } from "../requests.ts"
import { byOperation, type Decoders } from "../results.ts"
import { makeSendResults } from "../sendResult.ts"
import * as Wire from "../wireSchema.ts"
import { isData, readData, readText, writeData } from "./parts.ts"
import { makePushCodecs } from "./push.ts"
import { makeSendCodecs } from "./send.ts"
import { unsupportedFields } from "./unsupportedFields.ts"

interface WirePart {
  readonly text?: string
  readonly file?: { readonly bytes?: string; readonly uri?: string; readonly name?: string; readonly mimeType?: string }
  readonly data?: Wire.Members
  readonly metadata?: Metadata
}

const none = { text: Wire.absent, file: Wire.absent, data: Wire.absent, metadata: Wire.metadata }
const part = (content: Schema.Struct.Fields) =>
  Wire.struct({ ...none, ...content }) as Schema.Top as Schema.Codec<WirePart>
const file = (content: Schema.Struct.Fields) =>
  part({
    kind: Wire.kind("file"),
    file: Wire.struct(
      { bytes: Wire.absent, uri: Wire.absent, name: Wire.text, mimeType: Wire.text, ...content },
      { fileWithBytes: "bytes", fileWithUri: "uri" }
    )
  })

const readPart = ({ data, file, metadata, text }: WirePart): Part.Part | undefined => {
  if (data !== undefined) return readData(data, metadata)
  if (text !== undefined) return readText(text, metadata)
  if (file === undefined) return undefined
  const rest = Wire.compact({ filename: file.name, mediaType: file.mimeType, metadata })
  return file.uri === undefined
    ? { _tag: "Raw", raw: Wire.readBytes(file.bytes ?? ""), ...rest }
    : { _tag: "Url", url: file.uri, ...rest }
}

const writePart = (part: Part.Part): Wire.JsonObject => {
  const metadata = Wire.compact({ metadata: part.metadata })
  const file = Wire.compact({ name: part.filename, mimeType: part.mediaType })
  switch (part._tag) {
    case "Text":
      return { kind: "text", text: part.text, ...metadata }
    case "Raw":
      return { kind: "file", file: { bytes: Wire.writeBytes(part.raw), ...file }, ...metadata }
    case "Url":
      return { kind: "file", file: { uri: part.url, ...file }, ...metadata }
    case "Data":
      return { kind: "data", ...writeData(part) }
  }
}

const states: Readonly<Record<TaskState.TaskState, string>> = {
  unspecified: "unknown",
  submitted: "submitted",
  working: "working",
  completed: "completed",
  failed: "failed",
  canceled: "canceled",
  "input-required": "input-required",
  rejected: "rejected",
  "auth-required": "auth-required"
}

export const model = makeModel({
  hasKind: true,
  partsField: "parts",
  states,
  // 0.3 has no third role; only an agent can have used one
  roles: { user: "user", agent: "agent", unspecified: "agent" },
  final: TaskState.endsStream,
  hasReferences: true,
  part: () => ({
    known: [
      part({ kind: Wire.kind("text"), text: Schema.String }),
      part({ kind: Wire.kind("data"), data: Wire.members }).check(isData(readPart)),
      file({ bytes: Wire.base64 }),
      file({ uri: Schema.String })
    ],
    unknown: part({})
  }),
  readPart,
  writePart
})

type ConfigRequest = Operation.Request<typeof Operation.GetTaskPushNotificationConfig>

/** Names a configuration. Without its id it is the first one, whose id is the task's. */
const ofConfig = makeRequestCodec<ConfigRequest>({
  message: "must be an object",
  variants: () => [
    variant(Wire.struct({ id: Wire.id, pushNotificationConfigId: Wire.text }), (wire) => ({
      taskId: wire.id as Id.TaskId,
      id: wire.pushNotificationConfigId || wire.id
    }))
  ],
  write: ({ id, taskId }) => ({ id: taskId, pushNotificationConfigId: id }),
  unsupportedFields
})

/** Lists configurations. There are no pages: all come at once. */
const ofConfigs = makeRequestCodec<Operation.Request<typeof Operation.ListTaskPushNotificationConfigs>>({
  message: "must be an object",
  variants: () => [variant(Wire.struct({ id: Wire.id }), (wire) => ({ taskId: wire.id as Id.TaskId }))],
  write: ({ taskId }) => ({ id: taskId }),
  unsupportedFields
})

export const push = makePushCodecs({ isNamed: false })

export const decoders: Decoders = {
  ...makeSendResults(model, { isWrapped: false, hasFinal: true }),
  taskPage: makeTaskPage(model),
  config: push.config,
  configPage: push.configPage,
  empty: emptyResult,
  card: cardDecoder
}

// no list of tasks in either direction
const { ListTasks: _, ...requests } = makeTaskRequests(states, unsupportedFields)
const { ListTasks: _page, ...success } = byOperation(decoders)

export const calling = {
  name: "A2A 0.3 JSON-RPC",
  request: {
    ...requests,
    ...makeSendCodecs(model, { push: "pushNotificationConfig" }),
    CreateTaskPushNotificationConfig: push.create,
    GetTaskPushNotificationConfig: ofConfig,
    DeleteTaskPushNotificationConfig: ofConfig,
    ListTaskPushNotificationConfigs: ofConfigs
  },
  success
}

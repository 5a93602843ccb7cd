/** The calling half of the dialect of 0.3 over REST: proto-JSON, with `content`, nested data and files, and two Ls in "cancelled". */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { Metadata } from "../../../Metadata.ts"
import type * as Part from "../../../Part.ts"
import * as TaskState from "../../../TaskState.ts"
import { cardDecoder } from "../card.ts"
import { protoRoles, protoStates } from "../enums.ts"
import { makeModel } from "../model.ts"
import { emptyResult, makeConfigRequests, makeTaskPage, makeTaskRequests } from "../requests.ts"
import { byOperation, type Decoders } from "../results.ts"
import { makeSendResults } from "../sendResult.ts"
import * as Wire from "../wireSchema.ts"
import { isData, readData, readText, writeData } from "./parts.ts"
import { makePushCodecs } from "./push.ts"
import { makeSendCodecs } from "./send.ts"
import { unsupportedFields } from "./unsupportedFields.ts"

interface WirePart {
  readonly text?: string
  readonly file?: {
    readonly fileWithBytes?: string
    readonly fileWithUri?: string
    readonly name?: string
    readonly mimeType?: string
  }
  readonly data?: Wire.Members
  readonly metadata?: Metadata
}

const none = { text: Wire.absent, file: Wire.absent, data: Wire.absent, metadata: Wire.metadata }
const part = (content: Schema.Struct.Fields) =>
  Wire.struct({ ...none, ...content }) as Schema.Top as Schema.Codec<WirePart>
const file = (content: Schema.Struct.Fields) =>
  part({
    file: Wire.struct(
      { fileWithBytes: Wire.absent, fileWithUri: Wire.absent, name: Wire.text, mimeType: Wire.text, ...content },
      { bytes: "fileWithBytes", uri: "fileWithUri" }
    )
  })

const readPart = ({ data, file, metadata, text }: WirePart): Part.Part | undefined => {
  // some peers leave the inner `data` out
  if (data !== undefined) return readData(Predicate.isReadonlyObject(data.data) ? data.data : data, metadata)
  if (text !== undefined) return readText(text, metadata)
  if (file === undefined) return undefined
  const rest = Wire.compact({ filename: file.name, mediaType: file.mimeType, metadata })
  return file.fileWithUri === undefined
    ? { _tag: "Raw", raw: Wire.readBytes(file.fileWithBytes ?? ""), ...rest }
    : { _tag: "Url", url: file.fileWithUri, ...rest }
}

const writePart = (part: Part.Part): Wire.JsonObject => {
  const metadata = Wire.compact({ metadata: part.metadata })
  const file = Wire.compact({ name: part.filename, mimeType: part.mediaType })
  switch (part._tag) {
    case "Text":
      return { text: part.text, ...metadata }
    case "Raw":
      return { file: { fileWithBytes: Wire.writeBytes(part.raw), ...file }, ...metadata }
    case "Url":
      return { file: { fileWithUri: part.url, ...file }, ...metadata }
    case "Data": {
      const { data, ...rest } = writeData(part)
      return { data: { data }, ...rest }
    }
  }
}

const states = { ...protoStates, canceled: "TASK_STATE_CANCELLED" }

export const model = makeModel({
  hasKind: false,
  partsField: "content",
  statusAliases: { update: "message" },
  states,
  roles: protoRoles,
  final: (state) => TaskState.endsStream(state) || undefined,
  hasReferences: false,
  part: () => ({
    known: [
      part({ text: Schema.String }),
      part({ data: Wire.members }).check(isData(readPart)),
      file({ fileWithBytes: Wire.base64 }),
      file({ fileWithUri: Schema.String })
    ],
    unknown: part({})
  }),
  readPart,
  writePart
})

export const push = makePushCodecs({ isNamed: true })

export const decoders: Decoders = {
  ...makeSendResults(model, { isWrapped: true, hasFinal: true }),
  taskPage: makeTaskPage(model),
  config: push.config,
  configPage: push.configPage,
  empty: emptyResult,
  card: cardDecoder
}

export const calling = {
  name: "A2A 0.3 REST",
  request: {
    ...makeTaskRequests(states, unsupportedFields),
    ...makeConfigRequests(unsupportedFields),
    ...makeSendCodecs(model, { push: "pushNotification" }),
    CreateTaskPushNotificationConfig: push.create
  },
  success: byOperation(decoders)
}

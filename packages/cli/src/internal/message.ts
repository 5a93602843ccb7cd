/** Builds messages and requests from flags. */
import type * as Agent from "@effect-a2a/core/Agent"
import * as Id from "@effect-a2a/core/Id"
import type { Metadata } from "@effect-a2a/core/Metadata"
import * as Part from "@effect-a2a/core/Part"
import * as NodeFile from "@effect-a2a/node/NodeFile"
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { UsageError } from "./exit.ts"
import { root } from "./root.ts"

const mediaTypes: Readonly<Record<string, string>> = {
  csv: "text/csv",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  gif: "image/gif",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json",
  md: "text/markdown",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  pdf: "application/pdf",
  png: "image/png",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  svg: "image/svg+xml",
  txt: "text/plain",
  wav: "audio/wav",
  webp: "image/webp",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  xml: "application/xml",
  zip: "application/zip"
}

const mediaType = (name: string): string | undefined => mediaTypes[name.split(".").at(-1)?.toLowerCase() ?? ""]

const isUrl = (text: string) => /^[a-z][a-z0-9+.-]*:\/\//i.test(text)

const reference = (url: string): Part.Part => {
  const filename = url.replace(/[?#].*$/, "").split("/").at(-1) ?? ""
  const type = mediaType(filename)
  return Part.url(url, { ...(filename !== "" && { filename }), ...(type !== undefined && { mediaType: type }) })
}

/** Bytes of base64. */
const base64Size = (length: number | bigint) => (BigInt(length) + 2n) / 3n * 4n

const limitOf = (maxSize: ByteSize.ByteSize) =>
  `a message may have ${ByteSize.format(maxSize)} in all, with its files in base64: send a URL, or raise --max-size`

/** Reads a file of which there is room for `left` bytes of base64. */
const file = (path: string, left: bigint, maxSize: ByteSize.ByteSize): Effect.Effect<Part.Part, UsageError> => {
  const filename = path.split(/[/\\]/).at(-1) ?? path
  return NodeFile.read(path, { maxSize: left / 4n * 3n }).pipe(
    Effect.map((bytes) => Part.raw(bytes, { filename, mediaType: mediaType(filename) ?? "application/octet-stream" })),
    Effect.mapError(({ message, reason, size }) =>
      new UsageError({
        message: reason !== "TooLarge" ?
          `cannot send --file: ${message}` :
          `cannot send --file ${path}: ${
            size === undefined
              ? "it is too large"
              : `it has ${ByteSize.format(size)} and ${ByteSize.format(ByteSize.bytes(base64Size(size)))} as base64`
          }, and ${limitOf(maxSize)}`
      })
    )
  )
}

const stdin = (maxSize: ByteSize.ByteSize) =>
  Effect.gen(function*() {
    const { stdin } = yield* Stdio.Stdio
    let length = 0n
    const bounded = Stream.tap(stdin, (chunk) => {
      length += BigInt(chunk.length)
      return length > maxSize
        ? new UsageError({
          message: `cannot send stdin: ${limitOf(maxSize)}`
        })
        : Effect.void
    })
    return (yield* Stream.mkString(Stream.decodeText(bounded))).replace(/\r?\n$/, "")
  }).pipe(
    Effect.mapError((error) => error._tag === "UsageError" ? error : new UsageError({ message: "cannot read stdin" }))
  )

/** Creates the parts of a message; the text `-` stands for stdin. */
export const parts = Effect.fnUntraced(function*(input: {
  readonly text: string
  readonly file: ReadonlyArray<string>
  readonly data: ReadonlyArray<Schema.Json>
  readonly maxSize: ByteSize.ByteSize
}) {
  const { maxSize } = input
  const text = input.text === "-" ? yield* stdin(maxSize) : input.text
  const parts: Array<Part.Part> = text === "" ? [] : [Part.text(text)]
  let left = maxSize - BigInt(Buffer.byteLength(text))
  for (const path of input.file) {
    const part = isUrl(path) ? reference(path) : yield* file(path, left, maxSize)
    if (part._tag === "Raw") left -= base64Size(part.raw.length)
    parts.push(part)
  }
  parts.push(...input.data.map((json) => Part.data(json)))
  return parts.length === 0 ? yield* new UsageError({ message: "nothing to send: TEXT is empty" }) : parts
})

/** Creates the options of a request. */
export const requestOptions = (input: {
  readonly metadata: Option.Option<Metadata>
  readonly history: Option.Option<number>
  readonly accept: ReadonlyArray<string>
}): Agent.Options => ({
  ...(Option.isSome(input.metadata) && { metadata: input.metadata.value }),
  ...(Option.isSome(input.history) && { historyLength: input.history.value }),
  ...(input.accept.length > 0 && { acceptedOutputModes: input.accept })
})

const id = <A>(name: string, make: (text: string) => A, text: Option.Option<string>) =>
  Option.match(text, {
    onNone: () => Effect.undefined,
    onSome: (text) => text === "" ? new UsageError({ message: `--${name} is empty` }) : Effect.succeed(make(text))
  })

/** Creates the ids of the context and the task that a message belongs to. */
export const place = Effect.fnUntraced(function*(input: {
  readonly context: Option.Option<string>
  readonly task: Option.Option<string>
}): Effect.fn.Return<Agent.Options, UsageError, Effect.Services<typeof root>> {
  const { session } = yield* root
  if (Option.isSome(session) && Option.isSome(input.context)) {
    return yield* new UsageError({ message: "give only one of --session and --context: an ADK session is the context" })
  }
  const contextId = (yield* id("context", Id.ContextId.make, input.context)) ??
    (yield* id("session", Id.ContextId.make, session))
  const taskId = yield* id("task", Id.TaskId.make, input.task)
  return { ...(contextId !== undefined && { contextId }), ...(taskId !== undefined && { taskId }) }
})

/** Creates the id of a message, if one is given. */
export const messageId = Effect.fnUntraced(function*(
  text: Option.Option<string>
): Effect.fn.Return<Agent.Options, UsageError> {
  const messageId = yield* id("message-id", Id.MessageId.make, text)
  return messageId === undefined ? {} : { messageId }
})

/** Checks the id of a task. */
export const taskId = (text: string): Effect.Effect<Id.TaskId, UsageError> =>
  text === "" ? new UsageError({ message: "ID is empty" }) : Effect.succeed(Id.TaskId.make(text))

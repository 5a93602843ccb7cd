/**
 * Reads local files of bounded size, such as those that are sent to an agent.
 *
 * ```ts
 * import { Part } from "@effect-a2a/core"
 * import { NodeFile } from "@effect-a2a/node"
 * import { Effect } from "effect"
 *
 * const attach = (path: string) => Effect.map(NodeFile.read(path), (bytes) => Part.raw(bytes, { filename: path }))
 * const [folder, node] = await Effect.runPromise(
 *   Effect.all([Effect.flip(attach(".")), Effect.flip(attach(process.execPath))])
 * )
 * folder.message // => ". is a directory, not a file"
 * node.reason // => "TooLarge"
 * ```
 *
 * @since 0.1.0
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as ByteSize from "effect/ByteSize"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Stream from "effect/Stream"

/** A file that is not read: it is not a regular file, too large, or cannot be opened. */
export class FileError extends Data.TaggedError("FileError")<{
  /** The path as it was given. */
  readonly path: string
  readonly reason: "NotAFile" | "TooLarge" | "Unreadable"
  readonly message: string
  /** The size, if it is known. */
  readonly size?: ByteSize.ByteSize | undefined
}> {}

/** Options of {@link read}. */
export interface Options {
  /** The largest size of a file. Default: 16 MiB. */
  readonly maxSize?: ByteSize.Input | undefined
}

const kinds: { readonly [type in FileSystem.File.Type]?: string } = {
  BlockDevice: "a device",
  CharacterDevice: "a device",
  Directory: "a directory",
  FIFO: "a named pipe",
  Socket: "a socket"
}

/**
 * Returns the content of a file. Fails with `FileError` if the path leads to a directory, a named pipe, a device or a
 * socket, which may have no end or keep the reader waiting, or to a file that is larger than the limit,
 * whatever size it claims to have.
 */
export const read = (path: string, { maxSize = "16 MiB" }: Options = {}): Effect.Effect<Uint8Array, FileError> =>
  Effect.gen(function*() {
    const files = yield* FileSystem.FileSystem
    const max = ByteSize.fromInputUnsafe(maxSize)
    const refuse = (reason: FileError["reason"], message: string, size?: ByteSize.ByteSize) =>
      new FileError({ path, reason, size, message: `${path} ${message}` })
    const limit = `more than the limit of ${ByteSize.format(max)}`
    const { size, type } = yield* files.stat(path)
    if (type !== "File") return yield* refuse("NotAFile", `is ${kinds[type] ?? "something else"}, not a file`)
    if (size > max) {
      return yield* refuse("TooLarge", `has ${ByteSize.format(size)} (${size} bytes), ${limit}`, size)
    }
    // files of /proc claim to be empty, and others grow
    const chunks = yield* Stream.runCollect(files.stream(path, { bytesToRead: ByteSize.bytes(max + 1n) }))
    const bytes = new Uint8Array(Buffer.concat(chunks))
    return bytes.length > max ? yield* refuse("TooLarge", `has ${limit}`) : bytes
  }).pipe(
    Effect.catchTag(
      "PlatformError",
      ({ reason }) => new FileError({ path, reason: "Unreadable", message: `${path} cannot be read: ${reason._tag}` })
    ),
    Effect.provide(NodeFileSystem.layer)
  )

import { NodeFile } from "@effect-a2a/node"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { spawnSync } from "node:child_process"
import * as net from "node:net"
import { covers } from "../../../test/support/covers.ts"

const temporary = Effect.flatMap(FileSystem.FileSystem, (files) => files.makeTempDirectoryScoped())

const refusal = (path: string, options?: NodeFile.Options) => Effect.flip(NodeFile.read(path, options))

describe("NodeFile.read", () => {
  it.live("returns all bytes of a file, also if it claims to be empty", () =>
    Effect.gen(function*() {
      const files = yield* FileSystem.FileSystem
      const folder = yield* temporary
      for (const size of [0, 1, 65_535, 65_536, 65_537, 200_000]) {
        const bytes = Uint8Array.from({ length: size }, (_, at) => at % 251)
        yield* files.writeFile(`${folder}/${size}`, bytes)
        assert.deepStrictEqual(yield* NodeFile.read(`${folder}/${size}`, { maxSize: size }), bytes)
      }
      yield* files.symlink(`${folder}/1`, `${folder}/link`)
      assert.lengthOf(yield* NodeFile.read(`${folder}/link`), 1)
      if (process.platform === "linux") {
        assert.isNotEmpty(yield* NodeFile.read("/proc/self/status"))
        assert.strictEqual((yield* refusal("/proc/self/status", { maxSize: 10 })).reason, "TooLarge")
      }
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)), covers("attack:S2-48"))

  it.live("refuses whatever is not a regular file, without opening it", () =>
    Effect.gen(function*() {
      const files = yield* FileSystem.FileSystem
      const folder = yield* temporary
      spawnSync("mkfifo", [`${folder}/pipe`])
      yield* files.symlink(`${folder}/pipe`, `${folder}/link`)
      yield* Effect.acquireRelease(
        Effect.callback<net.Server>((resume) => {
          const server = net.createServer().listen(`${folder}/socket`, () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => server.close())
      )
      const kinds = { pipe: "a named pipe", link: "a named pipe", socket: "a socket" }
      for (const [name, kind] of Object.entries(kinds)) {
        const { message, path, reason } = yield* refusal(`${folder}/${name}`)
        assert.deepStrictEqual([reason, message], ["NotAFile", `${path} is ${kind}, not a file`])
      }
      for (const device of ["/dev/zero", "/dev/null", "/dev/tty"]) {
        assert.strictEqual((yield* refusal(device)).message, `${device} is a device, not a file`)
      }
      assert.strictEqual((yield* refusal(folder)).message, `${folder} is a directory, not a file`)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)), covers("attack:S2-48"))

  it.live("refuses a file beyond the limit, of which it says the size", () =>
    Effect.gen(function*() {
      const files = yield* FileSystem.FileSystem
      const folder = yield* temporary
      // takes no room on the disk
      yield* files.writeFileString(`${folder}/vast`, "")
      yield* files.truncate(`${folder}/vast`, 5_000_000_000_000)
      const vast = yield* refusal(`${folder}/vast`)
      assert.deepStrictEqual([vast.reason, vast.size], ["TooLarge", 5_000_000_000_000n])
      assert.match(vast.message, /vast has 4\.55 TiB \(5000000000000 bytes\), more than the limit of 16 MiB$/)
      yield* files.writeFileString(`${folder}/small`, "12345")
      assert.strictEqual((yield* refusal(`${folder}/small`, { maxSize: 4 })).reason, "TooLarge")
      assert.match((yield* refusal(`${folder}/missing`)).message, /missing cannot be read: NotFound$/)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)), covers("attack:S2-48"))
})

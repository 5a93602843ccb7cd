// Files and stdin that a message is made of: their kinds and their sizes.
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { spawnSync } from "node:child_process"
import { covers } from "../../../test/support/covers.ts"
import * as Server from "../../../test/support/httpServer.ts"
import { last, run, start } from "./support/command.ts"

const temporary = Effect.flatMap(FileSystem.FileSystem, (files) => files.makeTempDirectoryScoped())

const completed = Server.task("COMPLETED", "fine")

/** An agent that counts the messages it gets, and a folder. */
const make = Effect.gen(function*() {
  const bodies: Array<string> = []
  const { url } = yield* Server.make(({ body }, response) => {
    bodies.push(body)
    Server.json(response, { task: completed })
  })
  const folder = yield* temporary
  const files = yield* FileSystem.FileSystem
  const sized = (name: string, size: number) =>
    Effect.andThen(files.writeFileString(`${folder}/${name}`, ""), files.truncate(`${folder}/${name}`, size))
  const ask = (...args: ReadonlyArray<string>) => run(["ask", "hi", "--url", url, ...args])
  return { ask, bodies, files, folder, sized, url }
})

describe("the files of a message", () => {
  it.live("are refused by kind before anything is sent", () =>
    Effect.gen(function*() {
      const { ask, bodies, folder } = yield* make
      spawnSync("mkfifo", [`${folder}/pipe`])
      for (
        const [path, why] of [
          [`${folder}/pipe`, "is a named pipe, not a file"],
          [folder, "is a directory, not a file"],
          ["/dev/zero", "is a device, not a file"],
          ["/dev/stdin", "not a file"],
          [`${folder}/none`, "cannot be read: NotFound"],
          ["", "cannot be read: NotFound"]
        ] as const
      ) {
        const ended = yield* ask("--file", path, "--json")
        assert.strictEqual(ended.code, 2)
        assert.include(ended.stderr, `a2a: cannot send --file: ${path} `)
        assert.include(ended.stderr, why)
        assert.strictEqual(last(ended).error.code, "INVALID_REQUEST")
      }
      assert.lengthOf(bodies, 0)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)), covers("attack:S2-48"))

  it.live("are refused by size, each and together, as base64 has it", () =>
    Effect.gen(function*() {
      const { ask, bodies, folder, sized } = yield* make
      yield* sized("vast.bin", 3_000_000_000)
      const vast = yield* ask("--file", `${folder}/vast.bin`)
      assert.strictEqual(vast.code, 2)
      assert.include(vast.stderr, `${folder}/vast.bin: it has 2.79 GiB and 3.73 GiB as base64`)
      assert.include(vast.stderr, "a message may have 24 MiB in all")
      yield* sized("part.bin", 3000)
      const files = (n: number) => Array.from({ length: n }, () => ["--file", `${folder}/part.bin`]).flat()
      // 4,000 bytes of base64 each, and the text
      assert.strictEqual((yield* ask("--max-size", "12002 B", ...files(3))).code, 0)
      const many = yield* ask("--max-size", "12001B", ...files(3))
      assert.deepStrictEqual([many.code, bodies.length], [2, 1])
      assert.include(many.stderr, "it has 2.93 KiB and 3.91 KiB as base64")
      assert.strictEqual((yield* ask("--max-size", "16 parsecs")).code, 2)
      // a reference is not read
      assert.strictEqual((yield* ask("--max-size", "2B", "--file", "https://files.example/vast.bin")).code, 0)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)), covers("attack:S2-48"))

  it.live("may have sixteen megabytes by default", () =>
    Effect.gen(function*() {
      const { ask, bodies, folder, sized } = yield* make
      yield* sized("large.bin", 16 * 1024 * 1024)
      assert.strictEqual((yield* ask("--file", `${folder}/large.bin`)).code, 0)
      assert.isAbove(bodies[0]!.length, 22_000_000)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)), covers("attack:S2-48"))

  it.live("are not all: stdin has an end too", () =>
    Effect.gen(function*() {
      const { bodies, url } = yield* make
      const fits = yield* run(["ask", "-", "--url", url, "--max-size", "10B"], { stdin: "äöü1234" })
      assert.strictEqual(fits.code, 0, fits.stderr)
      // stdin is left open: whoever writes to it may never end
      const endless = yield* start(["ask", "-", "--url", url, "--max-size", "1 MB"])
      for (let i = 0; i < 20; i++) endless.write("x".repeat(65_536))
      const { code, stderr } = yield* endless.ended
      assert.deepStrictEqual([code, bodies.length], [2, 1])
      assert.include(stderr, "cannot send stdin: a message may have 976.56 KiB in all")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)), covers("attack:S2-48"))
})

describe("the lines of a conversation", () => {
  it.live("are limited in length", () =>
    Effect.gen(function*() {
      const chat = yield* start(["chat"])
      for (let i = 0; i < 17; i++) chat.write("x".repeat(65_536))
      const { code, stderr } = yield* chat.ended
      assert.strictEqual(code, 2)
      assert.include(stderr, "a line on stdin has more than 1048576 characters")
    }).pipe(Effect.scoped), covers("attack:S2-48"))

  it.live("are all answered, in order, however many wait", () =>
    Effect.gen(function*() {
      const lines = Array.from({ length: 3000 }, (_, at) => `/task ${at}\n`)
      const ended = yield* run(["chat"], { stdin: `${lines.join("")}hello\n` })
      assert.deepStrictEqual([ended.code, ended.lines.length], [0, 1], ended.stderr.slice(-500))
    }), covers("attack:S2-48"))
})

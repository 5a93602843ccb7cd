import { Credentials } from "@effect-a2a/core"
import { NodeCredentials } from "@effect-a2a/node"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Fiber, FileSystem, Layer, Redacted, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { spawnSync } from "node:child_process"
import { covers } from "../../../test/support/covers.ts"

const target = { url: "https://agent.test", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }

const get = Effect.flatMap(Credentials.Credentials, (credentials) => credentials.get(target))
const renew = Effect.flatMap(
  Credentials.Credentials,
  (credentials) =>
    Effect.flatMap(
      credentials.get(target),
      (refused) => credentials.renew({ target, wwwAuthenticate: undefined, refused })
    )
)

/** Long enough after a renewal for another one. */
const pause = TestClock.adjust("1 minute")

const shown = Effect.map(get, (credentials) =>
  credentials.map((credential) => {
    switch (credential._tag) {
      case "Bearer":
        return `Bearer ${Redacted.value(credential.token)}`
      case "ApiKey":
        return `${credential.name} ${Redacted.value(credential.value)}`
      default:
        return credential._tag
    }
  }))

const fromEnv = (env: Record<string, string>, options?: NodeCredentials.EnvOptions) =>
  shown.pipe(Effect.provide(
    NodeCredentials.layerEnv(options).pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))))
  ))

const temporary = Effect.flatMap(FileSystem.FileSystem, (files) => files.makeTempDirectoryScoped())

describe("NodeCredentials", () => {
  it.effect("layerEnv sends a bearer token, an API key, both, or nothing", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* fromEnv({}), [])
      assert.deepStrictEqual(yield* fromEnv({ MEMORYLAKE_API_KEY: "sk_1" }), ["Bearer sk_1"])
      assert.deepStrictEqual(yield* fromEnv({ MEMORYLAKE_API_KEY: "sk_1", A2A_TOKEN: "t-1" }), ["Bearer t-1"])
      assert.deepStrictEqual(yield* fromEnv({ A2A_API_KEY: "k-1" }), ["X-API-Key k-1"])
      assert.deepStrictEqual(yield* fromEnv({ A2A_API_KEY: "k-1", A2A_TOKEN: "t-1" }, { apiKeyHeader: "X-Mine" }), [
        "Bearer t-1",
        "X-Mine k-1"
      ])
      assert.deepStrictEqual(yield* fromEnv({ A2A_TOKEN: "", A2A_API_KEY: "", MEMORYLAKE_API_KEY: "sk_1" }), [
        "Bearer sk_1"
      ])
    }), covers("ML-02"))

  for (const blank of ["\n", "\r\n", " \t"]) {
    it.effect(
      `layerEnv trims ${JSON.stringify(blank)} from every variable, and takes a blank one for a missing one`,
      () =>
        Effect.gen(function*() {
          const env = { A2A_TOKEN: `t-1${blank}`, A2A_API_KEY: `${blank}k-1${blank}` }
          assert.deepStrictEqual(yield* fromEnv(env), ["Bearer t-1", "X-API-Key k-1"])
          assert.deepStrictEqual(yield* fromEnv({ A2A_TOKEN: blank, MEMORYLAKE_API_KEY: `${blank}sk_1${blank}` }), [
            "Bearer sk_1"
          ])
          assert.deepStrictEqual(yield* fromEnv({ A2A_TOKEN_FILE: blank, A2A_TOKEN_COMMAND: `echo t-2${blank}` }), [
            "Bearer t-2"
          ])
          assert.deepStrictEqual(yield* fromEnv({ A2A_TOKEN: blank, A2A_TOKEN_COMMAND: blank, A2A_API_KEY: blank }), [])
        }),
      covers("field:N2-52")
    )
  }

  it.effect("layerEnv reads a token from a file or a command, and renews it", () =>
    Effect.gen(function*() {
      const files = yield* FileSystem.FileSystem
      const path = `${yield* temporary}/token`
      yield* files.writeFileString(path, "from-file\n")
      const command = `cat ${path} | tr a-z A-Z`
      assert.deepStrictEqual(yield* fromEnv({ A2A_TOKEN_FILE: path, A2A_TOKEN_COMMAND: command }), ["Bearer from-file"])
      assert.deepStrictEqual(yield* fromEnv({ MEMORYLAKE_API_KEY: "sk_1", A2A_TOKEN_COMMAND: command }), [
        "Bearer FROM-FILE"
      ])
      assert.deepStrictEqual(yield* fromEnv({ A2A_TOKEN: "t-1", A2A_TOKEN_FILE: path }), ["Bearer t-1"])
      yield* Effect.gen(function*() {
        yield* shown
        yield* files.writeFileString(path, "renewed")
        assert.isTrue(yield* renew)
        assert.deepStrictEqual(yield* shown, ["Bearer renewed", "X-API-Key k-1"])
      }).pipe(Effect.provide(
        NodeCredentials.layerEnv().pipe(
          Layer.provide(
            ConfigProvider.layer(ConfigProvider.fromEnvRecord({ A2A_TOKEN_FILE: path, A2A_API_KEY: "k-1" }))
          )
        )
      ))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)), covers("ML-02"))

  it.effect("layerFile reads once, and again if the token is refused", () =>
    Effect.gen(function*() {
      const files = yield* FileSystem.FileSystem
      const path = `${yield* temporary}/token`
      yield* files.writeFileString(path, "first\n")
      yield* Effect.gen(function*() {
        assert.deepStrictEqual(yield* shown, ["Bearer first"])
        yield* files.writeFileString(path, "second\n")
        assert.deepStrictEqual(yield* shown, ["Bearer first"])
        assert.isTrue(yield* renew)
        assert.deepStrictEqual(yield* shown, ["Bearer second"])
        assert.isFalse(yield* renew, "the same token is not worth another try")
        yield* pause
        yield* files.writeFileString(path, "  \n")
        const error = yield* Effect.flip(renew)
        assert.strictEqual(error.reason._tag, "CredentialsUnavailableError")
      }).pipe(Effect.provide(NodeCredentials.layerFile(path)))
      const missing = yield* Effect.flip(get).pipe(Effect.provide(NodeCredentials.layerFile(`${path}-2`)))
      assert.include(missing.message, "NotFound")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))

  it.effect("layerCommand runs once for all waiting calls, and again if the token is refused", () =>
    Effect.gen(function*() {
      const files = yield* FileSystem.FileSystem
      const path = `${yield* temporary}/runs`
      const runs = Effect.map(files.readFileString(path), (text) => text.length)
      yield* Effect.gen(function*() {
        yield* Effect.all([get, get, get], { concurrency: "unbounded" })
        assert.strictEqual(yield* runs, 1)
        assert.deepStrictEqual(yield* shown, ["Bearer token-1"])
        assert.deepStrictEqual(yield* Effect.all([renew, renew, renew], { concurrency: "unbounded" }), [
          true,
          true,
          true
        ])
        assert.strictEqual(yield* runs, 2)
        assert.deepStrictEqual(yield* shown, ["Bearer token-2"])
      }).pipe(
        Effect.provide(NodeCredentials.layerCommand(`printf x >> ${path}; echo token-$(wc -c < ${path} | tr -d ' ')`))
      )
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))

  it.effect("an error of layerCommand contains no output of the command", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(get).pipe(
        Effect.provide(NodeCredentials.layerCommand("echo s3cret-out; echo s3cret-err >&2; exit 7"))
      )
      assert.strictEqual(error.reason._tag, "CredentialsUnavailableError")
      assert.include(error.message, "exit code 7")
      assert.notInclude(JSON.stringify(error) + String(error.stack), "s3cret")
    }), covers("ML-02", "attack:S2-51"))
})

/** True if a process runs; one that has ended and was not collected by its parent does not. */
const isRunning = (pid: string) => /^\s*[^Z\s]/.test(spawnSync("ps", ["-o", "stat=", "-p", pid]).stdout.toString())

describe("a token command", () => {
  const started = Effect.fnUntraced(function*(path: string) {
    const files = yield* FileSystem.FileSystem
    return yield* files.readFileString(path).pipe(
      Effect.flatMap((text) => {
        const pids = text.trim().split("\n")
        return text.endsWith("\n") && pids.length === 2 ? Effect.succeed(pids) : Effect.fail("early")
      }),
      Effect.retry(Schedule.spaced("20 millis"))
    )
  })

  for (const stubborn of [false, true]) {
    it.live(
      `ends with all it started when the layer is closed${stubborn ? ", also if they ignore that" : ""}`,
      () =>
        Effect.gen(function*() {
          const path = `${yield* temporary}/pids`
          const one = `sh -c '${stubborn ? "trap \"\" TERM; " : ""}echo $$ >> ${path}; while :; do sleep 1; done'`
          const fiber = yield* get.pipe(
            Effect.provide(NodeCredentials.layerCommand(`${one} & ${one} | cat`)),
            Effect.forkChild
          )
          const pids = yield* started(path)
          assert.deepStrictEqual(pids.map(isRunning), [true, true])
          yield* Fiber.interrupt(fiber)
          assert.deepStrictEqual(pids.map(isRunning), [false, false])
        }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)),
      covers("attack:S2-50")
    )
  }

  it.live("ends with all it started when it takes too long", () =>
    Effect.gen(function*() {
      const path = `${yield* temporary}/pids`
      const command = `echo $$ >> ${path}; sh -c 'echo $$ >> ${path}; sleep 60'; echo token`
      const error = yield* Effect.flip(get).pipe(
        Effect.provide(NodeCredentials.layerCommand(command, { timeout: "500 millis" }))
      )
      assert.include(error.message, "did not end in time")
      assert.deepStrictEqual((yield* started(path)).map(isRunning), [false, false])
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)), covers("attack:S2-50"))

  it.live("need not end what it leaves behind, which ends with it", () =>
    Effect.gen(function*() {
      const path = `${yield* temporary}/pids`
      const command =
        `sh -c 'echo $$ >> ${path}; echo $$ >> ${path}; sleep 60' & while ! test -s ${path}; do :; done; echo token`
      yield* Effect.gen(function*() {
        assert.deepStrictEqual(yield* shown, ["Bearer token"])
        assert.deepStrictEqual((yield* started(path)).map(isRunning), [false, false])
      }).pipe(Effect.provide(NodeCredentials.layerCommand(command)))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)), covers("attack:S2-50"))

  for (
    const [command, why] of [
      ["yes secret-output", "printed more than 64 KiB"],
      ["head -c 70000 /dev/zero", "printed more than 64 KiB"],
      ["kill -9 $$", "was ended by a signal"],
      ["/no/such/command-for-tokens", "exit code 127"],
      ["exit 0", "is empty"]
    ] as const
  ) {
    it.live(`fails if it ${why}: ${command}`, () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(get).pipe(Effect.provide(NodeCredentials.layerCommand(command)))
        assert.strictEqual(error.reason._tag, "CredentialsUnavailableError")
        assert.include(error.message, why)
        assert.notInclude(error.message, "secret-output")
      }), covers("attack:S2-50"))
  }

  it.live("may print as much as it likes to stderr", () =>
    Effect.gen(function*() {
      const command = "head -c 5000000 /dev/zero >&2; echo token"
      assert.deepStrictEqual(yield* Effect.provide(shown, NodeCredentials.layerCommand(command)), ["Bearer token"])
    }), covers("attack:S2-50"))
})

describe("a token file", () => {
  it.live("is a regular file of at most 64 KiB", () =>
    Effect.gen(function*() {
      const files = yield* FileSystem.FileSystem
      const folder = yield* temporary
      const refusal = (path: string) =>
        Effect.flip(get).pipe(
          Effect.provide(NodeCredentials.layerFile(path)),
          Effect.map(({ reason }) => [reason._tag, reason.message.replace(folder, "")])
        )
      spawnSync("mkfifo", [`${folder}/pipe`])
      yield* files.writeFileString(`${folder}/large`, "t".repeat(64 * 1024 + 1))
      yield* files.writeFileString(`${folder}/fits`, "t".repeat(64 * 1024))
      const unavailable = (message: string) => ["CredentialsUnavailableError", `the token file ${message}`]
      assert.deepStrictEqual(yield* refusal(`${folder}/pipe`), unavailable("/pipe is a named pipe, not a file"))
      assert.deepStrictEqual(yield* refusal("/dev/zero"), unavailable("/dev/zero is a device, not a file"))
      assert.deepStrictEqual(yield* refusal(folder), unavailable(" is a directory, not a file"))
      assert.match(
        (yield* refusal(`${folder}/large`))[1]!,
        /^the token file \/large has .* more than the limit of 64 KiB$/
      )
      assert.lengthOf((yield* Effect.provide(shown, NodeCredentials.layerFile(`${folder}/fits`)))[0]!, 64 * 1024 + 7)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)), covers("attack:S2-48"))
})

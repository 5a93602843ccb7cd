/**
 * Credentials on Node.js: from the environment, a file, or a command. Secrets are `Redacted` as soon as they are read, and
 * appear in no error.
 *
 * ```ts
 * import { Credentials } from "@effect-a2a/core"
 * import { NodeCredentials } from "@effect-a2a/node"
 * import { ConfigProvider, Effect, Layer } from "effect"
 *
 * const target = { url: "https://agent.test", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }
 * const first = Effect.flatMap(Credentials.Credentials, (credentials) => credentials.get(target)).pipe(
 *   Effect.map(([credential]) => credential?._tag),
 *   Effect.provide(NodeCredentials.layerEnv().pipe(
 *     Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ MEMORYLAKE_API_KEY: "sk_1" })))
 *   ))
 * )
 * await Effect.runPromise(first) // => "Bearer"
 * ```
 *
 * @since 0.1.0
 */
import * as AgentError from "@effect-a2a/core/AgentError"
import * as Credentials from "@effect-a2a/core/Credentials"
import * as NodeChildProcessSpawner from "@effect/platform-node/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as ByteSize from "effect/ByteSize"
import * as Config from "effect/Config"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as ChildProcess from "effect/process/ChildProcess"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as NodeFile from "./NodeFile.ts"

/** Bytes of the longest token, with the white space around it. */
const maxToken = 64 * 1024

const processes = NodeChildProcessSpawner.layer.pipe(Layer.provide([NodeFileSystem.layer, NodePath.layer]))

const unavailable = (message: string) => AgentError.make("credentials", "CredentialsUnavailableError", { message })

/** Trims the text, since editors and commands end it with a line break. */
const token = (text: string, source: string): Effect.Effect<Redacted.Redacted, AgentError.AgentError> =>
  text.trim() === "" ? Effect.fail(unavailable(`${source} is empty`)) : Effect.succeed(Redacted.make(text.trim()))

/**
 * Provides a bearer token from a file of at most 64 KiB, which is read again when the agent refuses the token. Requests
 * fail with `CredentialsUnavailableError` if the file cannot be read, is empty or too large, or is not a regular file.
 */
export const layerFile = (path: string): Layer.Layer<Credentials.Credentials> =>
  Credentials.layerBearerEffect(
    NodeFile.read(path, { maxSize: maxToken }).pipe(
      Effect.mapError(({ message }) => unavailable(`the token file ${message}`)),
      Effect.flatMap((bytes) => token(new TextDecoder().decode(bytes), `the token file ${path}`))
    )
  )

/** Options of {@link layerCommand}. */
export interface CommandOptions {
  /** The longest time that the command may take. Default: 2 minutes. */
  readonly timeout?: Duration.Input | undefined
}

/** The wait for a command that was asked to end, and for the rest of the output of one that ended. */
const patience = "1 second"

const failure = (why: string) => unavailable(`the token command ${why}; run it by hand to see why`)

/**
 * Runs the command in a new process group, which ends with it. Its output may hold secrets, on both streams, and is
 * left out of errors.
 */
const run = (
  command: string,
  { timeout = "2 minutes" }: CommandOptions
): Effect.Effect<string, AgentError.AgentError> =>
  Effect.gen(function*() {
    const child = yield* ChildProcess.make(command, {
      shell: true,
      stdin: "ignore",
      stderr: "ignore",
      forceKillAfter: patience,
      windowsHide: true
    })
    const chunks: Array<Uint8Array> = []
    let length = 0
    const output = Stream.runForEach(child.stdout, (chunk) => {
      chunks.push(chunk)
      length += chunk.length
      return length > maxToken
        ? Effect.fail(failure(`printed more than ${ByteSize.format(ByteSize.bytes(maxToken))}`))
        : Effect.void
    })
    const reader = yield* Effect.forkScoped(output)
    // fails early if the output has no end
    const code = yield* Effect.raceFirst(child.exitCode, Effect.andThen(Fiber.join(reader), Effect.never))
    if (code !== 0) return yield* failure(`failed with exit code ${code}`)
    // what the command started may keep its output open
    yield* Effect.timeoutOption(Fiber.join(reader), patience)
    return Buffer.concat(chunks).toString()
  }).pipe(
    Effect.scoped,
    Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(failure("did not end in time")) }),
    Effect.catchTag("PlatformError", ({ reason }) =>
      Effect.fail(failure(reason.method === "exitCode" ? "was ended by a signal" : `cannot be run: ${reason._tag}`))),
    Effect.provide(processes)
  )

/**
 * Provides a bearer token from a command's standard output, such as `gcloud auth print-access-token`. The shell runs the
 * command when a token is first needed, and again when the agent refuses the token. What the command started ends with
 * it, and all of it ends when the layer is closed: asked by SIGTERM, and after a second by SIGKILL. Requests fail with
 * `CredentialsUnavailableError` if the command fails, prints nothing or more than 64 KiB, or takes too long.
 */
export const layerCommand = (command: string, options: CommandOptions = {}): Layer.Layer<Credentials.Credentials> =>
  Layer.unwrap(Effect.map(Effect.scope, (scope) => {
    // requests share a run, which outlives those that are interrupted
    const scoped = Effect.flatMap(
      Effect.forkIn(run(command, options), scope),
      (fiber) => Effect.onInterrupt(Fiber.join(fiber), () => Fiber.interrupt(fiber))
    )
    return Credentials.layerBearerEffect(Effect.flatMap(scoped, (text) => token(text, "the token command's output")))
  }))

/** The options of {@link layerEnv}. */
export interface EnvOptions {
  /** The header of `A2A_API_KEY`; default: `X-API-Key`. */
  readonly apiKeyHeader?: string | undefined
}

/** Files that set variables may end them with a line break too. */
const text = (name: string) => Config.schema(Schema.Trim.check(Schema.isNonEmpty()), name)

const secret = (name: string) => Config.map(text(name), (value) => Redacted.make(value))

const bearer = Config.map(secret("A2A_TOKEN"), Credentials.layerBearer).pipe(
  Config.orElse(() => Config.map(text("A2A_TOKEN_FILE"), layerFile)),
  Config.orElse(() => Config.map(text("A2A_TOKEN_COMMAND"), (command) => layerCommand(command))),
  Config.orElse(() => Config.map(secret("MEMORYLAKE_API_KEY"), Credentials.layerBearer)),
  Config.orElse(() => Config.succeed(Credentials.layerNone))
)

/**
 * Provides credentials from configuration, which is the environment unless a `ConfigProvider` is provided. The bearer
 * token is the first that is set of `A2A_TOKEN`, `A2A_TOKEN_FILE` (see {@link layerFile}), `A2A_TOKEN_COMMAND` (see
 * {@link layerCommand}) and `MEMORYLAKE_API_KEY`. `A2A_API_KEY` is sent in a header, with or without a token. Values are
 * trimmed, and blank ones count as missing; if all are, no credential is sent.
 */
export const layerEnv = (
  { apiKeyHeader = "X-API-Key" }: EnvOptions = {}
): Layer.Layer<Credentials.Credentials, Config.ConfigError> =>
  Layer.effect(
    Credentials.Credentials,
    Effect.gen(function*() {
      const credentials = yield* Credentials.Credentials
      const apiKey = yield* Config.orElse(secret("A2A_API_KEY"), () => Config.succeed(undefined))
      return apiKey === undefined ? credentials : {
        ...credentials,
        get: (target) =>
          Effect.map(credentials.get(target), (presented): ReadonlyArray<Credentials.Credential> => [
            ...presented,
            { _tag: "ApiKey", in: "header", name: apiKeyHeader, value: apiKey }
          ])
      }
    })
  ).pipe(Layer.provide(Layer.unwrap(bearer)))

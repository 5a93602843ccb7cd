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
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { exec } from "node:child_process"

const unavailable = (message: string) => AgentError.make("credentials", "CredentialsUnavailableError", { message })

/** Trims the text, since editors and commands end it with a line break. */
const token = (text: string, source: string): Effect.Effect<Redacted.Redacted, AgentError.AgentError> =>
  text.trim() === "" ? Effect.fail(unavailable(`${source} is empty`)) : Effect.succeed(Redacted.make(text.trim()))

/**
 * Provides a bearer token from a file, which is read again when the agent refuses the token. Requests fail with
 * `CredentialsUnavailableError` if the file cannot be read or is empty.
 */
export const layerFile = (path: string): Layer.Layer<Credentials.Credentials> =>
  Layer.unwrap(Effect.map(FileSystem.FileSystem, (files) =>
    Credentials.layerBearerEffect(
      files.readFileString(path).pipe(
        Effect.mapError((error) => unavailable(`the token file ${path} cannot be read: ${error.reason._tag}`)),
        Effect.flatMap((text) => token(text, `the token file ${path}`))
      )
    ))).pipe(Layer.provide(NodeFileSystem.layer))

/** Runs the command. Its output may hold secrets, on both streams, and is left out of errors. */
const run = (command: string): Effect.Effect<string, AgentError.AgentError> =>
  Effect.callback((resume) => {
    const child = exec(command, { windowsHide: true }, (error, output) =>
      resume(
        error === null
          ? Effect.succeed(output)
          : Effect.fail(
            unavailable(
              `the token command failed with ${error.signal ?? `exit code ${error.code}`}; run it by hand to see why`
            )
          )
      ))
    child.stdin?.end()
    return Effect.sync(() => child.kill())
  })

/**
 * Provides a bearer token from a command's standard output, such as `gcloud auth print-access-token`. The shell runs the
 * command when a token is first needed, and again when the agent refuses the token. Requests fail with
 * `CredentialsUnavailableError` if the command fails or prints nothing.
 */
export const layerCommand = (command: string): Layer.Layer<Credentials.Credentials> =>
  Credentials.layerBearerEffect(Effect.flatMap(run(command), (text) => token(text, "the token command's output")))

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
  Config.orElse(() => Config.map(text("A2A_TOKEN_COMMAND"), layerCommand)),
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

/**
 * Access tokens from an OAuth 2 token endpoint (RFC 6749). The layers are complete credentials; the effects create
 * providers for `Credentials.layerFromCard`.
 *
 * ```ts
 * import { OAuth } from "@effect-a2a/core"
 * import { Effect, Layer, Redacted } from "effect"
 * import { HttpClient, HttpClientResponse } from "effect/http"
 *
 * const endpoint = HttpClient.make((request) =>
 *   Effect.succeed(HttpClientResponse.fromWeb(request, Response.json({ access_token: "at-1", expires_in: 3600 })))
 * )
 * const token = OAuth.clientCredentials({
 *   tokenUrl: "https://auth.test/token",
 *   clientId: "me",
 *   clientSecret: Redacted.make("secret")
 * }).pipe(Effect.flatten, Effect.provide(Layer.succeed(HttpClient.HttpClient, endpoint)))
 * Redacted.value((await Effect.runPromise(token)).value) // => "at-1"
 * ```
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as AgentError from "./AgentError.ts"
import type { Token } from "./Credential.ts"
import * as Credentials from "./Credentials.ts"
import * as HttpPeer from "./HttpPeer.ts"
import { toBasicHeader } from "./internal/credentials/placement.ts"
import * as SingleFlight from "./internal/credentials/singleFlight.ts"
import { toText } from "./internal/errors/excerpt.ts"
import { publicUrl } from "./internal/errors/publicUrl.ts"
import * as Observe from "./internal/http/observe.ts"
import * as Secrets from "./internal/http/redactSecrets.ts"
import * as Request from "./internal/http/request.ts"

type Failure = AgentError.AgentError

/** A client of a token endpoint. */
export interface Client {
  /** The URL of the token endpoint. */
  readonly tokenUrl: string
  /** The id of the client. */
  readonly clientId: string
  /** The secret of the client. Default: none, for public clients. */
  readonly clientSecret?: Redacted.Redacted | undefined
  /**
   * Sends id and secret in a header (`basic`, the default) or in the form (`body`), for endpoints that do not accept the
   * header.
   */
  readonly clientAuthentication?: "basic" | "body" | undefined
  /** The scopes to ask for. Default: the endpoint decides. */
  readonly scopes?: ReadonlyArray<string> | undefined
  /** Further members of the form. */
  readonly parameters?: Readonly<Record<string, string>> | undefined
}

/** A client that gets tokens for itself. */
export interface ClientCredentials extends Client {
  /** The secret of the client. */
  readonly clientSecret: Redacted.Redacted
  /** The service that the token is for, if the endpoint serves several. */
  readonly audience?: string | undefined
}

/** A client that gets tokens for a user. */
export interface RefreshToken extends Client {
  /** The first refresh token. If the endpoint returns another one, that one is used from then on. */
  readonly refreshToken: Redacted.Redacted
  /**
   * Stores another refresh token that the endpoint returned, before the access token is used: endpoints that rotate
   * refresh tokens do not accept the old one in the next process. Default: it is kept in memory.
   */
  readonly save?: ((refreshToken: Redacted.Redacted) => Effect.Effect<void>) | undefined
}

/**
 * Reads an access token; see `Credentials.layerBearerEffect`. Fails with `CredentialsUnavailableError`, whose message
 * includes no request or response data but the OAuth error code.
 */
export type Provider = Effect.Effect<Token, Failure>

/** The size of a response, in characters. */
const maxSize = 1024 * 1024

// nobody waits for an endpoint longer, and exchanges outlive their callers
const maxTime = Duration.minutes(1)

const unavailable = (message: string, isRetryable = false) =>
  AgentError.make("credentials", "CredentialsUnavailableError", { message, isRetryable })

type Form = Readonly<Record<string, string>>

const toTokenRequest = (options: Client, form: Form) => {
  const { clientAuthentication = "basic", clientId, clientSecret, scopes = [], tokenUrl } = options
  const inHeader = clientSecret !== undefined && clientAuthentication === "basic"
  return HttpClientRequest.post(tokenUrl).pipe(
    HttpClientRequest.acceptJson,
    HttpClientRequest.bodyUrlParams({
      ...form,
      ...(scopes.length > 0 && { scope: scopes.join(" ") }),
      ...(!inHeader && { client_id: clientId }),
      ...(!inHeader && clientSecret && { client_secret: Redacted.value(clientSecret) }),
      ...options.parameters
    }),
    // both parts are form-encoded before they are joined (RFC 6749 §2.3.1)
    inHeader
      ? HttpClientRequest.setHeader(
        "authorization",
        toBasicHeader(encodeURIComponent(clientId), encodeURIComponent(Redacted.value(clientSecret)))
      )
      : (request) => request
  )
}

/** The members of a form that are public, or codes of the protocol. */
const publicMembers = new Set(["audience", "client_id", "grant_type", "resource", "scope"])

/** Returns what is secret in the form of a request. */
const secretsOf = ({ clientSecret, parameters }: Client, form: Form): ReadonlyArray<string> => [
  ...(clientSecret === undefined ? [] : [Redacted.value(clientSecret)]),
  ...Object.entries({ ...form, ...parameters }).flatMap(([name, value]) => publicMembers.has(name) ? [] : [value])
]

const member = (body: unknown, name: string): unknown => Predicate.hasProperty(body, name) ? body[name] : undefined

/** Returns a code such as `invalid_client`; any other text might repeat the request. */
const codeOf = (body: unknown) => {
  const code = member(body, "error")
  return typeof code === "string" && /^[a-z_]{1,64}$/.test(code) ? `: ${code}` : ""
}

interface Granted extends Token {
  readonly refreshToken: Redacted.Redacted | undefined
}

/** Sends one request to the token endpoint. */
const request = Effect.fnUntraced(
  function*(client: HttpClient.HttpClient, options: Client, form: Form): Effect.fn.Return<
    Granted,
    Failure
  > {
    const url = Request.parseUrl(options.tokenUrl)
    if (Result.isFailure(url)) return yield* unavailable(`invalid URL of the token endpoint: ${url.failure.message}`)
    const where = `the token endpoint ${publicUrl(url.success)}`
    const tokenRequest = toTokenRequest(options, form)
    const redact = Secrets.make(() =>
      Secrets.ofRequest({ base: url.success, headers: tokenRequest.headers, secrets: secretsOf(options, form) })
    )
    const { body, response } = yield* client.execute(tokenRequest).pipe(
      HttpPeer.withoutRedirects,
      Observe.exchange(url.success, [], redact),
      Effect.mapError((error) => redact(HttpPeer.connectionError(error))),
      Effect.flatMap((response) => HttpPeer.read(response, maxSize)),
      Effect.mapError((error) => unavailable(`${where}: ${error.message}`, error.isRetryable)),
      Effect.timeoutOrElse({
        duration: maxTime,
        orElse: () => Effect.fail(unavailable(`${where} did not respond within ${Duration.format(maxTime)}`, true))
      })
    )
    const document = Result.getOrUndefined(body)
    if (response.status !== 200) {
      return yield* unavailable(
        redact(`${where} responded with HTTP ${response.status}${codeOf(document)}`),
        response.status >= 500
      )
    }
    const token = member(document, "access_token")
    if (typeof token !== "string" || token === "") return yield* unavailable(`${where} responded without a token`)
    // some endpoints write the number as a text
    const seconds = Number(toText(member(document, "expires_in")))
    const refreshToken = member(document, "refresh_token")
    return {
      value: Redacted.make(token),
      expiresIn: seconds > 0 ? Duration.seconds(seconds) : undefined,
      refreshToken: typeof refreshToken === "string" && refreshToken !== "" ? Redacted.make(refreshToken) : undefined
    }
  }
)

/** Creates a provider of tokens for the client itself (RFC 6749 §4.4). */
export const clientCredentials = (
  options: ClientCredentials
): Effect.Effect<Provider, never, HttpClient.HttpClient> =>
  Effect.map(HttpClient.HttpClient, (client) =>
    request(client, options, {
      grant_type: "client_credentials",
      ...(options.audience !== undefined && { audience: options.audience })
    }))

/**
 * Creates a provider of tokens for the user who granted the refresh token (RFC 6749 §6). An exchange that has begun serves
 * all who wait for it, and goes on if they are interrupted: its refresh token may be valid once.
 */
export const refreshToken = (options: RefreshToken): Effect.Effect<Provider, never, HttpClient.HttpClient> =>
  Effect.map(HttpClient.HttpClient, (client) => {
    let current = options.refreshToken
    return SingleFlight.make(
      Effect.suspend(() =>
        request(client, options, { grant_type: "refresh_token", refresh_token: Redacted.value(current) })
      ).pipe(Effect.tap(({ refreshToken }) => {
        if (refreshToken === undefined) return Effect.void
        current = refreshToken
        return options.save?.(refreshToken) ?? Effect.void
      }))
    )
  })

const layer = (provider: Effect.Effect<Provider, never, HttpClient.HttpClient>) =>
  Layer.unwrap(Effect.map(provider, (read) => Credentials.layerBearerEffect(read)))

/** Presents a bearer token by {@link clientCredentials}, renewed before it expires and if an agent rejects it. */
export const layerClientCredentials = (
  options: ClientCredentials
): Layer.Layer<Credentials.Credentials, never, HttpClient.HttpClient> => layer(clientCredentials(options))

/** Presents a bearer token by {@link refreshToken}, renewed before it expires and if an agent rejects it. */
export const layerRefreshToken = (
  options: RefreshToken
): Layer.Layer<Credentials.Credentials, never, HttpClient.HttpClient> => layer(refreshToken(options))

/**
 * Access tokens from an OAuth 2 token endpoint (RFC 6749). The layers are complete credentials; the effects make
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
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as AgentError from "./AgentError.ts"
import { basic } from "./Credential.ts"
import * as Credentials from "./Credentials.ts"
import * as Exchange from "./internal/http/exchange.ts"
import * as Request from "./internal/http/request.ts"

type Failure = AgentError.AgentError

/**
 * The token endpoint and who asks there. `clientAuthentication`: `basic` (default) presents id and secret in a header,
 * `body` in the form, for endpoints that do not take the header. `parameters` are added to the form.
 */
export interface Client {
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret?: Redacted.Redacted | undefined
  readonly clientAuthentication?: "basic" | "body" | undefined
  readonly scopes?: ReadonlyArray<string> | undefined
  readonly parameters?: Readonly<Record<string, string>> | undefined
}

/** `audience`: whom the token is for, where the endpoint serves several. */
export interface ClientCredentials extends Client {
  readonly clientSecret: Redacted.Redacted
  readonly audience?: string | undefined
}

/** Where the endpoint gives another refresh token, that one is used from then on. */
export interface RefreshToken extends Client {
  readonly refreshToken: Redacted.Redacted
}

/** How an access token is had; see {@link Credentials.layerBearerEffect}. */
export type Provider = Effect.Effect<Credentials.Token, Failure>

/** Of an answer, in characters. */
const maxSize = 1024 * 1024

/** Nothing of what was sent or answered is told, save the error's code. */
const unavailable = (message: string, isRetryable = false) =>
  AgentError.make("credentials", "CredentialsUnavailableError", { message, isRetryable })

type Form = Readonly<Record<string, string>>

const authenticated = (options: Client, form: Form) => {
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
        basic(encodeURIComponent(clientId), encodeURIComponent(Redacted.value(clientSecret)))
      )
      : (request) => request
  )
}

const member = (body: unknown, name: string): unknown =>
  typeof body === "object" && body !== null ? (body as { readonly [name: string]: unknown })[name] : undefined

/** A code such as `invalid_client`; anything else might be what was sent. */
const codeOf = (body: unknown) => {
  const code = member(body, "error")
  return typeof code === "string" && /^[a-z_]{1,64}$/.test(code) ? `: ${code}` : ""
}

interface Granted extends Credentials.Token {
  readonly refreshToken: Redacted.Redacted | undefined
}

/** Asks the token endpoint, once. */
const ask = Effect.fnUntraced(function*(client: HttpClient.HttpClient, options: Client, form: Form): Effect.fn.Return<
  Granted,
  Failure
> {
  const url = Request.parseUrl(options.tokenUrl)
  if (Result.isFailure(url)) return yield* unavailable(`the token endpoint: ${url.failure.message}`)
  const where = `the token endpoint ${Request.publicUrl(url.success)}`
  const { body, response } = yield* client.execute(authenticated(options, form)).pipe(
    Exchange.manually,
    Effect.mapError(Exchange.connectionError),
    Effect.flatMap((response) => Exchange.read(response, maxSize)),
    Effect.mapError((error) => unavailable(`${where}: ${error.message}`, error.isRetryable))
  )
  const answer = Result.getOrUndefined(body)
  if (response.status !== 200) {
    return yield* unavailable(`${where} answered ${response.status}${codeOf(answer)}`, response.status >= 500)
  }
  const token = member(answer, "access_token")
  if (typeof token !== "string" || token === "") return yield* unavailable(`${where} answered without a token`)
  const seconds = Number(member(answer, "expires_in") ?? NaN)
  const refreshToken = member(answer, "refresh_token")
  return {
    value: Redacted.make(token),
    expiresIn: seconds > 0 ? Duration.seconds(seconds) : undefined,
    refreshToken: typeof refreshToken === "string" && refreshToken !== "" ? Redacted.make(refreshToken) : undefined
  }
})

/** Makes a provider of tokens for the client itself (RFC 6749 §4.4). */
export const clientCredentials = (
  options: ClientCredentials
): Effect.Effect<Provider, never, HttpClient.HttpClient> =>
  Effect.map(HttpClient.HttpClient, (client) =>
    ask(client, options, {
      grant_type: "client_credentials",
      ...(options.audience !== undefined && { audience: options.audience })
    }))

/** Makes a provider of tokens for whoever gave the refresh token (RFC 6749 §6). */
export const refreshToken = (options: RefreshToken): Effect.Effect<Provider, never, HttpClient.HttpClient> =>
  Effect.map(HttpClient.HttpClient, (client) => {
    let current = options.refreshToken
    return Effect.suspend(() =>
      ask(client, options, { grant_type: "refresh_token", refresh_token: Redacted.value(current) })
    ).pipe(Effect.tap(({ refreshToken }) => {
      current = refreshToken ?? current
      return Effect.void
    }))
  })

const layer = (provider: Effect.Effect<Provider, never, HttpClient.HttpClient>) =>
  Layer.unwrap(Effect.map(provider, (read) => Credentials.layerBearerEffect(read)))

/** A bearer token by {@link clientCredentials}, renewed before it expires and when an agent refuses it. */
export const layerClientCredentials = (
  options: ClientCredentials
): Layer.Layer<Credentials.Credentials, never, HttpClient.HttpClient> => layer(clientCredentials(options))

/** A bearer token by {@link refreshToken}, renewed before it expires and when an agent refuses it. */
export const layerRefreshToken = (
  options: RefreshToken
): Layer.Layer<Credentials.Credentials, never, HttpClient.HttpClient> => layer(refreshToken(options))

/**
 * One credential and its place in a request, as data. The secret is `Redacted` until the request is written.
 *
 * ```ts
 * import { Credential } from "@effect-a2a/core"
 * import { Redacted } from "effect"
 *
 * const key = Credential.apiKey({ name: "x-api-key", value: Redacted.make("secret") })
 * key.in // => "header"
 * String(key.value) // => "<redacted>"
 * ```
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"

/** A token, sent as `Authorization: Bearer …`. */
export interface Bearer {
  readonly _tag: "Bearer"
  readonly token: Redacted.Redacted
}

/** A user name and a password, sent as `Authorization: Basic …` in UTF-8. */
export interface Basic {
  readonly _tag: "Basic"
  readonly username: string
  readonly password: Redacted.Redacted
}

/** A key, sent under a name in a header, in the URL's query or in a cookie. */
export interface ApiKey {
  readonly _tag: "ApiKey"
  readonly in: "header" | "query" | "cookie"
  readonly name: string
  readonly value: Redacted.Redacted
}

/** One credential. */
export type Credential = Bearer | Basic | ApiKey

/** Creates a bearer token. */
export const bearer = (token: Redacted.Redacted): Bearer => ({ _tag: "Bearer", token })

/** Creates a user name with a password. */
export const basic = (options: { readonly username: string; readonly password: Redacted.Redacted }): Basic => ({
  _tag: "Basic",
  ...options
})

/** Creates an API key, in a header unless `in` says otherwise. */
export const apiKey = (options: {
  readonly name: string
  readonly in?: ApiKey["in"] | undefined
  readonly value: Redacted.Redacted
}): ApiKey => ({ _tag: "ApiKey", in: options.in ?? "header", name: options.name, value: options.value })

/** A secret and how long it may be used. Without `expiresIn` it is used until an agent rejects it. */
export interface Token {
  readonly value: Redacted.Redacted
  readonly expiresIn?: Duration.Duration | undefined
}

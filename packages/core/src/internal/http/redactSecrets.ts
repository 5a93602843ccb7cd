/** Agents that repeat the credentials of a request in its refusal: what they say is kept, the secret is not. */
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import type * as Schema from "effect/Schema"
import type { Credential } from "../../Credential.ts"
import type * as Protocol from "../../Dialect.ts"
import { toSecrets } from "../credentials/placement.ts"

const sent = new WeakMap<HttpClientResponse.HttpClientResponse, ReadonlyArray<Credential>>()

/** Remembers what a response's request was sent with. */
export const note = (response: HttpClientResponse.HttpClientResponse, credentials: ReadonlyArray<Credential>): void => {
  if (credentials.length > 0) sent.set(response, credentials)
}

/** A refusal without the secrets of its request. */
export const hide = (
  failure: Protocol.WireFailure,
  response: HttpClientResponse.HttpClientResponse
): Protocol.WireFailure => {
  const known = (sent.get(response) ?? []).flatMap(toSecrets)
  if (known.length === 0) return failure
  const hidden = (text: string) => known.reduce((text, secret) => text.replaceAll(secret, "<redacted>"), text)
  const json = <A>(value: A): A => JSON.parse(hidden(JSON.stringify(value))) as A
  return {
    ...failure,
    message: hidden(failure.message),
    ...(failure.reason === undefined ? undefined : { reason: hidden(failure.reason) }),
    ...(failure.challenge === undefined ? undefined : { challenge: hidden(failure.challenge) }),
    ...(failure.violations === undefined ? undefined : { violations: json(failure.violations) }),
    ...(failure.details === undefined ? undefined : { details: json<Schema.Json>(failure.details) })
  }
}

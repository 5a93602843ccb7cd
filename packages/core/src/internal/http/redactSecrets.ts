/** Removes the secrets of a request from what its response says: some agents repeat credentials in a refusal. */
import type * as Schema from "effect/Schema"
import type { Credential } from "../../Credential.ts"
import type * as Protocol from "../../Protocol.ts"
import { toSecrets } from "../credentials/placement.ts"

const cleaner = (credentials: ReadonlyArray<Credential>) => {
  const known = credentials.flatMap(toSecrets)
  return (text: string) => known.reduce((text, secret) => text.replaceAll(secret, "<redacted>"), text)
}

/** Returns the text with every secret replaced. */
export const redactText = (text: string, credentials: ReadonlyArray<Credential>): string => cleaner(credentials)(text)

/** Returns the failure with every secret replaced. */
export const redact = (
  failure: Protocol.WireFailure,
  credentials: ReadonlyArray<Credential>
): Protocol.WireFailure => {
  if (credentials.length === 0) return failure
  const clean = cleaner(credentials)
  const cleanJson = <A>(value: A): A => JSON.parse(clean(JSON.stringify(value))) as A
  return {
    ...failure,
    message: clean(failure.message),
    ...(failure.reason === undefined ? undefined : { reason: clean(failure.reason) }),
    ...(failure.challenge === undefined ? undefined : { challenge: clean(failure.challenge) }),
    ...(failure.violations === undefined ? undefined : { violations: cleanJson(failure.violations) }),
    ...(failure.details === undefined ? undefined : { details: cleanJson<Schema.Json>(failure.details) })
  }
}

/** The place of a credential in a request, and the traces that it may leave in a response. */
import * as Redacted from "effect/Redacted"
import type { Credential } from "../../Credential.ts"

/** A name and a value in clear text, and where they go. */
export interface Placement {
  readonly in: "header" | "query" | "cookie"
  readonly name: string
  readonly value: string
}

/** Writes the header of HTTP Basic, in UTF-8. */
export const toBasicHeader = (username: string, password: string): string =>
  `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${username}:${password}`)))}`

/** Returns the place of a credential, with its value in clear text. */
export const toPlacement = (credential: Credential): Placement => {
  switch (credential._tag) {
    case "Bearer":
      return { in: "header", name: "authorization", value: `Bearer ${Redacted.value(credential.token)}` }
    case "Basic":
      return {
        in: "header",
        name: "authorization",
        value: toBasicHeader(credential.username, Redacted.value(credential.password))
      }
    case "ApiKey":
      return { in: credential.in, name: credential.name, value: Redacted.value(credential.value) }
  }
}

/**
 * Returns the texts by which a credential's secret may show, in clear text and as JSON writes it. Texts shorter than four
 * characters are left out: they would be found anywhere.
 */
export const toSecrets = (credential: Credential): ReadonlyArray<string> => {
  const { value } = toPlacement(credential)
  const all = credential._tag === "Basic"
    ? [Redacted.value(credential.password), value.slice("Basic ".length)]
    : [credential._tag === "Bearer" ? Redacted.value(credential.token) : value]
  return all.filter(({ length }) => length >= 4).flatMap((one) => [one, JSON.stringify(one).slice(1, -1)])
}

/** Returns true if both credentials put the same value in the same place. */
export const isEqual = (self: Credential, that: Credential): boolean =>
  JSON.stringify(toPlacement(self)) === JSON.stringify(toPlacement(that))

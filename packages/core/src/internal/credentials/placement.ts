/** The place of a credential in a request, and the traces that it may leave in a response. */
import * as Redacted from "effect/Redacted"
import type { Credential } from "../../Credential.ts"

/** A name and a value in clear text, and where they go. */
export interface Placement {
  readonly in: "header" | "query" | "cookie"
  readonly name: string
  readonly value: string
}

/** Returns the bytes of a text in UTF-8, as a text with one character for each. */
export const toBytes = (text: string): string =>
  text.replace(/[^\0-\x7f]/gu, (char) => String.fromCharCode(...new TextEncoder().encode(char)))

/** Writes the header of HTTP Basic, in UTF-8. */
export const toBasicHeader = (username: string, password: string): string =>
  `Basic ${btoa(toBytes(`${username}:${password}`))}`

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

/** Returns the secret of a credential, in the forms that it is sent in. */
export const toSecrets = (credential: Credential): ReadonlyArray<string> => [
  toPlacement(credential).value.replace(/^(?:Basic|Bearer) /, ""),
  ...credential._tag === "Basic" ? [Redacted.value(credential.password)] : []
]

/** Returns true if both credentials put the same value in the same place. */
export const isEqual = (self: Credential, that: Credential): boolean =>
  JSON.stringify(toPlacement(self)) === JSON.stringify(toPlacement(that))

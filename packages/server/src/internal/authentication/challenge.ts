/** The header `WWW-Authenticate` (RFC 9110 §11.6.1, RFC 6750 §3). Tested in `packages/server/test/authentication.test.ts`. */
import type * as SecurityScheme from "@effect-a2a/core/SecurityScheme"

/** Parameters of a challenge, in order. */
export type Parameters = Readonly<Record<string, string | undefined>>

/** Returns a quoted string; characters that are not allowed in one are left out. */
const quote = (text: string) => `"${text.replace(/[^\x20-\x7e]/g, "").replace(/["\\]/g, "\\$&")}"`

const write = (scheme: string, parameters: Parameters): string =>
  `${scheme} ${
    Object.entries(parameters).flatMap(([name, value]) => value === undefined ? [] : [`${name}=${quote(value)}`]).join(
      ", "
    )
  }`

/**
 * Writes the challenge of a scheme. HTTP has no name for keys: theirs is `ApiKey`, with their place. A certificate has
 * no challenge.
 */
const writeOne = (scheme: SecurityScheme.SecurityScheme, realm: string, parameters: Parameters): string | undefined => {
  switch (scheme._tag) {
    case "ApiKey":
      return write("ApiKey", { realm, in: scheme.location, name: scheme.name, ...parameters })
    case "HttpAuth":
      return /^basic$/i.test(scheme.scheme)
        ? write("Basic", { realm, charset: "UTF-8" })
        : write(/^bearer$/i.test(scheme.scheme) ? "Bearer" : scheme.scheme, { realm, ...parameters })
    case "OAuth2":
    case "OpenIdConnect":
      return write("Bearer", { realm, ...parameters })
    case "MutualTls":
      return undefined
  }
}

/** A scheme with the parameters of its challenge. */
export interface Challenged {
  readonly scheme: SecurityScheme.SecurityScheme
  readonly parameters: Parameters
}

/** Writes the challenges of several schemes as one header, each once; `undefined` if none of them has a challenge. */
export const writeAll = (schemes: ReadonlyArray<Challenged>, realm: string): string | undefined => {
  const all = schemes.flatMap(({ parameters, scheme }) => writeOne(scheme, realm, parameters) ?? [])
  return all.length === 0 ? undefined : [...new Set(all)].join(", ")
}

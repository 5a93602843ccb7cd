/** The security requirements of a card, and how a secret meets a scheme. Tested in `test/credentials`. */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as AgentCard from "../../AgentCard.ts"
import * as Credential from "../../Credential.ts"
import type * as SecurityScheme from "../../SecurityScheme.ts"

/** A scheme with the provider of its secret. */
export interface Met<P> {
  readonly scheme: SecurityScheme.SecurityScheme
  readonly provider: P
}

/** A card may require any number of things; an error names the first ones. */
const maxNamed = 10

const isUsable = (scheme: SecurityScheme.SecurityScheme | undefined): scheme is SecurityScheme.SecurityScheme =>
  scheme !== undefined && (scheme._tag !== "HttpAuth" || /^(?:bearer|basic)$/i.test(scheme.scheme))

/** Returns the scheme with its provider, or what is missing. */
const meet = <P>(
  name: string,
  scheme: SecurityScheme.SecurityScheme | undefined,
  provider: P | undefined
): Result.Result<Met<P>, string> => {
  if (scheme === undefined) return Result.fail(`${name} (not described by the card in a known way)`)
  if (!isUsable(scheme)) return Result.fail(`${name} (of an unknown kind)`)
  return provider === undefined ? Result.fail(name) : Result.succeed({ scheme, provider })
}

/** Returns the first requirement whose schemes are all described and provided for, or what each of them lacks. */
export const choose = <P>(
  { securityRequirements = [], securitySchemes = {} }: Pick<
    AgentCard.AgentCard,
    "securitySchemes" | "securityRequirements"
  >,
  providers: { readonly [scheme: string]: P }
): Result.Result<ReadonlyArray<Met<P>>, string> => {
  const provided = new Map(Object.entries(providers))
  const alternatives = securityRequirements.map((requirement) =>
    Object.keys(requirement).map((name) => meet(name, securitySchemes[name], provided.get(name)))
  )
  if (alternatives.length === 0) return Result.succeed([])
  const met = alternatives.find((schemes) => schemes.every(Result.isSuccess))
  if (met !== undefined) return Result.all(met)
  const missing = alternatives.slice(0, maxNamed).map((schemes) =>
    schemes.filter(Result.isFailure).slice(0, maxNamed).map(({ failure }) => failure).join(" and ")
  )
  return Result.fail(`no credentials for what the agent requires: ${missing.join(", or ")}`)
}

/** Creates the credentials that present a secret as its scheme requires. */
export const present = (
  scheme: SecurityScheme.SecurityScheme,
  secret: Redacted.Redacted
): ReadonlyArray<Credential.Credential> => {
  switch (scheme._tag) {
    case "ApiKey":
      return [Credential.apiKey({ in: scheme.location, name: scheme.name, value: secret })]
    case "HttpAuth": {
      if (scheme.scheme.toLowerCase() !== "basic") return [Credential.bearer(secret)]
      const [username = "", ...password] = Redacted.value(secret).split(":")
      return [Credential.basic({ username, password: Redacted.make(password.join(":")) })]
    }
    case "OAuth2":
    case "OpenIdConnect":
      return [Credential.bearer(secret)]
    case "MutualTls":
      return []
  }
}

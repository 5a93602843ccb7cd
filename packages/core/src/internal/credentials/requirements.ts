/** What a card requires, and how a secret meets a scheme. */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as AgentCard from "../../AgentCard.ts"
import type { Credential } from "../../Credential.ts"
import type * as SecurityScheme from "../../SecurityScheme.ts"

/** A requirement that can be met. */
export type Met = ReadonlyArray<{ readonly name: string; readonly scheme: SecurityScheme.SecurityScheme }>

const isUsable = (scheme: SecurityScheme.SecurityScheme | undefined): scheme is SecurityScheme.SecurityScheme =>
  scheme !== undefined && (scheme._tag !== "HttpAuth" || /^(?:bearer|basic)$/i.test(scheme.scheme))

/** The first requirement whose schemes are all described and named; otherwise, what is missing for each. */
export const choose = (
  { securityRequirements = [], securitySchemes = {} }: Pick<
    AgentCard.AgentCard,
    "securitySchemes" | "securityRequirements"
  >,
  names: ReadonlyArray<string>
): Result.Result<Met, string> => {
  const alternatives = securityRequirements.map((requirement) =>
    Object.keys(requirement).map((name) => ({
      name,
      scheme: securitySchemes[name],
      isMet: names.includes(name) && isUsable(securitySchemes[name])
    }))
  )
  const met = alternatives.length === 0 ? [] : alternatives.find((schemes) => schemes.every(({ isMet }) => isMet))
  if (met !== undefined) return Result.succeed(met as Met)
  const missing = alternatives.map((schemes) =>
    schemes.filter(({ isMet }) => !isMet).map(({ name, scheme }) =>
      isUsable(scheme) ? name : `${name} (${scheme === undefined ? "not described by the card" : "of an unknown kind"})`
    ).join(" and ")
  )
  return Result.fail(`the agent requires credentials that are not there: ${missing.join(", or ")}`)
}

/** A secret as its scheme wants it. */
export const present = (
  scheme: SecurityScheme.SecurityScheme,
  secret: Redacted.Redacted
): ReadonlyArray<Credential> => {
  switch (scheme._tag) {
    case "ApiKey":
      return [{ _tag: "ApiKey", in: scheme.location, name: scheme.name, value: secret }]
    case "HttpAuth": {
      if (scheme.scheme.toLowerCase() !== "basic") return [{ _tag: "Bearer", token: secret }]
      const [username = "", ...password] = Redacted.value(secret).split(":")
      return [{ _tag: "Basic", username, password: Redacted.make(password.join(":")) }]
    }
    case "OAuth2":
    case "OpenIdConnect":
      return [{ _tag: "Bearer", token: secret }]
    case "MutualTls":
      return []
  }
}

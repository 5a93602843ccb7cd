/**
 * The security requirements of a card: alternatives, each a set of schemes with their scopes. Tested in
 * `packages/server/test/authentication.test.ts`.
 */
import type * as AgentCard from "@effect-a2a/core/AgentCard"
import type { AgentErrorReason } from "@effect-a2a/core/AgentError"
import type { Caller, Verifier } from "@effect-a2a/core/Authenticator"
import type { SecurityScheme } from "@effect-a2a/core/SecurityScheme"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Result from "effect/Result"
import * as Presented from "./presented.ts"

/** A scheme of the card with its verifier. */
export interface Scheme {
  readonly name: string
  readonly scheme: SecurityScheme
  readonly verify: Verifier
}

/** The scopes that one requirement demands, by the names of its schemes. */
export type Alternative = ReadonlyMap<string, ReadonlyArray<string>>

/** The verdict on what a request presents for one scheme. */
export type Verdict =
  | { readonly _tag: "Absent" }
  | { readonly _tag: "Valid"; readonly caller: Caller }
  | { readonly _tag: "Invalid"; readonly message?: string | undefined }
  /** The verifier cannot say. */
  | { readonly _tag: "Unknown"; readonly reason: AgentErrorReason }

/** The verdicts on all schemes. */
export type Verdicts = ReadonlyMap<string, Verdict>

/**
 * Returns the alternatives of a card, and whether one of them needs nothing. If the card requires nothing at all, each
 * scheme alone is an alternative.
 */
export const of = (
  { securityRequirements = [] }: Pick<AgentCard.AgentCard, "securityRequirements">,
  names: ReadonlyArray<string>
): { readonly alternatives: ReadonlyArray<Alternative>; readonly isOptional: boolean } => {
  const all = securityRequirements.map((requirement): Alternative => new Map(Object.entries(requirement)))
  const alternatives = all.filter(({ size }) => size > 0)
  return {
    alternatives: alternatives.length > 0 ? alternatives : names.map((name) => new Map([[name, []]])),
    isOptional: alternatives.length < all.length
  }
}

/** Returns a text such as `gateway and user, or key`. */
export const describe = (alternatives: ReadonlyArray<Alternative>): string =>
  alternatives.map((one) => [...one.keys()].join(" and ")).join(", or ")

const judge = ({ scheme, verify }: Scheme, request: HttpServerRequest): Effect.Effect<Verdict> => {
  const presented = Presented.read(scheme, request)
  if (Result.isFailure(presented)) {
    return Effect.succeed<Verdict>({ _tag: presented.failure === "absent" ? "Absent" : "Invalid" })
  }
  // a connection without a certificate presents nothing
  const rejected: Verdict = { _tag: scheme._tag === "MutualTls" ? "Absent" : "Invalid" }
  return verify(presented.success, request).pipe(
    Effect.match({
      onSuccess: (caller): Verdict => caller === undefined ? rejected : { _tag: "Valid", caller },
      onFailure: (reason): Verdict =>
        reason._tag === "UnauthenticatedError"
          ? { _tag: "Invalid", message: reason.message }
          : { _tag: "Unknown", reason }
    })
  )
}

/** Verifies what a request presents for each scheme. */
export const verdicts = (schemes: ReadonlyArray<Scheme>, request: HttpServerRequest): Effect.Effect<Verdicts> =>
  Effect.map(
    Effect.forEach(
      schemes,
      (scheme) => Effect.map(judge(scheme, request), (verdict) => [scheme.name, verdict] as const)
    ),
    (all) => new Map(all)
  )

/** Returns true if no credential is wrong or unknown. */
export const isClean = (verdicts: Verdicts): boolean =>
  Array.from(verdicts.values()).every(({ _tag }) => _tag === "Absent" || _tag === "Valid")

/** Returns true if all credentials of an alternative are valid. */
export const isMet = (alternative: Alternative, verdicts: Verdicts): boolean =>
  Array.from(alternative.keys()).every((name) => verdicts.get(name)?._tag === "Valid")

const callerOf = (verdicts: Verdicts, name: string): Caller | undefined => {
  const verdict = verdicts.get(name)
  return verdict?._tag === "Valid" ? verdict.caller : undefined
}

/** Returns the scopes that a caller lacks. */
export const missingOf = (caller: Caller | undefined, scopes: ReadonlyArray<string>): ReadonlyArray<string> =>
  scopes.filter((scope) => caller?.scopes?.includes(scope) !== true)

/** Returns the scopes that the callers of an alternative lack. */
export const lackOf = (alternative: Alternative, verdicts: Verdicts): ReadonlyArray<string> =>
  Array.from(alternative, ([name, scopes]) => missingOf(callerOf(verdicts, name), scopes)).flat()

/** Returns the caller of an alternative: that of the first of `names` in it. */
export const callerIn = (
  alternative: Alternative,
  verdicts: Verdicts,
  names: ReadonlyArray<string>
): Caller | undefined => {
  const first = names.find((name) => alternative.has(name))
  return first === undefined ? undefined : callerOf(verdicts, first)
}

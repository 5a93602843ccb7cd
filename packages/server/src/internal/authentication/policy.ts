/** Decides on a request by the verdicts on its credentials. Tested in `packages/server/test/authentication.test.ts`. */
import { type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"
import type { Admission, Authenticator, Caller } from "@effect-a2a/core/Authenticator"
import type * as Operation from "@effect-a2a/core/Operation"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as CallerService from "../../Caller.ts"
import * as Challenge from "./challenge.ts"
import * as Requirements from "./requirements.ts"
import * as SecretNames from "./secretNames.ts"

/** The scopes that operations need, by name. */
export type Scopes = { readonly [K in Operation.Tag]?: ReadonlyArray<string> | undefined }

/** The rules of one agent. */
export interface Policy {
  readonly realm: string
  /** The verified schemes; the first of them that an alternative names is the one whose caller counts. */
  readonly schemes: ReadonlyArray<Requirements.Scheme>
  readonly alternatives: ReadonlyArray<Requirements.Alternative>
  /** True if anonymous requests are served. */
  readonly isOptional: boolean
  readonly scopes: Scopes
}

/** Operations that do the same as another one, whose scopes they need if they have none listed. */
const likeOf: { readonly [K in Operation.Tag]?: Operation.Tag } = {
  SendStreamingMessage: "SendMessage",
  SubscribeToTask: "GetTask"
}

const scopesOf = (scopes: Scopes, tag: Operation.Tag): ReadonlyArray<string> => {
  const like = likeOf[tag]
  return scopes[tag] ?? (like && scopes[like]) ?? []
}

const scopeOf = ({ alternatives }: Policy, name: string): string | undefined => {
  const scopes = new Set(alternatives.flatMap((one) => one.get(name) ?? []))
  return scopes.size === 0 ? undefined : [...scopes].join(" ")
}

/** The refusal of missing or invalid credentials, with a challenge for each scheme. */
const rejection = (policy: Policy, verdicts: Requirements.Verdicts): AgentErrorReason => {
  const isInvalid = (name: string) => verdicts.get(name)?._tag === "Invalid"
  const challenge = Challenge.writeAll(
    policy.schemes.map(({ name, scheme }) => ({
      scheme,
      parameters: { scope: scopeOf(policy, name), error: isInvalid(name) ? "invalid_token" : undefined }
    })),
    policy.realm
  )
  const invalid = policy.schemes.filter(({ name }) => isInvalid(name)).map(({ name }) => {
    const verdict = verdicts.get(name)
    return verdict?._tag === "Invalid" && verdict.message !== undefined
      ? verdict.message
      : `the credential for ${name} is not valid`
  })
  return reason("UnauthenticatedError", {
    message: invalid.length > 0
      ? invalid.join("; ")
      : `credentials are missing: send those for ${Requirements.describe(policy.alternatives)}`,
    ...(challenge === undefined ? undefined : { challenge })
  })
}

/** The refusal of a caller without a scope (RFC 6750 §3.1). */
const denial = (policy: Policy, missing: ReadonlyArray<string>, needed: ReadonlyArray<string>) => {
  const parameters = { error: "insufficient_scope", scope: needed.join(" ") }
  const challenge = Challenge.writeAll(policy.schemes.map(({ scheme }) => ({ scheme, parameters })), policy.realm)
  return reason("AccessDeniedError", {
    message: `the caller lacks ${missing.length === 1 ? "the scope" : "the scopes"} ${missing.join(", ")}`,
    ...(challenge === undefined ? undefined : { challenge })
  })
}

/** Returns the admission of a caller, `undefined` for an anonymous one, which may run what needs no scopes. */
const admissionOf = (
  policy: Policy,
  verdicts: Requirements.Verdicts,
  caller: Caller | undefined,
  services: Context.Context<never>
): Admission => ({
  authorize: ({ _tag }) => {
    const needed = scopesOf(policy.scopes, _tag)
    const missing = Requirements.missingOf(caller, needed)
    if (missing.length === 0) return Effect.void
    return Effect.fail(
      caller === undefined ? rejection(policy, verdicts) : denial(policy, missing, needed)
    )
  },
  services: caller === undefined ? services : Context.add(services, CallerService.Current, caller)
})

/** Returns the refusal of a request that meets no alternative. A verifier that could not say may have another answer later. */
const refusalOf = (policy: Policy, verdicts: Requirements.Verdicts): AgentErrorReason => {
  for (const verdict of verdicts.values()) if (verdict._tag === "Unknown") return verdict.reason
  return rejection(policy, verdicts)
}

/** Returns the caller of a request, `undefined` for an anonymous one. */
const callerOf = (
  policy: Policy,
  verdicts: Requirements.Verdicts
): Result.Result<Caller | undefined, AgentErrorReason> => {
  const met = policy.alternatives.filter((one) => Requirements.isMet(one, verdicts))
  const [first] = met
  if (first === undefined) {
    return policy.isOptional && Requirements.isClean(verdicts)
      ? Result.succeed(undefined)
      : Result.fail(refusalOf(policy, verdicts))
  }
  const chosen = met.find((one) => Requirements.lackOf(one, verdicts).length === 0)
  if (chosen !== undefined) {
    return Result.succeed(Requirements.callerIn(chosen, verdicts, policy.schemes.map(({ name }) => name)))
  }
  const needed = [...new Set([...first.values()].flat())]
  return Result.fail(denial(policy, Requirements.lackOf(first, verdicts), needed))
}

/** Makes the authenticator of a policy. */
export const toAuthenticator = (policy: Policy, secrets: SecretNames.SecretNames): Authenticator =>
  Effect.fnUntraced(function*(request) {
    const verdicts = yield* Requirements.verdicts(policy.schemes, request)
    const caller = yield* Effect.fromResult(callerOf(policy, verdicts))
    return admissionOf(policy, verdicts, caller, yield* SecretNames.toServices(secrets, request))
  })

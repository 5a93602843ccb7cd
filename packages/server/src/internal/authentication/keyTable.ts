/** Secrets and their owners, compared in constant time. Tested in `packages/server/test/authentication.test.ts`. */
import * as AgentError from "@effect-a2a/core/AgentError"
import type { Caller } from "@effect-a2a/core/Authenticator"
import * as Digest from "effect/crypto/Digest"
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"

/** A secret in clear text, while the table is made. */
export interface Entry {
  readonly caller: Caller
  readonly secret: string
}

/** Returns the caller that has a secret. */
export type Find = (secret: string) => Effect.Effect<Caller | undefined>

/**
 * Makes a table of secrets, of which it keeps SHA-256 digests only. A lookup compares digests, which have one length, and
 * all of them: its time says nothing about a secret, its length or its place. Fails if two callers share a secret.
 */
export const make = (entries: ReadonlyArray<Entry>): Effect.Effect<Find, AgentError.AgentError> =>
  Effect.gen(function*() {
    const { digest } = yield* Digest.Digest
    const digestOf = (secret: string) => digest(Digest.sha256, new TextEncoder().encode(secret))
    const known: Array<{ readonly caller: Caller; readonly digest: Uint8Array }> = []
    const find = (digest: Uint8Array) => {
      let found: Caller | undefined
      for (const entry of known) if (Mac.timingSafeEqual(entry.digest, digest)) found = entry.caller
      return found
    }
    for (const { caller, secret } of entries) {
      if (secret === "") return yield* refuse(`the secret of ${caller.id} is empty`)
      const digest = yield* digestOf(secret)
      const other = find(digest)
      if (other !== undefined) {
        return yield* refuse(`${other.id} and ${caller.id} have the same secret: give each its own`)
      }
      known.push({ caller, digest })
    }
    return (secret: string) => Effect.map(digestOf(secret), find)
  }).pipe(Effect.provide(Digest.layerWebCrypto))

const refuse = (message: string) => Effect.fail(AgentError.make("authentication", "InvalidRequestError", { message }))

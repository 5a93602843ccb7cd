/**
 * The owner of a task: the tenant that a request addresses and its authenticated caller. A task, its events and its push
 * configurations belong to one owner, and do not exist for any other (A2A 1.0 §3.3.4, §13.1).
 *
 * ```ts
 * import { Caller, Owner } from "@effect-a2a/server"
 * import { Effect } from "effect"
 *
 * const owner = Owner.current("acme").pipe(Effect.provideService(Caller.Current, { id: "ada" }))
 * await Effect.runPromise(owner) // => { tenant: "acme", caller: "ada" }
 * Owner.toKey({ tenant: "acme", caller: "ada" }) // => '["acme","ada"]'
 * Owner.toKey({}) === Owner.toKey({ tenant: "" }) // => true
 * ```
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Caller from "./Caller.ts"

/** Absent members: the default tenant, anonymous callers. */
export interface Owner {
  readonly tenant?: string | undefined
  /** The id of the caller. */
  readonly caller?: string | undefined
}

/** The owner of a single agent without authentication. */
export const anonymous: Owner = {}

/** Returns a text that is equal for equal owners only. The empty tenant is the default one. */
export const toKey = ({ caller, tenant }: Owner): string => JSON.stringify([tenant || null, caller ?? null])

/** Returns the owner of what the current request makes and sees. */
export const current = (tenant: string | undefined): Effect.Effect<Owner> =>
  Effect.map(Caller.Current, (caller) => ({
    ...(tenant ? { tenant } : undefined),
    ...(caller === undefined ? undefined : { caller: caller.id })
  }))

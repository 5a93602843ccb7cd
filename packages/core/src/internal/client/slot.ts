/** The place in an agent for what its conversations share, which is created by the first of them. */
import * as Predicate from "effect/Predicate"
import type { Contexts } from "./contexts.ts"

/** What an agent keeps for its conversations. */
export interface Slot {
  contexts?: Contexts
}

const TypeId = "~@effect-a2a/core/Agent/slot"

/** Gives an agent a slot. */
export const attach = <A extends object>(agent: A): A => Object.assign(agent, { [TypeId]: {} })

const hasSlot = (agent: object): agent is { readonly [TypeId]: Slot } => Predicate.hasProperty(agent, TypeId)

/** Returns the slot of an agent; an agent without one shares nothing. */
export const of = (agent: object): Slot => hasSlot(agent) ? agent[TypeId] : {}

/** The place in an agent for what its conversations share, which is created by the first of them. */
import type * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { ConversationState } from "../../ConversationState.ts"
import type { ContextId } from "../../Id.ts"
import type { KeyedLock } from "../../KeyedLock.ts"

/** What is known of a context. */
export interface ContextState {
  /** The number of turns that use the context or wait for it. */
  users: number
  /** The number of turns that are under way. */
  turns: number
  /** The task that was left in the context, and a message that the agent may have received. */
  shared: Pick<ConversationState, "pending" | "unanswered">
}

/** The contexts of one agent. */
export interface Contexts {
  readonly states: Map<ContextId, ContextState>
  readonly locks: KeyedLock<ContextId>
  /** Effects that run after each change of what is known of a context. */
  readonly watchers: Map<ContextId, Set<Effect.Effect<unknown>>>
}

/** The state of an agent that its conversations share. */
export interface Slot {
  contexts?: Contexts
}

const TypeId = "~@effect-a2a/core/Agent/slot"

/** Gives an agent a slot. */
export const attach = <A extends object>(agent: A): A => Object.assign(agent, { [TypeId]: {} })

const hasSlot = (agent: object): agent is { readonly [TypeId]: Slot } => Predicate.hasProperty(agent, TypeId)

/** Returns the slot of an agent; an agent without one shares nothing. */
export const of = (agent: object): Slot => hasSlot(agent) ? agent[TypeId] : {}

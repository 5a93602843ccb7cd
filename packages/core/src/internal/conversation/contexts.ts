/**
 * The state that conversations with one agent share: per context a lock, and what is known of the task that was left
 * there. A context that nobody uses and where nothing was left takes no memory. Tested in
 * `packages/core/test/contexts.test.ts`.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ContextId } from "../../Id.ts"
import * as KeyedLock from "../../KeyedLock.ts"
import type { Contexts, ContextState } from "../client/slot.ts"
import * as Slot from "../client/slot.ts"
import type { Shared } from "./transition.ts"

export type { Contexts, ContextState } from "../client/slot.ts"

/** The number of unused contexts that are remembered; the oldest are forgotten first. */
const maxUnused = 10_000

/** Creates the contexts of an agent that has none yet. */
export const make = (): Contexts => ({
  states: new Map(),
  locks: KeyedLock.makeUnsafe(),
  watchers: new Map()
})

/** Returns the contexts of an agent. */
export const of = (agent: object): Contexts => {
  const slot = Slot.of(agent)
  slot.contexts ??= make()
  return slot.contexts
}

/** Creates the state of a context whose id is not known yet. */
export const empty = (): ContextState => ({ users: 0, turns: 0, shared: {} })

const isEmpty = ({ pending, unanswered }: Shared): boolean => pending === undefined && unanswered === undefined

/** Returns the state of a conversation that continues here; a context that is in use is better known. */
export const restore = ({ states }: Contexts, contextId: ContextId | undefined, shared: Shared): ContextState => {
  const known = contextId === undefined ? undefined : states.get(contextId)
  if (known !== undefined) return known
  const state: ContextState = { ...empty(), shared }
  if (contextId !== undefined && !isEmpty(shared)) states.set(contextId, state)
  return state
}

const release = ({ states }: Contexts, contextId: ContextId, state: ContextState): void => {
  if (--state.users > 0) return
  states.delete(contextId)
  if (isEmpty(state.shared)) return
  states.set(contextId, state)
  if (states.size <= maxUnused) return
  for (const [id, { users }] of states) {
    if (users === 0) return void states.delete(id)
  }
}

const use = (contexts: Contexts, contextId: ContextId): Effect.Effect<ContextState, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const state = contexts.states.get(contextId) ?? empty()
      contexts.states.set(contextId, state)
      state.users++
      return state
    }),
    (state) => Effect.sync(() => release(contexts, contextId, state))
  )

/** Waits for a context and holds it until the scope closes. */
export const acquire = (contexts: Contexts, contextId: ContextId): Effect.Effect<ContextState, never, Scope.Scope> =>
  Effect.tap(use(contexts, contextId), () => contexts.locks.take(contextId))

/** Holds a context that has just been created, until the scope closes; one that exists already is only shared. */
export const join = (contexts: Contexts, contextId: ContextId): Effect.Effect<ContextState, never, Scope.Scope> =>
  Effect.suspend(() => contexts.states.has(contextId) ? use(contexts, contextId) : acquire(contexts, contextId))

/** Runs an effect after each change of a context, until the scope closes. */
export const watch = (
  { watchers }: Contexts,
  contextId: ContextId,
  watcher: Effect.Effect<unknown>
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(Effect.acquireRelease(
    Effect.sync(() => watchers.set(contextId, (watchers.get(contextId) ?? new Set()).add(watcher))),
    () =>
      Effect.sync(() => {
        const all = watchers.get(contextId)
        if (all?.delete(watcher) && all.size === 0) watchers.delete(contextId)
      })
  ))

/** Reports a change of a context to those who watch it. */
export const notify = ({ watchers }: Contexts, contextId: ContextId | undefined): Effect.Effect<void> => {
  const all = contextId === undefined ? undefined : watchers.get(contextId)
  return all === undefined ? Effect.void : Effect.forEach([...all], (watcher) => watcher, { discard: true })
}

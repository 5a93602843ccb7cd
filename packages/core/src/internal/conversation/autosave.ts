/** Saves the state of a conversation as it changes. Tested in `packages/core/test/autosave.test.ts`. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import type { ConversationState } from "../../ConversationState.ts"

/** True if only the pending task's artifacts and status message may differ, which change with each event of a stream. */
const isGrowth = (before: ConversationState, after: ConversationState): boolean =>
  before.contextId === after.contextId && before.unanswered === after.unanswered &&
  before.transcript === after.transcript && before.pending?.id === after.pending?.id &&
  before.pending?.status.state === after.pending?.status.state

/**
 * Saves each change until the scope closes, and once more then: at once if the conversation moved on, and at most once per
 * interval while its task makes progress. `flush` saves now. Saves run one at a time, and each saves the state as it then is; a state
 * whose save failed is saved again with the next change.
 */
export const autosave = Effect.fnUntraced(function*<E, R>(
  conversation: {
    readonly state: Effect.Effect<ConversationState>
    readonly changes: Stream.Stream<ConversationState>
  },
  save: (state: ConversationState) => Effect.Effect<void, E, R>,
  interval: Duration.Input
): Effect.fn.Return<{ readonly flush: Effect.Effect<void, E, R> }, never, R | Scope.Scope> {
  const lock = Semaphore.makeUnsafe(1)
  let saved = yield* conversation.state
  const flush = lock.withPermit(
    Effect.suspend(() =>
      Effect.flatMap(conversation.state, (state) =>
        state === saved ? Effect.void : Effect.map(save(state), () => {
          saved = state
        }))
    )
  )
  const growth = conversation.changes.pipe(
    Stream.buffer({ capacity: 1, strategy: "sliding" }),
    Stream.mapEffect((state) => Effect.as(Effect.sleep(interval), state))
  )
  // finalizers run in reverse order: first no more saves begin, then the last one is made
  yield* Effect.addFinalizer(() => Effect.ignore(flush, { log: true }))
  yield* Effect.forkScoped(
    Stream.runForEach(
      Stream.merge(Stream.changesWith(conversation.changes, isGrowth), growth),
      () => Effect.ignore(flush, { log: true })
    ),
    { startImmediately: true }
  )
  return { flush }
})

/** The user of the messages that are sent within. Tested in test/adk/users.test.ts. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export const CurrentUser = Context.Reference<string | undefined>("@effect-a2a/transport-adk/Adk/CurrentUser", {
  defaultValue: () => undefined
})

/** The user of a call: the ambient one, else the transport's. `undefined` is a user per context. */
export const get = (userId: string | undefined): Effect.Effect<string | undefined> =>
  Effect.map(CurrentUser, (current) => current ?? userId)

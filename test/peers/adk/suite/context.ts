/** Helpers that the parts of the suite share. */
import type { Agent, AgentTransport } from "@effect-a2a/core"
import { AdkClient, AdkContent, AdkEvent } from "@effect-a2a/transport-adk"
import type { Vitest } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { AdkPeer, Differences } from "../peer.ts"

export interface Context {
  readonly it: Vitest.MethodsNonLive<AdkClient.AdkClient | Agent.Agent | AgentTransport.AgentTransport | AdkPeer>
  readonly differs: Differences
}

let count = 0

/** Creates a new user with a session. */
export const session = Effect.gen(function*() {
  const client = yield* AdkClient.AdkClient
  const userId = `user-${++count}`
  const { id } = yield* client.createSession({ userId })
  return { userId, sessionId: id }
})

export const saying = (text: string) => ({ newMessage: AdkContent.user(AdkContent.text(text)) })

/** Runs an agent in a new session and returns all events at once. */
export const run = Effect.fnUntraced(function*(text: string) {
  const client = yield* AdkClient.AdkClient
  return yield* client.run({ ...yield* session, ...saying(text) })
})

export const texts = (events: ReadonlyArray<AdkEvent.Event>) => events.map(AdkEvent.text)

/** Returns the tag of the reason with which an effect fails. */
export const refusal = <A, E extends { readonly reason: { readonly _tag: string } }, R>(
  effect: Effect.Effect<A, E, R>
) => Effect.map(Effect.flip(effect), ({ reason }) => reason._tag)

/** Keeps the ids of users, which are in the paths of sessions, out of spans and messages. Tested in test/adk/users.test.ts. */
import * as HttpPeer from "@effect-a2a/core/HttpPeer"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"

const placeholder = "/users/{user}"

/** Replaces the segment after `/users/` in URLs. */
const hideAll = (text: string): string => text.replace(/\/users\/[^/?#\s"]+/g, placeholder)

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** Returns a function that replaces a user's id in paths that a server repeats. */
export const hide = (userId: string): (text: string) => string => {
  const path = new RegExp(`/users/(?:${escape(userId)}|${escape(encodeURIComponent(userId))})(?![\\w%~-])`, "g")
  return (text) => text.replace(path, placeholder)
}

const hideIn = <A>(value: A): A => typeof value === "string" ? hideAll(value) as A & string : value

/** Returns true if somebody sees spans: there is a tracer, or an open span. */
export const isTraced: Effect.Effect<boolean> = Effect.flatMap(Tracer.Tracer, (tracer) =>
  tracer === Tracer.nativeTracer
    ? Effect.map(Effect.serviceOption(Tracer.ParentSpan), Option.isSome)
    : Effect.succeed(true))

/** Traces requests without the ids of users in their URLs. */
export const trace = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(isTraced, (isTraced) => isTraced ? HttpPeer.withSpanTexts(hideIn)(self) : self)

/** Keeps the ids of users, which are in the paths of sessions, out of spans and messages. Tested in test/adk/users.test.ts. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
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

const hideInError = (error: unknown): unknown =>
  error instanceof Error
    ? Object.assign(new Error(hideAll(error.message)), { name: error.name, stack: hideAll(error.stack ?? "") })
    : error

/** Changes a span in place, since tracers recognize their own spans. */
const hideInSpan = (span: Tracer.Span): Tracer.Span => {
  const { attribute, end } = span
  return Object.assign(span, {
    attribute: (key: string, value: unknown) =>
      attribute.call(span, key, typeof value === "string" ? hideAll(value) : value),
    end: (time: bigint, exit: Exit.Exit<unknown, unknown>) =>
      end.call(span, time, Exit.isFailure(exit) ? Exit.failCause(Cause.map(exit.cause, hideInError)) : exit)
  })
}

/** Returns true if somebody sees spans: there is a tracer, or an open span. */
export const isTraced: Effect.Effect<boolean> = Effect.flatMap(Tracer.Tracer, (tracer) =>
  tracer === Tracer.nativeTracer
    ? Effect.map(Effect.serviceOption(Tracer.ParentSpan), Option.isSome)
    : Effect.succeed(true))

/** Traces requests without the ids of users in their URLs. */
export const trace = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(isTraced, (isTraced) =>
    isTraced
      ? Effect.updateService(self, Tracer.Tracer, (tracer) =>
        Tracer.make({
          span: (options) => hideInSpan(tracer.span(options)),
          ...(tracer.context && { context: (primitive, fiber) => tracer.context!(primitive, fiber) })
        }))
      : self)

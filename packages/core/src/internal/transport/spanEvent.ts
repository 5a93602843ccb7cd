/** Events of the surrounding span, if there is one. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"

/** Adds an event to the surrounding span. */
export const addSpanEvent = (name: string, attributes?: Record<string, unknown>): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const span = Context.getOrUndefined(fiber.context as Context.Context<Tracer.ParentSpan>, Tracer.ParentSpan)
    if (span?._tag !== "Span") return Effect.void
    return Effect.clockWith((clock) => Effect.sync(() => span.event(name, clock.currentTimeNanosUnsafe(), attributes)))
  })

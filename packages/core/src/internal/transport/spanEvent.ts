/** Events of the surrounding span, if there is one. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Tracer from "effect/Tracer"

/** Returns the surrounding span. */
export const parentSpan = (fiber: Fiber.Fiber<unknown, unknown>): Tracer.AnySpan | undefined =>
  Context.getOrUndefined(fiber.context as Context.Context<Tracer.ParentSpan>, Tracer.ParentSpan)

/** Adds an event to the surrounding span. */
export const addSpanEvent = (name: string, attributes?: Record<string, unknown>): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const span = parentSpan(fiber)
    if (span?._tag !== "Span") return Effect.void
    return Effect.clockWith((clock) => Effect.sync(() => span.event(name, clock.currentTimeNanosUnsafe(), attributes)))
  })

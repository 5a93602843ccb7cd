/** Changes what spans say, for what they must not. Tested in `test/secrets/forms.test.ts`. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Tracer from "effect/Tracer"

type Change = <A>(value: A) => A

/** Keeps what is said of an error: others of its members may hold a whole request. */
const changeError = (change: Change) => (error: unknown): unknown =>
  error instanceof Error
    ? Object.assign(new Error(change(error.message)), { name: error.name, stack: change(error.stack ?? "") })
    : change(error)

/** Changes a span in place, since tracers recognize their own spans. */
const changeSpan = (span: Tracer.Span, change: Change): Tracer.Span => {
  const { attribute, end, event } = span
  return Object.assign(span, {
    attribute: (key: string, value: unknown) => attribute.call(span, key, change(value)),
    event: (name: string, time: bigint, attributes?: Record<string, unknown>) =>
      event.call(span, change(name), time, change(attributes)),
    end: (time: bigint, exit: Exit.Exit<unknown, unknown>) =>
      end.call(span, time, Exit.isFailure(exit) ? Exit.failCause(Cause.map(exit.cause, changeError(change))) : exit)
  })
}

/** Changes the attributes, events and errors of all spans that are made within. */
export const withSpanTexts = (change: Change) => <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateService(self, Tracer.Tracer, (tracer) =>
    Tracer.make({
      span: (options) => changeSpan(tracer.span(options), change),
      ...(tracer.context && { context: (primitive, fiber) => tracer.context!(primitive, fiber) })
    }))

import type { AgentExecutor } from "@effect-a2a/server"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Latch, Option, Stream, Tracer } from "effect"
import { HttpClient } from "effect/http"
import { covers } from "../support/covers.ts"
import * as Field from "./support.ts"

const traceId = "0af7651916cd43dd8448eb211c80319c"

/** Returns the executor's span after the response to its request was sent. */
const executorSpan = (combination: Field.Combination, traceparent: string | undefined) => {
  const seen = Deferred.makeUnsafe<Tracer.Span>()
  const gate = Latch.makeUnsafe(false)
  const execute = (): AgentExecutor.Execution =>
    Stream.fromEffectDrain(gate.await.pipe(
      Effect.andThen(Effect.currentSpan),
      Effect.tap((span) => Deferred.succeed(seen, span)),
      Effect.orDie
    ))
  return Effect.gen(function*() {
    const answer = yield* Field.raw(
      combination,
      "SendMessage",
      { ...Field.hello(), configuration: { returnImmediately: true } },
      traceparent === undefined ? {} : { traceparent }
    ).pipe(
      // the client does not trace: the server sees only the header
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
    )
    assert.strictEqual(answer.status, 200)
    yield* gate.open
    return yield* Deferred.await(seen)
  }).pipe(
    Effect.provide(Field.behind(combination, execute)),
    Effect.provideService(Tracer.Tracer, Tracer.make({ span: (options) => new Tracer.NativeSpan(options) }))
  )
}

const ancestors = (span: Tracer.AnySpan): ReadonlyArray<Tracer.AnySpan> =>
  span._tag === "Span" && Option.isSome(span.parent) ? [span, ...ancestors(span.parent.value)] : [span]

Field.inEach("traces", (combination) => {
  it.effect("the executor's span is within the caller's trace, also after the response", () =>
    Effect.gen(function*() {
      const span = yield* executorSpan(combination, `00-${traceId}-b7ad6b7169203331-01`)
      assert.strictEqual(span.name, "a2a.execute")
      assert.strictEqual(span.traceId, traceId)
      assert.strictEqual(ancestors(span).at(-1)?.spanId, "b7ad6b7169203331")
      assert.strictEqual(typeof span.attributes.get("a2a.task.id"), "string")
    }), covers("field:TRC-02"))

  it.effect("a missing or invalid traceparent begins a new trace and no error", () =>
    Effect.gen(function*() {
      for (const traceparent of [undefined, "garbage", "00-xyz-1-01", `00-${"0".repeat(32)}-${"0".repeat(16)}-01`]) {
        const span = yield* executorSpan(combination, traceparent)
        assert.strictEqual(span.name, "a2a.execute")
        assert.match(span.traceId, /^(?!0+$)[0-9a-f]{32}$/)
        assert.notStrictEqual(span.traceId, traceId)
      }
    }), covers("field:TRC-02"))
}, "1.0")

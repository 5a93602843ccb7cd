import type { AgentExecutor } from "@effect-a2a/server"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Latch, Option, Stream, Tracer } from "effect"
import { HttpClient } from "effect/http"
import * as Field from "./support.ts"

const traceId = "0af7651916cd43dd8448eb211c80319c"

/** What the executor finds itself in, once the request that started it may long be over. */
const traced = (cell: Field.Cell, traceparent: string | undefined) => {
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
      cell,
      "SendMessage",
      { ...Field.hello(), configuration: { returnImmediately: true } },
      traceparent === undefined ? {} : { traceparent }
    ).pipe(
      // this side traces nothing: the header is all that tells the server
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
    )
    assert.strictEqual(answer.status, 200)
    yield* gate.open
    return yield* Deferred.await(seen)
  }).pipe(
    Effect.provide(Field.behind(cell, execute)),
    Effect.provideService(Tracer.Tracer, Tracer.make({ span: (options) => new Tracer.NativeSpan(options) }))
  )
}

const ancestors = (span: Tracer.AnySpan): ReadonlyArray<Tracer.AnySpan> =>
  span._tag === "Span" && Option.isSome(span.parent) ? [span, ...ancestors(span.parent.value)] : [span]

Field.everywhere("traces", (cell) => {
  it.effect("TRC-02: the executor is in a span of its own within the caller's trace, also after the answer", () =>
    Effect.gen(function*() {
      const span = yield* traced(cell, `00-${traceId}-b7ad6b7169203331-01`)
      assert.strictEqual(span.name, "a2a.execute")
      assert.strictEqual(span.traceId, traceId)
      assert.strictEqual(ancestors(span).at(-1)?.spanId, "b7ad6b7169203331")
      assert.strictEqual(typeof span.attributes.get("a2a.task.id"), "string")
    }))

  for (const traceparent of [undefined, "garbage", "00-xyz-1-01", `00-${"0".repeat(32)}-${"0".repeat(16)}-01`]) {
    it.effect(`TRC-02: traceparent ${traceparent}: a trace of its own, and no error`, () =>
      Effect.gen(function*() {
        const span = yield* traced(cell, traceparent)
        assert.strictEqual(span.name, "a2a.execute")
        assert.match(span.traceId, /^(?!0+$)[0-9a-f]{32}$/)
        assert.notStrictEqual(span.traceId, traceId)
      }))
  }
}, "1.0")

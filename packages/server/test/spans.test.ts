import { AgentError, Operation } from "@effect-a2a/core"
import { type AgentExecutor, Reply } from "@effect-a2a/server"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Stream, Tracer } from "effect"
import { call, send, sendTask, serve } from "./support.ts"

/** Sends a message, does what follows, and returns the span of the executor when all is over. */
const spanOf = <E, R>(execute: () => AgentExecutor.Execution, use: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function*() {
    const spans: Array<Tracer.NativeSpan> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        if (options.name === "a2a.execute") spans.push(span)
        return span
      }
    })
    yield* Effect.exit(use).pipe(Effect.provide(serve(execute)), Effect.withTracer(tracer))
    const [span] = spans
    assert(span?.status._tag === "Ended")
    return {
      isRed: Exit.isFailure(span.status.exit),
      state: span.attributes.get("a2a.task.state"),
      error: span.attributes.get("error.type")
    }
  })

describe("the span of an executor", () => {
  it.effect("has the last state of its task", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        yield* spanOf(() => Stream.make("Hello"), send("Hi")),
        { isRed: false, state: "TASK_STATE_COMPLETED", error: undefined }
      )
      assert.deepStrictEqual(
        yield* spanOf(() => Stream.make(Reply.status("input-required", "Which city?")), send("Hi")),
        { isRed: false, state: "TASK_STATE_INPUT_REQUIRED", error: undefined }
      )
    }))

  it.effect("is red if the executor says that the task did not succeed, or fails, or dies", () =>
    Effect.gen(function*() {
      for (const state of ["failed", "rejected", "canceled"] as const) {
        const name = `TASK_STATE_${state.toUpperCase()}`
        assert.deepStrictEqual(
          yield* spanOf(() => Stream.make("Half", Reply.status(state, "no seats left")), send("Hi")),
          { isRed: true, state: name, error: name }
        )
      }
      const limit = AgentError.reason("RateLimitError", { message: "too many requests" })
      assert.deepStrictEqual(
        yield* spanOf(() => Stream.concat(Stream.make("Half"), Stream.fail(limit)), send("Hi")),
        { isRed: true, state: "TASK_STATE_FAILED", error: "RATE_LIMIT_EXCEEDED" }
      )
      assert.deepStrictEqual(
        yield* spanOf(() => Stream.concat(Stream.make("Half"), Stream.die("a bug")), send("Hi")),
        { isRed: true, state: "TASK_STATE_FAILED", error: "TASK_STATE_FAILED" }
      )
    }))

  it.effect("is red if the task is canceled from outside", () =>
    Effect.gen(function*() {
      const use = Effect.gen(function*() {
        const { id } = yield* sendTask("Hi", { configuration: { returnImmediately: true } })
        yield* call(Operation.CancelTask, { id })
      })
      assert.deepStrictEqual(
        yield* spanOf(() => Stream.never, use),
        { isRed: true, state: "TASK_STATE_CANCELED", error: "TASK_STATE_CANCELED" }
      )
    }))
})

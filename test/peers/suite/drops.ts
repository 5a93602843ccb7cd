/** Streams whose connections are cut, and resumed. */
import * as Agent from "@effect-a2a/core/Agent"
import * as Credentials from "@effect-a2a/core/Credentials"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as Timeouts from "@effect-a2a/core/Timeouts"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as Proxy from "../../support/proxy.ts"
import { Peer } from "../peer.ts"
import { type Context, kinds, layer, resumable, runStream } from "./client.ts"

const proxied = Effect.flatMap(Peer, ({ origin }) => Proxy.make(Number(new URL(origin).port)))

const isClosed = (proxy: Proxy.Proxy) =>
  Effect.flatMap(proxy.open, (open) => open === 0 ? Effect.void : Effect.fail(open)).pipe(
    Effect.retry(Schedule.upTo(Schedule.spaced("10 millis"), { times: 200 })),
    Effect.orDie
  )

/** Returns positions spread over the bytes of a response, both ends included. */
const places = (bytes: number, count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, i) => Math.round(i * (bytes - 1) / (count - 1)))

const first = (fault: Proxy.Fault): Proxy.Plan => (answer) => answer === 0 ? fault : undefined

export const drops = ({ combination, it }: Context): void => {
  for (const [name, how] of [["reset", "reset"], ["clean end", "end"]] as const) {
    it.effect(`an answer cut anywhere by a ${name} is complete, or fails`, () =>
      Effect.gen(function*() {
        const proxy = yield* proxied
        const through = Effect.provide(
          runStream(Agent.stream("chunks")),
          layer(combination, proxy.origin, { transform: resumable })
        )
        assert.strictEqual((yield* through).answer, "One, two, three")
        const bytes = proxy.answers[0]!.bytes
        let whole = 0
        for (const after of places(bytes, 16)) {
          yield* proxy.plan(first({ how, after }))
          const { answer, events, failure, text } = yield* through
          const at = `after ${after} of ${bytes} bytes: ${failure?.message}`
          if (failure === undefined) {
            whole++
            assert.strictEqual(answer, "One, two, three", at)
            // a status message may be lost with the connection, an artifact may not
            assert.include(["One, two, three", "On it\n\nOne, two, three"], text, at)
          } else {
            // without a task there is nothing to resume
            assert.deepStrictEqual(events, [], at)
            assert.include(["ConnectionError", "StreamInterruptedError"], failure.reason._tag, at)
          }
        }
        assert.isAtLeast(whole, 6)
        yield* isClosed(proxy)
      }))
  }

  it.effect("a dropped stream continues with a later event of its task", () =>
    Effect.gen(function*() {
      const proxy = yield* proxied
      const { finish } = yield* Peer
      // measures the bytes up to the artifact, after which the next connections are cut
      const seen = yield* Agent.stream("half").pipe(
        Stream.takeUntil(({ _tag }) => _tag === "ArtifactUpdate"),
        Stream.runCollect,
        Effect.provide(layer(combination, proxy.origin))
      )
      assert.strictEqual(kinds(seen).at(-1), "ArtifactUpdate")
      const bytes = proxy.answers[0]!.bytes
      for (const after of [bytes, bytes - 10]) {
        yield* proxy.plan((answer) => answer < 2 ? { how: "reset", after: answer === 0 ? after : 0 } : undefined)
        const { answer, text } = yield* runStream(
          Agent.stream("half").pipe(Stream.tap((event) =>
            event._tag === "ArtifactUpdate" || (event._tag === "Task" && event.artifacts !== undefined)
              ? finish(StreamEvent.taskId(event)!)
              : Effect.void
          ))
        ).pipe(Effect.provide(layer(combination, proxy.origin, { transform: resumable })))
        assert.strictEqual(answer, "One, two")
        assert.strictEqual(text, "On it\n\nOne, two")
        assert.isAtLeast(proxy.answers.length, 3)
      }
      yield* isClosed(proxy)
    }))

  it.effect("a token that expired before a stream is resumed is renewed", () =>
    Effect.gen(function*() {
      const proxy = yield* proxied
      const presented: Array<string> = []
      const tokens = ["fresh", "stale", "fresh"]
      const credentials = Layer.succeed(Credentials.Credentials, {
        get: () =>
          Effect.sync(() => {
            const token = tokens.shift() ?? "fresh"
            presented.push(token)
            return [{ _tag: "Bearer", token: Redacted.make(token) } as const]
          }),
        renew: () => Effect.succeed(true)
      })
      const through = runStream(Agent.stream("chunks")).pipe(
        Effect.provide(layer(combination, proxy.origin, { credentials, transform: resumable }))
      )
      yield* proxy.plan(first({ how: "reset", after: 1_000 }))
      assert.strictEqual((yield* through).answer, "One, two, three")
      assert.deepStrictEqual(presented.slice(0, 3), ["fresh", "stale", "fresh"])
      yield* isClosed(proxy)
    }))

  it.effect("a silent connection is closed, and the stream is resumed on another", () =>
    Effect.gen(function*() {
      const proxy = yield* proxied
      const through = Effect.provide(
        runStream(Agent.stream("chunks")),
        layer(combination, proxy.origin, { transform: resumable })
      )
      yield* through
      yield* proxy.plan(first({ how: "stall", after: Math.round(proxy.answers[0]!.bytes * 0.8) }))
      const { answer } = yield* through.pipe(
        Effect.provideService(Timeouts.CurrentTimeouts, { idle: "300 millis" })
      )
      assert.strictEqual(answer, "One, two, three")
      yield* isClosed(proxy)
    }))
}

import * as HttpBinding from "@effect-a2a/core/HttpBinding"
import * as Timeouts from "@effect-a2a/core/Timeouts"
import { AdkContent, AdkEvent } from "@effect-a2a/transport-adk"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import { covers } from "../../../test/support/covers.ts"
import { event, frames, json, serving, sse } from "./support.ts"

const newMessage = AdkContent.user(AdkContent.text("hi"))
const request = { userId: "u", sessionId: "s", newMessage }

describe("run", () => {
  it.effect(
    "every member of the request is sent under its name, and unset ones are not sent",
    () =>
      Effect.gen(function*() {
        const { asked, client } = serving(() => json([event("1", "Hello")]))
        const { run } = yield* client
        const all = {
          ...request,
          appName: "other",
          streaming: true,
          stateDelta: { "user:unit": "c", none: null },
          functionCallEventId: "e",
          invocationId: "i",
          customMetadata: { trace_id: "t" }
        }
        const events = yield* run(all)
        yield* run(request)
        assert.deepStrictEqual(asked.map(({ method, path }) => `${method} ${path}`), ["POST /run", "POST /run"])
        assert.deepStrictEqual(asked.map(({ body }) => body), [all, { ...request, appName: "app" }])
        assert.strictEqual(asked[0]?.headers["content-type"], "application/json")
        assert.deepStrictEqual(
          asked.flatMap(({ headers }) => Object.keys(headers).filter((name) => name.startsWith("a2a"))),
          []
        )
        assert.deepStrictEqual(events.map(AdkEvent.text), ["Hello"])
      }),
    covers("ADK-01")
  )

  it.effect(
    "without an application the server's default applies, and a path in the URL is kept",
    () =>
      Effect.gen(function*() {
        const { asked, client } = serving(() => json(null), { appName: undefined, url: "http://adk.test/api/" })
        const { listSessions, run } = yield* client
        assert.deepStrictEqual(yield* run({ userId: "u", sessionId: "s" }), [])
        yield* listSessions({ userId: "a b" })
        assert.deepStrictEqual(asked.map(({ path }) => path), ["/api/run", "/api/users/a%20b/sessions"])
        assert.deepStrictEqual(asked[0]?.body, { userId: "u", sessionId: "s" })
      }),
    covers("ADK-01")
  )

  it.effect(
    "requests that servers would silently misread are refused before anything is sent",
    () =>
      Effect.gen(function*() {
        const { asked, client } = serving(() => json([]))
        const { getSession, loadArtifact, run, runSse } = yield* client
        const wrong: ReadonlyArray<readonly [string, Parameters<typeof run>[0]]> = [
          ["userId", { ...request, userId: "" }],
          ["userId", { ...request, userId: undefined as never }],
          ["sessionId", { ...request, sessionId: "a/b" }],
          ["sessionId", { ...request, sessionId: ".." }],
          ["appName", { ...request, appName: "" }],
          ["newMessage.parts", { ...request, newMessage: { role: "user", parts: [] } }],
          ["newMessage.parts.0", { ...request, newMessage: { parts: [{}] } }],
          ["stateDelta", { userId: "u", sessionId: "s", stateDelta: { a: 1 } }]
        ]
        for (const [field, one] of wrong) {
          for (const call of [run(one), Stream.runDrain(runSse(one))]) {
            const { reason } = yield* Effect.flip(call)
            assert(reason._tag === "InvalidRequestError")
            assert.deepStrictEqual(reason.violations?.map((violation) => violation.field), [field])
          }
        }
        const key = { userId: "u", sessionId: "" }
        const artifact = { userId: "u", sessionId: "s", filename: ".." }
        for (const call of [getSession(key), loadArtifact(artifact)]) {
          assert.strictEqual((yield* Effect.flip(call)).reason._tag, "InvalidRequestError")
        }
        assert.strictEqual(asked.length, 0)
      }),
    covers("ADK-01")
  )

  it.effect("a run is requested once, whatever its end", () =>
    Effect.gen(function*() {
      for (
        const answer of [() => json({}, 503), () => json({}, 500), () => sse(frames(event("1", "a")), { cut: true })]
      ) {
        const { asked, client } = serving(answer)
        const { run, runSse } = yield* client
        yield* Effect.flip(run(request))
        assert.strictEqual(asked.length, 1)
        yield* Effect.flip(Stream.runDrain(runSse(request)))
        assert.strictEqual(asked.length, 2)
      }
    }), covers("ADK-07"))
})

describe("runSse", () => {
  const stream = (text: string, options?: Parameters<typeof sse>[1]) =>
    Effect.gen(function*() {
      const { runSse } = yield* serving(() => sse(text, options)).client
      const seen: Array<AdkEvent.Event> = []
      const exit = yield* runSse({ ...request, streaming: true }).pipe(
        Stream.runForEach((one) => Effect.sync(() => seen.push(one))),
        Effect.result
      )
      return {
        texts: seen.map(AdkEvent.text),
        seen,
        failure: exit._tag === "Failure" ? exit.failure.reason : undefined
      }
    })

  it.effect("partial and final events arrive from chunks of any size", () =>
    Effect.gen(function*() {
      const text = frames(
        event("1", "He\u2028l", { partial: true }),
        event("2", "lo 🌍", { partial: true }),
        event("3", "Hello")
      )
      for (const size of [1, 7, 1 << 20]) {
        const { failure, seen, texts } = yield* stream(text, { size })
        assert.deepStrictEqual([texts, failure], [["He\u2028l", "lo 🌍", "Hello"], undefined])
        assert.deepStrictEqual(seen.map(AdkEvent.isPartial), [true, true, false])
      }
    }), covers("ADK-02"))

  it.effect(
    "any line ends, comments, `retry:`, named events, a BOM and heartbeats are accepted",
    () =>
      Effect.gen(function*() {
        const data = JSON.stringify(event("1", "a"))
        const text =
          `\ufeff: hi\r\n\r\nretry: 10\r\n\r\nevent: whatever\r\ndata: ${data}\r\n\r\ndata:\n\ndata: ${data}\r\rdata: [DONE]\n\n`
        assert.deepStrictEqual((yield* stream(text)).texts, ["a", "a"])
      }),
    covers("ADK-02")
  )

  it.effect(
    "a stream without events succeeds, and a complete last event needs no blank line",
    () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* stream(""), { texts: [], seen: [], failure: undefined })
        const { failure, texts } = yield* stream(`${frames(event("1", "a"))}data: ${JSON.stringify(event("2", "b"))}`)
        assert.deepStrictEqual([texts, failure], [["a", "b"], undefined])
        const half = yield* stream(`${frames(event("1", "a"))}data: {"id":"2","content`)
        assert.deepStrictEqual([half.texts, half.failure?._tag], [["a"], "StreamInterruptedError"])
      }),
    covers("ADK-02")
  )

  const failures: ReadonlyArray<readonly [string, string, string, string]> = [
    ["JavaScript", frames({ error: "boom" }), "boom", ""],
    ["JavaScript, not an Error", frames("{}"), "the agent failed and gave no reason", ""],
    ["Python 1.x", `data: {"error": "bad "quoted"\nsecond line"}\n\n`, `bad "quoted`, ""],
    [
      "Python 2.x",
      frames({ error: "ValueError: boom", error_details: { error_type: "ValueError", error_message: "boom" } }),
      "ValueError: boom",
      "ValueError"
    ],
    ["Go", `event: error\ndata: {"error":"boom"}\n\n`, "boom", ""]
  ]
  for (const [name, text, message, type] of failures) {
    it.effect(`the error frame of ${name} fails the stream after the earlier events`, () =>
      Effect.gen(function*() {
        const { failure, texts } = yield* stream(frames(event("1", "a", { partial: true })) + text)
        assert.deepStrictEqual(texts, ["a"])
        assert(failure?._tag === "StreamError")
        assert.deepStrictEqual([failure.message, failure.type ?? ""], [message, type])
      }), covers("ADK-02", "field:ADK-04"))
  }

  it.effect(
    "an error of the model is an event, and text that looks like an error is text",
    () =>
      Effect.gen(function*() {
        const { failure, seen, texts } = yield* stream(
          frames({ errorCode: "RESOURCE_EXHAUSTED", errorMessage: "quota" }, event("2", "Error: boom"))
        )
        assert.strictEqual(failure, undefined)
        assert.deepStrictEqual(texts, ["", "Error: boom"])
        assert.deepStrictEqual(AdkEvent.failure(seen[0]!), {
          code: "RESOURCE_EXHAUSTED",
          message: "quota",
          truncated: false
        })
      }),
    covers("ADK-02", "field:ADK-04")
  )

  it.effect("events without content pass, and later events follow", () =>
    Effect.gen(function*() {
      const bare = { author: "x", actions: {}, customMetadata: { "a2a:response": {} } }
      const { failure, seen } = yield* stream(frames(bare, { id: "2", content: { parts: null } }, event("3", "a")))
      assert.deepStrictEqual([seen.length, seen[0], failure], [3, bare, undefined])
    }), covers("ADK-02", "field:ADK-02"))

  it.effect("an event with an error and an id is an event", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* stream(frames({ ...event("1", "a"), error: "custom" }))).texts, ["a"])
    }), covers("ADK-02"))

  it.effect(
    "a dropped connection, an event beyond the limit, invalid JSON and another content type fail",
    () =>
      Effect.gen(function*() {
        const cut = yield* stream(frames(event("1", "a")), { cut: true })
        assert(cut.failure?._tag === "StreamInterruptedError")
        assert.include(cut.failure.message, "socket hang up")
        assert.deepStrictEqual(cut.texts, ["a"])
        const large = yield* stream(frames(event("1", "a"), event("2", "x".repeat(500))), { size: 100 }).pipe(
          Effect.updateService(HttpBinding.CurrentLimits, (limits) => ({ ...limits, maxEventSize: 300 }))
        )
        assert.deepStrictEqual([large.texts, large.failure?._tag], [["a"], "ResponseTooLargeError"])
        assert.strictEqual((yield* stream(frames("nope"))).failure?._tag, "MalformedResponseError")
        const { runSse } = yield* serving(() => json([event("1", "a")])).client
        const { reason } = yield* Effect.flip(Stream.runDrain(runSse(request)))
        assert.strictEqual(reason._tag, "MalformedResponseError")
      }),
    covers("ADK-02")
  )

  it.effect("an idle timeout of the caller applies", () =>
    Effect.gen(function*() {
      const body = Stream.make(new TextEncoder().encode(frames(event("1", "a")))).pipe(Stream.concat(Stream.never))
      const { runSse } = yield* serving(() =>
        new Response(Stream.toReadableStream(body) as BodyInit, { headers: { "content-type": "text/event-stream" } })
      ).client
      const fiber = yield* Stream.runDrain(runSse(request)).pipe(
        Effect.provideService(Timeouts.CurrentTimeouts, { idle: "30 seconds" }),
        Effect.flip,
        Effect.forkChild
      )
      yield* TestClock.adjust("40 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).reason._tag, "TimeoutError")
    }), covers("ADK-02"))
})

describe("runs of one session", () => {
  const slow = Effect.fnUntraced(function*(options: Parameters<typeof serving>[1] = {}) {
    const gate = yield* Deferred.make<void>()
    const stats = { now: 0, most: 0, left: 0 }
    const { asked, client } = serving(() =>
      Effect.gen(function*() {
        stats.most = Math.max(stats.most, ++stats.now)
        yield* Deferred.await(gate)
        return json([])
      }).pipe(
        Effect.onInterrupt(() => Effect.sync(() => stats.left++)),
        Effect.ensuring(Effect.sync(() => stats.now--))
      ), options)
    return { asked, client: yield* client, gate, stats }
  })
  const settle = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow)

  it.effect("wait for each other, but not for those of other sessions", () =>
    Effect.gen(function*() {
      const { asked, client, gate, stats } = yield* slow()
      const fiber = yield* Effect.forEach(["s", "s", "t"], (sessionId) => client.run({ ...request, sessionId }), {
        concurrency: "unbounded"
      }).pipe(Effect.forkChild)
      yield* TestClock.adjust("1 second")
      yield* settle
      assert.deepStrictEqual(asked.map(({ body }) => body.sessionId), ["s", "t"])
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(fiber)
      assert.deepStrictEqual([asked.length, stats.most], [3, 2])
    }), covers("ADK-03"))

  it.effect("run at once if the caller says so", () =>
    Effect.gen(function*() {
      const { client, gate, stats } = yield* slow({ serialize: false })
      const fiber = yield* Effect.all([client.run(request), client.run(request)], { concurrency: 2 }).pipe(
        Effect.forkChild
      )
      yield* TestClock.adjust("1 second")
      yield* settle
      assert.strictEqual(stats.most, 2)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(fiber)
    }), covers("ADK-03"))

  it.effect(
    "an interrupted run closes its request and lets the next one start, and a waiting run can be interrupted",
    () =>
      Effect.gen(function*() {
        const { asked, client, gate, stats } = yield* slow()
        const first = yield* Effect.forkChild(client.run(request))
        const second = yield* Effect.forkChild(client.run(request))
        const third = yield* Effect.forkChild(Stream.runDrain(client.runSse(request)).pipe(Effect.result))
        yield* TestClock.adjust("1 second")
        yield* settle
        yield* Fiber.interrupt(second)
        yield* Fiber.interrupt(first)
        yield* Deferred.succeed(gate, undefined)
        yield* Fiber.join(third)
        assert.deepStrictEqual([asked.map(({ path }) => path), stats.left], [["/run", "/run_sse"], 1])
      }),
    covers("ADK-03")
  )

  it.effect("a stream holds its session until it is closed", () =>
    Effect.gen(function*() {
      const body = Stream.make(new TextEncoder().encode(frames(event("1", "a")))).pipe(Stream.concat(Stream.never))
      const { asked, client } = serving(({ path }) =>
        path === "/run" ? json([]) : new Response(Stream.toReadableStream(body) as BodyInit, {
          headers: { "content-type": "text/event-stream" }
        })
      )
      const { run, runSse } = yield* client
      yield* runSse(request).pipe(Stream.take(1), Stream.runDrain)
      yield* run(request)
      assert.deepStrictEqual(asked.map(({ path }) => path), ["/run_sse", "/run"])
    }), covers("ADK-03"))
})

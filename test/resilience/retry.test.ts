import { Agent, type AgentError, AgentTransport } from "@effect-a2a/core"
import * as Credentials from "@effect-a2a/core/Credentials"
import { assert, describe, it } from "@effect/vitest"
import { Clock, DateTime, Duration, Effect, Fiber, Layer, Schedule, Stream } from "effect"
import { HttpClient, HttpClientError } from "effect/http"
import { TestClock } from "effect/testing"
import { type Combination, combinations } from "../support/peer.ts"
import * as Support from "./support.ts"

const { agent, eventStream, hurried, peer, refusal, status, task, taskAnswer, taskId } = Support

const exactly = (times: number) => Schedule.spaced("1 second").pipe(Schedule.upTo({ times }))
const turn = Effect.repeat(Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve))), { times: 5 })

const done = (combination: Combination) =>
  taskAnswer(
    combination,
    combination.protocol.version === "0.3" && combination.binding === "JSONRPC"
      ? { kind: "task", id: "t-1", contextId: "c-1", status: { state: "completed" } }
      : { id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_COMPLETED" } }
  )

/** The answer of a send. */
const sent = (combination: Combination) =>
  combination.protocol.version === "0.3" && combination.binding === "JSONRPC"
    ? done(combination)
    : taskAnswer(combination, { task: { id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_COMPLETED" } } })

/** A client that loses each connection in a given way. */
const losing = (combination: Combination, code: string) => {
  let requests = 0
  const client = HttpClient.make((request) => {
    requests++
    const cause = new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) })
    const reason = new HttpClientError.TransportError({ request, cause })
    return Effect.fail(new HttpClientError.HttpClientError({ reason }))
  })
  return {
    count: () => requests,
    layer: combination.client({ url: "https://agent.test/a2a", protocol: combination.protocol }).pipe(
      Layer.provide([Layer.succeed(HttpClient.HttpClient, client), Credentials.layerNone])
    )
  }
}

for (const combination of combinations) {
  describe(`retries, ${combination.name}`, () => {
    it.effect("RETRY-01: a lost send is sent once, reads are repeated", () =>
      Effect.gen(function*() {
        const { count, layer } = losing(combination, "ECONNRESET")
        const retrying = agent(layer.pipe(AgentTransport.retry(exactly(2)), AgentTransport.resumable()))
        for (const call of [Agent.send("hi"), Stream.runDrain(Agent.stream("hi"))]) {
          const before = count()
          const { reason } = yield* hurried(
            Effect.flip<unknown, AgentError.AgentError, Agent.Agent>(call).pipe(Effect.provide(retrying))
          )
          assert.strictEqual(count() - before, 1)
          assert.match(reason.message, /^no response: .*ECONNRESET; the agent may have received message/)
          assert.propertyVal(reason.cause, "code", "ECONNRESET")
          assert.isTrue(
            reason._tag === "ConnectionError" && reason.messageId !== undefined &&
              reason.message.includes(reason.messageId) && reason.cause !== undefined
          )
        }
        for (const call of [Agent.getTask(taskId), Agent.cancel(taskId), Agent.card]) {
          const before = count()
          const { reason } = yield* hurried(
            Effect.flip<unknown, AgentError.AgentError, Agent.Agent>(call).pipe(Effect.provide(retrying))
          )
          assert.strictEqual(count() - before, 3)
          assert.isTrue(reason._tag === "ConnectionError" && reason.messageId === undefined)
        }
      }))

    it.effect("RETRY-01: what cannot have arrived is not unknown", () =>
      Effect.gen(function*() {
        for (const code of ["ECONNREFUSED", "ENOTFOUND"]) {
          const { reason } = yield* Effect.flip(Agent.send("hi")).pipe(
            Effect.provide(agent(losing(combination, code).layer))
          )
          assert.isFalse(/may have received/.test(reason.message))
          assert.isTrue(reason._tag === "ConnectionError" && reason.messageId === undefined)
        }
      }))

    it.effect("RETRY-01: a gateway that gave up on a message may have passed it on; one that is away has not", () =>
      Effect.gen(function*() {
        for (const [code, isUnknown] of [[502, true], [504, true], [503, false]] as const) {
          const { reason } = yield* Effect.flip(Agent.send("hi")).pipe(
            Effect.provide(agent(peer(combination, [refusal(code)]).layer))
          )
          assert.strictEqual(reason._tag, "ServiceUnavailableError")
          assert.strictEqual(/may have received/.test(reason.message), isUnknown)
        }
      }))

    it.effect("RETRY-02: a send that is repeated on request is the same but for the id of the request", () =>
      Effect.gen(function*() {
        const { asked, layer } = peer(combination, [refusal(503), refusal(503), sent(combination)])
        yield* hurried(Agent.send("hi").pipe(Effect.provide(agent(layer.pipe(AgentTransport.retrySends(exactly(2)))))))
        assert.strictEqual(asked.length, 3)
        const bodies = asked.map(({ body }) => {
          const { id: _, ...rest } = JSON.parse(body)
          return combination.binding === "JSONRPC" ? rest : JSON.parse(body)
        })
        assert.deepStrictEqual(bodies[1], bodies[0])
        assert.deepStrictEqual(bodies[2], bodies[0])
        assert.match(JSON.stringify(bodies[0]), /messageId/)
        const streams = peer(combination, [
          refusal(503),
          eventStream(combination, [task("working"), status("completed")])
        ])
        const { end } = yield* hurried(
          Support.heard.pipe(Effect.provide(agent(streams.layer.pipe(AgentTransport.retrySends(exactly(1))))))
        )
        assert.deepStrictEqual([end, streams.asked.length], ["success", 2])
      }))

    it.effect("a stream that has begun is not begun again", () =>
      Effect.gen(function*() {
        const { asked, layer } = peer(combination, [eventStream(combination, [task("working")], { end: "reset" })])
        const { end, events } = yield* hurried(
          Support.heard.pipe(Effect.provide(agent(layer.pipe(AgentTransport.retrySends(exactly(3))))))
        )
        assert.deepStrictEqual([events.length, asked.length], [1, 1])
        assert.isTrue(end !== "success" && end.reason._tag === "StreamInterruptedError")
      }))

    it.effect("RETRY-04: interruption during the back-off ends it; nothing more is sent", () =>
      Effect.gen(function*() {
        const { asked, layer } = peer(combination, [refusal(503)])
        const fiber = yield* Agent.getTask(taskId).pipe(
          Effect.provide(agent(layer.pipe(AgentTransport.retry(exactly(5))))),
          Effect.forkChild
        )
        yield* turn
        assert.strictEqual(asked.length, 1)
        yield* Fiber.interrupt(fiber)
        yield* TestClock.adjust("1 hour")
        yield* turn
        assert.strictEqual(asked.length, 1)
      }))

    it.effect("RETRY-05: an endless refusal is left after its beginning, and closed before the next attempt", () =>
      Effect.gen(function*() {
        for (const stalls of [false, true]) {
          const log: Array<string> = []
          let pulls = 0
          const endless = () => {
            log.push("refused")
            const body = new ReadableStream<Uint8Array>({
              pull: (controller) => {
                pulls++
                if (stalls && log.includes("begun")) return new Promise(() => {})
                if (!log.includes("begun")) log.push("begun")
                controller.enqueue(new Uint8Array(8192).fill(120))
              },
              cancel: () => void log.push("closed")
            }, { highWaterMark: 0 })
            return new Response(body as BodyInit, { status: 500, headers: { "content-type": "text/plain" } })
          }
          const { layer } = peer(combination, [endless, (asked) => (log.push("second"), done(combination)(asked))])
          // 500 is not repeated by itself
          const again = AgentTransport.transform((transport) => ({
            ...transport,
            call: (operation, request) => Effect.retry(transport.call(operation, request), { times: 1 })
          }))
          yield* hurried(Agent.getTask(taskId).pipe(Effect.provide(agent(layer.pipe(again)))))
          assert.deepStrictEqual(log, ["refused", "begun", "closed", "second"])
          assert.isAtMost(pulls, 10)
        }
      }))

    it.effect("RETRY-05: a refusal for want of credentials is closed before they are tried anew", () =>
      Effect.gen(function*() {
        const log: Array<string> = []
        const refused = () => {
          const body = new ReadableStream<Uint8Array>({ cancel: () => void log.push("closed") }, { highWaterMark: 0 })
          return new Response(body as BodyInit, { status: 401 })
        }
        const credentials = Layer.succeed(Credentials.Credentials, {
          get: () => Effect.succeed([]),
          renew: () => Effect.succeed(true)
        })
        const { layer } = peer(combination, [refused, (asked) => (log.push("second"), done(combination)(asked))], {
          credentials
        })
        yield* Agent.getTask(taskId).pipe(Effect.provide(agent(layer)))
        assert.deepStrictEqual(log, ["closed", "second"])
      }))

    it.effect("RETRY-07: zero means zero", () =>
      Effect.gen(function*() {
        const { asked, layer } = peer(combination, [refusal(503)])
        for (
          const decorated of [
            layer.pipe(
              AgentTransport.retry(AgentTransport.backoff(0)),
              AgentTransport.resumable(AgentTransport.backoff(0))
            ),
            layer.pipe(AgentTransport.retrySends(AgentTransport.backoff(0)))
          ]
        ) {
          const before = asked.length
          yield* hurried(Effect.flip(Agent.send("hi")).pipe(Effect.provide(agent(decorated))))
          yield* hurried(Effect.flip(Agent.getTask(taskId)).pipe(Effect.provide(agent(decorated))))
          assert.strictEqual(asked.length - before, 2)
        }
      }))

    it.effect("ML-36: 429 and 503 say how long to wait, in seconds or as a date, and that long is waited", () =>
      Effect.gen(function*() {
        const start = DateTime.makeUnsafe("2026-01-01T00:00:00Z")
        yield* TestClock.setTime(start.epochMilliseconds)
        for (
          const [code, hint, tag] of [
            [429, () => "90", "RateLimitError"],
            [503, () => "90", "ServiceUnavailableError"],
            [429, (now: number) => new Date(now + 90_000).toUTCString(), "RateLimitError"]
          ] as const
        ) {
          const now = yield* Clock.currentTimeMillis
          const { asked, layer } = peer(combination, [refusal(code, { "retry-after": hint(now) }), done(combination)])
          const { reason } = yield* Effect.flip(Agent.getTask(taskId)).pipe(Effect.provide(agent(layer)))
          assert.strictEqual(reason._tag, tag)
          assert.strictEqual(reason.retryAfter && Duration.toSeconds(reason.retryAfter), 90)
          const second = peer(combination, [refusal(code, { "retry-after": hint(now) }), done(combination)])
          const fiber = yield* Agent.getTask(taskId).pipe(
            Effect.provide(agent(second.layer.pipe(AgentTransport.retry()))),
            Effect.forkChild
          )
          yield* turn
          yield* TestClock.adjust("89 seconds")
          yield* turn
          assert.strictEqual(second.asked.length, 1)
          yield* TestClock.adjust("1 second")
          yield* Fiber.join(fiber)
          assert.strictEqual(second.asked.length, 2)
          assert.strictEqual(asked.length, 1)
        }
      }))

    it.effect("a peer that asks for hours is not waited for: the caller is told", () =>
      Effect.gen(function*() {
        const endless = peer(combination, [refusal(503, { "retry-after": "9".repeat(400) })])
        const patient = agent(endless.layer.pipe(AgentTransport.retry(exactly(3))))
        assert.isTrue((yield* Effect.flip(Agent.getTask(taskId)).pipe(Effect.provide(patient))).isRetryable)
        const { asked, layer } = peer(combination, [refusal(503, { "retry-after": "86400" })])
        const { reason } = yield* Effect.flip(Agent.getTask(taskId)).pipe(
          Effect.provide(agent(layer.pipe(AgentTransport.retry(exactly(3)))))
        )
        assert.deepStrictEqual([asked.length, reason._tag], [1, "ServiceUnavailableError"])
      }))

    it.effect("refusals that another attempt does not change are not repeated", () =>
      Effect.gen(function*() {
        for (const code of [400, 401, 403, 404]) {
          const { asked, layer } = peer(combination, [refusal(code)])
          yield* hurried(
            Effect.flip(Agent.getTask(taskId)).pipe(Effect.provide(agent(layer.pipe(AgentTransport.retry(exactly(3))))))
          )
          assert.isAtMost(asked.length, 1)
        }
      }))
  })
}

import { Agent, type AgentError, AgentTransport } from "@effect-a2a/core"
import * as Credentials from "@effect-a2a/core/Credentials"
import { assert, describe, it } from "@effect/vitest"
import { Clock, DateTime, Duration, Effect, Fiber, Layer, Schedule, Stream } from "effect"
import { HttpClient, HttpClientError } from "effect/http"
import { TestClock } from "effect/testing"
import { covers } from "../support/covers.ts"
import { type Combination, inEach, isRpc, rest, sendJson } from "../support/peer.ts"
import * as Support from "./support.ts"

const { agent, fastForward, refusal, status, task, taskId, through, turns } = Support
const { eventStream, peer, taskResponse } = through()

const exactly = (times: number) => Schedule.spaced("1 second").pipe(Schedule.upTo({ times }))
const done = taskResponse("completed")

/** A client that loses each connection with an error code. */
const losing = (code: string, combination: Combination = rest) => {
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

describe("retries", () => {
  it.effect("repeat reads, and never a send that was lost", () =>
    inEach((combination) =>
      Effect.gen(function*() {
        const { count, layer } = losing("ECONNRESET", combination)
        const retrying = agent(layer.pipe(AgentTransport.retry(exactly(2)), AgentTransport.resumable()))
        for (const call of [Agent.send("hi"), Stream.runDrain(Agent.stream("hi"))]) {
          const before = count()
          const { reason } = yield* fastForward(
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
          const { reason } = yield* fastForward(
            Effect.flip<unknown, AgentError.AgentError, Agent.Agent>(call).pipe(Effect.provide(retrying))
          )
          assert.strictEqual(count() - before, 3)
          assert.isTrue(reason._tag === "ConnectionError" && reason.messageId === undefined)
        }
      })
    ), covers("field:RETRY-01"))

  it.effect("a send that cannot have arrived is not reported as unknown", () =>
    Effect.gen(function*() {
      for (const code of ["ECONNREFUSED", "ERR_NOT_SENT"]) {
        const { reason } = yield* Effect.flip(Agent.send("hi")).pipe(
          Effect.provide(agent(losing(code).layer))
        )
        assert.isFalse(/may have received/.test(reason.message))
        assert.isTrue(reason._tag === "ConnectionError" && reason.messageId === undefined)
      }
    }), covers("field:RETRY-01"))

  it.effect("the outcome of a send is unknown after 502 and 504, and known after 503", () =>
    Effect.gen(function*() {
      for (const [code, isUnknown] of [[502, true], [504, true], [503, false]] as const) {
        const { reason } = yield* Effect.flip(Agent.send("hi")).pipe(
          Effect.provide(agent(peer([refusal(code)]).layer))
        )
        assert.strictEqual(reason._tag, "ServiceUnavailableError")
        assert.strictEqual(/may have received/.test(reason.message), isUnknown)
      }
    }), covers("field:RETRY-01"))

  it.effect(
    "repeat sends on request, the same but for the id of the JSON-RPC request",
    () =>
      inEach((combination) =>
        Effect.gen(function*() {
          const { eventStream, json, peer } = through(combination)
          const { asked, layer } = peer([refusal(503), refusal(503), json(sendJson(combination, "completed"))])
          yield* fastForward(
            Agent.send("hi").pipe(Effect.provide(agent(layer.pipe(AgentTransport.retrySends(exactly(2))))))
          )
          assert.strictEqual(asked.length, 3)
          const bodies = asked.map(({ body }) => {
            const { id: _, ...rest } = JSON.parse(body)
            return isRpc(combination) ? rest : JSON.parse(body)
          })
          assert.deepStrictEqual(bodies[1], bodies[0])
          assert.deepStrictEqual(bodies[2], bodies[0])
          assert.match(JSON.stringify(bodies[0]), /messageId/)
          const streams = peer([
            refusal(503),
            eventStream([task("working"), status("completed")])
          ])
          const { end } = yield* fastForward(
            Support.stream.pipe(Effect.provide(agent(streams.layer.pipe(AgentTransport.retrySends(exactly(1))))))
          )
          assert.deepStrictEqual([end, streams.asked.length], ["success", 2])
        })
      ),
    covers("field:RETRY-02")
  )

  it.effect("never begin a stream again after its first event", () =>
    Effect.gen(function*() {
      const { asked, layer } = peer([eventStream([task("working")], { end: "reset" })])
      const { end, events } = yield* fastForward(
        Support.stream.pipe(Effect.provide(agent(layer.pipe(AgentTransport.retrySends(exactly(3))))))
      )
      assert.deepStrictEqual([events.length, asked.length], [1, 1])
      assert.isTrue(end !== "success" && end.reason._tag === "StreamInterruptedError")
    }))

  it.effect("end at once if they are interrupted during the back-off", () =>
    Effect.gen(function*() {
      const { asked, layer } = peer([refusal(503)])
      const fiber = yield* Agent.getTask(taskId).pipe(
        Effect.provide(agent(layer.pipe(AgentTransport.retry(exactly(5))))),
        Effect.forkChild
      )
      yield* turns
      assert.strictEqual(asked.length, 1)
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("1 hour")
      yield* turns
      assert.strictEqual(asked.length, 1)
    }), covers("field:RETRY-04"))

  it.effect("close an endless refusal before the next attempt", () =>
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
        const { layer } = peer([endless, (asked) => (log.push("second"), done(asked))])
        // 500 is not repeated by itself
        const again = AgentTransport.transform((transport) => ({
          ...transport,
          call: (operation, request) => Effect.retry(transport.call(operation, request), { times: 1 })
        }))
        yield* fastForward(Agent.getTask(taskId).pipe(Effect.provide(agent(layer.pipe(again)))))
        assert.deepStrictEqual(log, ["refused", "begun", "closed", "second"])
        assert.isAtMost(pulls, 10)
      }
    }), covers("field:RETRY-05"))

  it.effect("close a refusal of credentials before they are renewed", () =>
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
      const { layer } = peer([refused, (asked) => (log.push("second"), done(asked))], {
        credentials
      })
      yield* Agent.getTask(taskId).pipe(Effect.provide(agent(layer)))
      assert.deepStrictEqual(log, ["closed", "second"])
    }), covers("field:RETRY-05"))

  it.effect("repeat nothing by policies without attempts", () =>
    Effect.gen(function*() {
      const { asked, layer } = peer([refusal(503)])
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
        yield* fastForward(Effect.flip(Agent.send("hi")).pipe(Effect.provide(agent(decorated))))
        yield* fastForward(Effect.flip(Agent.getTask(taskId)).pipe(Effect.provide(agent(decorated))))
        assert.strictEqual(asked.length - before, 2)
      }
    }), covers("field:RETRY-07"))

  it.effect("wait as long as Retry-After of 429 and 503 says, in seconds or as a date", () =>
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
        const { asked, layer } = peer([refusal(code, { "retry-after": hint(now) }), done])
        const { reason } = yield* Effect.flip(Agent.getTask(taskId)).pipe(Effect.provide(agent(layer)))
        assert.strictEqual(reason._tag, tag)
        assert.strictEqual(reason.retryAfter && Duration.toSeconds(reason.retryAfter), 90)
        const second = peer([refusal(code, { "retry-after": hint(now) }), done])
        const fiber = yield* Agent.getTask(taskId).pipe(
          Effect.provide(agent(second.layer.pipe(AgentTransport.retry()))),
          Effect.forkChild
        )
        yield* turns
        yield* TestClock.adjust("89 seconds")
        yield* turns
        assert.strictEqual(second.asked.length, 1)
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(fiber)
        assert.strictEqual(second.asked.length, 2)
        assert.strictEqual(asked.length, 1)
      }
    }), covers("ML-36"))

  it.effect("fail at once if the peer asks for hours", () =>
    Effect.gen(function*() {
      const policy = exactly(3)
      const read = Effect.asVoid(Agent.getTask(taskId))
      const send = Effect.asVoid(Agent.send("hi"))
      for (const [code, hint] of [[503, "9".repeat(400)], [503, "86400"], [429, "301"]] as const) {
        const programs = [
          [read, AgentTransport.retry(policy)],
          [Stream.runDrain(Agent.subscribe(taskId)), AgentTransport.retry(policy)],
          [send, AgentTransport.retrySends(policy)],
          [Effect.retry(send, AgentTransport.respectRetryAfter(policy)), AgentTransport.retry(policy)]
        ] as const
        for (const [program, decorate] of programs) {
          const { asked, layer } = peer([refusal(code, { "retry-after": hint })])
          const error = yield* fastForward(Effect.flip(program).pipe(Effect.provide(agent(layer.pipe(decorate)))))
          assert.strictEqual(asked.length, 1)
          assert.isTrue(error.isRetryable && error.retryAfter !== undefined)
        }
      }
      assert.strictEqual(yield* Clock.currentTimeMillis, 0)
    }), covers("attack:S2-45"))

  it.effect("never repeat what was refused for good", () =>
    Effect.gen(function*() {
      for (const code of [400, 401, 403, 404]) {
        const { asked, layer } = peer([refusal(code)])
        yield* fastForward(
          Effect.flip(Agent.getTask(taskId)).pipe(Effect.provide(agent(layer.pipe(AgentTransport.retry(exactly(3))))))
        )
        assert.isAtMost(asked.length, 1)
      }
    }))
})

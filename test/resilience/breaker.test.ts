/** A circuit breaker around an agent. */
import { Agent, type AgentError, AgentStream, AgentTransport, Protocol } from "@effect-a2a/core"
import * as Credentials from "@effect-a2a/core/Credentials"
import { AgentTest, Fault, Script, Wire } from "@effect-a2a/testing"
import { Rest, RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Layer, Stream } from "effect"
import { CircuitBreaker } from "effect/persistence"
import { TestClock } from "effect/testing"
import { type Asked, chunks, inEach, sendJson } from "../support/peer.ts"
import * as Support from "./support.ts"

const { refusal, status, task, taskId, through, turns } = Support
const { eventStream, taskResponse } = through()

const breakers = CircuitBreaker.layer({ tripPolicy: CircuitBreaker.consecutive(2), openDuration: "30 seconds" }).pipe(
  Layer.provideMerge(CircuitBreaker.layerStoreMemory())
)

/** An agent behind a breaker, and the number of its requests. */
const guarded = (responses: ReadonlyArray<(asked: Asked) => Response>, key?: string) => {
  const { asked, layer } = through().peer(responses)
  const transport = layer.pipe(AgentTransport.breaker(key === undefined ? {} : { key }))
  return { asked, agent: Agent.layer.pipe(Layer.provide(transport), Layer.provideMerge(Layer.fresh(breakers))) }
}

type Program = Effect.Effect<unknown, AgentError.AgentError, Agent.Agent>

const ask: Program = Agent.ask("hi")
const stream: Program = Stream.runDrain(Agent.stream("hi"))
const read: Program = Agent.getTask(taskId)

const state = Effect.flatMap(CircuitBreaker.CircuitBreaker, (breaker) => breaker.state("https://agent.test/a2a"))

describe("a breaker", () => {
  it.effect("opens after failures of calls, and refuses without a request until its time is over", () =>
    inEach((combination) =>
      Effect.gen(function*() {
        const { asked, layer } = through(combination).peer([
          refusal(503),
          refusal(502),
          through(combination).json(sendJson(combination, "completed"))
        ])
        const agent = Agent.layer.pipe(
          Layer.provide(layer.pipe(AgentTransport.breaker())),
          Layer.provide(Layer.fresh(breakers))
        )
        yield* Effect.gen(function*() {
          yield* Effect.flip(ask)
          yield* Effect.flip(ask)
          for (const [program, delivery] of [[ask, "not-sent"], [stream, "not-sent"], [read, undefined]] as const) {
            const error = yield* Effect.flip(program)
            assert.deepInclude(error.reason, {
              _tag: "ServiceUnavailableError",
              code: "CIRCUIT_OPEN",
              isRetryable: true
            })
            assert.deepStrictEqual([error.delivery, error.retryAfter], [delivery, Duration.seconds(30)])
            assert.match(error.message, /^\w+ at https:\/\/agent\.test\/a2a: .* is open .* nothing was sent/)
          }
          assert.strictEqual(asked.length, 2)
          yield* TestClock.adjust("30 seconds")
          yield* ask
          assert.strictEqual(asked.length, 3)
        }).pipe(Effect.provide(agent))
      })
    ))

  const failures: ReadonlyArray<readonly [string, (asked: Asked) => Response, Program]> = [
    ["a stream cut before its first event", eventStream([": hi\n\n"], { end: "reset" }), stream],
    ["a stream that drops", eventStream([task("working")], { end: "reset" }), stream],
    ["a stream that ends before its task", eventStream([task("working")]), stream],
    ["a malformed event", eventStream(["data: {\n\n"]), stream],
    ["a login page", () => new Response("<html>", { headers: { "content-type": "text/html" } }), ask],
    ["an agent that fails", refusal(500), ask],
    ["a gateway", refusal(504), read],
    [
      "silence",
      () => chunks(["{"], { type: "application/json", end: "open" }),
      Agent.withTimeouts(ask, { idle: "5 seconds" })
    ]
  ]
  for (const [name, response, program] of failures) {
    it.effect(`counts as a failure: ${name}`, () =>
      Effect.gen(function*() {
        const { agent, asked } = guarded([response])
        yield* Effect.gen(function*() {
          for (const _ of [1, 2]) yield* Support.fastForward(Effect.flip(program))
          assert.strictEqual((yield* state)._tag, "Open")
          assert.strictEqual((yield* Effect.flip(program)).code, "CIRCUIT_OPEN")
          assert.strictEqual(asked.length, 2)
        }).pipe(Effect.provide(agent))
      }))
  }

  it.effect("ignores refusals that concern the caller", () =>
    Effect.gen(function*() {
      for (const code of [400, 401, 402, 403, 404, 405, 415, 429]) {
        const { agent, asked } = guarded([refusal(code)])
        yield* Effect.gen(function*() {
          for (const program of [ask, stream, ask]) yield* Effect.flip(program)
          assert.strictEqual((yield* state)._tag, "Closed", `${code}`)
        }).pipe(Effect.provide(agent))
        assert.isAtLeast(asked.length, 3)
      }
    }))

  it.effect("counts a task that failed as a success of the agent, and so the end of a stream", () =>
    Effect.gen(function*() {
      const whole = eventStream([task("working"), status("failed", "no")])
      const { agent } = guarded([refusal(503), whole, refusal(503), taskResponse("failed"), refusal(503)])
      yield* Effect.gen(function*() {
        for (const program of [read, stream, read, read, read]) yield* Effect.exit(program)
        assert.strictEqual((yield* state)._tag, "Closed")
      }).pipe(Effect.provide(agent))
    }))

  it.effect("stays open as long as the agent asks", () =>
    Effect.gen(function*() {
      const { agent } = guarded([refusal(503, { "retry-after": "120" })])
      yield* Effect.gen(function*() {
        for (const _ of [1, 2]) yield* Effect.flip(ask)
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual((yield* Effect.flip(ask)).retryAfter, Duration.minutes(1))
      }).pipe(Effect.provide(agent))
    }))

  it.effect("lets one stream through when its time is over, and is freed by one that is left early", () =>
    Effect.gen(function*() {
      const { agent, asked } = guarded([
        refusal(503),
        refusal(503),
        eventStream([task("working")], { end: "open" }),
        eventStream([task("working"), status("completed")])
      ])
      yield* Effect.gen(function*() {
        for (const _ of [1, 2]) yield* Effect.flip(stream)
        yield* TestClock.adjust("30 seconds")
        const first = yield* Deferred.make<void>()
        const probe = yield* Effect.forkChild(
          Stream.runForEach(Agent.stream("hi"), () => Deferred.succeed(first, undefined))
        )
        yield* Deferred.await(first)
        const refused = yield* Effect.flip(ask)
        assert.deepStrictEqual([refused.code, refused.retryAfter, refused.delivery], [
          "CIRCUIT_OPEN",
          undefined,
          "not-sent"
        ])
        yield* Fiber.interrupt(probe)
        yield* turns
        yield* stream
        assert.deepStrictEqual([(yield* state)._tag, asked.length], ["Closed", 4])
      }).pipe(Effect.provide(agent))
    }))

  it.effect("has a circuit for each key", () =>
    Effect.gen(function*() {
      const broken = through().peer([refusal(503)]).layer
      const whole = through().peer([taskResponse("completed")]).layer
      class Broken extends Agent.Tag<Broken>()("Broken") {}
      class Whole extends Agent.Tag<Whole>()("Whole") {}
      const agents = Layer.mergeAll(
        Broken.layer.pipe(Layer.provide(AgentTransport.breaker({ key: "broken" })(broken))),
        Whole.layer.pipe(Layer.provide(AgentTransport.breaker({ key: "whole" })(whole)))
      )
      yield* Effect.gen(function*() {
        for (const _ of [1, 2, 3]) yield* Effect.flip(Broken.ask("hi"))
        assert.strictEqual((yield* Effect.flip(Broken.ask("hi"))).code, "CIRCUIT_OPEN")
        assert.strictEqual((yield* Whole.getTask(taskId)).status.state, "completed")
      }).pipe(Effect.provide(Layer.provideMerge(agents, breakers)))
    }))

  it.effect("under retry waits until the circuit lets calls through", () =>
    Effect.gen(function*() {
      const { asked, layer } = through().peer([refusal(503), refusal(503), taskResponse("completed")])
      const transport = layer.pipe(AgentTransport.breaker(), AgentTransport.retry(AgentTransport.backoff(5)))
      const agent = Agent.layer.pipe(Layer.provide(transport), Layer.provide(breakers))
      const done = yield* Support.fastForward(Agent.getTask(taskId).pipe(Effect.provide(agent)))
      assert.deepStrictEqual([done.status.state, asked.length], ["completed", 3])
    }))

  it.effect("opens over a wire that refuses, also for a transport that is a value", () =>
    Effect.gen(function*() {
      const served = RestServer.routes({ path: "/a", protocols: [Protocol.v1_0] }).pipe(
        Layer.provide(AgentTest.layer),
        Layer.provide(Script.layer(Script.say("hm")))
      )
      const http = Fault.inject(Wire.layerHttp(served), { seed: 1, kinds: ["busy"], rate: 1 })
      yield* Effect.gen(function*() {
        const plain = yield* AgentTransport.AgentTransport
        const transport = yield* AgentTransport.breaker({ key: "travel" })(plain)
        const agent = yield* Agent.make.pipe(Effect.provideService(AgentTransport.AgentTransport, transport))
        for (const _ of [1, 2, 3, 4]) yield* Effect.exit(AgentStream.answer(agent.stream("hi")))
        assert.strictEqual((yield* (yield* Fault.Faults).counts).busy, 2)
        assert.match(String(yield* Effect.flip(agent.ask("hi"))), /open/)
      }).pipe(
        Effect.provide(
          Rest.layer({ url: "http://x.test/a" }).pipe(
            Layer.provideMerge(Layer.mergeAll(http, breakers, Credentials.layerNone))
          )
        )
      )
    }))
})

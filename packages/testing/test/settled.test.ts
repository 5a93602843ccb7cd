import { Agent, AgentStream, AgentTransport, Credentials, Protocol, Timeouts } from "@effect-a2a/core"
import { AdkEmulator } from "@effect-a2a/emulators"
import { AgentExecutor } from "@effect-a2a/server"
import { AgentTest, Script, Wire } from "@effect-a2a/testing"
import { JsonRpc, JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { Rest, RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"

const combinations = {
  "1.0 REST": { protocol: Protocol.v1_0, client: Rest.layer, server: RestServer.routes },
  "0.3 JSON-RPC": { protocol: Protocol.v0_3, client: JsonRpc.layer, server: JsonRpcServer.routes }
}

const yields = (times: number) =>
  Effect.forEach(Array.from({ length: times }), () => Effect.yieldNow, { discard: true })

const over = (combination: Wire.Combination, executor: Layer.Layer<AgentExecutor.AgentExecutor>) =>
  Agent.layer.pipe(
    Layer.provideMerge(AgentTest.layer.pipe(Wire.through(combination))),
    Layer.provide(executor)
  )

/** Works for a while without a byte, waits, and works again. */
const busy = (log: Array<string>) =>
  AgentExecutor.layer(() =>
    Stream.make("one ", "two ", "three").pipe(Stream.tap((text) =>
      Effect.gen(function*() {
        yield* yields(500)
        log.push(text.trim())
        yield* Effect.sleep("1 hour")
        yield* yields(50)
      })
    ))
  )

const routes = RestServer.routes({ path: "/agent", protocols: [Protocol.v1_0] }).pipe(
  Layer.provide(AgentTest.layer),
  Layer.provide(Script.layer(Script.say("Hello "), Script.cut, Script.wait("30 seconds"), Script.say("world")))
)

/** A client whose first stream is cut. */
const resuming = Agent.layer.pipe(
  Layer.provide(Rest.layer({ url: "http://agent.test/agent" }).pipe(AgentTransport.resumable())),
  Layer.provide(Credentials.layerNone),
  Layer.provideMerge(Wire.layerHttp(routes))
)

describe("a wire", () => {
  for (const [name, combination] of Object.entries(combinations)) {
    it.effect(`settles when the agent waits, however long it worked before (${name})`, () => {
      const log: Array<string> = []
      return Effect.gen(function*() {
        const texts: Array<string> = []
        const fiber = yield* Effect.forkChild(
          Agent.stream("Hi").pipe(
            AgentStream.text,
            Stream.runForEach((text) => Effect.andThen(yields(20), Effect.sync(() => texts.push(text))))
          )
        )
        for (const [heard, worked] of [[[], 1], [["one "], 2], [["one ", "two "], 3]] as const) {
          yield* Wire.settled
          assert.deepStrictEqual([texts, log.length], [heard, worked])
          yield* TestClock.adjust("1 hour")
        }
        yield* Fiber.join(fiber)
        assert.deepStrictEqual(texts, ["one ", "two ", "three"])
        yield* Wire.settled
      }).pipe(Effect.provide(over(combination, busy(log))))
    })

    it.effect(`settles before timeouts of the client can pass (${name})`, () =>
      Effect.gen(function*() {
        const call = Agent.ask("Hi").pipe(
          Effect.provideService(Timeouts.CurrentTimeouts, { response: "2 minutes" })
        )
        const quick = yield* Effect.forkChild(call)
        yield* Wire.settled
        yield* TestClock.adjust("1 minute")
        yield* Wire.settled
        assert.strictEqual((yield* Fiber.join(quick)).text, "At last")
        const slow = yield* Effect.forkChild(Effect.flip(
          Agent.ask("Hi").pipe(Effect.provideService(Timeouts.CurrentTimeouts, { response: "30 seconds" }))
        ))
        yield* Wire.settled
        yield* TestClock.adjust("30 seconds")
        assert.strictEqual((yield* Fiber.join(slow)).reason._tag, "TimeoutError")
      }).pipe(
        Effect.provide(over(combination, Script.layer(Script.wait("1 minute"), Script.say("At last"))))
      ))
  }

  it.effect("settles at once if nothing happens", () => Effect.provide(Wire.settled, AdkEmulator.layer()))

  it.effect("settles behind an emulator, and between the attempts of a policy", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(Agent.ask("slow 3"))
      for (const at of [1, 2, 3]) {
        yield* Wire.settled
        assert.isUndefined(fiber.pollUnsafe(), `before second ${at}`)
        yield* TestClock.adjust("1 second")
      }
      assert.strictEqual((yield* Fiber.join(fiber)).text, "Tick 1. \n\nTick 2. \n\nTick 3. ")
    }).pipe(Effect.provide(AdkEmulator.layer())))

  it.effect("settles while a dropped stream waits to be resumed", () =>
    Effect.gen(function*() {
      const { exchanges } = yield* Wire.Tape
      const fiber = yield* Effect.forkChild(AgentStream.answer(Agent.stream("Hi")))
      const lengths: Array<number> = []
      while (fiber.pollUnsafe() === undefined) {
        yield* Wire.settled
        const { length } = yield* exchanges
        yield* Wire.settled
        assert.strictEqual((yield* exchanges).length, length)
        lengths.push(length)
        yield* TestClock.adjust("10 seconds")
      }
      assert.strictEqual((yield* Fiber.join(fiber)).text, "Hello world")
      assert.isTrue(lengths.at(-1)! > lengths[0]!)
    }).pipe(Effect.provide(resuming)))

  it.effect("settles inside another wire", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(Agent.ask("slow 2"))
      yield* Wire.settled
      yield* TestClock.adjust("1 second")
      yield* Wire.settled
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(fiber)).text, "Tick 1. \n\nTick 2. ")
    }).pipe(Effect.provide(
      Agent.layer.pipe(Layer.provideMerge(
        AdkEmulator.layerTransport().pipe(Wire.through(combinations["1.0 REST"]))
      ))
    )))
})

import { Agent, Credentials, Discovery, Protocol } from "@effect-a2a/core"
import { MemoryLakeEmulator } from "@effect-a2a/emulators"
import { CardServer } from "@effect-a2a/server"
import { AgentTest, Fault, Script, Wire } from "@effect-a2a/testing"
import { JsonRpc, JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { Rest, RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import { breakers, guarded, Lake, Travel } from "../src/Agents.ts"
import { Orchestrator } from "../src/Orchestrator.ts"
import { Refusal, refusal } from "../src/Refusal.ts"
import { adk, app, lakeWith, scripted } from "./support.ts"

const ask = (question: string, user = "ana") =>
  Effect.flatMap(Orchestrator, (orchestrator) => orchestrator.ask(user, question))
const texts = (all: ReadonlyArray<{ readonly text: string } | Refusal>) =>
  all.map((one) => one instanceof Refusal ? `${one.source}: ${one.kind}` : one.text)

describe("transports", () => {
  it.effect("all agents answer in process", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(texts(yield* ask("hello")), ["lake", "travel", "Hello, world"])
    }).pipe(Effect.provide(app())))

  it.effect("agents of other versions, bindings and protocols answer, one of them found by its card", () => {
    const served = Layer.mergeAll(
      JsonRpcServer.routes({ path: "/rpc", protocols: [Protocol.v0_3] }),
      CardServer.routes({ protocols: [Protocol.v0_3] })
    ).pipe(
      Layer.provide(AgentTest.layerWith({ card: { ...AgentTest.card, supportedInterfaces: [] } })),
      Layer.provide(Script.layer(Script.say("by train")))
    )
    const travel = Travel.layer.pipe(
      Layer.provide(Discovery.layer({ agent: "http://travel.test", bindings: [JsonRpc.binding] })),
      Layer.provide([Wire.layerHttp(served), Credentials.layerNone])
    )
    return Effect.gen(function*() {
      assert.deepStrictEqual(texts(yield* ask("What is the capital of France?")), [
        "Paris is the capital of France.",
        "by train",
        "You said: What is the capital of France?"
      ])
    }).pipe(Effect.provide(app({ lake: lakeWith("sk_demo"), travel })))
  })
})

describe("failures", () => {
  const over = (key: string, question: string) =>
    Agent.ask(question).pipe(Effect.provide(MemoryLakeEmulator.layer({ apiKey: Redacted.make(key) })), Effect.flip)

  it.effect("an invalid argument is the asker's mistake", () =>
    Effect.gen(function*() {
      const error = yield* over("sk_demo", "refuse with INVALID_ARGUMENT")
      assert.strictEqual(error.reason._tag, "InvalidArgumentError")
      assert.strictEqual(error.code, "INVALID_ARGUMENT")
      assert.strictEqual(refusal("lake")(error).kind, "input")
    }))

  it.effect("a used up quota is a matter of credit", () =>
    Effect.gen(function*() {
      const error = yield* over("sk_quota", "hi")
      assert.strictEqual(error.reason._tag, "QuotaExceededError")
      assert.strictEqual(refusal("lake")(error).kind, "credit")
    }))

  it.effect("a failed task is a failure with the task", () =>
    Effect.gen(function*() {
      const error = yield* over("sk_demo", "fail")
      assert.strictEqual(error.origin, "task")
      if (error.reason._tag !== "TaskFailedError") return assert.fail(error.reason._tag)
      assert.strictEqual(error.reason.task.status.state, "failed")
      assert.strictEqual(refusal("lake")(error).kind, "failed")
      assert.strictEqual(error.code, "TASK_STATE_FAILED")
    }))

  it.effect("reasons that are handled leave the error type", () =>
    Effect.gen(function*() {
      const handled: Effect.Effect<string, never, Agent.Agent> = Agent.ask("fail").pipe(
        Effect.map((answer) => answer.text),
        Effect.catchReasons("AgentError", {
          InvalidArgumentError: (reason) => Effect.succeed(`input: ${reason.message}`),
          QuotaExceededError: () => Effect.succeed("credit"),
          TaskFailedError: (reason) => Effect.succeed(`failed: ${reason.message}`)
        }, (reason) => Effect.succeed(reason._tag))
      )
      assert.match(yield* handled.pipe(Effect.provide(MemoryLakeEmulator.layer())), /^failed/)
    }))
})

describe("policies", () => {
  it.effect("the spare lake answers if the lake has no credit", () =>
    Effect.gen(function*() {
      assert.strictEqual(texts(yield* ask("hi"))[0], "spare")
    }).pipe(Effect.provide(app({ lake: lakeWith("sk_quota") }))))

  it.effect("a rate limit is waited for as long as the agent asks, then the spare answers", () => {
    const transport = MemoryLakeEmulator.layerTransport({ apiKey: Redacted.make("sk_limited") })
    const lake = Lake.layer.pipe(Layer.provide(transport))
    return Effect.gen(function*() {
      const requests = Effect.map(Effect.flatMap(Wire.Tape, ({ exchanges }) => exchanges), ({ length }) => length)
      const fiber = yield* Effect.forkChild(ask("hi"))
      yield* Wire.settled
      yield* TestClock.adjust("1900 millis")
      yield* Wire.settled
      assert.strictEqual(yield* requests, 1)
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(texts(yield* Fiber.join(fiber))[0], "spare")
      assert.strictEqual(yield* requests, 2)
    }).pipe(Effect.provide(app({ lake }).pipe(Layer.provideMerge(transport))))
  })

  it.effect("an agent that takes too long is left out", () => {
    const travel = Travel.layer.pipe(Layer.provide(scripted(Script.wait("1 hour"), Script.say("late"))))
    return Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(ask("hi"))
      yield* Wire.settled
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(texts(yield* Fiber.join(fiber)), ["lake", "travel: slow", "You said: hi"])
    }).pipe(Effect.provide(app({ travel }).pipe(Layer.provideMerge(adk))))
  })

  it.effect("the first answer wins", () =>
    Effect.gen(function*() {
      const orchestrator = yield* Orchestrator
      const fiber = yield* Effect.forkChild(orchestrator.first("ana", "slow 5"))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(fiber)).text, "lake")
    }).pipe(Effect.provide(app({ travel: Travel.layer.pipe(Layer.provide(scripted(Script.wait("1 hour")))) }))))
})

describe("an agent that is down", () => {
  const served = RestServer.routes().pipe(Layer.provide(scripted(Script.say("by train"))))
  const http = Fault.inject(Wire.layerHttp(served), { seed: 1, kinds: ["busy"], rate: 1 })
  const travel = Travel.layer.pipe(
    Layer.provide(Rest.layer({ url: "http://travel.test" }).pipe(guarded("travel"))),
    Layer.provide([Credentials.layerNone, breakers])
  )

  it.effect("gets no more requests after three failures in a row, and another one after half a minute", () =>
    Effect.gen(function*() {
      const { counts } = yield* Fault.Faults
      const refused = Effect.map(ask("hi"), ([, travel]) => travel instanceof Refusal ? travel.code : "")
      for (let times = 1; times <= 5; times++) yield* refused
      assert.strictEqual((yield* counts).busy, 3)
      assert.strictEqual(yield* refused, "CIRCUIT_OPEN")
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(yield* refused, "SERVICE_UNAVAILABLE")
      assert.strictEqual((yield* counts).busy, 4)
    }).pipe(Effect.provide(app({ travel: Layer.provide(travel, http) }).pipe(Layer.provideMerge(http)))))

  it.effect("counts streams and calls alike", () =>
    Effect.gen(function*() {
      const { stream } = yield* Orchestrator
      yield* Stream.runDrain(stream("ana", "hi"))
      yield* ask("hi")
      yield* Stream.runDrain(stream("ana", "hi"))
      yield* ask("hi")
      const { counts } = yield* Fault.Faults
      assert.strictEqual((yield* counts).busy, 3)
    }).pipe(Effect.provide(app({ travel: Layer.provide(travel, http) }).pipe(Layer.provideMerge(http)))))
})

describe("streams", () => {
  it.effect("what all agents say is one stream", () =>
    Effect.gen(function*() {
      const orchestrator = yield* Orchestrator
      const chunks = yield* Stream.runCollect(orchestrator.stream("ana", "hello"))
      const said = (source: string) =>
        chunks.flatMap((chunk) => chunk._tag === "Delta" && chunk.source === source ? [chunk.text] : []).join("")
      assert.deepStrictEqual(["lake", "travel", "weather"].map(said), ["lake", "travel", "Hello, world"])
      const done = chunks.flatMap((chunk) => chunk._tag === "Done" ? [`${chunk.source} ${chunk.state}`] : [])
      assert.deepStrictEqual(done.toSorted(), ["lake completed", "travel completed", "weather completed"])
    }).pipe(Effect.provide(app())))
})

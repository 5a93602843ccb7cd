/** Event streams as the servers of both bindings write them. */
import { AgentError, Id, Part, Protocol, StreamEvent } from "@effect-a2a/core"
import * as ServerSentEvents from "@effect-a2a/core/ServerSentEvents"
import { JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { covers } from "./support/covers.ts"
import { agent, ask, frames, open, served } from "./support/serve.ts"

const { v0_3, v1_0 } = Protocol

const taskId = Id.TaskId.make("t-1")
const contextId = Id.ContextId.make("c-1")
const status = (state: "working" | "completed", text?: string) =>
  StreamEvent.statusUpdate({
    taskId,
    contextId,
    status: {
      state,
      ...(text === undefined ? {} : {
        message: {
          _tag: "Message",
          messageId: Id.MessageId.make("m-2"),
          role: "agent",
          parts: [Part.text(text)]
        } as const
      })
    }
  })

const kind = { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "hi" }] }
const proto = (content: string) => ({ message: { messageId: "m", role: "ROLE_USER", [content]: [{ text: "hi" }] } })
const rpc = (method: string, params: unknown) => ({ jsonrpc: "2.0", id: 7, method, params })

/** A streaming request in each combination, and the code of its failures: as a response, and inside a stream. */
const combinations = [
  {
    name: "1.0 REST",
    routes: RestServer.routes({ protocols: [v1_0] }),
    path: "/message:stream",
    version: "1.0",
    body: proto("parts"),
    codeOf: (json: any) => json.error.details[0].reason,
    codes: { unsupported: "UNSUPPORTED_OPERATION", internal: "INTERNAL_ERROR" },
    status: 400
  },
  {
    name: "0.3 REST",
    routes: RestServer.routes({ protocols: [v0_3] }),
    path: "/v1/message:stream",
    version: "0.3",
    body: proto("content"),
    codeOf: (json: any) => json.code,
    codes: { unsupported: -32004, internal: -32603 },
    status: 400
  },
  {
    name: "1.0 JSON-RPC",
    routes: JsonRpcServer.routes({ protocols: [v1_0] }),
    path: "/",
    version: "1.0",
    body: rpc("SendStreamingMessage", proto("parts")),
    codeOf: (json: any) => json.error.code,
    codes: { unsupported: -32004, internal: -32603 },
    status: 200
  },
  {
    name: "0.3 JSON-RPC",
    routes: JsonRpcServer.routes({ protocols: [v0_3] }),
    path: "/",
    version: "0.3",
    body: rpc("message/stream", { message: kind }),
    codeOf: (json: any) => json.error.code,
    codes: { unsupported: -32004, internal: -32603 },
    status: 200
  }
] as const

const initOf = ({ body, version }: (typeof combinations)[number]) =>
  ({ method: "POST", headers: { "a2a-version": version }, body: JSON.stringify(body) }) as const

const unsupported = Stream.fail(new AgentError.UnsupportedOperationError({ message: "no" }))
const dying = Stream.die(new Error("s3cr3t"))

for (const combination of combinations) {
  const { codeOf, codes, name, path, routes } = combination
  const isRpc = name.endsWith("JSON-RPC")
  const init = initOf(combination)
  const respond = (events: NonNullable<Parameters<typeof agent>[0]>["events"]) =>
    ask(path, init).pipe(Effect.provide(served(routes, agent(events === undefined ? {} : { events }).layer)))

  describe(`event streams, ${name}`, () => {
    it.effect(
      "send each event as one line of JSON in UTF-8, and nothing after the last one",
      () =>
        Effect.gen(function*() {
          const response = yield* respond(Stream.make(status("working", "😀\n\u2028你"), status("completed")))
          assert.deepStrictEqual([response.status, response.type], [200, "text/event-stream"])
          assert.strictEqual(response.headers["cache-control"], "no-cache, no-transform")
          assert.strictEqual(response.headers["x-accel-buffering"], "no")
          assert.match(response.text, /^data: \{[^\n]*\}\n\ndata: \{[^\n]*\}\n\n$/)
          assert.include(response.text, "😀")
          if (isRpc) {
            assert.deepStrictEqual(frames(response.text).map(({ id, jsonrpc }) => [id, jsonrpc]), [[7, "2.0"], [
              7,
              "2.0"
            ]])
          }
        }),
      covers("field:PRX-01")
    )

    it.effect("are a plain response if they fail before the first event", () =>
      Effect.gen(function*() {
        const refused = yield* respond(unsupported)
        assert.deepStrictEqual([refused.status, codeOf(refused.json)], [combination.status, codes.unsupported])
        assert.match(refused.type!, /json$/)
        assert.isFalse("x-accel-buffering" in refused.headers)
        if (isRpc) assert.deepStrictEqual([refused.json.id, refused.json.jsonrpc], [7, "2.0"])

        const { calls, layer } = agent()
        const body = JSON.stringify(isRpc ? { ...combination.body, params: {} } : {})
        const invalid = yield* ask(path, { ...init, body }).pipe(Effect.provide(served(routes, layer)))
        assert.match(invalid.type!, /json$/)
        assert.deepStrictEqual([invalid.status, calls], [combination.status, []])

        const died = yield* respond(dying)
        assert.strictEqual(codeOf(died.json), codes.internal)
        assert.notInclude(died.text, "s3cr3t")
      }), covers("field:ERR-07", "field:STR-08"))

    it.effect("report a failure after events in one error frame, then end", () =>
      Effect.gen(function*() {
        const response = yield* respond(Stream.concat(Stream.make(status("working"), status("working")), unsupported))
        assert.strictEqual(response.status, 200)
        assert.match(response.text, /^data: .*\n\ndata: .*\n\nevent: error\ndata: .*\n\n$/)
        const [, , error] = frames(response.text)
        assert.strictEqual(codeOf(error), codes.unsupported)
        if (isRpc) assert.deepStrictEqual([error.id, "result" in error], [7, false])

        const died = yield* respond(Stream.concat(Stream.make(status("working")), dying))
        assert.strictEqual(codeOf(frames(died.text)[1]), codes.internal)
        assert.notInclude(died.text, "s3cr3t")
      }), covers("field:ERR-07", "field:ERR-08", "field:RPC-07", "field:STR-08"))

    it.effect("are not needed to report a defect of a unary operation", () =>
      Effect.gen(function*() {
        const get = isRpc
          ? {
            ...init,
            body: JSON.stringify(rpc(combination.version === "1.0" ? "GetTask" : "tasks/get", { id: "t-1" }))
          }
          : { method: "GET", headers: init.headers } as const
        const response = yield* ask(isRpc ? path : path.replace("message:stream", "tasks/t-1"), get).pipe(
          Effect.provide(served(routes, agent({ dies: new Error("s3cr3t") }).layer))
        )
        assert.strictEqual(codeOf(response.json), codes.internal)
        assert.strictEqual(response.status, isRpc ? 200 : 500)
        assert.notInclude(response.text, "s3cr3t")
      }))
  })
}

describe("event streams, in time", () => {
  const [combination] = combinations
  const { codeOf, codes, path, routes } = combination

  /** Reads a response in the background; `pass` moves the clock and lets web streams catch up. */
  const read = (events: NonNullable<Parameters<typeof agent>[0]>["events"], heartbeat?: Duration.Duration) =>
    Effect.gen(function*() {
      const texts: Array<string> = []
      let responseStatus = 0
      const client = served(routes, agent(events === undefined ? {} : { events }).layer)
      const fiber = yield* Effect.gen(function*() {
        const response = yield* open(path, initOf(combination))
        responseStatus = response.status
        yield* response.stream.pipe(
          Stream.decodeText,
          Stream.runForEach((text) => Effect.sync(() => texts.push(text)))
        )
      }).pipe(
        Effect.provide(
          heartbeat === undefined
            ? client
            : Layer.provide(client, Layer.succeed(ServerSentEvents.CurrentHeartbeat, heartbeat))
        ),
        Effect.forkChild({ startImmediately: true })
      )
      const pass = (duration: Duration.Input) =>
        TestClock.adjust(duration).pipe(
          Effect.andThen(Effect.promise(() => new Promise((done) => setTimeout(done, 5))))
        )
      yield* pass(0)
      return { fiber, pass, texts, status: () => responseStatus }
    })

  it.effect(
    "send a comment while silent, which no blank line follows, and leave no timer behind",
    () =>
      Effect.gen(function*() {
        const clock = yield* Clock.Clock
        let sleeping = 0
        const counting: Clock.Clock = {
          ...clock,
          sleep: (duration) =>
            Effect.suspend(() => {
              sleeping += 1
              return Effect.ensuring(clock.sleep(duration), Effect.sync(() => (sleeping -= 1)))
            }),
          currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
          currentTimeMillis: clock.currentTimeMillis,
          currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
          currentTimeNanos: clock.currentTimeNanos
        }
        const last = Stream.fromEffect(Effect.as(Effect.sleep("40 seconds"), status("completed")))
        const { fiber, pass, texts } = yield* read(Stream.concat(Stream.make(status("working")), last)).pipe(
          Effect.provideService(Clock.Clock, counting)
        )
        assert.strictEqual(texts.length, 1)
        yield* pass("15 seconds")
        yield* pass("15 seconds")
        assert.deepStrictEqual(texts.slice(1), [": keep-alive\n", ": keep-alive\n"])
        yield* pass("10 seconds")
        yield* Fiber.join(fiber)
        assert.match(texts.slice(3).join(""), /^data: .*\n\n$/)
        assert.strictEqual(sleeping, 0)
      }),
    covers("field:PRX-02")
  )

  it.effect("begin without the first event if it takes longer than a heartbeat", () =>
    Effect.gen(function*() {
      const late = (effect: Effect.Effect<StreamEvent.StreamEvent, AgentError.AgentErrorReason>) =>
        Stream.fromEffect(Effect.andThen(Effect.sleep("40 seconds"), effect))
      const refusal = Effect.fail(new AgentError.UnsupportedOperationError({ message: "no" }))
      for (const effect of [Effect.succeed(status("completed")), refusal]) {
        const { fiber, pass, status, texts } = yield* read(late(effect))
        yield* pass("14 seconds")
        assert.strictEqual(status(), 0)
        yield* pass("1 second")
        assert.strictEqual(status(), 200)
        yield* pass("15 seconds")
        assert.deepStrictEqual(texts, [": keep-alive\n"])
        yield* pass("10 seconds")
        yield* Fiber.join(fiber)
        const frame = texts.slice(1).join("")
        assert.match(frame, effect === refusal ? /^event: error\ndata: .*\n\n$/ : /^data: .*\n\n$/)
        if (effect === refusal) assert.strictEqual(codeOf(frames(frame)[0]), codes.unsupported)
      }
    }), covers("field:PRX-02"))

  it.effect("take the heartbeat from the context", () =>
    Effect.gen(function*() {
      const events = Stream.concat(Stream.make(status("working")), Stream.never)
      const { fiber, pass, texts } = yield* read(events, Duration.seconds(1))
      for (let i = 0; i < 3; i++) yield* pass("1 second")
      assert.isAtLeast(texts.filter((text) => text === ": keep-alive\n").length, 2)
      yield* Fiber.interrupt(fiber)
    }), covers("field:PRX-02"))
})

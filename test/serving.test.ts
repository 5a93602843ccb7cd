/** Event streams as both serving halves write them. */
import { AgentError, Id, Part, Protocol, StreamEvent } from "@effect-a2a/core"
import * as ServerSentEvents from "@effect-a2a/core/ServerSentEvents"
import { JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
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

/** A streaming request in each cell, and what its failures look like. */
const cells = [
  {
    name: "1.0 REST",
    routes: RestServer.routes({ protocols: [v1_0] }),
    path: "/message:stream",
    version: "1.0",
    body: proto("parts"),
    plain: (json: any) => json.error.details[0].reason,
    inStream: (json: any) => json.error.details[0].reason,
    status: 400
  },
  {
    name: "0.3 REST",
    routes: RestServer.routes({ protocols: [v0_3] }),
    path: "/v1/message:stream",
    version: "0.3",
    body: proto("content"),
    plain: (json: any) => json.code,
    inStream: (json: any) => json.code,
    status: 400
  },
  {
    name: "1.0 JSON-RPC",
    routes: JsonRpcServer.routes({ protocols: [v1_0] }),
    path: "/",
    version: "1.0",
    body: rpc("SendStreamingMessage", proto("parts")),
    plain: (json: any) => json.error.code,
    inStream: (json: any) => json.error.code,
    status: 200
  },
  {
    name: "0.3 JSON-RPC",
    routes: JsonRpcServer.routes({ protocols: [v0_3] }),
    path: "/",
    version: "0.3",
    body: rpc("message/stream", { message: kind }),
    plain: (json: any) => json.error.code,
    inStream: (json: any) => json.error.code,
    status: 200
  }
] as const

for (const cell of cells) {
  const isRpc = cell.name.endsWith("JSON-RPC")
  const init = { method: "POST", headers: { "a2a-version": cell.version }, body: JSON.stringify(cell.body) } as const
  const told = { "1.0 REST": "UNSUPPORTED_OPERATION" } as const
  const expected = told[cell.name as "1.0 REST"] ?? -32004

  describe(`event streams, ${cell.name}`, () => {
    it.effect("PRX-01: the headers, one line of JSON a frame, raw UTF-8, nothing after the end", () =>
      Effect.gen(function*() {
        const events = Stream.make(status("working", "😀\n\u2028你"), status("completed"))
        const answer = yield* ask(cell.path, init).pipe(
          Effect.provide(served(cell.routes, agent({ events }).layer))
        )
        assert.deepStrictEqual([answer.status, answer.type], [200, "text/event-stream"])
        assert.strictEqual(answer.headers["cache-control"], "no-cache, no-transform")
        assert.strictEqual(answer.headers["x-accel-buffering"], "no")
        assert.match(answer.text, /^data: \{[^\n]*\}\n\ndata: \{[^\n]*\}\n\n$/)
        assert.include(answer.text, "😀")
        if (isRpc) {
          assert.deepStrictEqual(frames(answer.text).map(({ id, jsonrpc }) => [id, jsonrpc]), [[7, "2.0"], [7, "2.0"]])
        }
      }))

    it.effect("ERR-07: a refusal before the first event is an answer of its own", () =>
      Effect.gen(function*() {
        const events = Stream.fail(new AgentError.UnsupportedOperationError({ message: "no" }))
        const answer = yield* ask(cell.path, init).pipe(
          Effect.provide(served(cell.routes, agent({ events }).layer))
        )
        assert.deepStrictEqual([answer.status, cell.plain(answer.json)], [cell.status, expected])
        assert.match(answer.type!, /json$/)
        assert.isFalse("x-accel-buffering" in answer.headers)
        if (isRpc) assert.deepStrictEqual([answer.json.id, answer.json.jsonrpc], [7, "2.0"])
      }))

    it.effect("ERR-07: what the transport refuses because of the request is one as well", () =>
      Effect.gen(function*() {
        const { calls, layer } = agent()
        const body = isRpc ? { ...cell.body, params: {} } : {}
        const answer = yield* ask(cell.path, { ...init, body: JSON.stringify(body) }).pipe(
          Effect.provide(served(cell.routes, layer))
        )
        assert.match(answer.type!, /json$/)
        assert.deepStrictEqual([answer.status, calls], [cell.status, []])
      }))

    it.effect("ERR-07 ERR-08 RPC-07: after two events one error frame with its code, and the end", () =>
      Effect.gen(function*() {
        const events = Stream.concat(
          Stream.make(status("working"), status("working")),
          Stream.fail(new AgentError.UnsupportedOperationError({ message: "no" }))
        )
        const answer = yield* ask(cell.path, init).pipe(
          Effect.provide(served(cell.routes, agent({ events }).layer))
        )
        assert.strictEqual(answer.status, 200)
        assert.match(answer.text, /^data: .*\n\ndata: .*\n\nevent: error\ndata: .*\n\n$/)
        const [, , error] = frames(answer.text)
        assert.strictEqual(cell.inStream(error), expected)
        if (isRpc) assert.deepStrictEqual([error.id, "result" in error], [7, false])
      }))

    it.effect("STR-08: an agent that dies in mid-stream is an internal error to the client, without its words", () =>
      Effect.gen(function*() {
        const events = Stream.concat(Stream.make(status("working")), Stream.die(new Error("s3cr3t")))
        const answer = yield* ask(cell.path, init).pipe(
          Effect.provide(served(cell.routes, agent({ events }).layer))
        )
        const [, error] = frames(answer.text)
        assert.strictEqual(cell.inStream(error), cell.name === "1.0 REST" ? "INTERNAL_ERROR" : -32603)
        assert.notInclude(answer.text, "s3cr3t")
        const first = yield* ask(cell.path, init).pipe(
          Effect.provide(served(cell.routes, agent({ events: Stream.die(new Error("s3cr3t")) }).layer))
        )
        assert.strictEqual(cell.plain(first.json), cell.name === "1.0 REST" ? "INTERNAL_ERROR" : -32603)
        assert.notInclude(first.text, "s3cr3t")
      }))

    it.effect("an agent that dies in an answer is an internal error too", () =>
      Effect.gen(function*() {
        const get = isRpc
          ? { ...init, body: JSON.stringify(rpc(cell.version === "1.0" ? "GetTask" : "tasks/get", { id: "t-1" })) }
          : { method: "GET", headers: init.headers } as const
        const path = isRpc ? cell.path : cell.path.replace("message:stream", "tasks/t-1")
        const answer = yield* ask(path, get).pipe(
          Effect.provide(served(cell.routes, agent({ dies: new Error("s3cr3t") }).layer))
        )
        assert.strictEqual(cell.plain(answer.json), cell.name === "1.0 REST" ? "INTERNAL_ERROR" : -32603)
        assert.strictEqual(answer.status, isRpc ? 200 : 500)
        assert.notInclude(answer.text, "s3cr3t")
      }))

    it.effect("PRX-02: a silent stream sends comments, after which no blank line stands, and no timer is left", () =>
      Effect.gen(function*() {
        const clock = yield* Clock.Clock
        let asleep = 0
        const counting: Clock.Clock = {
          ...clock,
          sleep: (duration) =>
            Effect.suspend(() => {
              asleep += 1
              return Effect.ensuring(clock.sleep(duration), Effect.sync(() => (asleep -= 1)))
            }),
          currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
          currentTimeMillis: clock.currentTimeMillis,
          currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
          currentTimeNanos: clock.currentTimeNanos
        }
        const events = Stream.concat(
          Stream.make(status("working")),
          Stream.fromEffect(Effect.as(Effect.sleep("40 seconds"), status("completed")))
        )
        const heard: Array<string> = []
        const fiber = yield* Effect.gen(function*() {
          const response = yield* open(cell.path, init)
          yield* response.stream.pipe(
            Stream.decodeText,
            Stream.runForEach((text) => Effect.sync(() => heard.push(text)))
          )
        }).pipe(
          Effect.provide(served(cell.routes, agent({ events }).layer)),
          Effect.provideService(Clock.Clock, counting),
          Effect.forkChild({ startImmediately: true })
        )
        const pass = (duration: Duration.Input) =>
          TestClock.adjust(duration).pipe(
            Effect.andThen(Effect.promise(() => new Promise((done) => setTimeout(done, 5))))
          )
        yield* pass(0)
        assert.strictEqual(heard.length, 1)
        yield* pass("15 seconds")
        yield* pass("15 seconds")
        assert.deepStrictEqual(heard.slice(1), [": keep-alive\n", ": keep-alive\n"])
        yield* pass("10 seconds")
        yield* Fiber.join(fiber)
        assert.match(heard.slice(3).join(""), /^data: .*\n\n$/)
        assert.strictEqual(asleep, 0)
      }))

    it.effect("PRX-02: a first event that takes longer than a heartbeat is waited for on an open stream", () =>
      Effect.gen(function*() {
        for (const last of ["event", "refusal"]) {
          const heard: Array<string> = []
          const ended = status("completed")
          let answered = 0
          const events = Stream.fromEffect(
            Effect.andThen(
              Effect.sleep("40 seconds"),
              last === "event"
                ? Effect.succeed(ended)
                : Effect.fail(new AgentError.UnsupportedOperationError({ message: "no" }))
            )
          )
          const fiber = yield* Effect.gen(function*() {
            const response = yield* open(cell.path, init)
            answered = response.status
            yield* response.stream.pipe(
              Stream.decodeText,
              Stream.runForEach((text) => Effect.sync(() => heard.push(text)))
            )
          }).pipe(
            Effect.provide(served(cell.routes, agent({ events }).layer)),
            Effect.forkChild({ startImmediately: true })
          )
          const pass = (duration: Duration.Input) =>
            TestClock.adjust(duration).pipe(
              Effect.andThen(Effect.promise(() => new Promise((done) => setTimeout(done, 5))))
            )
          yield* pass("14 seconds")
          assert.strictEqual(answered, 0)
          yield* pass("1 second")
          assert.strictEqual(answered, 200)
          yield* pass("15 seconds")
          assert.deepStrictEqual(heard, [": keep-alive\n"])
          yield* pass("10 seconds")
          yield* Fiber.join(fiber)
          const frame = heard.slice(1).join("")
          assert.match(frame, last === "event" ? /^data: .*\n\n$/ : /^event: error\ndata: .*\n\n$/)
          if (last === "refusal") assert.strictEqual(cell.inStream(frames(frame)[0]), expected)
        }
      }))

    it.effect("PRX-02: the interval is ambient", () =>
      Effect.gen(function*() {
        const events = Stream.concat(Stream.make(status("working")), Stream.never)
        const heard: Array<string> = []
        const fiber = yield* Effect.gen(function*() {
          const response = yield* open(cell.path, init)
          yield* response.stream.pipe(
            Stream.decodeText,
            Stream.runForEach((text) => Effect.sync(() => heard.push(text)))
          )
        }).pipe(
          Effect.provide(
            served(cell.routes, agent({ events }).layer).pipe(
              Layer.provide(Layer.succeed(ServerSentEvents.CurrentHeartbeat, Duration.seconds(1)))
            )
          ),
          Effect.forkChild({ startImmediately: true })
        )
        for (let i = 0; i < 3; i++) {
          yield* TestClock.adjust("1 second")
          yield* Effect.promise(() => new Promise((done) => setTimeout(done, 5)))
        }
        assert.isAtLeast(heard.filter((text) => text === ": keep-alive\n").length, 2)
        yield* Fiber.interrupt(fiber)
      }))
  })
}

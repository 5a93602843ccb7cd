import { Agent, Credentials, Id, Protocol } from "@effect-a2a/core"
import { JsonRpc } from "@effect-a2a/transport-jsonrpc"
import { Rest } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as process from "node:process"
import { covers } from "../support/covers.ts"

const taskId = Id.TaskId.make("t-1")
const bindings = { "HTTP+JSON": Rest.layer, JSONRPC: JsonRpc.layer }

/** A peer on a socket; `closed` completes when the client closes its connection. A test that awaits it fails by its timeout. */
const listening = Effect.fnUntraced(function*(handle: (request: IncomingMessage, response: ServerResponse) => void) {
  const arrived = yield* Deferred.make<void>()
  const closed = yield* Deferred.make<void>()
  const server = createServer((request, response) => {
    response.on("close", () => {
      if (!response.writableFinished) Deferred.doneUnsafe(closed, Effect.void)
    })
    handle(request, response)
    Deferred.doneUnsafe(arrived, Effect.void)
  })
  const port = yield* Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
    }),
    () =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
  return { url: `http://127.0.0.1:${port}`, arrived: Deferred.await(arrived), closed: Deferred.await(closed) }
})

const agentAt = (url: string, binding: keyof typeof bindings) =>
  Agent.layer.pipe(
    Layer.provide(bindings[binding]({ url, protocol: Protocol.v1_0 })),
    Layer.provide([Credentials.layerNone, FetchHttpClient.layer])
  )

const working = { taskId: "t-1", contextId: "c-1", status: { state: "TASK_STATE_WORKING" } }

const eventStream =
  (binding: string, ...rest: ReadonlyArray<string>) => (request: IncomingMessage, response: ServerResponse) => {
    let body = ""
    request.on("data", (chunk) => (body += chunk))
    request.on("end", () => {
      const event = { statusUpdate: working }
      const data = binding === "JSONRPC" ? { jsonrpc: "2.0", id: JSON.parse(body).id, result: event } : event
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write(`data: ${JSON.stringify(data)}\n\n`)
      for (const part of rest) response.write(part)
    })
  }

/** Interrupts, and checks that nothing but the interruption is the result. */
const interrupt = Effect.fnUntraced(function*<A, E>(fiber: Fiber.Fiber<A, E>) {
  yield* Fiber.interrupt(fiber)
  const exit = yield* Fiber.await(fiber)
  assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
})

const quiet = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const rejections: Array<unknown> = []
    const listener = (reason: unknown) => rejections.push(reason)
    process.on("unhandledRejection", listener)
    const result = yield* Effect.ensuring(self, Effect.sync(() => process.off("unhandledRejection", listener)))
    assert.deepStrictEqual(rejections, [])
    return result
  })

const binding = "HTTP+JSON"

describe("interruption closes the connection", covers("field:CAN-04"), () => {
  it.live("before the response begins", () =>
    Effect.gen(function*() {
      const { arrived, closed, url } = yield* listening(() => {})
      const fiber = yield* Agent.getTask(taskId).pipe(Effect.provide(agentAt(url, binding)), Effect.forkChild)
      yield* arrived
      yield* interrupt(fiber)
      yield* closed
    }).pipe(quiet))

  it.live("between two chunks of a response", () =>
    Effect.gen(function*() {
      const { arrived, closed, url } = yield* listening((_, response) => {
        response.writeHead(200, { "content-type": "application/json" })
        response.write("{\"id\":")
      })
      const fiber = yield* Agent.getTask(taskId).pipe(Effect.provide(agentAt(url, binding)), Effect.forkChild)
      yield* arrived
      yield* Effect.sleep("20 millis")
      yield* interrupt(fiber)
      yield* closed
    }).pipe(quiet))

  for (
    const [title, binding, rest] of [
      ["between two events", "HTTP+JSON", []],
      ["within an event", "HTTP+JSON", ["data: {\"sta"]],
      ["within an event over JSON-RPC", "JSONRPC", ["data: {\"sta"]]
    ] as const
  ) {
    it.live(title, () =>
      Effect.gen(function*() {
        const received = yield* Deferred.make<void>()
        const { closed, url } = yield* listening(eventStream(binding, ...rest))
        const fiber = yield* Agent.stream("hi").pipe(
          Stream.runForEach(() => Deferred.succeed(received, undefined)),
          Effect.provide(agentAt(url, binding)),
          Effect.forkChild
        )
        yield* Deferred.await(received)
        yield* interrupt(fiber)
        yield* closed
      }).pipe(quiet))
  }

  it.live("if a stream is left early", () =>
    Effect.gen(function*() {
      const { closed, url } = yield* listening(eventStream(binding))
      const events = yield* Agent.stream("hi").pipe(
        Stream.take(1),
        Stream.runCollect,
        Effect.provide(agentAt(url, binding))
      )
      assert.strictEqual(events.length, 1)
      yield* closed
    }).pipe(quiet))

  it.live("and does nothing before the call and after it", () =>
    Effect.gen(function*() {
      let requests = 0
      const { url } = yield* listening((_, response) => {
        requests += 1
        response.writeHead(404).end()
      })
      const never = yield* Agent.getTask(taskId).pipe(Effect.provide(agentAt(url, binding)), Effect.forkChild)
      yield* Fiber.interrupt(never)
      assert.strictEqual(requests, 0)
      const done = yield* Effect.flip(Agent.getTask(taskId)).pipe(
        Effect.provide(agentAt(url, binding)),
        Effect.forkChild
      )
      assert.strictEqual((yield* Fiber.join(done)).reason._tag, "TaskNotFoundError")
      yield* Fiber.interrupt(done)
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(done)))
    }).pipe(quiet))
})

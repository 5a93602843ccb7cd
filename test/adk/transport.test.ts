/** Sessions, failures and the operations of a transport to an ADK server. */
import {
  Agent,
  type AgentError,
  AgentStream,
  AgentTransport,
  Conversation,
  Credentials,
  Id,
  Message,
  Operation,
  Task
} from "@effect-a2a/core"
import { AdkEmulator } from "@effect-a2a/emulators"
import { Wire } from "@effect-a2a/testing"
import { Adk as AdkTransport, AdkClient } from "@effect-a2a/transport-adk"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { covers } from "../support/covers.ts"
import * as Adk from "./support.ts"

describe("contexts and sessions", () => {
  it.effect.each(Adk.flavours)(
    "a session is created for the first message and kept for later ones (%s)",
    Adk.onEach(() =>
      Effect.gen(function*() {
        const first = yield* Adk.send("state")
        const { contextId } = first
        assert.isDefined(contextId)
        const second = yield* Adk.send("echo", { contextId: contextId! })
        assert.strictEqual(second.contextId, contextId)
        assert.notStrictEqual(second.id, first.id)
        assert.deepStrictEqual(JSON.parse(Task.text(second)!).state, {
          "user:name": "Ana",
          topic: "lisbon",
          gone: null
        })
        const sessions = (yield* Adk.posted("/run")).map(({ sessionId, userId }) => [sessionId, userId])
        assert.deepStrictEqual(sessions, [[contextId, `A2A_USER_${contextId}`], [contextId, `A2A_USER_${contextId}`]])
        assert.strictEqual((yield* Adk.asked).filter((one) => /^POST .*\/sessions(\/|$)/.test(one)).length, 1)
      })
    ),
    covers("ADK-03", "ADK-08", "field:ADK-05")
  )

  it.effect.each(Adk.flavours)(
    "a given context has its session created after the server reports that it is missing (%s)",
    Adk.onEach(() =>
      Effect.gen(function*() {
        const contextId = Id.ContextId.make("trip-1")
        assert.strictEqual(Task.text(yield* Adk.send("hello", { contextId })), "Hello, world")
        assert.strictEqual((yield* Adk.posted("/run")).length, 2)
        const events = yield* Adk.events("hello", { contextId: Id.ContextId.make("trip-2") })
        assert.strictEqual(Task.text(Adk.fold(events)), "Hello, world")
        assert.strictEqual(events.filter(({ _tag }) => _tag === "Task").length, 1)
      })
    ),
    covers("ADK-03")
  )

  it.effect.each(Adk.flavours)(
    "the program may name the user and make a missing session an error (%s)",
    Adk.onEach(() =>
      Effect.gen(function*() {
        const reason = yield* Adk.refusal(Agent.ask("hello", { contextId: Id.ContextId.make("gone") }))
        assert.deepStrictEqual([reason._tag, reason.message], ["NotFoundError", "Session not found: gone"])
        const { contextId } = yield* Agent.ask("hello")
        assert.include((yield* Adk.posted("/run")).map(({ userId }) => userId), "ana")
        assert.strictEqual((yield* Agent.ask("hello", { contextId: contextId! })).text, "Hello, world")
      }), { createSessions: false, userId: "ana" }),
    covers("ADK-03")
  )

  it.effect(
    "messages in one context wait for each other",
    Adk.onPython(() =>
      Effect.gen(function*() {
        const contextId = Id.ContextId.make("one")
        yield* Adk.send("hello", { contextId })
        const both = yield* Adk.fastForward(
          Effect.all([Adk.events("slow 3", { contextId }), Adk.events("slow 2", { contextId })], { concurrency: 2 }),
          10
        )
        assert.deepStrictEqual(both.map((events) => Task.text(Adk.fold(events))), [
          "Tick 1. \n\nTick 2. \n\nTick 3. ",
          "Tick 1. \n\nTick 2. "
        ])
      })
    ),
    covers("ADK-03")
  )

  it.effect("without an application the server's default answers", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* Agent.ask("hello")).text, "Hello, world")
      assert.isFalse((yield* Adk.asked).some((path) => path.includes("/apps/")))
      assert.strictEqual((yield* Agent.card).name, "demo")
    }).pipe(Effect.provide(Adk.layer({ defaultApp: "demo" }))), covers("ADK-01"))
})

describe("failures", () => {
  const failed = (task: Task.Task) => [task.status.state, Task.statusText(task)]

  it.effect(
    "an error event fails the task",
    Adk.onPython(() =>
      Effect.gen(function*() {
        const events = yield* Adk.events("error")
        const task = Adk.fold(events)
        assert.deepStrictEqual(failed(task), ["failed", "The model is busy."])
        assert.strictEqual(Task.text(task), "Well")
        assert.deepStrictEqual(events.at(-1)?.metadata?.adk_error_code, "RESOURCE_EXHAUSTED")
        const reason = yield* Adk.refusal(Stream.runDrain(Agent.stream("error")))
        assert.strictEqual(reason._tag, "TaskFailedError")
        assert.deepStrictEqual(failed(yield* Adk.send("truncated")), ["failed", "MAX_TOKENS"])
        assert.strictEqual(Task.text(yield* Adk.send("truncated")), "Once upon")
        assert.strictEqual((yield* Agent.ask("stop")).text, "Done.")
      })
    ),
    covers("ADK-06", "ADK-08", "field:ADK-04")
  )

  it.effect.each(Adk.flavours)(
    "an agent that throws fails the task, which keeps the earlier text (%s)",
    Adk.onEach((flavour) =>
      Effect.gen(function*() {
        const task = Adk.fold(yield* Adk.events("throw"))
        const words = flavour === "python" ? "RuntimeError: the tool \"x\" broke" : "the tool \"x\" broke"
        assert.deepStrictEqual(failed(task), ["failed", words])
        assert.strictEqual(Task.text(task), "Well, no.")
        const sent = yield* Adk.send("throw")
        assert.deepStrictEqual(
          [...failed(sent), Task.text(sent)],
          flavour === "python"
            ? ["failed", "Internal Server Error", undefined]
            : ["failed", `Failed to run agent: Error: ${words}`, "Well, no."]
        )
        for (const word of ["throwfirst", "throwstring"]) {
          assert.strictEqual(Adk.fold(yield* Adk.events(word)).status.state, "failed")
        }
        assert.strictEqual((yield* Agent.ask("hello", { contextId: task.contextId! })).text, "Hello, world")
      })
    ),
    covers("ADK-06", "field:ADK-04")
  )

  it.effect("a refusal of the server fails the call and creates no task", () =>
    Effect.gen(function*() {
      const reasonOf = (options: AdkEmulator.ClientOptions, input: Message.Input = "hello") =>
        Effect.gen(function*() {
          const asked = yield* Adk.refusal(Agent.ask(input))
          const heard: Array<string> = []
          const streamed = yield* Adk.refusal(
            Agent.stream(input).pipe(Stream.runForEach(({ _tag }) => Effect.sync(() => heard.push(_tag))))
          )
          assert.strictEqual(asked._tag, streamed._tag)
          assert.deepStrictEqual(heard, [])
          return asked
        }).pipe(Effect.provide(Adk.layer(options)))
      const unknown = yield* reasonOf({ appName: "nobody" })
      assert.strictEqual(unknown._tag, "NotFoundError")
      assert.match(unknown.message, /^Agent not found: 'nobody'/)
      const strange = yield* reasonOf({}, [])
      assert.strictEqual(strange._tag, "InvalidRequestError")
      const reason = yield* reasonOf({}, [{ _tag: "Data", data: { x: 1 }, metadata: { adk_type: "part" } }])
      assert.strictEqual(reason._tag, "InvalidParamsError")
      assert.deepStrictEqual((reason as AgentError.InvalidParamsError).violations, [
        { field: "newMessage.parts.0.x", description: "Extra inputs are not permitted" }
      ])
    }), covers("ADK-06"))

  it.effect(
    "a connection that drops during a run fails the call, and the run is not repeated",
    () =>
      Effect.gen(function*() {
        const cut = (yield* HttpClient.HttpClient).pipe(
          HttpClient.transform((self, request) =>
            request.url.endsWith("/run_sse")
              ? Effect.map(self, (response) => {
                const bytes = response.stream.pipe(
                  Stream.take(1),
                  Stream.concat(Stream.fail(new TypeError("terminated"))),
                  Stream.toReadableStream()
                )
                return HttpClientResponse.fromWeb(
                  request,
                  new Response(bytes, { status: 200, headers: { "content-type": "text/event-stream" } })
                )
              })
              : self
          )
        )
        const program = Effect.gen(function*() {
          const heard: Array<string> = []
          const reason = yield* Adk.refusal(
            Agent.stream("hello").pipe(
              AgentStream.text,
              Stream.runForEach((text) => Effect.sync(() => heard.push(text)))
            )
          )
          assert.deepStrictEqual(heard, ["Hello"])
          const { isRetryable, taskId } = reason as AgentError.StreamInterruptedError
          assert.deepStrictEqual([reason._tag, isRetryable], ["StreamInterruptedError", false])
          const task = yield* Agent.getTask(taskId!)
          assert.deepStrictEqual([task.status.state, task.metadata?.adk_transport_error], ["failed", true])
          assert.strictEqual(Task.text(task), "Hello")
        })
        const layer = Agent.layer.pipe(
          Layer.provide(AdkTransport.layer({ url: AdkEmulator.url, appName: "demo" })),
          Layer.provide([Layer.succeed(HttpClient.HttpClient, cut), Credentials.layerNone])
        )
        yield* Effect.provide(program, layer)
        assert.strictEqual((yield* Adk.posted("/run_sse")).length, 1)
      }).pipe(Effect.provide(Wire.layerHttp(AdkEmulator.routes()))),
    covers("ADK-07")
  )

  it.effect(
    "retries and resumption of the transport repeat no run",
    Adk.onPython(() =>
      Effect.gen(function*() {
        const transport = yield* AgentTransport.AgentTransport
        const layer = Layer.succeed(AgentTransport.AgentTransport, transport).pipe(
          AgentTransport.retry(),
          AgentTransport.resumable()
        )
        const program = Effect.gen(function*() {
          const { stream } = yield* AgentTransport.AgentTransport
          const message = yield* Message.user("throw")
          return yield* Stream.runCollect(stream(Operation.SendStreamingMessage, { message }))
        })
        assert.strictEqual(Adk.fold(yield* Effect.provide(program, layer)).status.state, "failed")
        assert.strictEqual((yield* Adk.posted("/run_sse")).length, 1)
      })
    ),
    covers("ADK-07")
  )
})

describe("interruption", () => {
  it.effect.each(Adk.flavours)(
    "closes the request, streamed or not, and a server that notices stops the run (%s)",
    Adk.onEach(() =>
      Effect.gen(function*() {
        const client = yield* AdkClient.make({ url: AdkEmulator.url, appName: "demo" }).pipe(
          Effect.provide(Credentials.layerNone)
        )
        const contextId = Id.ContextId.make("left")
        const key = { userId: "A2A_USER_left", sessionId: contextId }
        const kept = Effect.map(client.getSession(key), ({ events = [] }) => events.length)
        yield* client.ensureSession(key)
        for (const leave of [Adk.send("slow 9", { contextId }), Adk.events("slow 9", { contextId })]) {
          const before = yield* kept
          const fiber = yield* Effect.forkChild(leave, { startImmediately: true })
          yield* TestClock.adjust("2500 millis")
          yield* Fiber.interrupt(fiber)
          yield* TestClock.adjust("1 minute")
          assert.strictEqual(yield* kept, before + 3)
        }
      })
    ),
    covers("ADK-07")
  )
})

describe("operations", () => {
  it.effect.each(Adk.flavours)(
    "the card is made from the server's list of applications (%s)",
    Adk.onEach(() =>
      Effect.gen(function*() {
        const card = yield* Agent.card
        assert.deepStrictEqual([card.name, card.capabilities], [
          "demo",
          { streaming: true, pushNotifications: false, extendedAgentCard: false }
        ])
        assert.deepStrictEqual(card.supportedInterfaces.map(({ protocolBinding, url }) => [protocolBinding, url]), [
          [AdkTransport.protocolBinding, AdkEmulator.url]
        ])
      })
    ),
    covers("ADK-08")
  )

  it.effect(
    "operations that ADK lacks are refused with a reason",
    Adk.onPython(() =>
      Effect.gen(function*() {
        const { contextId, id } = yield* Adk.send("hello")
        const agent = yield* Agent.Agent
        const refusals = yield* Effect.forEach([
          Stream.runDrain(agent.listTasks({ contextId: contextId! })),
          Stream.runDrain(agent.subscribe(id)),
          agent.extendedCard,
          agent.pushConfigs.create({ taskId: id, url: "https://example.com/" }),
          agent.pushConfigs.list(id),
          agent.send("hello", { taskPushNotificationConfig: { url: "https://example.com/" } })
        ], Adk.refusal)
        assert.deepStrictEqual(refusals.map(({ _tag }) => _tag), [
          "UnsupportedOperationError",
          "UnsupportedOperationError",
          "UnsupportedOperationError",
          "PushNotificationNotSupportedError",
          "PushNotificationNotSupportedError",
          "PushNotificationNotSupportedError"
        ])
        for (const { message } of refusals) assert.match(message, /^ADK /)
      })
    ),
    covers("ADK-08")
  )

  it.effect(
    "a task can be read while the transport knows it",
    Adk.onPython(() =>
      Effect.gen(function*() {
        const sent = yield* Adk.send("tool x")
        const read = yield* Agent.getTask(sent.id)
        assert.deepStrictEqual(read, sent)
        assert.notProperty(yield* Agent.getTask(sent.id, { historyLength: 0 }), "history")
        const unknown = yield* Adk.refusal(Agent.getTask(Id.TaskId.make("t-0")))
        assert.strictEqual(unknown._tag, "TaskNotFoundError")
        const over = yield* Adk.refusal(Agent.send("more", { taskId: sent.id }))
        assert.strictEqual(over._tag, "UnsupportedOperationError")
      })
    ),
    covers("ADK-08")
  )

  it.effect(
    "a send that returns at once continues in the background and can be canceled",
    Adk.onPython(() =>
      Effect.gen(function*() {
        const begun = yield* Adk.send("slow 3", {}, { returnImmediately: true })
        assert.isFalse(["completed", "failed"].includes(begun.status.state))
        const busy = yield* Adk.refusal(Agent.send("more", { taskId: begun.id }))
        assert.strictEqual(busy._tag, "UnsupportedOperationError")
        const done = yield* Adk.fastForward(Agent.waitFor(begun))
        assert.strictEqual(Task.text(done), "Tick 1. \n\nTick 2. \n\nTick 3. ")
        const other = yield* Adk.send("slow 3", {}, { returnImmediately: true })
        yield* TestClock.adjust("1500 millis")
        const canceled = yield* Agent.cancel(other.id)
        assert.strictEqual(canceled.status.state, "canceled")
        yield* TestClock.adjust("1 minute")
        const read = yield* Agent.getTask(other.id)
        assert.deepStrictEqual([read.status.state, Task.text(read)], ["canceled", "Tick 1. "])
        const again = yield* Adk.refusal(Agent.cancel(other.id))
        assert.strictEqual(again._tag, "TaskNotCancelableError")
      })
    ),
    covers("ADK-08")
  )

  it.effect(
    "canceling fails the stream that follows the task, and closing a stream cancels its task",
    Adk.onPython(() =>
      Effect.gen(function*() {
        let id: Id.TaskId | undefined
        const follow = Agent.stream("slow 5").pipe(
          Stream.runForEach((event) => Effect.sync(() => id ??= event._tag === "Task" ? event.id : undefined)),
          Adk.refusal
        )
        const fiber = yield* Effect.forkChild(follow, { startImmediately: true })
        yield* TestClock.adjust("1500 millis")
        yield* Agent.cancel(id!)
        assert.strictEqual((yield* Fiber.join(fiber))._tag, "TaskCanceledError")

        const [first] = yield* Agent.stream("slow 5").pipe(Stream.take(1), Stream.runCollect)
        const left = yield* Agent.getTask((first as Task.Task).id)
        assert.strictEqual(left.status.state, "canceled")
        assert.match(Task.statusText(left)!, /the agent may have gone on/)
      })
    ),
    covers("ADK-08")
  )

  it.effect(
    "a conversation keeps its session after a stream was abandoned",
    Adk.onPython(() =>
      Effect.gen(function*() {
        const conversation = yield* Conversation.make()
        yield* conversation.ask("state")
        yield* conversation.stream("slow 5").pipe(Stream.take(2), Stream.runDrain)
        const answer = yield* Adk.fastForward(conversation.ask("echo"))
        assert.strictEqual(JSON.parse(answer.text).state.topic, "lisbon")
        const { contextId, pending } = yield* conversation.state
        assert.deepStrictEqual([contextId, pending], [answer.contextId, undefined])
      })
    ),
    covers("ADK-08", "field:ADK-05")
  )
})

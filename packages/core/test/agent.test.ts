import * as Agent from "@effect-a2a/core/Agent"
import { AgentTransport } from "@effect-a2a/core/AgentTransport"
import * as Conversation from "@effect-a2a/core/Conversation"
import * as Id from "@effect-a2a/core/Id"
import * as Message from "@effect-a2a/core/Message"
import * as Timeouts from "@effect-a2a/core/Timeouts"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ExecutionPlan from "effect/ExecutionPlan"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { covers } from "../../../test/support/covers.ts"

/** A transport that answers every call with its name and the operation. */
const transport = (name: string) =>
  Layer.succeed(AgentTransport, {
    target: { url: "https://agent.test", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
    call: (operation) => Effect.succeed({ name, operation: operation._tag, configs: [] }) as never,
    stream: () => Stream.empty
  })

class First extends Agent.Tag<First>()("test/First") {}
class Second extends Agent.Tag<Second>()("test/Second") {}

const both = Layer.mergeAll(
  First.layer.pipe(Layer.provide(transport("first"))),
  Second.layer.pipe(Layer.provide(transport("second")))
)

const taskId = Id.TaskId.make("t-1")
const contextId = Id.ContextId.make("c-1")

describe("Agent.Tag", () => {
  it.effect("gives each agent of an application a layer and accessors", () =>
    Effect.gen(function*() {
      const names = Effect.map(Effect.all([First.card, Second.card]), (cards) => cards.map(({ name }) => name))
      assert.deepStrictEqual(yield* names, ["first", "second"])
    }).pipe(Effect.provide(both)), covers("SDK-03"))

  it.effect(
    "gives agents that are provided inside each other's scope each their own transport",
    () =>
      Effect.gen(function*() {
        const inner = Effect.provide(First.card, First.layer.pipe(Layer.provide(transport("inner"))))
        const outer = Effect.provide(
          Effect.all([Second.card, inner]),
          Second.layer.pipe(Layer.provide(transport("outer")))
        )
        assert.deepStrictEqual((yield* outer).map(({ name }) => name), ["outer", "inner"])
      }),
    covers("SDK-03")
  )

  it.effect(
    "uses the transport that is provided with it inside an application that has the same agent over another one",
    () =>
      Effect.gen(function*() {
        const inner = (name: string) => Layer.provide(Layer.merge(First.layer, Agent.layer), transport(name))
        const plan = ExecutionPlan.make({ provide: inner("planned") })
        const names = Effect.map(Effect.all([First.card, Agent.card]), (cards) => cards.map(({ name }) => name).join())
        const found = Effect.all([
          names,
          Effect.provide(names, inner("inner")),
          Effect.withExecutionPlan(names, plan),
          names
        ])
        assert.deepStrictEqual(
          yield* Effect.provide(found, inner("outer")),
          ["outer,outer", "inner,inner", "planned,planned", "outer,outer"]
        )
      }),
    covers("SDK-03")
  )

  it.effect("is accepted by Conversation.of", () =>
    Effect.gen(function*() {
      const byTag = yield* Conversation.of(First, { contextId })
      const byValue = yield* Conversation.of(yield* Second)
      assert.strictEqual((yield* byTag.state).contextId, contextId)
      assert.isUndefined((yield* byValue.state).contextId)
    }).pipe(Effect.provide(both)))
})

describe("Agent", () => {
  it.effect("has an accessor for each operation", () =>
    Effect.gen(function*() {
      const operations = yield* Effect.all([
        Agent.card,
        Agent.extendedCard,
        Agent.getTask(taskId),
        Agent.cancel(taskId),
        Agent.pushConfigs.get(taskId, "p-1"),
        Agent.pushConfigs.create({ taskId, url: "https://hook.test" })
      ])
      assert.deepStrictEqual(operations.map((one) => "operation" in one && one.operation), [
        "GetAgentCard",
        "GetExtendedAgentCard",
        "GetTask",
        "CancelTask",
        "GetTaskPushNotificationConfig",
        "CreateTaskPushNotificationConfig"
      ])
      assert.deepStrictEqual(yield* Agent.pushConfigs.list(taskId), [])
    }).pipe(Effect.provide(Agent.layer.pipe(Layer.provide(transport("only"))))))
})

describe("Agent.toRequest", () => {
  const place = (input: Message.Input, options: Agent.Options) =>
    Effect.map(Agent.toRequest(input, options), ({ message }) => [message.contextId, message.taskId])

  it.effect("continues the task of an answer unless it is terminal", () =>
    Effect.gen(function*() {
      const ids = { contextId, taskId }
      assert.deepStrictEqual(yield* place("go on", { after: { ...ids, state: "input-required" } }), [contextId, taskId])
      assert.deepStrictEqual(yield* place("go on", { after: { ...ids, state: "working" } }), [contextId, taskId])
      assert.deepStrictEqual(yield* place("go on", { after: { ...ids, state: "completed" } }), [contextId, undefined])
      assert.deepStrictEqual(yield* place("go on", { after: { ...ids, state: "message" } }), [contextId, undefined])
      assert.deepStrictEqual(yield* place("go on", { after: { state: "message" } }), [undefined, undefined])
    }))

  it.effect("prefers ids of the options, then those of the message, to those of the answer before", () =>
    Effect.gen(function*() {
      const after = { contextId, state: "input-required", taskId } as const
      const other = Id.ContextId.make("c-2")
      const message = yield* Message.user("hi", { contextId: other })
      assert.deepStrictEqual(yield* place("hi", { after, contextId: other }), [other, undefined])
      assert.deepStrictEqual(yield* place(message, { after }), [other, undefined])
      assert.deepStrictEqual(yield* place(message, { contextId }), [contextId, undefined])
      const task = Id.TaskId.make("t-2")
      assert.deepStrictEqual(yield* place("hi", { after, taskId: task }), [contextId, task])
    }))

  it.effect("leaves out options that are undefined", () =>
    Effect.gen(function*() {
      const messageId = Id.MessageId.make("m-1")
      const request = yield* Agent.toRequest("hi", {
        messageId,
        contextId: undefined,
        taskId: undefined,
        historyLength: undefined,
        metadata: undefined,
        messageMetadata: { from: "test" }
      })
      assert.deepStrictEqual(request, {
        message: {
          _tag: "Message",
          role: "user",
          parts: [{ _tag: "Text", text: "hi" }],
          metadata: { from: "test" },
          messageId
        }
      })
    }))

  it.effect("puts each option in its place", () =>
    Effect.gen(function*() {
      const { message, ...rest } = yield* Agent.toRequest("hi", {
        acceptedOutputModes: ["text/plain"],
        historyLength: 0,
        returnImmediately: false,
        extensions: ["https://ext.test"],
        referenceTaskIds: [taskId],
        metadata: { of: "request" }
      })
      assert.deepStrictEqual([message.extensions, message.referenceTaskIds], [["https://ext.test"], [taskId]])
      assert.deepStrictEqual(rest, {
        configuration: { acceptedOutputModes: ["text/plain"], historyLength: 0, returnImmediately: false },
        metadata: { of: "request" }
      })
    }))
})

describe("Agent.withTimeouts", () => {
  it.effect("limits effects and streams, and keeps the limits around it", () =>
    Effect.gen(function*() {
      const limits = Effect.map(Timeouts.CurrentTimeouts, ({ idle, response, total }) => [response, idle, total])
      const outer = Agent.withTimeouts(limits, { total: "1 hour", idle: "1 minute" })
      assert.deepStrictEqual(yield* outer, [undefined, "1 minute", "1 hour"])
      const nested = limits.pipe(Agent.withTimeouts({ idle: "2 minutes" }), Agent.withTimeouts({ total: "1 hour" }))
      assert.deepStrictEqual(yield* nested, [undefined, "2 minutes", "1 hour"])
      const stream = Stream.fromEffect(limits).pipe(Agent.withTimeouts({ response: "5 seconds" }))
      assert.deepStrictEqual(yield* Stream.runCollect(stream), [["5 seconds", undefined, undefined]])
    }))
})

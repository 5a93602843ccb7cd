import {
  type AgentError,
  AgentStream,
  AgentTransport,
  Credentials,
  type HttpBinding,
  Id,
  Message,
  Operation,
  Protocol,
  type Task
} from "@effect-a2a/core"
import { MemoryLake, MemoryLakeAnswer, TaskFeedback } from "@effect-a2a/memorylake"
import { JsonRpc } from "@effect-a2a/transport-jsonrpc"
import { Rest } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { covers } from "../../../../test/support/covers.ts"
import * as Wire from "../../../testing/src/Wire.ts"
import * as Refusals from "../../src/internal/memorylake/refusals.ts"
import * as MemoryLakeEmulator from "../../src/MemoryLakeEmulator.ts"

const bindings: Readonly<Record<string, HttpBinding.HttpBinding>> = { REST: Rest.binding, "JSON-RPC": JsonRpc.binding }
const question = "What is the capital of France?"

const send = (text: string, contextId?: Id.ContextId) =>
  Effect.gen(function*() {
    const agent = yield* AgentTransport.AgentTransport
    const message = yield* Message.user(text, contextId === undefined ? {} : { contextId })
    return (yield* agent.call(Operation.SendMessage, { message })) as Task.Task
  })

const stream = (text: string) =>
  Stream.unwrap(Effect.gen(function*() {
    const agent = yield* AgentTransport.AgentTransport
    return agent.stream(Operation.SendStreamingMessage, { message: yield* Message.user(text) })
  }))

const reasonOf = <A, R>(effect: Effect.Effect<A, AgentError.AgentError, R>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason)

const keys = [
  ["sk_invalid", "UNAUTHENTICATED"],
  ["sk_quota", "QUOTA_EXCEEDED"],
  ["sk_denied", "ACCESS_DENIED"],
  ["sk_limited", "RATE_LIMIT_EXCEEDED"],
  [Refusals.keyWithoutActor, "STATE_NOT_READY"]
] as const

for (const [name, binding] of Object.entries(bindings)) {
  for (const protocol of [Protocol.v1_0, Protocol.v0_3]) {
    const config = { ...MemoryLakeEmulator.address("http://lake.test"), protocol }
    const lake = (key: string) =>
      MemoryLake.layer({ ...config, binding }).pipe(
        Layer.provideMerge(Layer.mergeAll(
          Wire.layerHttp(MemoryLakeEmulator.routes),
          Credentials.layerBearer(Redacted.make(key))
        ))
      )

    describe(`the emulator in ${protocol.version} over ${name}`, () => {
      it.effect("answers the documented question, sent and streamed", () =>
        Effect.gen(function*() {
          const task = yield* send(question)
          assert.match(task.id, /^run-[0-9a-f]{32}$/)
          assert.strictEqual(MemoryLakeAnswer.fromTask(task)?.text, "Paris is the capital of France.")
          const steps = yield* Stream.runCollect(AgentStream.steps(stream(question)))
          assert.deepStrictEqual(steps.map(({ _tag }) => _tag), [
            "State",
            "State",
            "Text",
            "ToolCall",
            "ToolResult",
            "Text",
            "Text",
            "Data",
            "State",
            "Answer"
          ])
        }).pipe(Effect.provide(lake("sk_demo"))), covers("ML-19", "ML-21"))

      it.effect("gets, subscribes and cancels", () =>
        Effect.gen(function*() {
          const agent = yield* AgentTransport.AgentTransport
          const { id } = yield* send(question)
          const got = yield* agent.call(Operation.GetTask, { id })
          assert.isUndefined(got.artifacts)
          assert.strictEqual(got.status.timestamp === undefined, name === "REST" && protocol.version === "0.3")
          const replayed = yield* Stream.runCollect(agent.stream(Operation.SubscribeToTask, { id }))
          assert.strictEqual(replayed[0]?._tag, "StatusUpdate")
          assert.strictEqual(replayed.length, 8)
          assert.strictEqual((yield* reasonOf(agent.call(Operation.CancelTask, { id })))._tag, "TaskNotCancelableError")
          const failed = yield* send("please fail")
          assert.strictEqual(
            (yield* reasonOf(Stream.runDrain(agent.stream(Operation.SubscribeToTask, { id: failed.id }))))._tag,
            "UnsupportedOperationError"
          )
        }).pipe(Effect.provide(lake("sk_demo"))), covers("ML-20", "ML-27", "ML-28", "ML-29"))

      it.effect("refuses sends and streams with each code on request", () =>
        Effect.gen(function*() {
          for (const code of Refusals.codes) {
            assert.strictEqual((yield* reasonOf(send(`refuse with ${code}`))).code, code)
            assert.strictEqual((yield* reasonOf(Stream.runDrain(stream(`refuse with ${code}`)))).code, code)
          }
          const { message } = yield* reasonOf(send("hi", Id.ContextId.make(Refusals.foreignContext)))
          assert.include(message, `(context ${Refusals.foreignContext}, agent agent-demo)`)
        }).pipe(Effect.provide(lake("sk_demo"))), covers("ML-33", "ML-35"))

      // authentication is above the dialects: one key in each combination, all in the first
      const isFirst = binding === Rest.binding && protocol === Protocol.v1_0
      for (const [key, code] of isFirst ? keys : keys.slice(0, 1)) {
        it.effect(`refuses the key ${key} with ${code}`, () =>
          Effect.gen(function*() {
            const reason = yield* reasonOf(send("hi"))
            assert.strictEqual(reason.code, code)
            assert.strictEqual(reason.retryAfter !== undefined, code === "RATE_LIMIT_EXCEEDED")
          }).pipe(Effect.provide(lake(key))), covers("ML-33", "ML-36"))
      }

      it.effect("returns a rating to those who ask for it", () =>
        Effect.gen(function*() {
          const agent = yield* AgentTransport.AgentTransport
          const { id } = yield* send(question)
          yield* TaskFeedback.send({ ...config, taskId: id, rating: "up" })
          const get = agent.call(Operation.GetTask, { id })
          assert.isUndefined(TaskFeedback.fromTask(yield* get))
          assert.deepStrictEqual(TaskFeedback.fromTask(yield* TaskFeedback.withFeedback(get)), { rating: "up" })
        }).pipe(Effect.provide(lake("sk_demo"))), covers("ML-31"))
    })
  }
}

import { Agent, HttpBinding, Part } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as process from "node:process"
import { covers } from "../support/covers.ts"
import { event, frame, inEach, rest, result } from "../support/peer.ts"
import * as Support from "./support.ts"

const { agent, say, status, task, taskId, through } = Support
const { eventStream, peer, taskResponse } = through()

const deep = (levels: number) => `${"{\"a\":".repeat(levels)}1${"}".repeat(levels)}`

describe("sizes", () => {
  it.effect("a line that never ends is too large, and its connection is closed", () =>
    Effect.gen(function*() {
      let pulls = 0
      let isClosed = false
      const { layer } = peer([() =>
        new Response(
          new ReadableStream<Uint8Array>({
            start: (controller) => controller.enqueue(new TextEncoder().encode("data: ")),
            pull: (controller) => {
              pulls++
              controller.enqueue(new Uint8Array(1024).fill(120))
            },
            cancel: () => void (isClosed = true)
          }, { highWaterMark: 0 }) as BodyInit,
          { headers: { "content-type": "text/event-stream" } }
        )])
      const limited = Effect.updateService(
        HttpBinding.CurrentLimits,
        (limits) => ({ ...limits, maxEventSize: 65_536 })
      )
      const { end } = yield* Effect.scoped(
        limited(Effect.flatMap(Layer.build(agent(layer)), (context) => Effect.provide(Support.stream, context)))
      )
      assert.isTrue(end !== "success" && end.reason._tag === "ResponseTooLargeError")
      assert.isTrue(isClosed)
      assert.isAtMost(pulls, 100)
    }), covers("field:MEM-01", "attack:S2-38"))

  it.effect("an event of 3 MiB and a response of 20 MiB are accepted", () =>
    Effect.gen(function*() {
      const large = peer([
        eventStream([task("working"), say("x".repeat(3 << 20)), status("completed")])
      ])
      const { end, text } = yield* Support.stream.pipe(Effect.provide(agent(large.layer)))
      assert.deepStrictEqual([end, text.length], ["success", 3 << 20])
      const text20 = "y".repeat(20 << 20)
      const unary = peer([
        taskResponse("completed", { artifacts: [{ artifactId: "a", parts: [{ text: text20 }] }] })
      ])
      const answer = yield* Agent.getTask(taskId).pipe(Effect.provide(agent(unary.layer)))
      assert.isTrue(
        answer.artifacts?.[0]?.parts[0]?._tag === "Text" && answer.artifacts[0].parts[0].text.length === 20 << 20
      )
    }), covers("field:MEM-02"))

  it.effect("a response beyond the limit is too large", () =>
    Effect.gen(function*() {
      const { layer } = peer([
        () => new Response("x".repeat(10_001), { headers: { "content-type": "application/json" } })
      ])
      const limited = Effect.updateService(
        HttpBinding.CurrentLimits,
        (limits) => ({ ...limits, maxResponseSize: 10_000 })
      )
      const { reason } = yield* Effect.scoped(
        limited(
          Effect.flatMap(Layer.build(agent(layer)), (context) =>
            Effect.provide(Effect.flip(Agent.getTask(taskId)), context))
        )
      )
      assert.strictEqual(reason._tag, "ResponseTooLargeError")
    }), covers("field:MEM-01", "attack:S2-38"))

  it.effect(
    "the work for an event is in proportion to its size, however small its chunks",
    () =>
      Effect.gen(function*() {
        const time = (size: number) =>
          Effect.gen(function*() {
            const { layer } = peer([(asked) => {
              const bytes = new TextEncoder().encode(
                frame(event(rest, asked, say("x".repeat(size)))) +
                  frame(event(rest, asked, status("completed")))
              )
              let at = 0
              const body = new ReadableStream<Uint8Array>({
                pull: (controller) => {
                  if (at >= bytes.length) return controller.close()
                  controller.enqueue(bytes.subarray(at, at += 256))
                }
              }, { highWaterMark: 64 })
              return new Response(body as BodyInit, { headers: { "content-type": "text/event-stream" } })
            }])
            const begun = process.cpuUsage()
            const { end } = yield* Support.stream.pipe(Effect.provide(agent(layer)))
            assert.strictEqual(end, "success")
            const { system, user } = process.cpuUsage(begun)
            return (system + user) / 1000
          })
        const least = (size: number) =>
          Effect.map(Effect.forEach([1, 2, 3], () => time(size)), (times) => Math.min(...times))
        yield* least(1 << 18)
        const small = yield* least(1 << 19)
        const large = yield* least(1 << 22)
        // eight times the size; quadratic work would take sixty-four times as long
        assert.isBelow(large, 30 * small + 50)
      }),
    covers("field:MEM-04", "attack:S2-39")
  )

  it.effect("JSON that is nested too deeply is refused, received and sent", () =>
    inEach((combination) =>
      Effect.gen(function*() {
        const { peer } = through(combination)
        const { asked, layer } = peer([
          (asked) =>
            new Response(frame(result(combination, asked, JSON.parse("{}")).replace("{}", deep(50_000))), {
              headers: { "content-type": "text/event-stream" }
            })
        ])
        const { end } = yield* Support.stream.pipe(Effect.provide(agent(layer)))
        assert.isTrue(
          end !== "success" && end.reason._tag === "MalformedResponseError" ||
            end !== "success" && end.reason._tag === "StreamInterruptedError"
        )
        const sent = asked.length
        const metadata = JSON.parse(deep(50_000))
        for (
          const message of [
            Agent.send("hi", { metadata }),
            Agent.send("hi", { messageMetadata: metadata }),
            Agent.send([Part.data(metadata)])
          ]
        ) {
          const { reason } = yield* Effect.flip(message).pipe(Effect.provide(agent(layer)))
          assert.strictEqual(reason._tag, "InvalidRequestError")
          assert.isBelow(reason.message.length, 2_000)
        }
        assert.strictEqual(asked.length, sent)
      })
    ))
})

import { Agent, HttpBinding, Part } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as process from "node:process"
import { combinations, event, frame, result } from "../support/peer.ts"
import * as Support from "./support.ts"

const { agent, eventStream, peer, say, status, task, taskId } = Support

const deep = (levels: number) => `${"{\"a\":".repeat(levels)}1${"}".repeat(levels)}`

for (const combination of combinations) {
  describe(`bounds, ${combination.name}`, () => {
    it.effect("MEM-01: a line that never ends is too large, and its connection is closed", () =>
      Effect.gen(function*() {
        let pulls = 0
        let isClosed = false
        const { layer } = peer(combination, [() =>
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
          limited(Effect.flatMap(Layer.build(agent(layer)), (context) => Effect.provide(Support.heard, context)))
        )
        assert.isTrue(end !== "success" && end.reason._tag === "ResponseTooLargeError")
        assert.isTrue(isClosed)
        assert.isAtMost(pulls, 100)
      }))

    it.effect("MEM-02: an event of 3 MiB and an answer of 20 MiB are honest", () =>
      Effect.gen(function*() {
        const large = peer(combination, [
          eventStream(combination, [task("working"), say("x".repeat(3 << 20)), status("completed")])
        ])
        const { end, text } = yield* Support.heard.pipe(Effect.provide(agent(large.layer)))
        assert.deepStrictEqual([end, text.length], ["success", 3 << 20])
        const text20 = "y".repeat(20 << 20)
        const isKind = combination.protocol.version === "0.3" && combination.binding === "JSONRPC"
        const json = {
          ...(isKind ? { kind: "task" } : undefined),
          id: "t-1",
          contextId: "c-1",
          status: { state: isKind ? "completed" : "TASK_STATE_COMPLETED" },
          artifacts: [{ artifactId: "a", parts: [{ ...(isKind ? { kind: "text" } : undefined), text: text20 }] }]
        }
        const unary = peer(combination, [Support.taskAnswer(combination, json)])
        const answer = yield* Agent.getTask(taskId).pipe(Effect.provide(agent(unary.layer)))
        assert.isTrue(
          answer.artifacts?.[0]?.parts[0]?._tag === "Text" && answer.artifacts[0].parts[0].text.length === 20 << 20
        )
      }))

    it.effect("MEM-04: the time of an event grows with its size, however small its chunks", () =>
      Effect.gen(function*() {
        const time = (size: number) =>
          Effect.gen(function*() {
            const { layer } = peer(combination, [(asked) => {
              const bytes = new TextEncoder().encode(
                frame(event(combination, asked, say("x".repeat(size)))) +
                  frame(event(combination, asked, status("completed")))
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
            const { end } = yield* Support.heard.pipe(Effect.provide(agent(layer)))
            assert.strictEqual(end, "success")
            const { system, user } = process.cpuUsage(begun)
            return (system + user) / 1000
          })
        const least = (size: number) =>
          Effect.map(Effect.forEach([1, 2, 3], () => time(size)), (times) => Math.min(...times))
        yield* least(1 << 18)
        const small = yield* least(1 << 19)
        const large = yield* least(1 << 21)
        // four times the size; quadratic would be sixteen
        assert.isBelow(large, 10 * small + 50)
      }))

    it.effect("what is nested too deeply is refused as such, on its way in and out, and breaks nothing", () =>
      Effect.gen(function*() {
        const { asked, layer } = peer(combination, [
          (asked) =>
            new Response(frame(result(combination, asked, JSON.parse("{}")).replace("{}", deep(200_000))), {
              headers: { "content-type": "text/event-stream" }
            })
        ])
        const { end } = yield* Support.heard.pipe(Effect.provide(agent(layer)))
        assert.isTrue(
          end !== "success" && end.reason._tag === "MalformedResponseError" ||
            end !== "success" && end.reason._tag === "StreamInterruptedError"
        )
        const sent = asked.length
        const metadata = JSON.parse(deep(200_000))
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
      }))
  })
}

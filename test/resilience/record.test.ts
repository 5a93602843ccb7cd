/** What a recorded transport reports. */
import { Agent, AgentTransport, Operation } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { inEach, sendJson } from "../support/peer.ts"
import * as Support from "./support.ts"

const { agent, refusal, status, task, taskId, through } = Support

const recorder = () => {
  const entries: Array<AgentTransport.Entry> = []
  return { entries, record: AgentTransport.record((entry) => Effect.sync(() => void entries.push(entry))) }
}

const summary = ({ _tag, call, operation }: AgentTransport.Entry) => `${call} ${operation} ${_tag}`

describe("a recorded transport", () => {
  it.effect("reports requests, results and failures in order", () =>
    inEach((combination) =>
      Effect.gen(function*() {
        const { eventStream, json, peer } = through(combination)
        const { layer } = peer([
          json(sendJson(combination, "completed")),
          eventStream([task("working"), status("completed")]),
          refusal(503)
        ])
        const { entries, record } = recorder()
        const program = Effect.gen(function*() {
          yield* Agent.send("hi")
          yield* Stream.runDrain(Agent.stream("again"))
          return yield* Effect.flip(Agent.getTask(taskId))
        })
        const error = yield* program.pipe(Effect.provide(agent(record(layer))))
        assert.deepStrictEqual(entries.map(summary), [
          "1 SendMessage Request",
          "1 SendMessage Result",
          "2 SendStreamingMessage Request",
          "2 SendStreamingMessage Result",
          "2 SendStreamingMessage Result",
          "3 GetTask Request",
          "3 GetTask Failure"
        ])
        const [first, result] = entries
        assert.deepInclude(first?._tag === "Request" && "message" in first.request && first.request.message.parts[0], {
          text: "hi"
        })
        assert.deepInclude(result?._tag === "Result" && result.result, { _tag: "Task", id: taskId })
        const last = entries.at(-1)
        assert.strictEqual(last?._tag === "Failure" && last.error, error)
      })
    ))

  it.effect("reports each attempt under retry, and one call over it", () =>
    Effect.gen(function*() {
      const { layer } = through().peer([refusal(503), refusal(503), through().taskResponse("completed")])
      const [below, above] = [recorder(), recorder()]
      const transport = layer.pipe(below.record, AgentTransport.retry(AgentTransport.backoff(3)), above.record)
      yield* Support.fastForward(Agent.getTask(taskId).pipe(Effect.provide(agent(transport))))
      assert.deepStrictEqual(below.entries.map(({ _tag, call }) => `${call} ${_tag}`), [
        "1 Request",
        "1 Failure",
        "2 Request",
        "2 Failure",
        "3 Request",
        "3 Result"
      ])
      assert.deepStrictEqual(above.entries.map(summary), ["1 GetTask Request", "1 GetTask Result"])
    }))

  it.effect("may be a value, and reports before the caller gets the result", () =>
    Effect.gen(function*() {
      const target = { url: "https://agent.test", protocolBinding: "in-process", protocolVersion: "1.0" }
      const { entries, record } = recorder()
      const transport = record(AgentTransport.fromHandlers(target, {
        SubscribeToTask: () => Stream.make(task("working"), status("completed"))
      }))
      const seen: Array<number> = []
      yield* Stream.runForEach(
        transport.stream(Operation.SubscribeToTask, { id: taskId }),
        () => Effect.sync(() => void seen.push(entries.length))
      )
      assert.deepStrictEqual(seen.length, 2)
      assert.isAtLeast(seen[0]!, 2)
      assert.deepStrictEqual(entries.length, 3)
    }))
})

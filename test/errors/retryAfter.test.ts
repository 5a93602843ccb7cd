/** A wait of any length is a number when it is read, and when a gateway writes it again. */
import * as Agent from "@effect-a2a/core/Agent"
import * as AgentError from "@effect-a2a/core/AgentError"
import * as Id from "@effect-a2a/core/Id"
import * as Protocol from "@effect-a2a/core/Protocol"
import * as ServerHandler from "@effect-a2a/core/ServerHandler"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { covers } from "../support/covers.ts"
import { combinations, talkTo } from "../support/peer.ts"

const read = (header: string) =>
  Effect.forEach(combinations, (combination) => {
    const { layer } = talkTo(combination, () => new Response("", { status: 429, headers: { "retry-after": header } }))
    return Effect.map(
      Effect.flip(Effect.provide(Agent.getTask(Id.TaskId.make("t-1")), Agent.layer.pipe(Layer.provide(layer)))),
      ({ retryAfter }) => retryAfter
    )
  })

describe("a wait", covers("attack:S2-35"), () => {
  const year = 365 * 24 * 3600
  const headers = [
    ["9".repeat(400), year],
    [`${"0".repeat(500)}1`, 1],
    [String(year), year],
    [String(year + 1), year],
    ["Fri, 31 Dec 9999 23:59:59 GMT", year],
    ["1e400", undefined],
    ["Fri, 31 Dec 275760 23:59:59 GMT", undefined]
  ] as const
  for (const [header, seconds] of headers) {
    it.effect(`of ${header.slice(0, 20)} is ${seconds === undefined ? "unknown" : `${seconds} seconds`}`, () =>
      Effect.gen(function*() {
        for (const wait of yield* read(header)) assert.strictEqual(wait && Duration.toSeconds(wait), seconds)
      }))
  }

  for (const wait of [Duration.infinity, Duration.days(1e9), Duration.millis(Number.MAX_VALUE), Duration.millis(1)]) {
    it(`is written as a number: ${String(wait).slice(0, 40)}`, () => {
      const reason = AgentError.reason("RateLimitError", { message: "later", retryAfter: wait })
      const problem = AgentError.toProblemDetails(new AgentError.AgentError({ operation: "GetTask", reason }))
      assert.match(JSON.stringify(problem), /"retryAfter":\d{1,8}[,}]/)
      const failure = ServerHandler.fromReason(reason)
      assert.match(ServerHandler.toHeaders(failure)["retry-after"] ?? "", /^\d{1,8}$/)
      for (const protocol of [Protocol.v1_0, Protocol.v0_3]) {
        const words = JSON.stringify([protocol.http.failure.encode(failure), protocol.jsonRpc.failure.encode(failure)])
        assert.match(words, /"retryDelay":"[\d.]{1,12}s"/)
        assert.notInclude(words, "Infinity")
      }
    })
  }
})

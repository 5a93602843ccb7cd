/** Refusals and failures. */
import { AdkClient, type AdkError, AdkEvent, type AdkRun } from "@effect-a2a/transport-adk"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { covers } from "../../../support/covers.ts"
import { type Context, refusal, saying, session, texts } from "./context.ts"

/** Runs without and with a stream. */
const ways = (request: AdkRun.RunRequest) =>
  Effect.map(AdkClient.AdkClient, (client) => [client.run(request), Stream.runDrain(client.runSse(request))])

const reasonOf = <T extends AdkError.AdkErrorReason["_tag"]>(reason: AdkError.AdkErrorReason, tag: T) => {
  assert.strictEqual(reason._tag, tag)
  return reason as Extract<AdkError.AdkErrorReason, { readonly _tag: T }>
}

export const errors = ({ differs, it }: Context): void => {
  it.effect("a missing session and a missing application are reported as such", () =>
    Effect.gen(function*() {
      const client = yield* AdkClient.AdkClient
      const key = yield* session
      for (const way of yield* ways({ ...key, sessionId: "gone", ...saying("hello") })) {
        const reason = reasonOf((yield* Effect.flip(way)).reason, "SessionNotFoundError")
        assert.strictEqual(reason.message, "Session not found: gone")
        assert.deepStrictEqual([reason.status, reason.appName, reason.sessionId], [404, "scripted", "gone"])
      }
      for (const way of yield* ways({ ...key, appName: "nope", ...saying("hello") })) {
        assert.strictEqual(yield* refusal(way), differs.unknownApp)
      }
      // the server creates a session for a missing application, and the run fails
      const { id } = yield* client.createSession({ appName: "nope", userId: key.userId })
      const nowhere = { appName: "nope", userId: key.userId, sessionId: id, ...saying("hello") }
      assert.strictEqual(yield* refusal(client.run(nowhere)), "AppNotFoundError")
      assert.strictEqual(yield* refusal(Stream.runDrain(client.runSse(nowhere))), differs.unknownAppStream)
      const reason = yield* refusal(client.run({ ...nowhere, appName: "__nope" }))
      assert.strictEqual(reason, differs.specialApp)
    }), covers("ADK-06"))

  it.effect("an agent that throws reports its earlier text and the exception's message", () =>
    Effect.gen(function*() {
      const client = yield* AdkClient.AdkClient
      const key = yield* session
      const run = yield* Effect.flip(client.run({ ...key, ...saying("throw") }))
      const failed = reasonOf(run.reason, "AgentFailedError")
      assert.strictEqual(failed.message, differs.runThrew)
      assert.deepStrictEqual(texts(failed.events), differs.runSaid)
      const said: Array<string> = []
      const stream = yield* client.runSse({ ...key, ...saying("throw") }).pipe(
        Stream.runForEach((event) => Effect.sync(() => said.push(AdkEvent.text(event)))),
        Effect.flip
      )
      const broken = reasonOf(stream.reason, "StreamError")
      assert.deepStrictEqual([broken.message, broken.type], [differs.streamThrew, differs.streamType])
      assert.deepStrictEqual(said, ["Well, no."])
      for (const way of yield* ways({ ...key, ...saying("throwfirst") })) {
        assert.include(["AgentFailedError", "StreamError"], yield* refusal(way))
      }
      // the earlier text is in the session, which remains usable
      assert.include(texts((yield* client.getSession(key)).events ?? []), "Well, no.")
      assert.deepStrictEqual(texts(yield* client.run({ ...key, ...saying("hello") })), ["Hello, world"])
    }), covers("ADK-06"))
}

import * as Credentials from "@effect-a2a/core/Credentials"
import { AdkClient, AdkContent, type AdkError } from "@effect-a2a/transport-adk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as Stream from "effect/Stream"
import { covers } from "../../../test/support/covers.ts"

const run = { userId: "u", sessionId: "s", newMessage: AdkContent.user(AdkContent.text("Book a table")) }

const programs: Readonly<
  Record<string, (client: AdkClient.AdkClient["Service"]) => Effect.Effect<unknown, AdkError.AdkError>>
> = {
  run: (client) => client.run(run),
  runSse: (client) => Stream.runDrain(client.runSse(run)),
  openSse: (client) => Effect.scoped(client.openSse(run))
}

describe("a run whose connection fails", () => {
  for (const [name, program] of Object.entries(programs)) {
    it.effect(`is repeated only if the server cannot have begun it: ${name}`, () =>
      Effect.gen(function*() {
        for (
          const [code, delivery, requests] of [
            ["ECONNRESET", "unknown", 1],
            ["UND_ERR_SOCKET", "unknown", 1],
            ["ECONNREFUSED", "not-sent", 3]
          ] as const
        ) {
          let asked = 0
          const http = HttpClient.make((request) => {
            asked += 1
            const cause = Object.assign(new Error(code), { code })
            const reason = new HttpClientError.TransportError({ request, cause })
            return Effect.fail(new HttpClientError.HttpClientError({ reason }))
          })
          const client = yield* AdkClient.make({ url: "http://adk.test", appName: "app" }).pipe(
            Effect.provideService(HttpClient.HttpClient, http),
            Effect.provide(Credentials.layerNone)
          )
          const { reason } = yield* program(client).pipe(
            Effect.retry({ times: 2, while: (error) => error.isRetryable }),
            Effect.flip
          )
          assert.deepInclude(reason, { _tag: "ConnectionError", delivery, isRetryable: delivery === "not-sent" })
          assert.strictEqual(asked, requests)
        }
      }), covers("field:N2-38"))
  }
})

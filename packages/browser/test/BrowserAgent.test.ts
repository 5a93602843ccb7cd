import { BrowserAgent } from "@effect-a2a/browser"
import { Agent, Credentials } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { covers } from "../../../test/support/covers.ts"

const answer = { task: { id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_COMPLETED" } } }

describe("BrowserAgent", () => {
  it.effect("sends by fetch, with no headers but the protocol's and the credentials", () =>
    Effect.gen(function*() {
      const requests: Array<Request> = []
      const fetch: typeof globalThis.fetch = (input, init) => {
        requests.push(new Request(input, init))
        return Promise.resolve(Response.json(answer))
      }
      const layer = BrowserAgent.layer({ url: "https://agent.test/a2a" }).pipe(
        Layer.provide(Credentials.layerBearer(Redacted.make("secret")))
      )
      const { state } = yield* Agent.ask("Hi").pipe(
        Effect.provide(layer),
        Effect.provideService(FetchHttpClient.Fetch, fetch)
      )
      assert.strictEqual(state, "completed")
      assert.deepStrictEqual([...requests[0]!.headers.keys()], [
        "a2a-version",
        "accept",
        "authorization",
        "content-type"
      ])
    }), covers("SDK-05", "field:BRW-05"))
})

import { BrowserAgent, Page } from "@effect-a2a/browser"
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

  const origin = (origin: string | undefined) => Effect.provideService(Page.CurrentOrigin, origin)

  /** Answers cards with a relative interface, all else as done, and records the URLs. */
  const recording = () => {
    const urls: Array<string> = []
    const fetch: typeof globalThis.fetch = (input, init) => {
      const { url } = new Request(input, init)
      urls.push(url)
      return Promise.resolve(Response.json(
        url.includes(".well-known")
          ? {
            name: "x",
            supportedInterfaces: [{ url: "/api/rpc", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }]
          }
          : answer
      ))
    }
    return { urls, provide: Effect.provideService(FetchHttpClient.Fetch, fetch) }
  }
  const ask = (options: BrowserAgent.Options | BrowserAgent.DiscoveryOptions) =>
    Agent.ask("Hi").pipe(Effect.provide(BrowserAgent.layer(options).pipe(Layer.provide(Credentials.layerNone))))

  it.effect(
    "completes a path by the origin of the page, for an interface and for a card",
    () =>
      Effect.gen(function*() {
        const { provide, urls } = recording()
        const cases = [
          [{ url: "/api/a2a" }, ["https://page.test/api/a2a/message:send"]],
          [{ url: "/api/a2a?v=1" }, ["https://page.test/api/a2a/message:send?v=1"]],
          [{ url: "/" }, ["https://page.test/message:send"]],
          [{ url: "/\t/evil.test/a2a" }, ["https://page.test//evil.test/a2a/message:send"]],
          [{ agent: "/api" }, [
            "https://page.test/api/.well-known/agent-card.json",
            "https://page.test/api/rpc/message:send"
          ]]
        ] as const
        for (const [options, expected] of cases) {
          yield* ask(options).pipe(provide, origin("https://page.test"))
          assert.deepStrictEqual<ReadonlyArray<string>>(urls.splice(0), expected)
        }
      }),
    covers("field:N2-24")
  )

  it.effect("takes nothing else for a path", () =>
    Effect.gen(function*() {
      const { provide, urls } = recording()
      const cases = [
        ["//evil.test/a2a", "did you mean \"https://evil.test/a2a\"?"],
        ["/\\evil.test/a2a", "did you mean \"https://evil.test/a2a\"?"],
        ["api/a2a", "did you mean \"https://api/a2a\"?"],
        ["", "is not an absolute http(s) URL"]
      ] as const
      for (const [url, words] of cases) {
        for (const options of [{ url }, { agent: url }]) {
          const error = yield* Effect.flip(ask(options)).pipe(provide, origin("https://page.test"))
          assert.strictEqual(error.code, "INVALID_REQUEST")
          assert.include(error.message, words)
        }
      }
      assert.deepStrictEqual(urls, [])
    }), covers("field:N2-24"))

  it.effect("says what to do with a path where there is no page", () =>
    Effect.gen(function*() {
      for (const options of [{ url: "/api/a2a?key=k" }, { agent: "/api/a2a?key=k" }]) {
        const error = yield* Effect.flip(ask(options))
        assert.strictEqual(error.reason._tag, "InvalidRequestError")
        assert.strictEqual(
          error.reason.message,
          "\"/api/a2a\" is a path of the page's origin, and there is no page here: use an absolute http(s) URL"
        )
      }
    }), covers("field:N2-24"))
})

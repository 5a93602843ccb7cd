import { Agent, AgentError, ClientProtocol, Connector, Credentials, Discovery, Id } from "@effect-a2a/core"
import { Rest } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted, Schedule, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { covers } from "../support/covers.ts"
import { inEach, isRpc, rest, talkTo } from "../support/peer.ts"
import { respond } from "../support/respond.ts"

const login = `<!doctype html>\r\n<html>\n\t<title>Sign\u0000 in\u001b[2J\u202e</title>${"x".repeat(5000)}`
const page = (body: string = login, headers: Record<string, string> = {}) =>
  new Response(body, { headers: { "content-type": "Text/HTML; charset=utf-8", ...headers } })

const getTask = Agent.getTask(Id.TaskId.make("t-1"))
const stream = Stream.runDrain(Agent.stream("hi"))

const malformed = <A>(
  self: Effect.Effect<A, AgentError.AgentError, Agent.Agent>,
  layer: Layer.Layer<Agent.Agent, AgentError.AgentError>
) =>
  Effect.map(Effect.flip(Effect.provide(self, layer)), ({ reason }) => {
    if (reason._tag !== "MalformedResponseError") return assert.fail(reason._tag)
    return reason
  })

describe("a page in place of a response", () => {
  it.effect(
    "is reported with URL, status, content type and its beginning, for calls and streams",
    () =>
      inEach((one) =>
        Effect.gen(function*() {
          const { layer } = talkTo(one, () => page(), { url: "https://agent.test/a2a?key=s3cr3t" })
          const agent = Layer.provide(Agent.layer, layer)
          const [path, streamPath] = isRpc(one)
            ? ["/a2a", "/a2a"]
            : [
              `/a2a${one.protocol.rest.prefix ?? ""}/tasks/t-1`,
              `/a2a${one.protocol.rest.prefix ?? ""}/message:stream`
            ]
          for (
            const [call, from, expected] of [[getTask, path, "JSON"], [stream, streamPath, "an event stream"]] as const
          ) {
            const reason = yield* malformed(call, agent)
            assert.strictEqual(reason.url, `https://agent.test${from}`)
            assert.deepStrictEqual([reason.status, reason.contentType], [200, "text/html"])
            assert.match(reason.snippet ?? "", /^<!doctype html> <html> <title>Sign in \[2J <\/title>x+…$/)
            assert.isBelow(reason.message.length, 400)
            assert.strictEqual(
              reason.message,
              `expected ${expected}, got text/html (HTTP 200) from https://agent.test${from}: ${reason.snippet}`
            )
            assert.notMatch(reason.message, /[\p{Cc}\p{Cf}]/u)
            const json = yield* Schema.encodeEffect(Schema.toCodecJson(AgentError.AgentErrorReason))(reason)
            assert.deepInclude(json, {
              url: reason.url,
              status: 200,
              contentType: "text/html",
              snippet: reason.snippet
            })
            assert.notInclude(JSON.stringify(json), "s3cr3t")
          }
        })
      ),
    covers("field:N2-42")
  )

  it.effect("is quoted without the credentials that it repeats", () =>
    Effect.gen(function*() {
      const { layer } = talkTo(rest, () => page("<p>tok3n is unknown</p>"), {
        credentials: Credentials.layerBearer(Redacted.make("tok3n"))
      })
      const { message } = yield* malformed(getTask, Layer.provide(Agent.layer, layer))
      assert.match(message, /: <p><redacted> is unknown<\/p>$/)
    }), covers("field:N2-42"))

  it.effect(
    "is reported if it claims to be an event stream, at once and without credentials",
    () =>
      inEach((one) =>
        Effect.gen(function*() {
          const endless = (text: string) =>
            new Response(
              new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(text)) }),
              { headers: { "content-type": "text/event-stream" } }
            )
          const bodies = ["<html>tok3n is unknown</html>", "\n  <!doctype html><p>tok3n", "data: tok3n expired\n\n"]
          for (const body of bodies) {
            const { layer } = talkTo(one, () => endless(body), {
              credentials: Credentials.layerBearer(Redacted.make("tok3n"))
            })
            for (const call of [stream, getTask]) {
              const reason = yield* malformed(call, Layer.provide(Agent.layer, layer))
              assert.deepStrictEqual([reason.status, reason.contentType], [200, "text/event-stream"])
              assert.match(reason.url ?? "", /^https:\/\/agent.test\/a2a/)
              assert.notInclude(JSON.stringify(reason), "tok3n")
              if (call === stream) assert.include(reason.message, "<redacted>")
            }
          }
        })
      ),
    covers("field:N2-42")
  )

  it.effect("is not reached by a redirect to what is not a URL, whose query is left out", () =>
    Effect.gen(function*() {
      for (const location of ["http://[?token=s3cr3t", "javascript:alert(1)?s3cr3t", "https://u:s3cr3t@:x/"]) {
        const { layer } = talkTo(rest, () => new Response(null, { status: 302, headers: { location } }))
        const { reason } = yield* Effect.flip(Effect.provide(getTask, Layer.provide(Agent.layer, layer)))
        assert.strictEqual(reason._tag, "ConnectionError")
        assert.match(reason.message, /^the agent redirects to an invalid URL: (?!null)/)
        assert.notInclude(reason.message, "s3cr3t")
      }
    }), covers("field:N2-42"))

  it.effect("is named after a redirect by the URL that sent it", () =>
    Effect.gen(function*() {
      const { layer } = talkTo(rest, ({ url }) =>
        url.includes("/login")
          ? page()
          : new Response(null, { status: 302, headers: { location: "/login?next=%2Fa2a" } }))
      const { message, url } = yield* malformed(getTask, Layer.provide(Agent.layer, layer))
      assert.strictEqual(url, "https://agent.test/login")
      assert.include(message, "(HTTP 200) from https://agent.test/login: ")
    }), covers("field:N2-42"))

  it.effect("is reported by a card, too", () =>
    Effect.gen(function*() {
      const { layer } = respond(() => page())
      const error = yield* Effect.flip(Discovery.card("https://agent.test")).pipe(
        Effect.provide([layer, Credentials.layerNone])
      )
      assert.match(
        error.reason.message,
        /^expected an agent card, got text\/html \(HTTP 200\) from https:\/\/agent.test\/.well-known\/agent-card.json: <!doc/
      )
    }), covers("field:N2-42"))

  it.effect("may be empty, and of any content type or none", () =>
    Effect.gen(function*() {
      const cases = [
        [new Response("", { headers: { "content-type": "text/html" } }), "got text/html (HTTP 200)"],
        [new Response(new Blob(["hello"])), "got no content type (HTTP 200)"],
        [new Response("hello", { status: 203 }), "got text/plain (HTTP 203)"]
      ] as const
      for (const [response, words] of cases) {
        const { layer } = talkTo(rest, () => response)
        const reason = yield* malformed(stream, Layer.provide(Agent.layer, layer))
        assert.include(reason.message, words)
      }
    }), covers("field:N2-42"))
})

describe("a response in another form", () => {
  it.effect("is reported with the place that sent it", () =>
    inEach((one) =>
      Effect.gen(function*() {
        const { layer } = talkTo(
          one,
          () => new Response(`{"id":7}`, { headers: { "content-type": "application/json" } })
        )
        const reason = yield* malformed(getTask, Layer.provide(Agent.layer, layer))
        assert.match(reason.url ?? "", /^https:\/\/agent.test\/a2a/)
        assert.deepStrictEqual([reason.status, reason.contentType], [200, "application/json"])
      })
    ), covers("field:N2-42"))
})

describe("a route that the peer lacks", () => {
  const refused = (status: number, body: string) => new Response(body, { status })

  it.effect("is named by the error, with the peer's words", () =>
    inEach((one) =>
      Effect.gen(function*() {
        const path = isRpc(one) ? "/a2a" : `/a2a${one.protocol.rest.prefix ?? ""}/message:send`
        const cases = [
          [404, "", ""],
          [404, "<h1>Not\u001b[2J\nhere</h1>", "; it says: <h1>Not [2J here</h1>"],
          [405, `{"detail":"Method Not Allowed"}`, "; it says: Method Not Allowed"]
        ] as const
        for (const [status, body, words] of cases) {
          const { layer } = talkTo(one, () => refused(status, body), { url: "https://agent.test/a2a?key=s3cr3t" })
          const { reason } = yield* Effect.flip(Agent.send("hi")).pipe(
            Effect.provide(Layer.provide(Agent.layer, layer))
          )
          assert.include(["NotFoundError", "MethodNotFoundError"], reason._tag)
          const message = `no POST https://agent.test${path} (HTTP ${status}): ` +
            "is it the URL of another binding or protocol version?"
          assert.strictEqual(reason.message, `${message}${words}`)
        }
      })
    ))

  it.effect("is not blamed if the request names a task", () =>
    Effect.gen(function*() {
      const { layer } = talkTo(rest, () => refused(404, "no such task"))
      const { reason } = yield* Effect.flip(getTask).pipe(Effect.provide(Layer.provide(Agent.layer, layer)))
      assert.deepStrictEqual([reason._tag, reason.message], ["TaskNotFoundError", "no such task"])
    }))
})

describe("a body that never ends", () => {
  /** A body of which one byte arrives every ten seconds. */
  const drip = (type: string) =>
    new Response(
      Stream.toReadableStream(
        Stream.fromSchedule(Schedule.spaced("10 seconds")).pipe(Stream.as(new TextEncoder().encode(" ")))
      ),
      { headers: { "content-type": type } }
    )

  it.effect("is cut off by the total limit, for calls, streams and cards", () =>
    Effect.gen(function*() {
      const peer = respond(({ url }) => drip(url.includes("message:stream") ? "text/event-stream" : "application/json"))
      const http = Layer.merge(peer.layer, Credentials.layerNone)
      const agent = Agent.layer.pipe(Layer.provide(Rest.layer({ url: "https://agent.test" })), Layer.provide(http))
      const found = Connector.layerTransport(
        { bindings: { rest: Rest.binding }, protocols: { "1.0": ClientProtocol.v1_0 } },
        { agent: "https://agent.test" }
      )
      const calls = [
        Effect.provide(Effect.asVoid(getTask), agent),
        Effect.provide(stream, agent),
        Effect.provide(Effect.asVoid(Discovery.card("https://agent.test")), http),
        Effect.provide(Effect.void, Layer.provide(found, http))
      ]
      for (const call of calls) {
        const fiber = yield* Effect.forkChild(Effect.flip(call).pipe(Agent.withTimeouts({ total: "1 minute" })))
        yield* TestClock.adjust("61 seconds")
        const { reason } = yield* Fiber.join(fiber)
        assert.deepStrictEqual([reason._tag, reason._tag === "TimeoutError" && reason.phase], ["TimeoutError", "total"])
      }
    }))
})

/** The emulated ADK server, seen through the client and as bytes. */
import { Credentials } from "@effect-a2a/core"
import { AdkEmulator, type AdkScript } from "@effect-a2a/emulators"
import { Wire } from "@effect-a2a/testing"
import { AdkClient, AdkContent, type AdkError, AdkEvent, AdkSession } from "@effect-a2a/transport-adk"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { covers, type Id } from "../../../test/support/covers.ts"

const flavours = ["python", "javascript"] as const
const key = { userId: "ana", sessionId: "s-1" }
const said = (text: string) => ({ ...key, newMessage: AdkContent.user(AdkContent.text(text)) })

const layer = (options: AdkEmulator.Options) =>
  AdkClient.layer({ url: AdkEmulator.url, appName: AdkEmulator.appName }).pipe(
    Layer.provideMerge(Wire.layerHttp(AdkEmulator.routes(options))),
    Layer.provide(Credentials.layerNone)
  )

type Services = AdkClient.AdkClient | HttpClient.HttpClient | Wire.Tape

const each = (
  title: string,
  ids: ReadonlyArray<Id>,
  body: (flavour: AdkScript.Flavour) => Effect.Effect<void, unknown, Services>,
  options: AdkEmulator.Options = {}
) => {
  for (const flavour of flavours) {
    it.effect(
      `${title} (${flavour})`,
      () => body(flavour).pipe(Effect.provide(layer({ ...options, flavour }))),
      covers(...ids)
    )
  }
}

const tagOf = <A, R>(self: Effect.Effect<A, AdkError.AdkError, R>) =>
  Effect.map(Effect.flip(self), ({ reason }) => reason._tag)

const post = (path: string, body: string) =>
  Effect.gen(function*() {
    const request = HttpClientRequest.post(`${AdkEmulator.url}${path}`).pipe(
      HttpClientRequest.bodyText(body, "application/json")
    )
    const response = yield* HttpClient.execute(request)
    return { status: response.status, type: response.headers["content-type"], text: yield* response.text }
  })

describe("sessions", () => {
  each(
    "are created with and without an id, read, listed and deleted; an id is used once",
    ["ADK-03"],
    (flavour) =>
      Effect.gen(function*() {
        const client = yield* AdkClient.AdkClient
        assert.strictEqual(yield* client.flavour, flavour)
        yield* TestClock.setTime(1_767_225_600_500)
        const made = yield* client.createSession({ ...key, state: { unit: "c", "user:name": "Ana", none: null } })
        assert.deepStrictEqual([made.id, made.appName, AdkSession.timeMillis(made)], ["s-1", "demo", 1_767_225_600_500])
        assert.deepStrictEqual(made.state, { "user:name": "Ana", unit: "c", none: null })
        assert.strictEqual(yield* tagOf(client.createSession(key)), "SessionExistsError")
        assert.isFalse(yield* client.ensureSession(key))
        const other = yield* client.createSession({ userId: "ana" })
        assert.deepStrictEqual(other.state, { "user:name": "Ana" })
        assert.deepStrictEqual((yield* client.listSessions({ userId: "ana" })).map(({ id }) => id), ["s-1", other.id])
        yield* client.run(said("hello"))
        const { events = [] } = yield* client.getSession(key)
        assert.deepStrictEqual(events.map((event) => [event.author, AdkEvent.text(event)]), [
          ["user", "hello"],
          ["demo", "Hello, world"]
        ])
        yield* client.deleteSession(key)
        yield* client.deleteSession(key)
        assert.strictEqual(yield* tagOf(client.getSession(key)), "SessionNotFoundError")
        assert.strictEqual(yield* tagOf(client.run(said("hello"))), "SessionNotFoundError")
        yield* client.health
      })
  )

  each("have routes that only Python serves", ["ADK-03"], (flavour) =>
    Effect.gen(function*() {
      const client = yield* AdkClient.AdkClient
      yield* client.createSession(key)
      const patch = client.patchSession({ ...key, stateDelta: { unit: "f" } })
      const save = client.saveArtifact({ ...key, filename: "a.txt", artifact: { text: "A" } })
      const remember = client.addSessionToMemory(key)
      if (flavour === "javascript") {
        assert.deepStrictEqual(yield* Effect.forEach([patch, save, remember], (one) => tagOf<unknown, never>(one)), [
          "RouteUnsupportedError",
          "RouteUnsupportedError",
          "RouteUnsupportedError"
        ])
        return
      }
      assert.deepStrictEqual((yield* patch).state, { unit: "f" })
      assert.strictEqual((yield* save).version, 0)
      yield* remember
      assert.strictEqual(yield* tagOf(client.addSessionToMemory({ ...key, sessionId: "none" })), "SessionNotFoundError")
    }))
})

describe("artifacts", () => {
  each(
    "are listed, loaded by version, with a slash in the name, and deleted",
    ["ADK-03"],
    () =>
      Effect.gen(function*() {
        const client = yield* AdkClient.AdkClient
        yield* client.createSession(key)
        yield* client.run(said("artifact notes/a.txt"))
        yield* client.run(said("artifact notes/a.txt"))
        const file = { ...key, filename: "notes/a.txt" }
        assert.deepStrictEqual(yield* client.listArtifacts(key), ["notes/a.txt"])
        assert.deepStrictEqual(yield* client.artifactVersions(file), [0, 1])
        const { inlineData } = yield* client.loadArtifact({ ...file, version: 0 })
        assert.deepStrictEqual(AdkContent.bytes(inlineData!), new TextEncoder().encode("report"))
        assert.strictEqual(yield* tagOf(client.loadArtifact({ ...file, version: 7 })), "ArtifactNotFoundError")
        yield* client.deleteArtifact(file)
        assert.deepStrictEqual(yield* client.listArtifacts(key), [])
      })
  )
})

describe("runs", () => {
  each(
    "have partial events only if requested, and bytes as the language writes them",
    ["ADK-01", "ADK-02"],
    (flavour) =>
      Effect.gen(function*() {
        const client = yield* AdkClient.AdkClient
        yield* client.createSession(key)
        const partial = (events: ReadonlyArray<AdkEvent.Event>) => events.map(AdkEvent.isPartial)
        assert.deepStrictEqual(partial(yield* client.run(said("hello"))), [false])
        const pieces = yield* Stream.runCollect(client.runSse({ ...said("hello"), streaming: true }))
        assert.deepStrictEqual(partial(pieces), [true, true, true, false])
        yield* client.run(said("inline"))
        yield* Stream.runDrain(client.runSse(said("artifact b.txt")))
        const exchanges = yield* (yield* Wire.Tape).exchanges
        const wire = exchanges.map(({ chunks }) => chunks.join(""))
        assert.include(wire.find((text) => text.includes("dot.png")), flavour === "python" ? "---_AA==" : "+++/AA==")
        const frames = wire.at(-1)!.split("\n\n").filter((frame) => frame !== "").map((frame) =>
          JSON.parse(frame.slice(6))
        )
        const deltas = frames.map(({ actions, id }) => [id === frames[0].id, actions.artifactDelta])
        assert.deepStrictEqual(
          deltas,
          flavour === "python" ? [[true, {}], [true, { "b.txt": 0 }]] : [[true, { "b.txt": 0 }]]
        )
        assert.strictEqual(
          exchanges.at(-1)?.responseHeaders["content-type"],
          flavour === "python" ? "text/event-stream; charset=utf-8" : "text/event-stream"
        )
      })
  )

  each("are refused as each language does", ["ADK-06"], (flavour) =>
    Effect.gen(function*() {
      const client = yield* AdkClient.AdkClient
      yield* client.createSession(key)
      const isPython = flavour === "python"
      const broken = yield* post("/run", "{\"userId\":")
      assert.deepStrictEqual([broken.status, broken.type], isPython ? [422, "application/json"] : [400, "text/html"])
      const bare = yield* post("/run", "{}")
      assert.strictEqual(bare.status, isPython ? 422 : 404)
      if (isPython) {
        assert.deepStrictEqual(JSON.parse(bare.text).detail.map(({ loc, type }: any) => [type, loc]), [
          ["missing", ["body", "userId"]],
          ["missing", ["body", "sessionId"]]
        ])
        const nameless = yield* post("/run", JSON.stringify(key))
        assert.deepStrictEqual([nameless.status, typeof JSON.parse(nameless.text).detail], [400, "string"])
      } else assert.deepStrictEqual(JSON.parse(bare.text), { error: "Session not found: undefined" })
      const stray = yield* post("/nowhere", "{}")
      assert.strictEqual(stray.status, 404)
      assert.include(stray.text, isPython ? "{\"detail\":\"Not Found\"}" : "Cannot POST /nowhere")
      assert.strictEqual(
        yield* tagOf(client.run({ ...said("x"), appName: "none" })),
        isPython ? "AppNotFoundError" : "SessionNotFoundError"
      )
      const thrown = yield* Effect.flip(client.run(said("throw")))
      assert.strictEqual(thrown.reason._tag, "AgentFailedError")
      assert.strictEqual("events" in thrown.reason && thrown.reason.events.length, isPython ? 0 : 1)
      assert.strictEqual(yield* tagOf(Stream.runDrain(client.runSse(said("throw")))), "StreamError")
      assert.strictEqual(yield* tagOf(Stream.runDrain(client.runSse(said("throwstring")))), "StreamError")
    }))

  each("have the same ids and times each time", ["ADK-04"], (flavour) =>
    Effect.gen(function*() {
      const client = yield* AdkClient.AdkClient
      yield* client.createSession(key)
      const [event] = yield* client.run(said("hello"))
      assert.deepStrictEqual(
        [event?.id, event?.invocationId, event?.author],
        [flavour === "python" ? "00000000-0000-4000-8000-000000000002" : "ev000002", "e-1", "demo"]
      )
      assert.strictEqual(AdkEvent.timeMillis(event!), 0)
    }))
})

/** Sessions, artifacts and the kind of server. */
import { AdkClient, AdkContent, AdkEvent, AdkSession } from "@effect-a2a/transport-adk"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { covers } from "../../../support/covers.ts"
import { type Context, refusal, saying, session } from "./context.ts"

let count = 0
const fresh = () => ({ userId: `owner-${++count}`, sessionId: `s-${count}` })

export const sessions = ({ differs, it }: Context): void => {
  it.effect("the kind of server is detected", () =>
    Effect.gen(function*() {
      const client = yield* AdkClient.AdkClient
      assert.strictEqual(yield* client.flavour, differs.flavour)
      assert.includeMembers([...yield* client.listApps], ["llm", "scripted"])
      assert.isString((yield* client.version).version)
      yield* client.health
    }), covers("ADK-03"))

  it.effect("a session with a chosen id and a state is created once", () =>
    Effect.gen(function*() {
      const client = yield* AdkClient.AdkClient
      const key = fresh()
      const made = yield* client.createSession({ ...key, state: { some_key: { Nested_Key: null } } })
      assert.deepStrictEqual([made.id, made.appName, made.userId], [key.sessionId, "scripted", key.userId])
      assert.deepStrictEqual(made.state, { some_key: { Nested_Key: null } })
      assert.closeTo(AdkSession.timeMillis(made)!, Date.now(), 60_000)
      assert.strictEqual(yield* refusal(client.createSession(key)), "SessionExistsError")
      assert.isFalse(yield* client.ensureSession(key))
      assert.isTrue(yield* client.ensureSession({ ...key, sessionId: "other" }))
      assert.sameMembers((yield* client.listSessions(key)).map(({ id }) => id), [key.sessionId, "other"])
      yield* client.deleteSession(key)
      yield* client.deleteSession(key)
      assert.deepStrictEqual((yield* client.listSessions(key)).map(({ id }) => id), ["other"])
      assert.strictEqual(yield* refusal(client.getSession(key)), "SessionNotFoundError")
      assert.deepStrictEqual(yield* client.listSessions({ userId: "nobody" }), [])
    }), covers("ADK-03"))

  it.effect("a session holds the messages without their pieces", () =>
    Effect.gen(function*() {
      const client = yield* AdkClient.AdkClient
      const key = yield* session
      yield* Stream.runDrain(client.runSse({ ...key, ...saying("hello"), streaming: true }))
      const { events = [] } = yield* client.getSession(key)
      assert.deepStrictEqual(events.map((event) => [event.author, AdkEvent.text(event)]), [
        ["user", "hello"],
        ["scripted", "Hello, world"]
      ])
    }), covers("ADK-03"))

  it.effect("a session begins with events if the server accepts them", () =>
    Effect.gen(function*() {
      const client = yield* AdkClient.AdkClient
      const key = fresh()
      const { events = [] } = yield* client.createSession({
        ...key,
        events: [{ author: "user", content: AdkContent.user(AdkContent.text("hi")) }]
      })
      assert.deepStrictEqual(events.map(AdkEvent.text), differs.initialEvents ? ["hi"] : [])
      if (!differs.initialEvents) return
      const refused = yield* Effect.flip(
        client.createSession({ ...fresh(), events: [{ author: "user", actions: { stateDelta: { a: 1 } } }] })
      )
      assert.strictEqual(refused.reason._tag, "BadRequestError")
      assert.include(refused.message, "event 0 cannot include event actions")
    }), covers("ADK-03"))

  it.effect(
    "state is changed and memory is written without a run if the server supports it",
    () =>
      Effect.gen(function*() {
        const client = yield* AdkClient.AdkClient
        const key = yield* session
        const patch = client.patchSession({ ...key, stateDelta: { mood_now: "fine" } })
        const gone = { ...key, sessionId: "gone" }
        if (!differs.writes) {
          assert.strictEqual(yield* refusal(patch), "RouteUnsupportedError")
          assert.strictEqual(yield* refusal(client.addSessionToMemory(key)), "RouteUnsupportedError")
          return
        }
        const patched = yield* patch
        assert.deepStrictEqual(patched.state, { mood_now: "fine" })
        assert.match(patched.events?.[0]?.invocationId ?? "", /^p-/)
        assert.strictEqual(yield* refusal(client.patchSession({ ...gone, stateDelta: {} })), "SessionNotFoundError")
        yield* client.addSessionToMemory(key)
        assert.strictEqual(yield* refusal(client.addSessionToMemory(gone)), "SessionNotFoundError")
      }),
    covers("ADK-03")
  )

  it.effect("files that an agent saves are read in all versions", () =>
    Effect.gen(function*() {
      const client = yield* AdkClient.AdkClient
      const key = yield* session
      const at = { ...key, filename: "report.txt" }
      const events = yield* Stream.runCollect(client.runSse({ ...key, ...saying("artifact") }))
      assert.strictEqual(events.length, differs.savedEvents)
      assert.deepStrictEqual(events.at(-1)?.actions?.artifactDelta, { "report.txt": 0 })
      const [whole] = yield* client.run({ ...key, ...saying("artifact") })
      assert.deepStrictEqual(whole?.actions?.artifactDelta, { "report.txt": 1 })
      assert.deepStrictEqual(yield* client.listArtifacts(key), ["report.txt"])
      assert.deepStrictEqual(yield* client.artifactVersions(at), [0, 1])
      for (const version of [undefined, 0, 1, "latest"] as const) {
        const { inlineData } = yield* client.loadArtifact({ ...at, ...(version !== undefined && { version }) })
        assert.strictEqual(new TextDecoder().decode(AdkContent.bytes(inlineData!)), "report")
      }
      assert.strictEqual(yield* refusal(client.loadArtifact({ ...at, version: 7 })), "ArtifactNotFoundError")
      assert.strictEqual(yield* refusal(client.loadArtifact({ ...at, filename: "no" })), "ArtifactNotFoundError")
      yield* client.deleteArtifact(at)
      assert.deepStrictEqual(yield* client.listArtifacts(key), [])
    }), covers("ADK-03"))

  it.effect(
    "files that a client saves are read if the server accepts them, with slashes in their names",
    () =>
      Effect.gen(function*() {
        const client = yield* AdkClient.AdkClient
        const key = yield* session
        const filename = "pictures of us/dot.png"
        const artifact = AdkContent.inline(Uint8Array.of(0xfb, 0xff, 0xbe, 0), "image/png")
        const save = client.saveArtifact({ ...key, filename, artifact, customMetadata: { made_by: "me" } })
        if (!differs.writes) return assert.strictEqual(yield* refusal(save), "RouteUnsupportedError")
        const saved = yield* save
        assert.deepInclude(saved, { version: 0, mimeType: "image/png", customMetadata: { made_by: "me" } })
        const { inlineData } = yield* client.loadArtifact({ ...key, filename })
        assert.deepStrictEqual([...AdkContent.bytes(inlineData!)!], [0xfb, 0xff, 0xbe, 0])
      }),
    covers("ADK-03")
  )
}

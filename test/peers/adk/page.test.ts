/** Every status and body in the documentation of `POST /run`, requested without the client. */
import { Credentials, ServiceParameters } from "@effect-a2a/core"
import { NodeAgent } from "@effect-a2a/node"
import { AdkClient, AdkContent, AdkEvent } from "@effect-a2a/transport-adk"
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { covers } from "../../support/covers.ts"
import { AdkPeer, layer as peer, pythonDefault, pythonPeer } from "./peer.ts"

const outside = Layer.merge(Credentials.layerNone, Layer.fresh(NodeAgent.layerClient))

const post = (path: string, body: unknown) =>
  Effect.flatMap(AdkPeer, ({ origin }) =>
    Effect.promise(async () => {
      const response = await fetch(origin + path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: typeof body === "string" ? body : JSON.stringify(body)
      })
      const type = response.headers.get("content-type")
      return { status: response.status, type, text: await response.text() }
    }))

const place = { appName: "scripted", userId: "user-001", sessionId: "session-001" }
const newMessage = { role: "user", parts: [{ text: "meta" }] }

describe.skipIf(!pythonPeer.isInstalled)("the documentation of POST /run", () => {
  layer(peer(pythonPeer), { excludeTestServices: true })((it) => {
    it.effect("HTTP 200 is a list of events that decode and encode to the same JSON", () =>
      Effect.gen(function*() {
        yield* post("/apps/scripted/users/user-001/sessions", { sessionId: place.sessionId })
        for (const word of ["meta", "tool", "longrun", "state", "code", "error", "artifact"]) {
          const message = { role: "user", parts: [{ text: word }] }
          const { status, text, type } = yield* post("/run", { ...place, newMessage: message, streaming: true })
          assert.deepStrictEqual([status, type], [200, "application/json"])
          const events: ReadonlyArray<unknown> = JSON.parse(text)
          assert.isNotEmpty(events)
          for (const json of events) {
            const event = yield* Schema.decodeUnknownEffect(AdkEvent.Event)(json)
            assert.deepStrictEqual(AdkEvent.toJson(event), json)
            assert.isBelow(event.timestamp!, 1e11, "seconds")
          }
        }
      }), covers("ADK-01", "ADK-04"))

    it.effect("a server on a loopback address refuses pages of other origins", () =>
      Effect.gen(function*() {
        const { origin } = yield* AdkPeer
        const client = yield* AdkClient.make({ url: origin })
        const { reason } = yield* Effect.flip(client.listApps).pipe(
          ServiceParameters.provide({ headers: { origin: "https://elsewhere.example" } })
        )
        assert.strictEqual(reason._tag, "GuardRefusedError")
      }).pipe(Effect.provide(outside)), covers("ADK-06"))

    it.effect("a request without an application reaches the server's default one", () =>
      Effect.gen(function*() {
        const client = yield* AdkClient.make({ url: yield* pythonDefault })
        const key = { userId: "u-1", sessionId: "s-1" }
        const session = yield* client.createSession({ ...key, state: { a: 1 } })
        assert.deepStrictEqual([session.id, session.appName], ["s-1", "scripted"])
        const newMessage = AdkContent.user(AdkContent.text("artifact"))
        const [event] = yield* client.run({ ...key, newMessage })
        assert.strictEqual(AdkEvent.text(event!), "Saved.")
        assert.strictEqual((yield* Stream.runCollect(client.runSse({ ...key, newMessage }))).length, 2)
        assert.deepStrictEqual(yield* client.artifactVersions({ ...key, filename: "report.txt" }), [0, 1])
        assert.strictEqual((yield* client.getSession(key)).events?.length, 4)
        assert.deepStrictEqual((yield* client.patchSession({ ...key, stateDelta: { a: 2 } })).state, { a: 2 })
        yield* client.addSessionToMemory(key)
        yield* client.deleteSession(key)
        assert.deepStrictEqual(yield* client.listSessions(key), [])
      }).pipe(Effect.provide(outside), Effect.scoped), covers("ADK-01"))

    for (const path of ["/run", "/run_sse"]) {
      it.effect(`${path} refuses with 400, 404 and 422 and the documented bodies`, () =>
        Effect.gen(function*() {
          const refused = Effect.fnUntraced(function*(body: unknown) {
            const { status, text } = yield* post(path, body)
            return [status, JSON.parse(text).detail]
          })
          const { appName: _, ...rest } = place
          assert.deepStrictEqual(yield* refused({ ...rest, newMessage }), [
            400,
            "app_name is required when ADK_DEFAULT_APP_NAME is not set"
          ])
          assert.deepStrictEqual(yield* refused({ ...place, sessionId: "gone", newMessage }), [
            404,
            "Session not found: gone"
          ])
          const [status, detail] = yield* refused({ ...place, appName: "nope", newMessage })
          assert.strictEqual(status, 404)
          assert.match(detail, /^Agent not found: 'nope'/)
          const wrong = { appName: "scripted", newMessage: { parts: [{ zzz: 1 }] } }
          assert.deepStrictEqual(yield* refused(wrong), [422, [
            { type: "missing", loc: ["body", "userId"], msg: "Field required", input: wrong },
            { type: "missing", loc: ["body", "sessionId"], msg: "Field required", input: wrong },
            {
              type: "extra_forbidden",
              loc: ["body", "newMessage", "parts", 0, "zzz"],
              msg: "Extra inputs are not permitted",
              input: 1
            }
          ]])
          assert.deepStrictEqual(yield* refused("{"), [422, [{
            type: "json_invalid",
            loc: ["body", 1],
            msg: "JSON decode error",
            input: {},
            ctx: { error: "Expecting property name enclosed in double quotes" }
          }]])
        }), covers("ADK-06"))
    }
  })
})

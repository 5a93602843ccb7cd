import type { AdkClient } from "@effect-a2a/transport-adk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { covers } from "../../../test/support/covers.ts"
import { type Asked, event, json, page, plain, serving } from "./support.ts"

const key = { userId: "u 1", sessionId: "s:1" }
const base = "/apps/app/users/u%201/sessions"
const one = `${base}/s%3A1`

/** Sessions as each server makes them: what it says of itself, and what it heeds of a request. */
const servers: Readonly<Record<string, (asked: Asked) => Response | undefined>> = {
  python: ({ body, method, path }) => {
    if (path === "/version") return json({ version: "2.3.0", language: "python", language_version: "3.13" })
    return method === "POST" && path === base
      ? json({ id: body.sessionId ?? "made", state: body.state ?? {} })
      : undefined
  },
  javascript: ({ body, method, path }) => {
    if (path === "/version") return json({ version: "2.0.0" })
    if (method === "POST" && path === base) return json({ id: "made", state: body.state ?? {} })
    return method === "POST" && path === one ? json({ id: "s:1", state: body.state ?? {} }) : undefined
  },
  "python-1": ({ body, method, path }) => {
    if (path === "/version") return json({ detail: "Not Found" }, 404)
    if (method === "POST" && path === base) return json({ id: "made", state: body.state ?? {} })
    return method === "POST" && path === one ? json({ id: "s:1", state: body }) : undefined
  },
  other: ({ body, method, path }) => {
    if (path === "/version") return plain("404 page not found", 404)
    if (method === "POST" && path === base) return json({ id: "made", state: body.state ?? {} })
    return method === "POST" && path === one ? json({ id: "s:1", state: body.state ?? {} }) : undefined
  }
}

const of = (name: string, options?: Parameters<typeof serving>[1]) =>
  serving((asked) => servers[name]!(asked) ?? json(null), options)

describe("sessions", () => {
  for (const name of Object.keys(servers)) {
    it.effect(
      `a session with a chosen id and a state is created on ${name}, whose kind is asked once`,
      () =>
        Effect.gen(function*() {
          const { asked, client } = of(name)
          const { createSession, flavour } = yield* client
          const state = { unit: "c", none: null }
          for (const _ of [1, 2]) {
            const session = yield* createSession({ ...key, state })
            assert.deepStrictEqual([session.id, session.state], ["s:1", state])
          }
          assert.strictEqual((yield* createSession({ userId: key.userId, state })).id, "made")
          assert.strictEqual(yield* flavour, name)
          assert.strictEqual(asked.filter(({ path }) => path === "/version").length, 1)
          const strays = asked.filter(({ method }) => method === "DELETE").map(({ path }) => path)
          assert.deepStrictEqual(strays, name === "other" ? [`${base}/made`, `${base}/made`] : [])
        }),
      covers("ADK-03")
    )
  }

  it.effect(
    "a configured kind is not asked, and a failed request for it is not remembered",
    () =>
      Effect.gen(function*() {
        const { asked, client } = of("javascript", { flavour: "javascript" })
        yield* (yield* client).createSession(key)
        assert.deepStrictEqual(asked.map(({ body, method, path }) => [method, path, body]), [["POST", one, {}]])
        let up = false
        const later = yield* serving(({ path }) =>
          up || path !== "/version" ? json({ version: "2.0.0" }) : plain("", 503)
        ).client
        assert.strictEqual((yield* Effect.flip(later.flavour)).reason._tag, "UpstreamError")
        up = true
        assert.strictEqual(yield* later.flavour, "javascript")
      }),
    covers("ADK-03")
  )

  it.effect("ensureSession creates a session, or finds it", () =>
    Effect.gen(function*() {
      let status = 200
      const { client } = serving(
        () => status === 200 ? json({ id: "s:1" }) : json({ detail: "Session already exists: s:1" }, status),
        {
          flavour: "python"
        }
      )
      const { createSession, ensureSession } = yield* client
      assert.isTrue(yield* ensureSession(key))
      for (status of [400, 409]) {
        assert.isFalse(yield* ensureSession(key))
        const { reason } = yield* Effect.flip(createSession(key))
        assert(reason._tag === "SessionExistsError")
        assert.deepStrictEqual([reason.appName, reason.userId, reason.sessionId], ["app", "u 1", "s:1"])
      }
    }), covers("ADK-03"))

  it.effect("a session is read with its events, changed and deleted", () =>
    Effect.gen(function*() {
      const { asked, client } = serving(({ method }) =>
        method === "DELETE"
          ? new Response(null, { status: 204 })
          : json({ id: "s:1", events: [event("1", "a")], state: { a: 1 } })
      )
      const { deleteSession, getSession, patchSession } = yield* client
      assert.strictEqual((yield* getSession(key)).events?.length, 1)
      yield* patchSession({ ...key, stateDelta: { a: null } })
      yield* deleteSession(key)
      assert.deepStrictEqual(asked.map(({ body, method, path }) => [method, path, body]), [
        ["GET", one, undefined],
        ["PATCH", one, { stateDelta: { a: null } }],
        ["DELETE", one, undefined]
      ])
    }), covers("ADK-03"))

  it.effect(
    "deleting a missing session succeeds, deleting through a missing route fails",
    () =>
      Effect.gen(function*() {
        let answer = () => json({ error: "Session not found: s:1" }, 404)
        const { deleteSession } = yield* serving(() => answer()).client
        yield* deleteSession(key)
        answer = () => json(null)
        yield* deleteSession(key)
        answer = () => json({ detail: "Not Found" }, 404)
        const { _tag, message } = (yield* Effect.flip(deleteSession(key))).reason
        assert.strictEqual(_tag, "RouteUnsupportedError")
        assert.include(message, "no DELETE /apps/app/users/{user}/sessions/{session} (")
      }),
    covers("ADK-03")
  )

  it.effect("sessions are listed from an array, from a page, and from null", () =>
    Effect.gen(function*() {
      for (
        const [body, count] of [[[{ id: "1" }, { id: "2" }], 2], [
          { sessions: [{ id: "1" }], page: 1, totalPages: 1 },
          1
        ], [null, 0]] as const
      ) {
        const { listSessions } = yield* serving(() => json(body)).client
        assert.strictEqual((yield* listSessions({ userId: "u" })).length, count)
      }
    }), covers("ADK-03"))
})

describe("artifacts, memory and server", () => {
  it.effect("every operation has its path, with encoded names", () =>
    Effect.gen(function*() {
      const { asked, client } = serving(({ method, path }) => {
        if (path.endsWith("/versions")) return json([0, 1])
        if (path.endsWith("/memory") || method === "DELETE") return json(null)
        if (path === "/list-apps" || path.endsWith("/artifacts") && method === "GET") return json(["a", "b"])
        return method === "POST"
          ? json({ version: 2, createTime: 1.5, mimeType: null })
          : json({ inlineData: { data: "-_8=" } })
      })
      const c = yield* client
      const file = { ...key, filename: "user:a b/c.txt" }
      assert.deepStrictEqual(yield* c.listApps, ["a", "b"])
      assert.deepStrictEqual(yield* c.listArtifacts(key), ["a", "b"])
      assert.deepStrictEqual(yield* c.loadArtifact(file), { inlineData: { data: "+/8=" } })
      yield* c.loadArtifact({ ...file, version: "latest" })
      yield* c.loadArtifact({ ...file, version: 1 })
      assert.deepStrictEqual(yield* c.artifactVersions(file), [0, 1])
      assert.deepStrictEqual(yield* c.saveArtifact({ ...file, artifact: { text: "hi" } }), {
        version: 2,
        createTime: 1.5
      })
      yield* c.deleteArtifact(file)
      yield* c.addSessionToMemory(key)
      yield* c.health
      const at = `${one}/artifacts`
      const name = `${at}/user%3Aa%20b%2Fc.txt`
      assert.deepStrictEqual(asked.map(({ method, path }) => `${method} ${path}`), [
        "GET /list-apps",
        `GET ${at}`,
        `GET ${name}`,
        `GET ${name}`,
        `GET ${name}/versions/1`,
        `GET ${name}/versions`,
        `POST ${at}`,
        `DELETE ${name}`,
        "PATCH /apps/app/users/u%201/memory",
        "GET /health"
      ])
      assert.deepStrictEqual(asked[6]?.body, { filename: file.filename, artifact: { text: "hi" } })
      assert.deepStrictEqual(asked[8]?.body, { sessionId: "s:1" })
    }), covers("ADK-03"))

  const absent: ReadonlyArray<readonly [string, () => Response]> = [
    [
      "JavaScript's page",
      () => page(`<!DOCTYPE html><html><body><pre>Cannot PATCH /apps/app</pre></body></html>`, 404)
    ],
    ["Python's words", () => json({ detail: "Not Found" }, 404)],
    ["another method's route", () => json({ detail: "Method Not Allowed" }, 405)],
    ["what is not implemented", () => json({ error: "Not implemented" }, 501)]
  ]
  for (const [name, answer] of absent) {
    it.effect(`a missing route reported by ${name} is not taken for a missing session`, () =>
      Effect.gen(function*() {
        const c = yield* serving(answer).client
        const calls: ReadonlyArray<Effect.Effect<unknown, Effect.Error<AdkClient.AdkClient["Service"]["health"]>>> = [
          c.patchSession({ ...key, stateDelta: {} }),
          c.addSessionToMemory(key),
          c.saveArtifact({ ...key, filename: "f", artifact: { text: "" } })
        ]
        for (const call of calls) assert.strictEqual((yield* Effect.flip(call)).reason._tag, "RouteUnsupportedError")
      }), covers("ADK-06"))
  }
})

import { InProcessHttp } from "@effect-a2a/server"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { Persistence } from "effect/persistence"
import { Orchestrator } from "../src/Orchestrator.ts"
import { adk, app } from "./support.ts"

/** The user and the session of every run that the ADK server was asked for. */
const runs = Effect.gen(function*() {
  const tape = yield* InProcessHttp.Tape
  return (yield* tape.exchanges).flatMap(({ body, url }) => {
    const { session_id, sessionId = session_id, user_id, userId = user_id } = body === "" ? {} : JSON.parse(body)
    return new URL(url).pathname.startsWith("/run") ? [{ userId, sessionId }] : []
  })
})

it.effect("no user shares a conversation, and each is named to the agents", () =>
  Effect.gen(function*() {
    const { ask, stream } = yield* Orchestrator
    yield* ask("ana", "hello")
    yield* ask("bob", "hello")
    yield* Stream.runDrain(stream("ana", "hello"))
    const seen = yield* runs
    assert.deepStrictEqual(seen.map(({ userId }) => userId), ["ana", "bob", "ana"])
    assert.strictEqual(seen[0]!.sessionId, seen[2]!.sessionId)
    assert.notStrictEqual(seen[0]!.sessionId, seen[1]!.sessionId)
  }).pipe(Effect.provide(Layer.provideMerge(app(), adk))))

it.effect("a conversation goes on after a restart", () => {
  const ask = Effect.flatMap(Orchestrator, ({ ask }) => ask("ana", "hello")).pipe(Effect.provide(app()))
  return Effect.gen(function*() {
    yield* ask
    yield* ask
    const seen = yield* runs
    assert.strictEqual(seen.length, 2)
    assert.strictEqual(seen[0]!.sessionId, seen[1]!.sessionId)
  }).pipe(Effect.provide([adk, Persistence.layerBackingMemory]))
})

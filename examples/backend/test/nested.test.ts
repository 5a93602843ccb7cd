// Emulators and wires inside an application that is served itself: apart from its routes.
import { Agent } from "@effect-a2a/core"
import { AdkEmulator, MemoryLakeEmulator } from "@effect-a2a/emulators"
import { NodeAgent, NodeAgentServer } from "@effect-a2a/node"
import { Wire } from "@effect-a2a/testing"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient, HttpRouter, HttpServerResponse } from "effect/http"
import { covers } from "../../../test/support/covers.ts"
import { Lake, Weather } from "../src/Agents.ts"

const lake = Layer.effect(Lake, Agent.Agent).pipe(Layer.provide(MemoryLakeEmulator.layer()))
const weather = Layer.effect(Weather, Agent.Agent).pipe(Layer.provide(AdkEmulator.layer()))

const mine = HttpRouter.use((router) =>
  Effect.andThen(Lake, router.add("GET", "/mine", HttpServerResponse.text("mine")))
)

/** The statuses of our own route, and of a path that only the emulator would answer. */
const statuses = Effect.fnUntraced(function*(url: string) {
  const own = yield* HttpClient.get(`${url}/mine`)
  const other = yield* HttpClient.get(`${url}/nothing-here`)
  assert.notInclude(yield* other.text, "there is no such agent") // the emulator's words
  return [own.status, other.status]
})

it.effect("an emulator inside an application on a wire is not reachable from outside", () =>
  Effect.gen(function*() {
    assert.deepStrictEqual(yield* statuses("http://x.test"), [200, 404])
  }).pipe(Effect.provide(Wire.layerHttp(mine.pipe(Layer.provide(lake))))), covers("field:N2-60"))

it.live("an emulator inside an application on a port is not reachable from outside", () =>
  Effect.gen(function*() {
    assert.deepStrictEqual(yield* statuses(yield* NodeAgentServer.url), [200, 404])
  }).pipe(Effect.provide([
    NodeAgentServer.layer({ routes: mine.pipe(Layer.provide(lake)), port: 0 }),
    NodeAgent.layerClient
  ])), covers("field:N2-60"))

it.effect("two emulators inside a served application answer, each its own client", () =>
  Effect.gen(function*() {
    const answers = HttpRouter.use((router) =>
      Effect.gen(function*() {
        const texts = yield* Effect.all([Lake.ask("What is the capital of France?"), Weather.ask("hello")])
        yield* router.add("GET", "/mine", HttpServerResponse.text(texts.map(({ text }) => text).join("; ")))
      })
    )
    const served = Wire.layerHttp(answers.pipe(Layer.provide([lake, weather])))
    const response = yield* Effect.provide(HttpClient.get("http://x.test/mine"), served)
    assert.strictEqual(yield* response.text, "Paris is the capital of France.; Hello, world")
  }), covers("field:N2-60"))

it.effect("two emulators answer without a server around them", () =>
  Effect.gen(function*() {
    const texts = yield* Effect.all([Lake.ask("What is the capital of France?"), Weather.ask("hello")])
    assert.deepStrictEqual(texts.map(({ text }) => text), ["Paris is the capital of France.", "Hello, world"])
  }).pipe(Effect.provide([lake, weather])), covers("field:N2-60"))

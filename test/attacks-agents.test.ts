/** Agents, cards and token endpoints that send far more than anybody needs, or what nothing can read. */
import { Agent, Credentials, Discovery, HttpBinding, Id, OAuth } from "@effect-a2a/core"
import { NodeAgent } from "@effect-a2a/node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Stream } from "effect"
import { find, getCard } from "./discovery/support.ts"
import { covers } from "./support/covers.ts"
import * as HttpServer from "./support/httpServer.ts"
import { chunks, combinations, frame, inEach, result, stateJson, talkTo, taskJson } from "./support/peer.ts"
import { json } from "./support/respond.ts"

const taskId = Id.TaskId.make("t-1")

/** The least of three runs, in milliseconds: the others shared the machine. */
const time = <E, R>(effect: Effect.Effect<unknown, E, R>) =>
  Effect.map(
    Effect.replicateEffect(
      Effect.suspend(() => {
        const begun = performance.now()
        return Effect.map(effect, () => performance.now() - begun)
      }),
      3
    ),
    (all) => Math.min(...all)
  )

const endless = (response: import("node:http").ServerResponse, piece: string): void => {
  const push = () => {
    while (!response.destroyed && response.write(piece));
  }
  response.on("drain", push)
  push()
}

describe("an answer that is wrong everywhere", covers("attack:S2-30"), () => {
  const items = ["1", "\"x\"", "true", "[[]]"]

  it.effect("is malformed in few words, called and streamed, however many findings it has", () =>
    inEach((one) =>
      Effect.gen(function*() {
        for (const item of items) {
          const wrong = `[${Array(200_000).fill(item).join(",")}]`
          const { layer } = talkTo(one, (asked) => {
            const body = result(one, asked, taskJson(one, "completed", { artifacts: "X", history: [] }))
              .replace("\"X\"", `[{"artifactId":"a","parts":${wrong}}]`)
            return asked.headers.accept === "text/event-stream" ? chunks([frame(body)]) : json(body)
          })
          const agent = Agent.layer.pipe(Layer.provide(layer))
          const called = yield* Effect.flip(Agent.getTask(taskId)).pipe(Effect.provide(agent))
          const streamed = yield* Effect.flip(Stream.runDrain(Agent.stream("hi"))).pipe(Effect.provide(agent))
          for (const error of [called, streamed]) {
            assert.strictEqual(error.reason._tag, "MalformedResponseError", item)
            assert.isBelow(error.message.length, 5000)
          }
        }
      })
    ))
})

describe("a stream of many tool calls", covers("attack:S2-33"), () => {
  it.live("costs the same for each", () =>
    Effect.gen(function*() {
      const one = combinations[0]!
      const stream = (count: number) => {
        const update = (state: string, more: object = {}) => ({
          statusUpdate: { taskId: "t-1", contextId: "c-1", status: { state: stateJson(one, state), ...more } }
        })
        const call = (n: number) => ({
          messageId: `m-${n}`,
          role: "ROLE_AGENT",
          parts: [{ data: { id: `call-${n}`, name: "search", args: {} }, metadata: { adk_type: "function_call" } }]
        })
        const { layer } = talkTo(one, (asked) =>
          chunks([
            frame(result(one, asked, { task: taskJson(one, "working") })),
            ...Array.from({ length: count }, (_, n) =>
              frame(result(one, asked, update("working", { message: call(n) })))),
            frame(result(one, asked, update("completed")))
          ]))
        return Stream.runDrain(Agent.stream("hi")).pipe(
          Effect.provide(Agent.layer.pipe(Layer.provide(layer), Layer.provide(NodeAgent.layerClient)))
        )
      }
      yield* stream(500)
      const [few, many] = [yield* time(stream(2000)), yield* time(stream(16_000))]
      assert.isBelow(many, few * 24)
    }))
})

describe("a card", covers("attack:S2-44"), () => {
  const card = (skills: string) =>
    `{"name":"x","description":"d","version":"1","skills":${skills},"capabilities":{},"defaultInputModes":[],` +
    "\"defaultOutputModes\":[],\"supportedInterfaces\":[{\"url\":\"/a2a\",\"protocolBinding\":\"HTTP+JSON\"," +
    "\"protocolVersion\":\"1.0\"}]}"
  const skills = (count: number) =>
    `[${Array.from({ length: count }, (_, n) => `{"id":"s${n}","name":"n","description":"d","tags":[]}`).join(",")}]`
  const read = (text: string) =>
    getCard.pipe(
      Effect.provide(find("https://agent.test", undefined, { answer: () => json(text) }).layer)
    )

  it.live("of very many skills is read, at the same cost for each", () =>
    Effect.gen(function*() {
      const [small, large] = [card(skills(10_000)), card(skills(80_000))]
      assert.strictEqual((yield* read(large)).skills.length, 80_000)
      assert.isBelow(yield* time(read(large)), (yield* time(read(small))) * 24)
    }))

  it.live("whose skills are all wrong does without them, or is refused in few words", () =>
    Effect.gen(function*() {
      for (const wrong of ["1", "{}", "[]", "{\"id\":1}"]) {
        const answer = yield* Effect.result(read(card(`[${Array(100_000).fill(wrong).join(",")}]`)))
        if (answer._tag === "Failure") assert.isBelow(String(answer.failure).length, 5000)
        else assert.strictEqual(answer.success.skills.length, 0)
      }
    }))

  it.live("without end is too large", () =>
    Effect.gen(function*() {
      const { url } = yield* HttpServer.make((_, response) => {
        response.setHeader("content-type", "application/json")
        endless(response, "{\"name\":\"x\",".padEnd(65_536, " "))
      })
      const error = yield* Effect.flip(Discovery.card(url)).pipe(
        Effect.provide([NodeAgent.layerClient, Credentials.layerNone]),
        Effect.updateService(HttpBinding.CurrentLimits, (limits) => ({ ...limits, maxResponseSize: 1_000_000 }))
      )
      assert.strictEqual(error.reason._tag, "ResponseTooLargeError")
    }).pipe(Effect.scoped))
})

describe("a token endpoint", covers("attack:S2-44", "attack:S2-46"), () => {
  const ask = (answer: HttpServer.Answer) =>
    Effect.gen(function*() {
      const { asked, url } = yield* HttpServer.make((one, response) =>
        one.line.includes("/token") ? answer(one, response) : HttpServer.json(response, { task: { id: "t-1" } })
      )
      const credentials = OAuth.layerClientCredentials({
        tokenUrl: `${url}/token`,
        clientId: "app",
        clientSecret: Redacted.make("planted-secret")
      })
      const error = yield* Effect.flip(Agent.send("hi")).pipe(
        Effect.provide(
          Agent.layer.pipe(
            Layer.provide(NodeAgent.layerTransport({ url: `${url}/a2a` })),
            Layer.provide(credentials),
            Layer.provide(NodeAgent.layerClient)
          )
        ),
        Effect.updateService(HttpBinding.CurrentLimits, (limits) => ({ ...limits, maxResponseSize: 1_000_000 }))
      )
      assert.isFalse(asked.some(({ line }) => line.includes("/a2a")))
      assert.isBelow(error.message.length, 5000)
      assert.notInclude(error.message, "planted")
      return error.reason._tag
    }).pipe(Effect.scoped)

  it.live("that never ends, or answers with something else, is a typed error, and nothing is sent to the agent", () =>
    Effect.gen(function*() {
      const tags = yield* Effect.forEach(
        [
          (_, response) => endless(response, "{\"access_token\":\"".padEnd(65_536, "t")),
          (_, response) => HttpServer.json(response, Array(100_000).fill(1)),
          (_, response) => HttpServer.json(response, { access_token: { "__proto__": 1 } }),
          (_, response) => HttpServer.json(response, { access_token: "a\r\nx-evil: 1" }),
          (_, response) => response.end("<html>planted-secret")
        ] satisfies ReadonlyArray<HttpServer.Answer>,
        ask
      )
      assert.notInclude(tags, "UnknownError")
    }))
})

import { Agent, AgentTransport, Credentials, Discovery, Id, Protocol } from "@effect-a2a/core"
import { AgentTest, Script } from "@effect-a2a/testing"
import { Rest } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { HttpClient, HttpClientError } from "effect/http"
import { covers } from "../support/covers.ts"
import { chunks, combinations, event, frame, result, talkTo } from "../support/peer.ts"
import { bindings, card, card03, find, isCard, one, respond } from "./support.ts"

const taskId = Id.TaskId.make("t-1")
const agent = "https://agent.test"
const ask = Agent.getTask(taskId)
const refusal = (layer: Layer.Layer<Agent.Agent, any>) =>
  Effect.map(Effect.flip(Effect.provide(ask, layer)), ({ reason }) => reason)

describe("the interface that is used", () => {
  it.effect("is the first of equals on the card", () =>
    Effect.gen(function*() {
      const { layer, urls } = find(agent, card(one(`${agent}/primary`, "JSONRPC"), one(`${agent}/backup`, "JSONRPC")))
      yield* Effect.provide(ask, layer)
      assert.deepStrictEqual(urls().at(-1), `${agent}/primary`)
    }), covers("field:CARD-07"))

  it.effect("is the first on the card, whatever its version and binding", () =>
    Effect.gen(function*() {
      const all = [one(`${agent}/a`, "JSONRPC", "0.3"), one(`${agent}/b`, "HTTP+JSON", "1.0")] as const
      for (
        const [order, url, version] of [[all, `${agent}/a`, "0.3"], [
          all.toReversed(),
          `${agent}/b/tasks/t-1`,
          "1.0"
        ]] as const
      ) {
        const { asked, layer } = find(agent, card(...order))
        yield* Effect.provide(ask, layer)
        assert.deepStrictEqual([asked.at(-1)!.url, asked.at(-1)!.headers["a2a-version"]], [url, version])
      }
    }))

  it.effect("has a known binding, whose name ignores case", () =>
    Effect.gen(function*() {
      const { layer, urls } = find(
        agent,
        card(one("wss://agent.test/ws", "WEBSOCKET"), one(`${agent}/a2a`, "http+json"))
      )
      yield* Effect.provide(ask, layer)
      assert.strictEqual(urls().at(-1), `${agent}/a2a/tasks/t-1`)
    }), covers("field:CARD-08"))

  it.effect(
    "is missing if none is compatible, and the error lists those offered and those installed",
    () =>
      Effect.gen(function*() {
        const { layer } = find(agent, card(one("wss://agent.test/ws", "WEBSOCKET"), one("agent.test:443", "GRPC")), {
          bindings: [Rest.binding]
        })
        const reason = yield* refusal(layer)
        if (reason._tag !== "NoCompatibleInterfaceError") return assert.fail(reason._tag)
        assert.deepStrictEqual(reason.offered, ["WEBSOCKET 1.0", "GRPC 1.0"])
        assert.deepStrictEqual(reason.installed, ["HTTP+JSON 1.0", "HTTP+JSON 0.3"])
        for (const word of [...reason.offered, ...reason.installed]) assert.include(reason.message, word)
      }),
    covers("field:CARD-08")
  )

  it.effect("is selected by major and minor version, and used with its tenant and its relative URL", () =>
    Effect.gen(function*() {
      const { asked, layer } = find(`${agent}/agents/foo`, card({ ...one("/rpc", "JSONRPC", "1.0.3"), tenant: "acme" }))
      yield* Effect.provide(ask, layer)
      assert.strictEqual(asked.at(-1)!.url, `${agent}/rpc`)
      assert.strictEqual(JSON.parse(asked.at(-1)!.body).params.tenant, "acme")
      const beside = find(`${agent}/agents/foo`, card(one("../a2a")))
      yield* Effect.provide(ask, beside.layer)
      assert.strictEqual(beside.urls().at(-1), `${agent}/agents/foo/a2a/tasks/t-1`)
    }))

  it.effect("is selected without the patch version on a card passed as a value too", () =>
    Effect.gen(function*() {
      const inHand = { ...AgentTest.card, supportedInterfaces: [one(`${agent}/a2a`, "JSONRPC", "0.3.0")] }
      const { asked, layer } = find(inHand, undefined)
      yield* Effect.provide(ask, layer)
      assert.strictEqual(asked.at(-1)!.headers["a2a-version"], "0.3")
    }))

  it.effect("is one of 1.0 if the card is written for both versions", () =>
    Effect.gen(function*() {
      const { asked, layer } = find(agent, {
        ...card03({ url: `${agent}/old` }),
        ...card(one(`${agent}/new`, "JSONRPC"))
      })
      yield* Effect.provide(ask, layer)
      assert.deepStrictEqual([asked.at(-1)!.url, asked.at(-1)!.headers["a2a-version"]], [`${agent}/new`, "1.0"])
    }))
})

describe("a card of 0.3", covers("field:VER-04"), () => {
  it.effect("works the same if it is fetched and if it is passed as a value", () =>
    Effect.gen(function*() {
      const inHand = yield* Discovery.fromJson(card03())
      for (const from of [agent, inHand]) {
        const { asked, layer } = find(from, card03())
        assert.strictEqual((yield* Effect.provide(ask, layer)).id, taskId)
        assert.deepStrictEqual([asked.at(-1)!.url, asked.at(-1)!.headers["a2a-version"]], [`${agent}/`, "0.3"])
      }
    }))

  it.effect("is refused by a client without 0.3, whose error names both versions", () =>
    Effect.gen(function*() {
      const inHand = yield* Discovery.fromJson(card03())
      for (const from of [agent, inHand]) {
        const { layer } = find(from, card03(), { protocols: [Protocol.v1_0] })
        const reason = yield* refusal(layer)
        assert.strictEqual(reason._tag, "NoCompatibleInterfaceError")
        assert.include(reason.message, "the card is for A2A 0.3, this client for 1.0")
      }
    }))
})

describe("a version that the server refuses", covers("field:VER-05"), () => {
  const details = [{
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    reason: "VERSION_NOT_SUPPORTED",
    domain: "a2a-protocol.org",
    metadata: { supportedVersions: "0.3" }
  }]

  it.effect("is an error that lists the supported versions; no other one is tried", () =>
    Effect.forEach(
      combinations.filter(({ protocol }) => protocol.version === "1.0"),
      Effect.fnUntraced(function*(combination) {
        const { asked, layer } = talkTo(combination, (asked) =>
          combination.binding === "JSONRPC"
            ? Response.json({
              jsonrpc: "2.0",
              id: JSON.parse(asked.body).id,
              error: { code: -32009, message: "unsupported", data: details }
            })
            : Response.json({ error: { code: 400, status: "FAILED_PRECONDITION", message: "unsupported", details } }, {
              status: 400
            }))
        const reason = yield* refusal(Agent.layer.pipe(Layer.provide(layer)))
        if (reason._tag !== "VersionNotSupportedError") return assert.fail(reason._tag)
        assert.deepStrictEqual(reason.supportedVersions, ["0.3"])
        assert.strictEqual(asked.length, 1)
      })
    ))

  it.effect("is an error in discovery too, although the card offers 0.3", () =>
    Effect.gen(function*() {
      const { asked, layer } = find(agent, card(one(`${agent}/a`, "JSONRPC"), one(`${agent}/b`, "JSONRPC", "0.3")), {
        fallback: true,
        answer: (asked) =>
          isCard(asked)
            ? undefined
            : Response.json({
              jsonrpc: "2.0",
              id: JSON.parse(asked.body).id,
              error: { code: -32009, message: "unsupported", data: details }
            })
      })
      assert.strictEqual((yield* refusal(layer))._tag, "VersionNotSupportedError")
      assert.deepStrictEqual(asked.filter((one) => !isCard(one)).map(({ url }) => url), [`${agent}/a`])
    }))
})

describe("fallback to the next interface", covers("field:CARD-07"), () => {
  /** No connection to `/primary`. */
  const broken = (fallback: boolean, code = "ECONNREFUSED") => {
    const document = card(one(`${agent}/primary`, "JSONRPC"), one(`${agent}/backup`, "JSONRPC"))
    const { asked, layer: http } = respond((asked) => answer(asked, document))
    const client = Layer.effect(
      HttpClient.HttpClient,
      Effect.map(
        HttpClient.HttpClient,
        (client) =>
          HttpClient.mapRequestEffect(client, (request) => {
            const cause = Object.assign(new Error(code), { code })
            const reason = new HttpClientError.TransportError({ request, cause })
            return request.url.includes("primary")
              ? Effect.fail(new HttpClientError.HttpClientError({ reason }))
              : Effect.succeed(request)
          })
      )
    ).pipe(Layer.provide(http))
    return {
      urls: () => asked.filter((one) => !isCard(one)).map(({ url }) => url),
      layer: Agent.layer.pipe(
        Layer.provide(Discovery.layer({ agent, bindings, fallback })),
        Layer.provide([client, Credentials.layerNone])
      )
    }
  }
  const answer = (asked: Parameters<typeof isCard>[0], document: unknown) =>
    isCard(asked)
      ? Response.json(document)
      : Response.json({
        jsonrpc: "2.0",
        id: JSON.parse(asked.body).id,
        result: JSON.parse(asked.body).method === "GetTask"
          ? { id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_COMPLETED" } }
          : { task: { id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_COMPLETED" } } }
      })

  it.effect("serves reads, sends and streams if the first interface is unreachable", () =>
    Effect.gen(function*() {
      const { layer, urls } = broken(true)
      yield* Effect.all([ask, Agent.send("hi"), Stream.runDrain(Agent.stream("hi"))]).pipe(Effect.provide(layer))
      assert.deepStrictEqual(urls(), [`${agent}/backup`, `${agent}/backup`, `${agent}/backup`])
    }))

  it.effect("is off by default, and never repeats a message that the agent may have received", () =>
    Effect.gen(function*() {
      const off = broken(false)
      assert.strictEqual((yield* refusal(off.layer))._tag, "ConnectionError")
      const reset = broken(true, "ECONNRESET")
      const { reason } = yield* Effect.flip(Effect.provide(Agent.send("hi"), reset.layer))
      assert.strictEqual(reason._tag, "ConnectionError")
      assert.deepStrictEqual([...off.urls(), ...reset.urls()], [])
    }))
})

describe("an agent that does not stream", covers("field:STR-07"), () => {
  for (const capabilities of [{}, { streaming: false }]) {
    it.effect(`gets a blocking send instead of a stream, with capabilities ${JSON.stringify(capabilities)}`, () =>
      Effect.forEach(
        combinations,
        Effect.fnUntraced(function*(combination) {
          const document = {
            ...card(one(`${agent}/a2a`, combination.binding, combination.protocol.version)),
            capabilities
          }
          const { asked, layer } = find(agent, document)
          const events = yield* Stream.runCollect(Agent.stream("hi", { returnImmediately: true })).pipe(
            Effect.provide(layer)
          )
          assert.deepStrictEqual(events.map((one) => one._tag), ["Task"])
          const sent = asked.filter((one) => !isCard(one))
          assert.strictEqual(sent.length, 1)
          assert.notInclude(sent[0]!.headers.accept!, "event-stream")
          const { configuration, params } = JSON.parse(sent[0]!.body)
          const { blocking = true, returnImmediately = false } = configuration ?? params?.configuration ?? {}
          assert.deepStrictEqual([blocking, returnImmediately], [true, false], combination.name)
        })
      ))
  }

  it.effect("is the exception: an agent that streams gets a streaming send", () =>
    Effect.forEach(
      combinations,
      Effect.fnUntraced(function*(combination) {
        const { asked, layer } = find(
          agent,
          card(one(`${agent}/a2a`, combination.binding, combination.protocol.version)),
          {
            answer: (asked) =>
              isCard(asked) ? undefined : chunks([frame(event(combination, asked, {
                _tag: "Task",
                id: taskId,
                contextId: Id.ContextId.make("c-1"),
                status: { state: "completed" }
              }))])
          }
        )
        yield* Stream.runDrain(Agent.stream("hi")).pipe(Effect.provide(layer))
        assert.strictEqual(asked.at(-1)!.headers.accept, "text/event-stream", combination.name)
      })
    ))

  it.effect("gets a blocking send over any transport with the decorator `withCard`", () =>
    Effect.gen(function*() {
      const known = { ...AgentTest.card, capabilities: {} }
      const layer = Agent.layer.pipe(
        Layer.provide(AgentTest.layer.pipe(AgentTransport.withCard(known))),
        Layer.provide(Script.layer(Script.say("Hello")))
      )
      const [events, read] = yield* Effect.all([Stream.runCollect(Agent.stream("hi")), Agent.card]).pipe(
        Effect.provide(layer)
      )
      assert.deepStrictEqual(events.map((one) => one._tag), ["Task"])
      assert.deepStrictEqual(read, known)
    }))

  it.effect("ends the stream as interrupted if its response is not the end of the task", () =>
    Effect.gen(function*() {
      const [combination] = combinations
      const document = { ...card(one(`${agent}/a2a`, combination!.binding)), capabilities: {} }
      const { layer } = find(agent, document, {
        answer: (asked) =>
          isCard(asked)
            ? undefined
            : Response.json(
              JSON.parse(
                result(combination!, asked, {
                  task: { id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_WORKING" } }
                })
              )
            )
      })
      const { reason } = yield* Effect.flip(Stream.runDrain(Agent.stream("hi")).pipe(Effect.provide(layer)))
      if (reason._tag !== "StreamInterruptedError") return assert.fail(reason._tag)
      assert.strictEqual(reason.taskId, taskId)
    }))
})

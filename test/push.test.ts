// Push notifications over sockets: webhooks that are dead, silent and healthy.
import { AgentTransport, Message, Operation } from "@effect-a2a/core"
import { NodeAgent } from "@effect-a2a/node"
import { AgentExecutor, AgentServer, PushSender, PushStore } from "@effect-a2a/server"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schedule, Stream } from "effect"
import * as Server from "./support/httpServer.ts"

const agent = (options: PushSender.Options) =>
  AgentServer.layerMemory({ card: { name: "Greeter", description: "Greets" } }).pipe(
    Layer.provide(AgentExecutor.layer(() => Stream.make("Hel", "lo"))),
    Layer.provide(PushSender.layer({ drainTimeout: 0, ...options })),
    Layer.provide([PushStore.layerMemory(), NodeAgent.layerClient])
  )

const ask = (url: string) =>
  Effect.gen(function*() {
    const transport = yield* AgentTransport.AgentTransport
    const configuration = { taskPushNotificationConfig: { url } }
    return yield* transport.call(Operation.SendMessage, { message: yield* Message.user("Hi"), configuration })
  })

/** Reads until it is true, for ten seconds. */
const until = (isTrue: () => boolean) =>
  Effect.suspend(() => isTrue() ? Effect.void : Effect.fail("not yet")).pipe(
    Effect.retry({ schedule: Schedule.spaced("20 millis"), times: 500 })
  )

describe("push notifications over sockets", () => {
  it.live("a dead webhook and a silent one delay neither 100 others nor the turns", () =>
    Effect.gen(function*() {
      const dead = yield* Effect.scoped(Server.make(() => {}))
      const silent = yield* Server.make(() => {})
      const healthy = yield* Server.make((_, response) => void response.writeHead(200).end())
      yield* Effect.gen(function*() {
        yield* ask(`${dead.url}/`)
        yield* ask(`${silent.url}/`)
        yield* Effect.forEach(Array.from({ length: 100 }), (_, n) => ask(`${healthy.url}/${n}`), { concurrency: 10 })
        const completed = () =>
          new Set(healthy.asked.filter(({ body }) => body.includes("COMPLETED")).map(({ line }) => line))
        yield* until(() => completed().size === 100)
        for (let n = 0; n < 100; n++) {
          const own = healthy.asked.filter(({ line }) => line === `POST /${n}`).map(({ body }) => JSON.parse(body))
          assert.isDefined(own[0].task)
          const text = own.flatMap(({ artifactUpdate }) => artifactUpdate?.artifact.parts ?? [])
          assert.strictEqual(text.map((part: any) => part.text).join(""), "Hello")
        }
        assert.strictEqual(silent.asked.length, 1)
      }).pipe(Effect.provide(agent({ allow: "all" })))
    }).pipe(Effect.scoped))

  it.live("a notification is repeated with the same id until it is taken; redirects are not followed", () =>
    Effect.gen(function*() {
      let count = 0
      const hook = yield* Server.make(({ target }, response) => {
        if (target === "/moved") return void response.writeHead(307, { location: "/elsewhere" }).end()
        response.writeHead(++count < 3 ? 503 : 200).end()
      })
      yield* Effect.gen(function*() {
        yield* ask(`${hook.url}/busy`)
        yield* ask(`${hook.url}/moved`)
        const busy = () => hook.asked.filter(({ line }) => line === "POST /busy")
        yield* until(() => busy().some(({ body }) => body.includes("COMPLETED")))
        const ids = busy().map(({ headers }) => headers["webhook-id"])
        assert.deepStrictEqual([ids[1], ids[2]], [ids[0], ids[0]])
        assert.strictEqual(new Set(ids).size, ids.length - 2)
        assert.deepStrictEqual(hook.asked.filter(({ target }) => target === "/elsewhere"), [])
      }).pipe(Effect.provide(agent({ allow: [hook.url], firstPause: "20 millis" })))
    }).pipe(Effect.scoped))
})

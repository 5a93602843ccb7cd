/** A server in a process with a small heap goes on serving others while it is attacked. `pnpm attack` runs the large attacks. */
import * as ServerHandler from "@effect-a2a/core/ServerHandler"
import * as JsonRpcServer from "@effect-a2a/transport-jsonrpc/JsonRpcServer"
import * as RestServer from "@effect-a2a/transport-rest/RestServer"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { attacks } from "../scripts/attack/attacks.ts"
import { measure } from "../scripts/attack/measure.ts"
import { covers } from "./support/covers.ts"
import * as Serve from "./support/serve.ts"

describe("an attacked server", () => {
  it(
    "survives, serves another caller meanwhile, keeps that caller's tasks and answers no fault",
    {
      ...covers(
        "attack:S2-01",
        "attack:S2-02",
        "attack:S2-03",
        "attack:S2-07",
        "attack:S2-08",
        "attack:S2-13",
        "attack:S2-14",
        "attack:S2-16",
        "attack:S2-17",
        "attack:S2-18",
        "attack:S2-19",
        "attack:S2-20",
        "attack:S2-21",
        "attack:S2-22",
        "attack:S2-23",
        "attack:S2-25"
      ),
      timeout: 120_000
    },
    async () => {
      const cheap = attacks.filter(({ isCheap }) => isCheap === true)
      const { codes, failed, kept, said, served, survived, wrong } = await measure(cheap, 256)
      assert.deepStrictEqual(
        { failed, kept, survived, wrong },
        { failed: [], kept: true, survived: true, wrong: [] },
        said
      )
      assert.deepStrictEqual(Object.keys(codes).sort(), cheap.map(({ name }) => name).sort())
      assert.isAbove(served, 3)
    }
  )
})

describe("a body of many values", () => {
  const routes = Layer.merge(RestServer.routes({ path: "/a2a" }), JsonRpcServer.routes({ path: "/rpc" }))
  const message = (data: string) =>
    `{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"text":"many"},{"data":${data}}]}}`
  const call = (data: string) => `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${message(data)}}`
  const ask = (data: string) =>
    Effect.all([
      Serve.ask("/a2a/message:send?A2A-Version=1.0", { method: "POST", body: message(data) }),
      Serve.ask("/rpc?A2A-Version=1.0", { method: "POST", body: call(data) })
    ])
  const many = `[${Array(600_000).fill("1").join(",")}]`

  it.effect("is refused before it is parsed, in both bindings", () =>
    Effect.gen(function*() {
      const { calls, layer } = Serve.agent()
      const [rest, rpc] = yield* Effect.provide(ask(many.replace("1]", "}")), Serve.served(routes, layer))
      assert.strictEqual(rest.status, 413)
      assert.include(rest.json.error.message, "more than 500000 members and elements")
      assert.strictEqual(rpc.json.error.code, -32602)
      assert.deepStrictEqual(calls, [])
    }), covers("attack:S2-01", "attack:S2-13"))

  it.effect("is accepted below the limit, which is one reference", () =>
    Effect.gen(function*() {
      const limited = Layer.succeed(ServerHandler.CurrentMaxValues, 20)
      const raised = Layer.succeed(ServerHandler.CurrentMaxValues, 700_000)
      const statuses = (data: string, limits: Layer.Layer<never>) =>
        Effect.map(
          Effect.provide(ask(data), Layer.provide(Serve.served(routes), limits)),
          (answers) => answers.map(({ json }) => json.error?.code ?? "accepted")
        )
      assert.deepStrictEqual(yield* statuses(many, raised), ["accepted", "accepted"])
      assert.deepStrictEqual(yield* statuses("[1,2,3]", limited), ["accepted", "accepted"])
      assert.deepStrictEqual(yield* statuses("[1,2,3,{\"a\":[[],[],[],{}],\"b\":1}]", limited), [413, -32602])
      assert.deepStrictEqual(yield* statuses(JSON.stringify(",[{".repeat(50)), limited), ["accepted", "accepted"])
    }), covers("attack:S2-13"))
})

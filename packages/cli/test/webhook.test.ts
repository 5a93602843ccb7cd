// The command in a separate process, and an agent that sends to it over a socket.
import { AgentTransport, Message, Operation } from "@effect-a2a/core"
import { NodeAgent } from "@effect-a2a/node"
import { AgentExecutor, AgentServer, PushSender, PushStore } from "@effect-a2a/server"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { parse, start } from "./support/process.ts"

const agent = AgentServer.layerMemory({ card: { name: "Greeter", description: "Greets" } }).pipe(
  Layer.provide(AgentExecutor.layer(() => Stream.make("Hello"))),
  Layer.provide(PushSender.layer({ allow: "all" })),
  Layer.provide([PushStore.layerMemory(), NodeAgent.layerClient])
)

const post = (url: string, token: string, body: unknown) =>
  Effect.promise(() =>
    fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", "x-a2a-notification-token": token },
      body: JSON.stringify(body)
    })
  )

describe("a2a webhook", () => {
  it.live("prints its URL, then each notification of both versions on a line, duplicates marked", () =>
    Effect.gen(function*() {
      const env = { HOOK_TOKEN: "t-42" }
      const hook = yield* start(["webhook", "--token-env", "HOOK_TOKEN"], { stdin: "", env })
      const first = yield* hook.until("\n")
      const { url } = JSON.parse(first.split("\n")[0]!).ready
      yield* Effect.gen(function*() {
        const transport = yield* AgentTransport.AgentTransport
        const taskPushNotificationConfig = { url: `${url}/any/path`, token: "t-42" }
        const message = yield* Message.user("Hi")
        yield* transport.call(Operation.SendMessage, { message, configuration: { taskPushNotificationConfig } })
      }).pipe(Effect.provide(agent))
      yield* hook.until("TASK_STATE_COMPLETED")
      const task = { kind: "task", id: "old", contextId: "c", status: { state: "working" } }
      const answers = yield* Effect.forEach(["t-42", "t-42", "guess"], (token) => post(url, token, task))
      assert.deepStrictEqual(answers.map(({ status }) => status), [204, 204, 401])
      const wrong = yield* post(url, "t-42", { nothing: true })
      assert.strictEqual(wrong.status, 400)
      yield* hook.until("duplicate")
      hook.kill("SIGINT")
      const lines = parse(yield* hook.ended).slice(1).map(({ notification }) => notification)
      assert.isDefined(lines[0].event.task)
      const old = lines.filter(({ taskId }) => taskId === "old")
      assert.deepStrictEqual(old.map(({ duplicate }) => duplicate), [undefined, true])
      assert.strictEqual(old[0].event.task.status.state, "TASK_STATE_WORKING")
    }).pipe(Effect.scoped))

  it.live("receives what a2a serve --push sends; private webhooks must be allowed", () =>
    Effect.gen(function*() {
      const hook = yield* start(["webhook"], { stdin: "" })
      const { url } = JSON.parse((yield* hook.until("\n")).split("\n")[0]!).ready
      const serve = (flags: ReadonlyArray<string>) =>
        Effect.gen(function*() {
          const server = yield* start(["serve", "--port", "0", "--json", ...flags], { stdin: "" })
          const { ready } = JSON.parse((yield* server.until("\n")).split("\n")[0]!)
          const message = { messageId: "m", role: "user", kind: "message", parts: [{ kind: "text", text: "hi" }] }
          const params = { message, configuration: { pushNotificationConfig: { url } } }
          const response = yield* Effect.promise(() =>
            fetch(`${ready.url}/rpc`, {
              method: "POST",
              headers: { "content-type": "application/json", "a2a-version": "0.3" },
              body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/send", params })
            })
          )
          return yield* Effect.promise(() => response.json() as Promise<any>)
        })
      assert.strictEqual((yield* serve([])).error.code, -32003)
      assert.strictEqual((yield* serve(["--push"])).error.code, -32602)
      const { result } = yield* serve(["--push", "--allow-private-webhooks"])
      const lines = (yield* hook.until("TASK_STATE_COMPLETED")).trim().split("\n").slice(1).map((line) =>
        JSON.parse(line)
      )
      assert.deepStrictEqual([...new Set(lines.map(({ notification }) => notification.taskId))], [result.id])
    }).pipe(Effect.scoped))

  it.live("refuses an environment variable that is not set", () =>
    Effect.gen(function*() {
      const { code, stderr } = yield* (yield* start(["webhook", "--token-env", "NOWHERE"], { stdin: "" })).ended
      assert.deepStrictEqual([code, stderr.includes("NOWHERE is not set")], [2, true], stderr)
    }).pipe(Effect.scoped))
})

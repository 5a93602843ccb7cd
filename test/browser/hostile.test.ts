// A page of another origin on this machine, in Chromium, against an agent that listens on loopback and asks for nothing.
import { NodeAgentServer } from "@effect-a2a/node"
import { AgentExecutor, AgentServer, CardServer } from "@effect-a2a/server"
import { JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { createServer } from "node:http"
import { covers } from "../support/covers.ts"
import { executablePath, launch } from "./support/chromium.ts"

/** The origin of a page, which is another name of the same machine. */
const site = Effect.acquireRelease(
  Effect.callback<{ readonly origin: string; readonly close: () => void }>((resume) => {
    const server = createServer((_, response) =>
      response.setHeader("content-type", "text/html").end("<title>a page</title>")
    )
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { readonly port: number }
      resume(Effect.succeed({ origin: `http://localhost:${port}`, close: () => server.close().closeAllConnections() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

/** Posts as a page can without asking: no answer is read. Runs in the page. */
const post = ([url, body, type]: readonly [string, string | undefined, string]) =>
  fetch(url, {
    method: "POST",
    mode: "no-cors",
    credentials: "include",
    ...(body === undefined ? {} : { body: new Blob([body], { type }) })
  }).then((response) => response.type, String)

/** Submits a form, whose body is text that may be read as JSON. Runs in the page. */
const submit = ([url, body, type]: readonly [string, string, string]) => {
  const form = Object.assign(document.createElement("form"), {
    method: "POST",
    action: url,
    enctype: type,
    target: "sink"
  })
  const input = Object.assign(document.createElement("input"), { name: `${body.slice(0, -1)},"x":"`, value: "\"}" })
  const sink = Object.assign(document.createElement("iframe"), { name: "sink" })
  const done = new Promise((resolve) => sink.addEventListener("load", resolve))
  form.append(input)
  document.body.append(sink, form)
  form.submit()
  return done.then(() => "submitted")
}

describe.skipIf(executablePath === undefined)("a page of another origin", () => {
  const begun: Array<string> = []
  const routes = Layer.mergeAll(
    RestServer.routes({ path: "/a2a" }),
    JsonRpcServer.routes({ path: "/rpc" }),
    CardServer.routes()
  ).pipe(
    Layer.provide(AgentServer.layerMemory({ card: { name: "Agent", description: "On this machine" } })),
    Layer.provide(AgentExecutor.layer(({ message }) => {
      begun.push(String(message.messageId))
      return message.messageId === "own" ? Stream.never : Stream.make("done")
    }))
  )

  it.live("begins and cancels no task of an agent on this machine, whatever it posts", () =>
    Effect.gen(function*() {
      const url = yield* NodeAgentServer.url
      const { origin } = yield* site
      const own = yield* Effect.promise(() =>
        fetch(`${url}/a2a/message:send`, {
          method: "POST",
          headers: { "content-type": "application/json", "a2a-version": "1.0" },
          body: JSON.stringify({
            message: { messageId: "own", role: "ROLE_USER", parts: [{ text: "hi" }] },
            configuration: { returnImmediately: true }
          })
        }).then((response) => response.json())
      )
      const browser = yield* launch
      const page = yield* Effect.promise(() => browser.newPage())
      yield* Effect.promise(() => page.goto(origin))
      const parts = { messageId: "evil", role: "ROLE_USER", parts: [{ text: "hi" }] }
      const kind = { kind: "message", messageId: "evil", role: "user", parts: [{ kind: "text", text: "hi" }] }
      const rpc = (method: string, params: object) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
      const bodies: ReadonlyArray<readonly [string, string]> = [
        [`${url}/rpc`, rpc("message/send", { message: kind })],
        [`${url}/rpc?A2A-Version=1.0`, rpc("SendMessage", { message: parts })],
        [`${url}/rpc?A2A-Version=1.0`, rpc("SendStreamingMessage", { message: parts })],
        [`${url}/a2a/message:send?A2A-Version=1.0`, JSON.stringify({ message: parts })],
        [
          `${url}/a2a/v1/message:send`,
          JSON.stringify({ message: { ...parts, parts: undefined, content: parts.parts } })
        ]
      ]
      for (const [target, body] of bodies) {
        for (
          const type of ["", "text/plain", "text/plain;charset=application/json", "application/x-www-form-urlencoded"]
        ) {
          yield* Effect.promise(() => page.evaluate(post, [target, body, type] as const))
        }
        yield* Effect.promise(() => page.evaluate(submit, [target, body, "text/plain"] as const))
      }
      const id: string = own.task.id
      for (const path of [`/a2a/tasks/${id}:cancel?A2A-Version=1.0`, `/a2a/v1/tasks/${id}:cancel`]) {
        yield* Effect.promise(() => page.evaluate(post, [url + path, undefined, ""] as const))
      }
      assert.deepStrictEqual(begun, ["own"])
      const task = yield* Effect.promise(() =>
        fetch(`${url}/a2a/tasks/${id}`, { headers: { "a2a-version": "1.0" } }).then((response) => response.json())
      )
      assert.include(["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"], task.status.state)
    }).pipe(Effect.scoped, Effect.provide(NodeAgentServer.layer({ routes, port: 0 }))), {
    ...covers("attack:S2-02"),
    timeout: 60_000
  })
})

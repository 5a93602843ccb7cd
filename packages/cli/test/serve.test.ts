/** `a2a serve`: the demo agent as clients see it, its callers, its card, and agents that users write. */
import { Agent, AgentStream, Artifact, Credentials, Protocol } from "@effect-a2a/core"
import { NodeAgent } from "@effect-a2a/node"
import { JsonRpc } from "@effect-a2a/transport-jsonrpc"
import { Rest } from "@effect-a2a/transport-rest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, FileSystem, Layer, Redacted, Stream } from "effect"
import { run, start } from "./support/command.ts"
import * as Process from "./support/process.ts"

const serve = (args: ReadonlyArray<string> = [], env: Record<string, string> = {}) =>
  Effect.gen(function*() {
    const running = yield* start(["serve", "--port", "0", "--json", ...args], { env, stdin: "" })
    const { ready } = JSON.parse((yield* running.until("\n")).split("\n")[0]!)
    return { ...running, ...(ready as { readonly url: string; readonly card: string }) }
  })

const at = (url: string, token?: string) =>
  NodeAgent.layer({ agent: url }).pipe(
    Layer.provide(token === undefined ? Credentials.layerNone : Credentials.layerBearer(Redacted.make(token)))
  )

const open = (path: string, init?: RequestInit) => Effect.promise(() => fetch(path, init))

describe.concurrent("a2a serve", () => {
  it.live("says what the first word of a message asks for", () =>
    Effect.gen(function*() {
      const { url } = yield* serve()
      const say = (text: string) => Agent.ask(text)
      yield* Effect.gen(function*() {
        const texts: ReadonlyArray<readonly [string, string]> = [
          ["chunks 4", "1 2 3 4 "],
          ["steps 2", "done"],
          ["think of it", "of it"],
          ["tool", "3"],
          ["echo  hello there", "hello there"],
          ["anything else", "anything else"],
          ["hello", "Hello yourself"],
          ["slow 0", "done"],
          ["whoami", "caller=; tenant=; extensions="]
        ]
        for (const [text, answer] of texts) assert.strictEqual((yield* say(text)).text, answer, text)
        const calls = yield* Stream.runCollect(AgentStream.toolCalls(Agent.stream("tool")))
        assert.deepStrictEqual(calls, [
          { _tag: "Call", id: "add-1", name: "add", args: { a: 1, b: 2 } },
          { _tag: "Result", id: "add-1", name: "add", outcome: { _tag: "Success", response: 3 } }
        ])
        const artifacts = yield* say("artifacts 3")
        assert.deepStrictEqual(artifacts.artifacts.map(Artifact.text), ["artifact 1", "artifact 2", "artifact 3"])
        const [files] = (yield* say("file")).artifacts
        assert.deepStrictEqual(files?.parts.map(({ _tag }) => _tag), ["Raw", "Url", "Data"])
        const asked = yield* say("ask Red or blue?")
        assert.deepStrictEqual([asked.state, asked.text, asked.question], [
          "input-required",
          "Some findings. ",
          "Red or blue?"
        ])
        assert.strictEqual((yield* Agent.ask("blue", { after: asked })).text, "You said: blue")
        const context = yield* Agent.ask("context", { contextId: asked.contextId! })
        assert.deepStrictEqual(context.text.split("\n"), [
          "user: ask Red or blue?",
          "agent: Some findings. ",
          "agent: Red or blue?",
          "user: blue",
          "agent: You said: blue"
        ])
      }).pipe(Effect.provide(at(url)))
    }))

  it.live("fails, rejects, dies and refuses as asked", () =>
    Effect.gen(function*() {
      const codes: ReadonlyArray<readonly [string, string, string]> = [
        ["fail no luck", "TaskFailedError", "no luck"],
        ["reject not today", "TaskRejectedError", "not today"],
        ["die", "TaskFailedError", "unexpectedly"],
        ["refuse QUOTA_EXCEEDED", "QuotaExceededError", "as asked"],
        ["refuse RATE_LIMIT_EXCEEDED", "RateLimitError", "as asked"],
        ["refuse nothing", "InvalidParamsError", "unknown code"]
      ]
      for (const [text, tag, words] of codes) {
        const { reason } = yield* Effect.flip(Agent.ask(text))
        assert.strictEqual(reason._tag, tag, text)
        assert.include(reason.message, words)
      }
      const before = yield* Stream.runCollect(Agent.listTasks())
      assert.lengthOf(before, 3)
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(serve(), ({ url }) => at(url)))), Effect.scoped))

  it.live("collects messages while it is at work, and waits for credentials", () =>
    Effect.gen(function*() {
      const { url } = yield* serve()
      yield* Effect.gen(function*() {
        const task = yield* Agent.send("collect", { returnImmediately: true })
        if (task._tag !== "Task") return assert.fail("expected a task")
        yield* Agent.send("one", { taskId: task.id, returnImmediately: true })
        yield* Agent.send("two", { taskId: task.id, returnImmediately: true })
        const end = yield* Agent.ask("end", { taskId: task.id })
        assert.strictEqual(end.text, "one\ntwo")
        const slow = yield* Agent.send("slow 60", { returnImmediately: true })
        const id = slow._tag === "Task" ? slow.id : assert.fail("expected a task")
        assert.strictEqual(
          (yield* Effect.flip(Agent.ask("more", { taskId: id }))).reason._tag,
          "UnsupportedOperationError"
        )
        assert.strictEqual((yield* Agent.cancel(id)).status.state, "canceled")
        const states = yield* Agent.stream("auth").pipe(
          Stream.flatMap((event) => event._tag === "StatusUpdate" ? Stream.make(event.status.state) : Stream.empty),
          Stream.runCollect
        )
        assert.includeMembers(states, ["auth-required", "completed"])
      }).pipe(Effect.provide(at(url)))
    }))

  it.live("serves both versions in both bindings, or those that are named", () =>
    Effect.gen(function*() {
      const { card, url } = yield* serve(["--name", "Mine"])
      for (const [path, layer] of [["/rest", Rest.layer], ["/rpc", JsonRpc.layer]] as const) {
        for (const protocol of [Protocol.v1_0, Protocol.v0_3]) {
          const agent = Agent.layer.pipe(
            Layer.provide(layer({ url: url + path, protocol })),
            Layer.provide([NodeAgent.layerClient, Credentials.layerNone])
          )
          assert.strictEqual((yield* Effect.provide(Agent.ask("hi"), agent)).text, "hi")
        }
      }
      const json = yield* Effect.promise(() => fetch(card).then((response) => response.json()))
      assert.strictEqual(json.name, "Mine")
      assert.strictEqual((yield* open(`${url}/health`)).status, 200)
      const only = yield* serve(["--protocol", "1.0", "--binding", "jsonrpc"])
      const { supportedInterfaces } = yield* Effect.promise(() => fetch(only.card).then((response) => response.json()))
      assert.deepStrictEqual(supportedInterfaces.map((one: any) => `${one.protocolBinding} ${one.protocolVersion}`), [
        "JSONRPC 1.0"
      ])
    }))

  it.live("demands a token and names its caller, whose tasks are nobody else's", () =>
    Effect.gen(function*() {
      const { url } = yield* serve([], { A2A_SERVE_TOKENS: "ana:secret1,ben:secret2" })
      const whoami = Effect.map(Agent.ask("whoami"), ({ text }) => text)
      assert.include(yield* Effect.provide(whoami, at(url, "secret1")), "caller=ana;")
      assert.include(yield* Effect.provide(whoami, at(url, "secret2")), "caller=ben;")
      const list = Effect.map(Stream.runCollect(Agent.listTasks()), (tasks) => tasks.length)
      assert.strictEqual(yield* Effect.provide(list, at(url, "secret1")), 1)
      for (const token of [undefined, "secret3"]) {
        const { reason } = yield* Effect.flip(Effect.provide(whoami, at(url, token)))
        assert.include(["UnauthenticatedError", "CredentialsUnavailableError"], reason._tag)
      }
    }))

  it.live("writes the public origin into the card, and reads that of a proxy only if it is behind one", () =>
    Effect.gen(function*() {
      const urlOf = (card: string, headers: Record<string, string> = {}) =>
        Effect.promise(() =>
          fetch(card, { headers: { "a2a-version": "1.0", ...headers } }).then((response) => response.json())
        ).pipe(Effect.map((json) => new URL(json.supportedInterfaces[0].url).origin))
      const forwarded = { "x-forwarded-proto": "https", "x-forwarded-host": "agent.example" }
      const plain = yield* serve()
      assert.strictEqual(yield* urlOf(plain.card, forwarded), plain.url)
      const named = yield* serve(["--public-url", "https://mine.example"])
      assert.strictEqual(yield* urlOf(named.card, forwarded), "https://mine.example")
      const behind = yield* serve(["--behind-proxy"])
      assert.strictEqual(yield* urlOf(behind.card, forwarded), "https://agent.example")
    }))

  it.live("limits the tasks at work", () =>
    Effect.gen(function*() {
      const { url } = yield* serve(["--max-running", "1"])
      yield* Effect.gen(function*() {
        yield* Agent.send("slow 60", { returnImmediately: true })
        assert.strictEqual((yield* Effect.flip(Agent.send("hi"))).reason._tag, "ServiceUnavailableError")
      }).pipe(Effect.provide(at(url)))
    }))

  it.live("serves a module, and says what is wrong with one", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const write = (name: string, text: string) =>
        Effect.as(fs.writeFileString(`${folder}/${name}`, text), `${folder}/${name}`)
      const effect = import.meta.resolve("effect")
      const good = yield* write(
        "good.mjs",
        `import { Stream } from ${
          JSON.stringify(effect)
        }\nexport default (turn) => Stream.make("from ", turn.message.parts[0].text)\n`
      )
      const { url } = yield* serve([good])
      assert.strictEqual((yield* Effect.provide(Agent.ask("me"), at(url))).text, "from me")
      const bad = [
        yield* write("empty.mjs", "export const x = 1\n"),
        yield* write("syntax.mjs", "export default ("),
        `${folder}/none.mjs`
      ]
      for (const file of bad) {
        const { code, stderr, stdout } = yield* run(["serve", "--port", "0", file])
        assert.deepStrictEqual([code, stdout], [2, ""], file)
        assert.include(stderr, `cannot serve ${file}`)
      }
    }).pipe(Effect.provide(NodeServices.layer)))

  it.live("refuses a port that is taken, a wrong public URL and wrong tokens, with the reason", () =>
    Effect.gen(function*() {
      const { url } = yield* serve()
      const cases: ReadonlyArray<readonly [ReadonlyArray<string>, Record<string, string>, string]> = [
        [["--port", new URL(url).port], {}, "cannot listen"],
        [["--port", "0", "--public-url", "agent.example"], {}, "--public-url"],
        [["--port", "0"], { A2A_SERVE_TOKENS: "secretwithoutname" }, "A2A_SERVE_TOKENS"]
      ]
      for (const [args, env, words] of cases) {
        const { code, stderr } = yield* run(["serve", ...args], { env })
        assert.strictEqual(code, 2)
        assert.include(stderr, words)
        assert.notInclude(stderr, "secretwithoutname")
      }
    }))

  it.live("prints its URL for people, and ends with SIGTERM", () =>
    Effect.gen(function*() {
      const running = yield* Process.start(["serve", "--port", "0"], { stdin: "" })
      const [line] = (yield* running.until("\n")).split("\n")
      assert.match(line!, /^http:\/\/127\.0\.0\.1:\d+$/)
      const asked = yield* Effect.forkChild(Effect.result(Effect.provide(Agent.ask("slow 60"), at(line!))))
      yield* Effect.sleep("300 millis")
      running.kill("SIGTERM")
      assert.include([0, 130, 143], (yield* running.ended).code)
      assert.strictEqual((yield* Fiber.join(asked))._tag, "Failure")
    }))
})

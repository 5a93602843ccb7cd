// The whole client in Chromium: agents on other origins, a page that may do nothing but run its own scripts.
import * as MemoryLakeEmulator from "@effect-a2a/emulators/MemoryLakeEmulator"
import { assert } from "@effect/vitest"
import { Duration, Effect, Fiber } from "effect"
import * as HttpServer from "../support/httpServer.ts"
import * as Proxy from "../support/proxy.ts"
import * as Site from "./support/site.ts"
import { inBrowser, open, tab, visit, World } from "./support/world.ts"

const token = MemoryLakeEmulator.apiKey
const question = "What is the capital of France?"
const paris = { state: "completed", text: "Paris is the capital of France." }
/** A stream tells of tools too. */
const parisAsItCame: unknown = { ...paris, toolCalls: 1 }

const cells = (["1.0", "0.3"] as const).flatMap((protocol) =>
  (["rest", "jsonrpc"] as const).map((binding) => ({ protocol, binding }))
)

/** What is to become true on a socket soon; a test that waits for it in vain times out. */
const eventually = (holds: () => boolean) =>
  Effect.repeat(Effect.delay(Effect.sync(holds), "10 millis"), { until: (isTrue) => isTrue })

inBrowser("in Chromium", (it) => {
  it.effect("ESM-01, BRW-01: the bundle holds our modules and Effect's, warns of nothing, and wants nothing of Node's", () =>
    Effect.gen(function*() {
      const { built } = yield* World
      assert.deepStrictEqual(built.warnings, [])
      assert.deepStrictEqual(
        built.modules.filter((id) =>
          !/\/(packages\/\w[\w-]*\/src|node_modules\/effect|test\/browser\/page)\//.test(id)
        ),
        ["\0rolldown/runtime.js"].filter((id) => built.modules.includes(id))
      )
      assert.deepStrictEqual(built.imports.filter((name) => !built.files.has(name)), [])
      assert.deepStrictEqual(built.modules.filter((id) => /JITCompiler|codegen/.test(id)), [])
    }))

  for (const cell of cells) {
    it.effect(`SDK-05: ask and stream over ${cell.protocol} ${cell.binding}, across origins, without a violation`, () =>
      Effect.gen(function*() {
        const { lake } = yield* World
        const page = yield* open()
        assert.deepStrictEqual<unknown>(yield* page.call("ask", { lake, token, ...cell }, question), paris)
        assert.deepStrictEqual<unknown>(yield* page.call("stream", { lake, token, ...cell }, question), parisAsItCame)
        assert.deepStrictEqual(yield* page.violations, [])
        assert.strictEqual(yield* page.call("generateCode"), "refused")
        assert.isNotEmpty(yield* page.violations)
      }))
  }

  it.effect("BRW-05: an agent found by its card is asked with no headers but the protocol's", () =>
    Effect.gen(function*() {
      const { counter } = yield* World
      const page = yield* open()
      const names: Array<ReadonlyArray<string>> = []
      page.page.on("request", (request) => names.push(Object.keys(request.headers())))
      const answer = yield* page.call("ask", { agent: counter }, "hello")
      assert.deepInclude(answer, { state: "completed", text: "hello" })
      const own = names.flat().filter((name) => !/^(sec-|user-agent$|referer$|origin$)/.test(name))
      assert.sameMembers([...new Set(own)], ["accept", "a2a-version", "content-type"])
    }))

  it.effect("BRW-01: text, data and bytes go there and back where Buffer and process are unknown", () =>
    Effect.gen(function*() {
      const { counter } = yield* World
      const page = yield* open()
      assert.deepStrictEqual<unknown>(yield* page.call("parts", { agent: counter }), [
        "Text",
        { answer: 42, list: [1, null] },
        Array.from({ length: 256 }, (_, n) => n)
      ])
    }))

  it.effect("BRW-02: streams are read where ReadableStream is no async iterable, as in Safari", () =>
    Effect.gen(function*() {
      const { lake } = yield* World
      const page = yield* open(() => {
        delete (ReadableStream.prototype as any)[Symbol.asyncIterator]
      })
      assert.deepStrictEqual<unknown>(yield* page.call("stream", { lake, token }, question), parisAsItCame)
    }))

  it.effect("two tabs that ask at once with a revoked token have it renewed once", () =>
    Effect.gen(function*() {
      const { lake, tokens } = yield* World
      const context = yield* visit
      const pages = [yield* tab(context), yield* tab(context)]
      const target = { lake, tokenUrl: "/token/two-tabs" }
      const answers = yield* Effect.forEach(pages, (page) => page.call("ask", target, question), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual<unknown>(answers, [paris, paris])
      // had once, and renewed once
      assert.strictEqual(tokens.get("/token/two-tabs"), 2)
      const late = yield* tab(context)
      assert.deepStrictEqual<unknown>(yield* late.call("ask", target, question), paris)
      assert.strictEqual(tokens.get("/token/two-tabs"), 2)
      const kept = yield* Effect.promise(() =>
        late.page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))
      )
      assert.notInclude(kept, "sk_demo")
    }))

  it.effect("a token is kept for the next visit where that is asked for by name", () =>
    Effect.gen(function*() {
      const { lake, tokens } = yield* World
      const context = yield* visit
      const target = { lake, tokenUrl: "/token/next-visit", isKept: true }
      const first = yield* tab(context)
      assert.deepStrictEqual<unknown>(yield* first.call("ask", target, question), paris)
      yield* Effect.promise(() => first.page.close())
      const next = yield* tab(context)
      assert.deepStrictEqual<unknown>(yield* next.call("ask", target, question), paris)
      assert.strictEqual(tokens.get("/token/next-visit"), 2)
    }))

  it.effect("a conversation in IndexedDB is there in another tab, one in sessionStorage is not", () =>
    Effect.gen(function*() {
      const { lake } = yield* World
      const context = yield* visit
      for (const store of ["indexedDb", "session"] as const) {
        const target = { lake, token, store }
        const said = ((yield* (yield* tab(context)).call("chat", target, question)) as any).transcript
        assert.deepStrictEqual(said, [question, paris.text])
        const other = (yield* (yield* tab(context)).call("chat", target, undefined)) as any
        assert.deepStrictEqual(other.transcript, store === "session" ? [] : said)
      }
    }))

  it.effect("RES-01: a page that is left lets go of its stream, and takes it up when it is back", () =>
    Effect.gen(function*() {
      const page = yield* open()
      let isClosed = false
      const agent = yield* Site.raw((asked, response) => {
        if (!asked.line.endsWith(":stream")) return HttpServer.cutting(asked, response)
        response.on("close", () => void (isClosed = true))
        HttpServer.events(response, [{ task: HttpServer.task("SUBMITTED") }, HttpServer.chunk("Hel", false)], "hang")
      })
      // the browser is started without the cache that such pages go to
      const tell = (type: string) =>
        Effect.promise(() =>
          page.page.evaluate((type) => dispatchEvent(new PageTransitionEvent(type, { persisted: true })), type)
        )
      const running = yield* Effect.forkChild(page.call("stream", { url: agent.url }, "hello"))
      yield* page.seen(2)
      yield* tell("pagehide")
      yield* eventually(() => isClosed)
      yield* tell("pageshow")
      assert.deepInclude(yield* Fiber.join(running), { state: "completed", text: "Hello you" })
    }))

  it.effect("ML-28: a reload in mid-stream ends with the same answer", () =>
    Effect.gen(function*() {
      const { lake } = yield* World
      const page = yield* open()
      const running = yield* Effect.forkChild(Effect.exit(page.call("chat", { lake, token }, "Be slow about Lisbon")))
      yield* page.seen(4)
      yield* page.reload
      const { answer, pending, transcript } = (yield* page.call("chat", { lake, token }, undefined)) as any
      assert.strictEqual(answer, "You asked: Be slow about Lisbon")
      assert.deepStrictEqual([pending, transcript], [undefined, ["Be slow about Lisbon", answer]])
      yield* page.reload
      const restored = (yield* page.call("chat", { lake, token }, undefined)) as any
      assert.deepStrictEqual(restored.transcript, transcript)
      yield* Fiber.interrupt(running)
    }))

  it.effect("RES-01: a stream that is lost with the network ends with the same answer when that is back", () =>
    Effect.gen(function*() {
      const { lake } = yield* World
      const page = yield* open()
      const proxy = yield* Proxy.make(Number(new URL(lake.host!).port))
      // the preflight and the stream; what comes of the first is short
      yield* proxy.plan((nth) => nth < 2 ? { how: "reset", after: 2000 } : undefined)
      const running = yield* Effect.forkChild(
        page.call("stream", { lake: { ...lake, host: proxy.origin }, token }, "Be slow about Lisbon")
      )
      yield* page.seen(1)
      yield* page.offline(true)
      yield* eventually(() => proxy.faults.reset === 1)
      yield* Effect.sleep("500 millis")
      assert.strictEqual(proxy.answers.length, 2)
      yield* page.offline(false)
      assert.deepInclude(yield* Fiber.join(running), { state: "completed", text: "You asked: Be slow about Lisbon" })
    }))

  it.effect("RES-01: nothing is tried while there is no network, and at once when there is", () =>
    Effect.gen(function*() {
      const page = yield* open()
      let cut = () => {}
      const agent = yield* Site.raw((asked, response) => {
        if (!asked.line.endsWith(":stream")) return HttpServer.cutting(asked, response)
        cut = () => void response.destroy()
        HttpServer.events(response, [{ task: HttpServer.task("SUBMITTED") }, HttpServer.chunk("Hel", false)], "hang")
      })
      const running = yield* Effect.forkChild(page.call("stream", { url: agent.url }, "hello"))
      yield* page.seen(2)
      yield* page.offline(true)
      cut()
      yield* Effect.sleep("1 second")
      assert.strictEqual(agent.asked.filter(({ line }) => !line.startsWith("OPTIONS")).length, 1)
      const [duration, answer] = yield* Effect.timed(Effect.andThen(page.offline(false), Fiber.join(running)))
      assert.deepInclude(answer, { state: "completed", text: "Hello you" })
      assert.isBelow(Duration.toMillis(duration), 5000)
    }))

  it.effect("ML-30: a task is canceled while its stream runs, and the stream ends with it", () =>
    Effect.gen(function*() {
      const { counter } = yield* World
      const page = yield* open()
      assert.deepStrictEqual<unknown>(yield* page.call("cancel", { agent: counter }, "count"), {
        state: "canceled",
        ended: "TaskCanceledError"
      })
    }))

  it.effect("CAN-04: a stream that is left closes its connection", () =>
    Effect.gen(function*() {
      const page = yield* open()
      let isClosed = false
      const agent = yield* Site.raw((_, response) => {
        response.on("close", () => void (isClosed = true))
        HttpServer.events(response, [{ task: HttpServer.task("WORKING") }], "hang")
      })
      yield* page.call("leave", { url: agent.url }, "hello")
      yield* eventually(() => isClosed)
    }))

  it.effect("MEM-01: an event without end stops at the limit, and its connection closes", () =>
    Effect.gen(function*() {
      const page = yield* open()
      let isClosed = false
      const agent = yield* Site.raw((_, response) => {
        response.on("close", () => void (isClosed = true))
        response.writeHead(200, { "content-type": "text/event-stream" }).write("data: ")
        const more = () => {
          while (!isClosed && response.write("x".repeat(65_536)));
          if (!isClosed) response.once("drain", more)
        }
        more()
      })
      const answer = yield* page.call("stream", { url: agent.url, limits: { maxEventSize: 1_000_000 } }, "hello")
      assert.deepInclude(answer, { error: "ResponseTooLargeError" })
      yield* eventually(() => isClosed)
    }))

  it.effect("MEM-02: an event of 3 MiB in small pieces and an answer of 20 MiB pass", () =>
    Effect.gen(function*() {
      const page = yield* open()
      const agent = yield* Site.raw(({ line }, response) => {
        if (!line.endsWith(":stream")) {
          return HttpServer.json(response, { task: HttpServer.task("COMPLETED", "x".repeat(20 * 2 ** 20)) })
        }
        response.writeHead(200, { "content-type": "text/event-stream" })
        const event = `data: ${JSON.stringify({ task: HttpServer.task("COMPLETED", "y".repeat(3 * 2 ** 20)) })}\n\n`
        for (let at = 0; at < event.length; at += 64) response.write(event.slice(at, at + 64))
        response.end()
      })
      const length = (answer: any) => answer.text?.length
      assert.strictEqual(length(yield* page.call("stream", { url: agent.url }, "hello")), 3 * 2 ** 20)
      assert.strictEqual(length(yield* page.call("ask", { url: agent.url }, "hello")), 20 * 2 ** 20)
    }))

  it.effect("ESM-05: loading it touches neither AbortController nor fetch", () =>
    Effect.gen(function*() {
      const page = yield* open()
      const loaded = yield* Effect.promise(() =>
        page.page.evaluate(() => {
          const worker = new Worker("/worker.js", { type: "module" })
          const { port1, port2 } = new MessageChannel()
          worker.postMessage({ name: "generateCode", args: [] }, [port2])
          return new Promise((resolve) => port1.onmessage = ({ data }) => resolve(data))
        })
      )
      assert.strictEqual(loaded, "refused")
    }))

  for (const kind of ["web worker", "service worker"] as const) {
    it.effect(`SDK-05: a ${kind} asks and streams in all four cells`, () =>
      Effect.gen(function*() {
        const { lake } = yield* World
        const page = yield* open()
        const run = (name: string, ...args: ReadonlyArray<unknown>) =>
          Effect.promise(() =>
            page.page.evaluate(async ({ kind, message }) => {
              const { port1, port2 } = new MessageChannel()
              const answer = new Promise((resolve) => port1.onmessage = ({ data }) => resolve(data))
              const self = globalThis as any
              self.worker ??= kind === "web worker"
                ? new Worker("/worker.js", { type: "module" })
                : await navigator.serviceWorker.register("/serviceWorker.js", { type: "module" })
                  .then(() => navigator.serviceWorker.ready)
                  .then(({ active }) => active)
              self.worker.postMessage(message, [port2])
              return answer
            }, { kind, message: { name, args } })
          )
        for (const cell of cells) {
          assert.deepStrictEqual(yield* run("ask", { lake, token, ...cell }, question), paris)
          assert.deepStrictEqual(yield* run("stream", { lake, token, ...cell }, question), parisAsItCame)
        }
        assert.deepStrictEqual(yield* page.violations, [])
      }))
  }
})

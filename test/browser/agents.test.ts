// The whole client in Chromium, with agents on other origins, in a page that may only run its own scripts.
import * as MemoryLakeEmulator from "@effect-a2a/emulators/MemoryLakeEmulator"
import { assert } from "@effect/vitest"
import { Duration, Effect, Fiber } from "effect"
import { covers } from "../support/covers.ts"
import * as HttpServer from "../support/httpServer.ts"
import * as Proxy from "../support/proxy.ts"
import * as Site from "./support/site.ts"
import { inBrowser, open, tab, visit, World } from "./support/world.ts"

const token = MemoryLakeEmulator.apiKey
const question = "What is the capital of France?"
const paris = { state: "completed", text: "Paris is the capital of France." }
/** Streams contain tool calls too. */
const streamedParis: unknown = { ...paris, toolCalls: 1 }

const combinations = (["1.0", "0.3"] as const).flatMap((protocol) =>
  (["rest", "jsonrpc"] as const).map((binding) => ({ protocol, binding }))
)

/** Waits until the condition holds; otherwise the test times out. */
const eventually = (holds: () => boolean) =>
  Effect.repeat(Effect.delay(Effect.sync(holds), "10 millis"), { until: (isTrue) => isTrue })

inBrowser("in Chromium", (it) => {
  it.effect("the bundle contains only our modules and Effect's, without warnings", () =>
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
    }), covers("field:ESM-01", "field:BRW-01"))

  for (const combination of combinations) {
    it.effect(
      `ask and stream over ${combination.protocol} ${combination.binding}, across origins, without a policy violation`,
      () =>
        Effect.gen(function*() {
          const { lake } = yield* World
          const page = yield* open()
          assert.deepStrictEqual<unknown>(yield* page.call("ask", { lake, token, ...combination }, question), paris)
          assert.deepStrictEqual<unknown>(
            yield* page.call("stream", { lake, token, ...combination }, question),
            streamedParis
          )
          assert.deepStrictEqual(yield* page.violations, [])
          assert.strictEqual(yield* page.call("generateCode"), "refused")
          assert.isNotEmpty(yield* page.violations)
        }),
      covers("SDK-05")
    )
  }

  it.effect("an agent on the page's origin is reached by a path, and found by one", () =>
    Effect.gen(function*() {
      const page = yield* open()
      for (const target of [{ url: "/api/a2a" }, { agent: "/api" }]) {
        assert.propertyVal(yield* page.call("ask", target, question), "text", "Here")
      }
    }), covers("field:N2-24"))

  it.effect("a discovered agent gets no headers but the protocol's", () =>
    Effect.gen(function*() {
      const { counter } = yield* World
      const page = yield* open()
      const names: Array<ReadonlyArray<string>> = []
      page.page.on("request", (request) => names.push(Object.keys(request.headers())))
      const answer = yield* page.call("ask", { agent: counter }, "hello")
      assert.deepInclude(answer, { state: "completed", text: "hello" })
      const own = names.flat().filter((name) => !/^(sec-|user-agent$|referer$|origin$)/.test(name))
      assert.sameMembers([...new Set(own)], ["accept", "a2a-version", "content-type"])
    }), covers("field:BRW-05"))

  it.effect("text, data and bytes survive a round trip without Buffer and process", () =>
    Effect.gen(function*() {
      const { counter } = yield* World
      const page = yield* open()
      assert.deepStrictEqual<unknown>(yield* page.call("parts", { agent: counter }), [
        "Text",
        { answer: 42, list: [1, null] },
        Array.from({ length: 256 }, (_, n) => n)
      ])
    }), covers("field:BRW-01"))

  it.effect(
    "streams are read although ReadableStream is not async iterable, as in Safari",
    () =>
      Effect.gen(function*() {
        const { lake } = yield* World
        const page = yield* open(() => {
          delete (ReadableStream.prototype as any)[Symbol.asyncIterator]
        })
        assert.deepStrictEqual<unknown>(yield* page.call("stream", { lake, token }, question), streamedParis)
      }),
    covers("field:BRW-02")
  )

  it.effect("a revoked token in two tabs is renewed once", () =>
    Effect.gen(function*() {
      const { lake, tokens } = yield* World
      const context = yield* visit
      const pages = [yield* tab(context), yield* tab(context)]
      const target = { lake, tokenUrl: "/token/two-tabs" }
      const answers = yield* Effect.forEach(pages, (page) => page.call("ask", target, question), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual<unknown>(answers, [paris, paris])
      // read once, renewed once
      assert.strictEqual(tokens.get("/token/two-tabs"), 2)
      const late = yield* tab(context)
      assert.deepStrictEqual<unknown>(yield* late.call("ask", target, question), paris)
      assert.strictEqual(tokens.get("/token/two-tabs"), 2)
      const kept = yield* Effect.promise(() =>
        late.page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))
      )
      assert.notInclude(kept, "sk_demo")
    }))

  it.effect("layerLocalStorage keeps a token for the next visit", () =>
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

  it.effect("a conversation in IndexedDB is shared with other tabs, one in sessionStorage is not", () =>
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

  it.effect("a page that is left drops its stream, and resumes it when it is back", () =>
    Effect.gen(function*() {
      const page = yield* open()
      let isClosed = false
      const agent = yield* Site.raw((asked, response) => {
        if (!asked.line.endsWith(":stream")) return HttpServer.cutting(asked, response)
        response.on("close", () => void (isClosed = true))
        HttpServer.events(response, [{ task: HttpServer.task("SUBMITTED") }, HttpServer.chunk("Hel", false)], "hang")
      })
      // the browser runs without a back/forward cache
      const dispatch = (type: string) =>
        Effect.promise(() =>
          page.page.evaluate((type) => dispatchEvent(new PageTransitionEvent(type, { persisted: true })), type)
        )
      const running = yield* Effect.forkChild(page.call("stream", { url: agent.url }, "hello"))
      yield* page.seen(2)
      yield* dispatch("pagehide")
      yield* eventually(() => isClosed)
      yield* dispatch("pageshow")
      assert.deepInclude(yield* Fiber.join(running), { state: "completed", text: "Hello you" })
    }), covers("field:RES-01"))

  it.effect("a reload in the middle of a stream ends with the same answer", () =>
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
    }), covers("ML-28"))

  it.effect(
    "a stream that drops with the network ends with the same answer when the network is back",
    () =>
      Effect.gen(function*() {
        const { lake } = yield* World
        const page = yield* open()
        const proxy = yield* Proxy.make(Number(new URL(lake.host!).port))
        // cuts the preflight and the stream; the preflight is shorter than that
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
      }),
    covers("field:RES-01")
  )

  it.effect("no attempt is made without a network, and one at once when it is back", () =>
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
    }), covers("field:RES-01"))

  it.effect("canceling a task ends its stream", () =>
    Effect.gen(function*() {
      const { counter } = yield* World
      const page = yield* open()
      assert.deepStrictEqual<unknown>(yield* page.call("cancel", { agent: counter }, "count"), {
        state: "canceled",
        ended: "TaskCanceledError"
      })
    }), covers("ML-30"))

  it.effect("interrupting a stream closes its connection", () =>
    Effect.gen(function*() {
      const page = yield* open()
      let isClosed = false
      const agent = yield* Site.raw((_, response) => {
        response.on("close", () => void (isClosed = true))
        HttpServer.events(response, [{ task: HttpServer.task("WORKING") }], "hang")
      })
      yield* page.call("leave", { url: agent.url }, "hello")
      yield* eventually(() => isClosed)
    }), covers("field:CAN-04"))

  it.effect("an endless event fails at the limit and closes its connection", () =>
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
    }), covers("field:MEM-01"))

  it.effect("an event of 3 MiB in small chunks and a response of 20 MiB are read", () =>
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
    }), covers("field:MEM-02"))

  it.effect("loading the bundle uses neither AbortController nor fetch", () =>
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
    }), covers("field:ESM-05"))

  for (const kind of ["web worker", "service worker"] as const) {
    it.effect(`a ${kind} asks and streams in all four combinations`, () =>
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
        for (const combination of combinations) {
          assert.deepStrictEqual(yield* run("ask", { lake, token, ...combination }, question), paris)
          assert.deepStrictEqual(yield* run("stream", { lake, token, ...combination }, question), streamedParis)
        }
        assert.deepStrictEqual(yield* page.violations, [])
      }), covers("SDK-05"))
  }
})

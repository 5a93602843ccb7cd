/** Slow and silent clients of a server, over sockets. */
import { NodeAgentServer } from "@effect-a2a/node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { connect, type Socket } from "node:net"
import { covers } from "../../../test/support/covers.ts"
import { size } from "./routes.ts"

const open = Effect.fnUntraced(function*(text: string) {
  const { port } = new URL(yield* NodeAgentServer.url)
  return yield* Effect.callback<Socket>((resume) => {
    const socket = connect(Number(port), "127.0.0.1", () => {
      socket.write(text)
      resume(Effect.succeed(socket))
    }).on("error", () => {})
  })
})

/** Reads what arrives until the server closes. */
const received = (socket: Socket): Effect.Effect<string> =>
  Effect.callback((resume) => {
    let all = ""
    socket.on("data", (chunk) => {
      all += String(chunk)
    }).on("close", () => resume(Effect.succeed(all)))
  })

const routes = Layer.mergeAll(
  HttpRouter.add("GET", "/hello", HttpServerResponse.text("hello")),
  HttpRouter.add("GET", "/large", HttpServerResponse.text("x".repeat(64 * 1024 * 1024))),
  HttpRouter.add(
    "GET",
    "/endless",
    HttpServerResponse.stream(Stream.forever(Stream.make(new Uint8Array(100_000))), {
      contentType: "text/event-stream"
    })
  ),
  HttpRouter.add(
    "GET",
    "/quiet",
    HttpServerResponse.stream(
      Stream.concat(Stream.make("a"), Stream.fromEffect(Effect.as(Effect.sleep("600 millis"), "b"))).pipe(
        Stream.encodeText
      ),
      { contentType: "text/event-stream" }
    )
  ),
  HttpRouter.add("POST", "/refused", HttpServerResponse.text("no", { status: 403 })),
  size
)

const serve = (options: Partial<NodeAgentServer.Options<never, never>>) =>
  NodeAgentServer.layer({ routes, port: 0, ...options })

const post = (length: number, body: string) =>
  `POST /size HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n${body}`

describe("a client that sends too slowly", covers("attack:S2-10"), () => {
  it.live("is answered with 408 and closed, whether its head or its body does not arrive", () =>
    Effect.gen(function*() {
      const head = yield* open("GET /hello HTTP/1.1\r\nhost: loc")
      const body = yield* open(post(1000, "half"))
      const texts = yield* Effect.all([received(head), received(body)], { concurrency: 2 })
      for (const text of texts) assert.match(text, /^HTTP\/1\.1 408 /)
    }).pipe(Effect.provide(serve({ headTimeout: "100 millis", requestTimeout: "200 millis" }))))
})

describe("connections", covers("attack:S2-10"), () => {
  it.live("beyond the limit are closed, and the others are served", () =>
    Effect.gen(function*() {
      const held = yield* Effect.forEach([1, 2], () => open(""))
      const third = yield* open("GET /hello HTTP/1.1\r\nhost: localhost\r\n\r\n")
      assert.strictEqual(yield* received(third), "")
      held[0]!.write("GET /hello HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
      assert.include(yield* received(held[0]!), "hello")
      held[1]!.destroy()
    }).pipe(Effect.provide(serve({ maxConnections: 2 }))))
})

describe("a client that does not read", covers("attack:S2-05"), () => {
  for (const path of ["/large", "/endless"]) {
    it.live(`is closed after some time (${path})`, () =>
      Effect.gen(function*() {
        const socket = yield* open(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
        // a socket without a listener reads nothing
        yield* Effect.callback<void>((resume) => {
          socket.once("close", () => resume(Effect.void))
          const probe = setInterval(() => {
            // writing to a connection that the server has closed shows it
            if (socket.destroyed) clearInterval(probe)
            else socket.write("x")
          }, 20)
        })
      }).pipe(Effect.provide(serve({ stallTimeout: "100 millis" }))))
  }

  it.live("is not closed while nothing is sent to it", () =>
    Effect.gen(function*() {
      const socket = yield* open("GET /quiet HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
      const text = yield* received(socket)
      assert.match(text, /a\r\n[\s\S]*b\r\n/)
    }).pipe(Effect.provide(serve({ stallTimeout: "100 millis" }))))
})

describe("large bodies", covers("attack:S2-01", "attack:S2-10"), () => {
  const options = { maxBodySize: "1 MiB", maxBodiesSize: "3 MiB" } as const

  it.live("are received up to a size together; others are refused with a time to try again, small ones are not", () =>
    Effect.gen(function*() {
      const slow = yield* Effect.forEach([1, 2, 3], () => open(post(1024 * 1024, "x")))
      // their heads have arrived when a later request is answered
      yield* received(yield* open("GET /hello HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"))
      const refused = yield* received(yield* open(post(100_000, "x")))
      assert.match(refused, /^HTTP\/1\.1 503 /)
      assert.match(refused, /retry-after: 1/i)
      assert.include(yield* received(yield* open(post(3, "abc"))), "3")
      slow[0]!.write("x".repeat(1024 * 1024 - 1))
      assert.match(yield* received(slow[0]!), /1048576$/)
      assert.match(yield* received(yield* open(post(100_000, "x".repeat(100_000)))), /100000$/)
      for (const socket of slow) socket.destroy()
    }).pipe(Effect.provide(serve(options))))

  it.live("that nobody reads are not counted when their request was refused, or its connection is lost", () =>
    Effect.gen(function*() {
      const refuse = (end: (socket: Socket) => Effect.Effect<unknown>) =>
        Effect.forEach(
          Array.from({ length: 10 }),
          () =>
            Effect.flatMap(open(`POST /refused HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1048576\r\n\r\nx`), end)
        )
      yield* refuse((socket) =>
        Effect.callback((resume) =>
          void socket.once("data", () => {
            socket.destroy()
            resume(Effect.void)
          })
        )
      )
      yield* refuse((socket) => Effect.sync(() => socket.destroy()))
      yield* received(yield* open("GET /hello HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"))
      const all = yield* Effect.forEach(
        [1, 2, 3],
        () => Effect.flatMap(open(post(1024 * 1024, "x".repeat(1024 * 1024))), received)
      )
      for (const text of all) assert.match(text, /1048576$/)
    }).pipe(Effect.provide(serve(options))))

  it.live("without a length share what is left, so that small ones are always received", () =>
    Effect.gen(function*() {
      const head = "POST /size HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n"
      const slow = yield* Effect.forEach(Array.from({ length: 50 }), () => open(`${head}1\r\nx\r\n`))
      yield* received(yield* open("GET /hello HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"))
      const chunk = (length: number) => `${length.toString(16)}\r\n${"x".repeat(length)}\r\n0\r\n\r\n`
      assert.match(yield* received(yield* open(head + chunk(60_000))), /60000$/)
      assert.notMatch(yield* received(yield* open(head + chunk(1_000_000))), /1000000$/)
      for (const socket of slow) socket.destroy()
    }).pipe(Effect.provide(serve(options))))
})

import { Agent, AgentStream, Credentials, HttpBinding, HttpPeer, Id } from "@effect-a2a/core"
import { NodeAgent } from "@effect-a2a/node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import type * as http from "node:http"
import * as zlib from "node:zlib"
import { covers } from "../../../test/support/covers.ts"
import * as Server from "../../../test/support/httpServer.ts"
import { pieces } from "../../../test/support/respond.ts"
import { decoding } from "../src/internal/decode.ts"

const agent = (url: string) => NodeAgent.layer({ url }).pipe(Layer.provide(Credentials.layerNone))
const getTask = Agent.getTask(Id.TaskId.make("t-1"))

const task = (text: string) => ({
  id: "t-1",
  contextId: "c-1",
  status: { state: "TASK_STATE_COMPLETED" },
  artifacts: [{ artifactId: "a-1", parts: [{ text }] }]
})

type Encode = (bytes: Buffer) => Buffer

const encodings: Readonly<Record<string, Encode>> = {
  gzip: zlib.gzipSync,
  "x-gzip": zlib.gzipSync,
  br: (bytes) => zlib.brotliCompressSync(bytes),
  deflate: zlib.deflateSync,
  Deflate: zlib.deflateRawSync,
  "deflate, gzip": (bytes) => zlib.gzipSync(zlib.deflateSync(bytes)),
  " GZIP , identity": zlib.gzipSync,
  identity: (bytes) => bytes
}

const send = (response: http.ServerResponse, encoding: string, body: Buffer | string, status = 200) =>
  void response.writeHead(status, { "content-type": "application/json", "content-encoding": encoding }).end(body)

/** Sends a stream, each frame compressed as far as it can be read. */
const sendStream = (
  response: http.ServerResponse,
  encoding: "gzip" | "br" | "deflate",
  frames: ReadonlyArray<object>
) => {
  const encoder = encoding === "br"
    ? zlib.createBrotliCompress()
    : encoding === "gzip"
    ? zlib.createGzip()
    : zlib.createDeflate()
  response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": encoding })
  encoder.pipe(response)
  for (const frame of frames) {
    encoder.write(`data: ${JSON.stringify(frame)}\n\n`)
    encoder.flush()
  }
  return encoder
}

const statusUpdate = (text: string, state = "TASK_STATE_WORKING") => ({
  statusUpdate: {
    taskId: "t-1",
    contextId: "c-1",
    status: { state, message: { messageId: `m-${text}`, role: "ROLE_AGENT", parts: [{ text }] } }
  }
})
const done = { statusUpdate: { taskId: "t-1", contextId: "c-1", status: { state: "TASK_STATE_COMPLETED" } } }

describe("a compressed response", () => {
  it.live("is decoded, whatever names the encoding", () =>
    Effect.gen(function*() {
      for (const [encoding, encode] of Object.entries(encodings)) {
        const { url } = yield* Server.make((_, response) =>
          send(response, encoding, encode(Buffer.from(JSON.stringify(task(`Grüße ${"x".repeat(100_000)}`)))))
        )
        const found = yield* Effect.provide(getTask, agent(url))
        assert.strictEqual(found.artifacts?.[0]?.parts[0]?._tag, "Text", encoding)
      }
    }).pipe(Effect.scoped), covers("field:N2-10"))

  it.live("is asked for by calls, in the encodings that are decoded, and not by streams", () =>
    Effect.gen(function*() {
      const { asked, url } = yield* Server.make((_, response) => Server.json(response, task("hi")))
      yield* Effect.provide(
        Effect.andThen(getTask, Effect.ignore(Stream.runDrain(Agent.stream("hi")))),
        agent(url)
      )
      assert.deepStrictEqual(asked.map(({ headers }) => headers["accept-encoding"]), ["gzip, deflate, br", "identity"])
    }).pipe(Effect.scoped), covers("field:N2-10"))

  it.live("is decoded if it is a refusal, too", () =>
    Effect.gen(function*() {
      const body = JSON.stringify({ error: { code: 402, message: "no credit", status: "QUOTA_EXCEEDED" } })
      const { url } = yield* Server.make((_, response) => send(response, "gzip", zlib.gzipSync(body), 402))
      const { reason } = yield* Effect.flip(Effect.provide(getTask, agent(url)))
      assert.deepStrictEqual([reason._tag, reason.message], ["QuotaExceededError", "no credit"])
    }).pipe(Effect.scoped), covers("field:N2-10"))

  it.live("may be read by the program's own requests", () =>
    Effect.gen(function*() {
      const { url } = yield* Server.make((_, response) => send(response, "gzip", zlib.gzipSync(`{"a":[1]}`)))
      const response = yield* HttpClient.get(url)
      assert.deepStrictEqual(yield* response.json, { a: [1] })
      assert.isUndefined(response.headers["content-encoding"])
    }).pipe(Effect.provide(NodeAgent.layerClient), Effect.scoped), covers("field:N2-10"))

  it.live("without a body is read as such", () =>
    Effect.gen(function*() {
      const { url } = yield* Server.make((_, response) => send(response, "gzip", "", 204))
      const response = yield* HttpClient.get(url)
      assert.strictEqual(yield* response.text, "")
    }).pipe(Effect.provide(NodeAgent.layerClient), Effect.scoped), covers("field:N2-10"))

  it.live("fails with what is wrong about its encoding", () =>
    Effect.gen(function*() {
      const cases = [
        ["zstd", "…", /cannot be decoded: unknown content-encoding "zstd"/, false],
        ["gzip, gzip, gzip, gzip", "…", /more than 3 content-encodings/, false],
        ["gzip", "no gzip", /cannot be decoded: invalid gzip encoding: incorrect header check/, false],
        ["gzip", zlib.gzipSync(JSON.stringify(task("hi"))).subarray(0, 40), /the connection was lost/, true]
      ] as const
      for (const [encoding, body, message, isRetryable] of cases) {
        const { url } = yield* Server.make((_, response) => send(response, encoding, body))
        const error = yield* Effect.flip(Effect.provide(Agent.send("hi"), agent(url)))
        assert.strictEqual(error.reason._tag, "ConnectionError")
        assert.match(error.reason.message, message)
        if (!isRetryable) assert.isFalse(error.isRetryable)
      }
    }).pipe(Effect.scoped), covers("field:N2-10"))
})

describe("a small body that decodes to a huge one", () => {
  const huge = 256 * 1024 ** 2

  /** Compresses zeros, once for all tests. */
  const bomb = zlib.createBrotliCompress({ params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } })
  const compressed = Effect.promise(() =>
    new Promise<Buffer>((resolve) => {
      const parts: Array<Buffer> = []
      bomb.on("data", (part) => parts.push(part)).on("end", () => resolve(Buffer.concat(parts)))
      const zeros = Buffer.alloc(16 * 1024 ** 2, "0")
      for (let size = 0; size < huge; size += zeros.length) bomb.write(zeros)
      bomb.end()
    })
  )
  const limits = Effect.updateService(
    HttpBinding.CurrentLimits,
    (limits) => ({ ...limits, maxResponseSize: 1024 ** 2, maxEventSize: 1024 ** 2 })
  )

  it.live("is refused at the limit, as one response and as an event, and is not held", () =>
    Effect.gen(function*() {
      const body = yield* compressed
      assert.isBelow(body.length, 20_000)
      let type = "application/json"
      const { url } = yield* Server.make((_, response) =>
        void response.writeHead(200, { "content-type": type, "content-encoding": "br" }).end(body)
      )
      const before = process.memoryUsage.rss()
      const layer = agent(url)
      const call = yield* Effect.flip(Effect.provide(getTask, layer)).pipe(limits)
      type = "text/event-stream"
      const stream = yield* Effect.flip(Stream.runDrain(Agent.stream("hi")).pipe(Effect.provide(layer))).pipe(limits)
      assert.deepStrictEqual([call.code, stream.code], ["RESPONSE_TOO_LARGE", "RESPONSE_TOO_LARGE"])
      assert.isBelow(process.memoryUsage.rss() - before, 100 * 1024 ** 2)
    }).pipe(Effect.scoped), { ...covers("field:N2-10", "attack:S2-40"), timeout: 60_000 })
})

describe("a compressed event stream", () => {
  for (const encoding of ["gzip", "br", "deflate"] as const) {
    it.live(`in ${encoding} is decoded while it lasts`, () =>
      Effect.gen(function*() {
        let finish = () => {}
        const { url } = yield* Server.make((_, response) => {
          const encoder = sendStream(response, encoding, [statusUpdate("One "), statusUpdate("two")])
          finish = () => void encoder.end(`data: ${JSON.stringify(done)}\n\n`)
        })
        const said: Array<string> = []
        // the peer ends the stream only after both texts were read
        yield* Agent.stream("hi").pipe(
          AgentStream.text,
          Stream.runForEach((text) =>
            Effect.sync(() => {
              said.push(text)
              if (said.join("").includes("two")) finish()
            })
          ),
          Effect.provide(agent(url))
        )
        assert.include(said.join(""), "two")
      }).pipe(Effect.scoped), covers("field:N2-10"))

    it.effect(`in ${encoding} delivers what came before a drop`, () =>
      Effect.gen(function*() {
        const frames = `data: 1\n\n${"data: 2\n\n".repeat(10_000)}`
        const body = encoding === "br" ? zlib.brotliCompressSync(frames) : encodings[encoding]!(Buffer.from(frames))
        const cut = HttpClient.make((request) =>
          Effect.succeed(HttpClientResponse.fromWeb(
            request,
            new Response(pieces([body], true) as BodyInit, { headers: { "content-encoding": encoding } })
          ))
        )
        let read = ""
        const response = yield* decoding(cut).get("https://agent.test")
        const error = yield* response.stream.pipe(
          Stream.decodeText,
          Stream.runForEach((text) => Effect.sync(() => read += text)),
          Effect.flip
        )
        assert.strictEqual(read, frames)
        assert.include(HttpPeer.connectionError(error).message, "socket hang up")
      }), covers("field:N2-10"))
  }
})

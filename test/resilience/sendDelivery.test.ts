/** How far the message of a failed send came, and what repeats it. */
import { Agent, AgentError, AgentTransport, Operation, type Timeouts } from "@effect-a2a/core"
import * as Credentials from "@effect-a2a/core/Credentials"
import { NodeAgent } from "@effect-a2a/node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schedule, Schema, Stream } from "effect"
import { FetchHttpClient, HttpClient, HttpClientError } from "effect/http"
import type { AddressInfo, Server } from "node:net"
import { createServer } from "node:net"
import { covers } from "../support/covers.ts"
import { type Asked, chunks, type Combination, inEach, rest, sendJson } from "../support/peer.ts"
import * as Support from "./support.ts"

const { agent, fastForward, refusal, task, taskId, through } = Support

type Transport = Layer.Layer<AgentTransport.AgentTransport, AgentError.AgentError>

/** A client that fails with an error of the platform: no response was received. */
const failing = (combination: Combination, cause: Error) => {
  let requests = 0
  const client = HttpClient.make((request) => {
    requests++
    const reason = new HttpClientError.TransportError({ request, cause: new TypeError("fetch failed", { cause }) })
    return Effect.fail(new HttpClientError.HttpClientError({ reason }))
  })
  return { count: () => requests, layer: over(combination, Layer.succeed(HttpClient.HttpClient, client)) }
}

const over = (combination: Combination, client: Layer.Layer<HttpClient.HttpClient>, url = "https://agent.test/a2a") =>
  combination.client({ url, protocol: combination.protocol }).pipe(Layer.provide([client, Credentials.layerNone]))

const codedError = (code: string, syscall?: string) =>
  Object.assign(new Error(code), { code, ...(syscall === undefined ? undefined : { syscall }) })

/** A peer that responds, and the number of its requests. */
const responding = (combination: Combination, response: (asked: Asked) => Response) => {
  const { asked, layer } = through(combination).peer([response])
  return { count: () => asked.length, layer }
}

/** A response whose body never ends. */
const silent = (type: string, ...parts: ReadonlyArray<string>) => () => chunks(parts, { type, end: "open" })

interface Peer {
  readonly count: () => number
  readonly layer: Transport
}

type Kind = readonly [
  name: string,
  peer: (combination: Combination) => Peer,
  timeouts?: Timeouts.Timeouts | undefined
]

const ofCode = (code: string, syscall?: string): Kind => [
  code,
  (combination) => failing(combination, codedError(code, syscall))
]
const ofStatus = (code: number): Kind => [
  `HTTP ${code}`,
  (combination) => responding(combination, refusal(code))
]

const unsent: ReadonlyArray<Kind> = [
  ofCode("ECONNREFUSED"),
  ofCode("ENOTFOUND"),
  ofCode("EAI_AGAIN"),
  ofCode("EHOSTUNREACH"),
  ofCode("UND_ERR_CONNECT_TIMEOUT"),
  ofCode("ETIMEDOUT", "connect"),
  ofCode("EADDRNOTAVAIL", "connect"),
  ofCode("EAI_NODATA", "getaddrinfo"),
  ofCode("CERT_HAS_EXPIRED"),
  ofCode("DEPTH_ZERO_SELF_SIGNED_CERT"),
  ofCode("ERR_TLS_CERT_ALTNAME_INVALID"),
  [
    "all addresses refused",
    (combination) => failing(combination, new AggregateError([codedError("ETIMEDOUT", "connect")]))
  ]
]

const refused: ReadonlyArray<Kind> = [429, 503, 529].map(ofStatus)

const unknown: ReadonlyArray<Kind> = [
  ofCode("ECONNRESET"),
  ofCode("ECONNRESET", "read"),
  ofCode("EPIPE", "write"),
  ofCode("ETIMEDOUT", "read"),
  ofCode("UND_ERR_SOCKET"),
  ofCode("UND_ERR_HEADERS_TIMEOUT"),
  ["an error without a code", (combination) => failing(combination, new Error("terminated"))],
  ...[408, 502, 504, 522, 524].map(ofStatus),
  ...[408, 502, 504].map((httpStatus): Kind => [
    `HTTP ${httpStatus} whose body says "unavailable"`,
    (combination) =>
      responding(
        combination,
        () =>
          new Response(JSON.stringify({ error: { code: 503, status: "UNAVAILABLE", message: "upstream" } }), {
            status: httpStatus,
            headers: { "content-type": "application/json" }
          })
      )
  ]),
  [
    "a body cut off",
    (combination) =>
      responding(combination, () => chunks(["{\"jsonrpc\":"], { type: "application/json", end: "reset" }))
  ],
  ["no headers", (combination) => ({
    ...failing(combination, new Error()),
    layer: over(combination, Layer.succeed(HttpClient.HttpClient, HttpClient.make(() => Effect.never)))
  }), { response: "5 seconds" }],
  ["silence in the body", (combination) => responding(combination, silent("application/json", "{")), {
    idle: "5 seconds"
  }],
  ["the whole call takes too long", (combination) => responding(combination, silent("application/json", "{")), {
    total: "5 seconds"
  }]
]

/** Failures of streams only. */
const unknownStreams: ReadonlyArray<Kind> = [
  [
    "a stream cut before its first event",
    (combination) => responding(combination, () => chunks([": hello\n\n"], { end: "reset" }))
  ],
  ["a stream that ends without an event", (combination) => responding(combination, () => chunks([": hello\n\n"]))],
  [
    "silence before the first event",
    (combination) => responding(combination, silent("text/event-stream", ": hi\n\n")),
    {
      idle: "5 seconds"
    }
  ]
]

const begun = (combination: Combination, options?: Parameters<typeof chunks>[1], more: ReadonlyArray<string> = []) =>
  responding(combination, through(combination).eventStream([task("working"), ...more], options))

const delivered: ReadonlyArray<Kind> = [
  ["a stream cut after its first event", (combination) => begun(combination, { end: "reset" })],
  ["a stream that ends before its task", (combination) => begun(combination)],
  ["silence after an event", (combination) => begun(combination, { end: "open" }), { idle: "5 seconds" }],
  ["a stream that takes too long", (combination) => begun(combination, { end: "open" }), { total: "5 seconds" }],
  ["a malformed event after the first", (combination) => begun(combination, {}, ["data: {\"nonsense\"\n\n"])]
]

const call = (isStream: boolean): Effect.Effect<unknown, AgentError.AgentError, Agent.Agent> =>
  isStream ? Stream.runDrain(Agent.stream("Book a table")) : Agent.ask("Book a table")

const toJson = Schema.encodeSync(Schema.toCodecJson(AgentError.AgentError))

/** Fails the test with the name of the kind. */
const sendOnce = Effect.fnUntraced(function*(
  combination: Combination,
  [name, make, timeouts = {}]: Kind,
  isStream: boolean,
  policy: (self: ReturnType<typeof call>) => ReturnType<typeof call> = (self) => self
) {
  const { count, layer } = make(combination)
  const error = yield* call(isStream).pipe(
    Agent.withTimeouts(timeouts),
    policy,
    Effect.flip,
    Effect.provide(agent(layer)),
    fastForward
  )
  return { error, name: `${name}, ${isStream ? "stream" : "call"}`, requests: count() }
})

const expect = (kinds: ReadonlyArray<Kind>, delivery: AgentError.Delivery, modes: ReadonlyArray<boolean>) =>
  inEach((combination) =>
    Effect.gen(function*() {
      for (const kind of kinds) {
        for (const isStream of modes) {
          const { error, name } = yield* sendOnce(combination, kind, isStream)
          const { code, isRetryable } = error
          const isSafe = delivery === "not-sent" || delivery === "refused"
          assert.deepStrictEqual(
            [error.delivery, error.reason.delivery, isRetryable],
            [delivery, delivery, isSafe],
            name
          )
          const json = toJson(error) as { readonly reason: Record<string, unknown> }
          assert.deepInclude(json.reason, { code, delivery, isRetryable }, name)
        }
      }
    })
  )

describe("the delivery of a message", () => {
  it.effect("is not-sent if no request was written", () => expect(unsent, "not-sent", [false, true]))

  it.effect("is refused if the agent or its gateway did not take it", () => expect(refused, "refused", [false, true]))

  it.effect(
    "is unknown if the response was lost, late or a gateway's",
    () => Effect.andThen(expect(unknown, "unknown", [false, true]), expect(unknownStreams, "unknown", [true])),
    covers("field:N2-38")
  )

  it.effect("is delivered after the first event", () => expect(delivered, "delivered", [true]))

  it.effect("is refused, and the message not repeated, if it has a fault", () =>
    inEach((combination) =>
      Effect.gen(function*() {
        for (const code of [400, 401, 402, 403, 404, 415]) {
          const { error } = yield* sendOnce(combination, ofStatus(code), false)
          assert.deepStrictEqual([error.delivery, error.isRetryable], ["refused", false], `${code}`)
        }
        const { error } = yield* sendOnce(combination, ofStatus(500), false)
        assert.deepStrictEqual([error.delivery, error.isRetryable], ["unknown", false])
      })
    ))

  it.effect("is part of the failure of a task", () =>
    Effect.gen(function*() {
      const failed = responding(rest, (asked) => through().json(sendJson(rest, "failed"))(asked))
      const error = yield* Effect.flip(Agent.ask("hi")).pipe(Effect.provide(agent(failed.layer)))
      assert.deepStrictEqual([error.reason._tag, error.delivery, error.isRetryable], [
        "TaskFailedError",
        "delivered",
        false
      ])
    }))

  it.effect("is absent in errors of reads, which can be repeated", () =>
    inEach((combination) =>
      Effect.gen(function*() {
        for (
          const kind of [ofCode("ECONNRESET"), ofCode("ECONNREFUSED"), ofStatus(502), ofStatus(504), ofStatus(503)]
        ) {
          const { layer } = kind[1](combination)
          const error = yield* Effect.flip(Agent.getTask(taskId)).pipe(Effect.provide(agent(layer)))
          assert.deepStrictEqual([error.delivery, error.isRetryable], [undefined, true], kind[0])
        }
      })
    ))

  it.effect("is known in the same process too", () =>
    Effect.gen(function*() {
      const reasons: ReadonlyArray<readonly [AgentError.AgentErrorReason, AgentError.Delivery, boolean]> = [
        [AgentError.reason("InvalidRequestError", { message: "m" }), "not-sent", false],
        [AgentError.reason("RateLimitError", { message: "m" }), "refused", true],
        [AgentError.reason("ServiceUnavailableError", { message: "m" }), "refused", true],
        [AgentError.reason("InvalidArgumentError", { message: "m" }), "refused", false],
        [AgentError.reason("InternalError", { message: "m" }), "unknown", false],
        [AgentError.reason("TimeoutError", { message: "m", phase: "total" }), "unknown", false],
        [AgentError.reason("ConnectionError", { message: "m", delivery: "not-sent" }), "not-sent", true]
      ]
      for (const [reason, delivery, isRetryable] of reasons) {
        const handlers = {
          SendMessage: () => Effect.fail(reason),
          SendStreamingMessage: () => Stream.concat(Stream.make(task("working")), Stream.fail(reason)),
          GetTask: () => Effect.fail(reason)
        }
        const transport = AgentTransport.fromHandlers(
          { url: "https://agent.test", protocolBinding: "in-process", protocolVersion: "1.0" },
          handlers
        )
        const inProcess = agent(Layer.succeed(AgentTransport.AgentTransport, transport))
        const error = yield* Effect.flip(Agent.ask("hi")).pipe(Effect.provide(inProcess))
        assert.deepStrictEqual([error.delivery, error.isRetryable], [delivery, isRetryable], reason._tag)
        if (reason.delivery !== undefined) continue
        const later = yield* Effect.flip(Stream.runDrain(Agent.stream("hi"))).pipe(Effect.provide(inProcess))
        assert.deepStrictEqual([later.delivery, later.isRetryable], ["delivered", false], reason._tag)
        const read = yield* Effect.flip(transport.call(Operation.GetTask, { id: taskId }))
        assert.isUndefined(read.delivery)
      }
    }))
})

const policies: ReadonlyArray<readonly [string, (self: ReturnType<typeof call>) => ReturnType<typeof call>]> = [
  ["isRetryable", Effect.retry({ times: 2, while: (error: AgentError.AgentError) => error.isRetryable })],
  [
    "respectRetryAfter",
    Effect.retry(AgentTransport.respectRetryAfter(Schedule.spaced("1 second").pipe(Schedule.upTo({ times: 2 }))))
  ]
]

describe("policies around a send", () => {
  for (const [name, policy] of policies) {
    it.effect(
      `repeat it by ${name} only if the agent cannot have it`,
      () =>
        inEach((combination) =>
          Effect.gen(function*() {
            for (const isStream of [false, true]) {
              const once = isStream ? [...unknown, ...unknownStreams, ...delivered] : unknown
              for (const kind of once) {
                if (kind[0] === "no headers") continue
                const sent = yield* sendOnce(combination, kind, isStream, policy)
                assert.strictEqual(sent.requests, 1, sent.name)
              }
              for (const kind of [...unsent, ...refused]) {
                const sent = yield* sendOnce(combination, kind, isStream, policy)
                assert.strictEqual(sent.requests, 3, sent.name)
              }
            }
          })
        ),
      covers("field:N2-38")
    )
  }

  it.effect("repeat a message of unknown delivery by retrySends, and nothing after an event", () =>
    Effect.gen(function*() {
      const twice = AgentTransport.retrySends(Schedule.spaced("1 second").pipe(Schedule.upTo({ times: 2 })))
      const decorated = ([name, make, timeouts]: Kind): Kind => [
        name,
        (combination) => {
          const peer = make(combination)
          return { ...peer, layer: peer.layer.pipe(twice) }
        },
        timeouts
      ]
      for (const isStream of [false, true]) {
        for (const kind of [ofCode("ECONNRESET"), ofStatus(502), ofStatus(503), ofCode("ECONNREFUSED")]) {
          const sent = yield* sendOnce(rest, decorated(kind), isStream)
          assert.strictEqual(sent.requests, 3, sent.name)
        }
        for (const kind of [ofStatus(400), ofStatus(500)]) {
          const sent = yield* sendOnce(rest, decorated(kind), isStream)
          assert.strictEqual(sent.requests, 1, sent.name)
        }
      }
      for (const kind of delivered) {
        const sent = yield* sendOnce(rest, decorated(kind), true)
        assert.strictEqual(sent.requests, 1, sent.name)
      }
    }))
})

/** A server on a socket that does with its connections what `handle` says. */
const listening = (handle: Parameters<typeof createServer>[1]) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<Server>((resume) => {
        const server = createServer(handle)
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => server.close())
    ),
    (server) => `127.0.0.1:${(server.address() as AddressInfo).port}`
  )

describe("the delivery of a message over sockets", () => {
  for (const [client, layer] of [["fetch", FetchHttpClient.layer], ["node", NodeAgent.layerClient]] as const) {
    it.live(`is known as far as ${client} can know`, () =>
      Effect.gen(function*() {
        let requests = 0
        const closed = yield* Effect.scoped(listening(() => {}))
        const reset = yield* listening((socket) => void socket.destroy())
        const lost = yield* listening((socket) =>
          void socket.once("data", () => {
            requests += 1
            socket.resetAndDestroy()
          })
        )
        const half = yield* listening((socket) =>
          void socket.once("data", () =>
            socket.end("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{\"task\":"))
        )
        const plain = yield* listening((socket) =>
          void socket.once("data", () =>
            socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"))
        )
        const cases = [
          [`http://${closed}`, "not-sent"],
          ["http://no-such-host.invalid", "not-sent"],
          [`https://${plain}`, "not-sent"],
          [`http://${reset}`, "unknown"],
          [`http://${lost}`, "unknown"],
          [`http://${half}`, "unknown"]
        ] as const
        for (const [url, delivery] of cases) {
          const error = yield* Agent.ask("Book a table").pipe(
            Effect.retry({ times: 1, while: ({ delivery, isRetryable }) => isRetryable && delivery !== "not-sent" }),
            Effect.flip,
            Effect.provide(agent(over(rest, layer, url)))
          )
          assert.deepStrictEqual(
            [error.delivery, error.isRetryable],
            [delivery, delivery === "not-sent"],
            `${url} ${error.message}`
          )
        }
        assert.strictEqual(requests, 1)
      }))
  }
})

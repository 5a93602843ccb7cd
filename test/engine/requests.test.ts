import { Agent, AgentTransport, Credentials, Discovery, Id, Operation, ServiceParameters } from "@effect-a2a/core"
import { Rest } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { covers } from "../support/covers.ts"
import {
  type Asked,
  chunks,
  type Combination,
  combination,
  combinations,
  frame,
  inEach,
  isRpc,
  rest,
  result,
  sendJson,
  talkTo,
  taskJson
} from "../support/peer.ts"
import { respond as peer } from "../support/respond.ts"

const taskId = Id.TaskId.make("t-1")

const json = (body: string, status = 200) =>
  new Response(body, { status, headers: { "content-type": "application/json" } })

/** Responds to every operation with success. */
const respond = (combination: Combination) => (asked: Asked): Response => {
  const streaming = (asked.headers.accept ?? "").includes("text/event-stream")
  if (streaming) return chunks([frame(result(combination, asked, sendJson(combination, "completed")))])
  if (asked.url.includes("agent-card.json")) return json("{}")
  const isSend = asked.url.endsWith("message:send") || /"method":"(SendMessage|message\/send)"/.test(asked.body)
  return json(
    result(combination, asked, isSend ? sendJson(combination, "completed") : taskJson(combination, "completed"))
  )
}

const agent = (layer: Layer.Layer<AgentTransport.AgentTransport, unknown>) => Agent.layer.pipe(Layer.provide(layer))

const urlsOf = (asked: ReadonlyArray<Asked>) =>
  asked.map(({ method, url }) => `${method} ${url.replace("https://agent.test", "")}`)
const bodyOf = ({ body }: Asked) => JSON.parse(body) as Record<string, any>

/** Get, send, stream, subscribe, cancel. */
const tour = Effect.gen(function*() {
  yield* Agent.getTask(taskId)
  yield* Agent.send("hi")
  yield* Stream.runDrain(Agent.stream("hi"))
  yield* Stream.runDrain(Agent.subscribe(taskId))
  yield* Agent.cancel(taskId)
})

describe("headers", () => {
  it.effect(
    `contain the version in every request, and it cannot be replaced`,
    () =>
      inEach((one) =>
        Effect.gen(function*() {
          const { asked, layer } = talkTo(one, respond(one))
          yield* tour.pipe(
            Effect.andThen(Effect.ignore(Agent.card)),
            Effect.provide(agent(layer)),
            ServiceParameters.provide({ headers: { "A2A-Version": "9.9", "x-trace": "1" } })
          )
          assert.isAtLeast(asked.length, 6)
          for (const { headers } of asked) {
            assert.strictEqual(headers["a2a-version"], one.protocol.version)
            assert.strictEqual(headers["x-trace"], "1")
          }
        })
      ),
    covers("field:VER-01")
  )

  it.effect(`name the extensions in the header of the protocol version`, () =>
    inEach((one) =>
      Effect.gen(function*() {
        const { asked, layer } = talkTo(one, respond(one))
        yield* tour.pipe(
          Effect.provide(agent(layer)),
          ServiceParameters.provide({ extensions: ["https://x.test/a", "https://x.test/b"] }),
          ServiceParameters.provide({ extensions: ["https://x.test/a"] })
        )
        const [name, other] = one.protocol.version === "1.0"
          ? ["a2a-extensions", "x-a2a-extensions"]
          : ["x-a2a-extensions", "a2a-extensions"]
        for (const { headers } of asked) {
          assert.strictEqual(headers[name!], "https://x.test/a, https://x.test/b")
          assert.isUndefined(headers[other!])
        }
      })
    ))

  it.effect(
    `merge the caller's header of extensions with those of the SDK, under either name, each extension once`,
    () =>
      inEach((one) =>
        Effect.gen(function*() {
          const { asked, layer } = talkTo(one, respond(one))
          const name = one.protocol.extensionsHeader.toLowerCase()
          const other = name === "a2a-extensions" ? "x-a2a-extensions" : "a2a-extensions"
          const cases = [
            [{ "A2A-Extensions": "https://x.test/e1, https://x.test/e2" }, ["https://x.test/e1"]],
            [{ "X-A2A-Extensions": "https://x.test/e1", "a2a-extensions": " ,https://x.test/e2,," }, []],
            [{ [name]: "https://x.test/e2" }, ["https://x.test/e1", "https://x.test/e2"]]
          ] as const
          for (const [headers, extensions] of cases) {
            asked.length = 0
            yield* Agent.getTask(taskId).pipe(
              Effect.provide(agent(layer)),
              ServiceParameters.provide({ headers, extensions })
            )
            const sent = asked[0]!.headers[name]!.split(", ")
            assert.sameMembers(sent, ["https://x.test/e1", "https://x.test/e2"])
            assert.isUndefined(asked[0]!.headers[other])
          }
          asked.length = 0
          yield* Agent.getTask(taskId).pipe(
            Effect.provide(agent(layer)),
            ServiceParameters.provide({ headers: { "A2A-Extensions": "" } })
          )
          assert.isUndefined(asked[0]!.headers[name])
        })
      ),
    covers("field:N2-45")
  )

  it.effect(
    `contain the accepted media types, and a content type only if there is a body`,
    () =>
      inEach((one) =>
        Effect.gen(function*() {
          const { asked, layer } = talkTo(one, respond(one))
          yield* tour.pipe(Effect.provide(agent(layer)))
          const [get, send, stream, subscribe, cancel] = asked
          assert.deepStrictEqual([stream, subscribe].map((one) => one!.headers.accept), [
            "text/event-stream",
            "text/event-stream"
          ])
          const accept = one.name === "1.0 HTTP+JSON" ? "application/a2a+json, application/json" : "application/json"
          assert.deepStrictEqual([get, send, cancel].map((one) => one!.headers.accept), [accept, accept, accept])
          assert.strictEqual(send!.headers["content-type"], "application/json")
          if (isRpc(one)) return
          for (const { body, headers } of [get!, subscribe!, cancel!]) {
            assert.strictEqual(body, "")
            assert.isUndefined(headers["content-type"])
          }
        })
      ),
    covers("field:RPC-08", "field:RPC-10")
  )

  it.effect("that no request can contain are refused before anything is sent, without their values", () =>
    Effect.gen(function*() {
      const { asked, layer } = talkTo(rest, respond(rest))
      const error = yield* Effect.flip(Agent.getTask(taskId)).pipe(
        Effect.provide(agent(layer)),
        ServiceParameters.provide({ headers: { "x-secret": "s3cr3t\n" } })
      )
      assert.deepStrictEqual(asked, [])
      assert.strictEqual((error as any).reason._tag, "InvalidRequestError")
      assert.include(String(error), "x-secret")
      assert.notInclude(String(error), "s3cr3t")
    }))
})

describe("URLs", () => {
  const urls = (name: string, url: string, tenant?: string) =>
    Effect.gen(function*() {
      const one = combination(name)
      const { asked, layer } = talkTo(one, respond(one), { url, tenant })
      yield* Effect.gen(function*() {
        yield* Agent.send("hi")
        yield* Agent.getTask(taskId, { historyLength: 2 })
      }).pipe(Effect.provide(agent(layer)))
      return urlsOf(asked)
    })

  it.effect(
    "keep a trailing slash of the endpoint over JSON-RPC, and have no double slash over REST",
    () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* urls("1.0 HTTP+JSON", "https://agent.test/a2a/"), [
          "POST /a2a/message:send",
          "GET /a2a/tasks/t-1?historyLength=2"
        ])
        assert.deepStrictEqual(yield* urls("1.0 JSONRPC", "https://agent.test/a2a/"), ["POST /a2a/", "POST /a2a/"])
        assert.deepStrictEqual(yield* urls("1.0 JSONRPC", "https://agent.test/a2a"), ["POST /a2a", "POST /a2a"])
      }),
    covers("field:URL-01")
  )

  it.effect("keep a query of the endpoint", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* urls("1.0 HTTP+JSON", "https://agent.test/a2a?key=1"), [
        "POST /a2a/message:send?key=1",
        "GET /a2a/tasks/t-1?key=1&historyLength=2"
      ])
      assert.deepStrictEqual(yield* urls("1.0 JSONRPC", "https://agent.test/a2a?key=1"), [
        "POST /a2a?key=1",
        "POST /a2a?key=1"
      ])
    }), covers("field:URL-02"))

  it.effect("encode reserved characters in ids", () =>
    Effect.gen(function*() {
      const one = combination("1.0 HTTP+JSON")
      const { asked, layer } = talkTo(one, respond(one))
      yield* Effect.gen(function*() {
        yield* Agent.getTask(Id.TaskId.make("a b/c?d"))
        yield* Agent.cancel(Id.TaskId.make("x:cancel"))
        yield* Agent.getTask(Id.TaskId.make("日本#%"))
      }).pipe(Effect.provide(agent(layer)))
      assert.deepStrictEqual(urlsOf(asked), [
        "GET /a2a/tasks/a%20b%2Fc%3Fd",
        "POST /a2a/tasks/x%3Acancel:cancel",
        "GET /a2a/tasks/%E6%97%A5%E6%9C%AC%23%25"
      ])
    }), covers("field:URL-04"))

  it.effect(
    "contain a tenant as a path segment over REST and as a parameter over JSON-RPC",
    () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* urls("1.0 HTTP+JSON", "https://agent.test/a2a", "acme"), [
          "POST /a2a/acme/message:send",
          "GET /a2a/acme/tasks/t-1?historyLength=2"
        ])
        for (const tenant of ["acme", undefined]) {
          const one = combination("1.0 JSONRPC")
          const { asked, layer } = talkTo(one, respond(one), { tenant })
          yield* tour.pipe(Effect.provide(agent(layer)))
          assert.deepStrictEqual(asked.map((one) => bodyOf(one).params.tenant), Array(5).fill(tenant))
          assert.deepStrictEqual(
            asked.map((one) => "tenant" in bodyOf(one).params),
            Array(5).fill(tenant !== undefined)
          )
          const rest = talkTo(combination("1.0 HTTP+JSON"), respond(combination("1.0 HTTP+JSON")), { tenant })
          yield* Agent.send("hi").pipe(Effect.provide(agent(rest.layer)))
          assert.isFalse("tenant" in bodyOf(rest.asked[0]!))
        }
      }),
    covers("field:URL-05")
  )

  it.effect(
    "of 0.3 have no place for a tenant, which is refused before anything is sent",
    () =>
      Effect.gen(function*() {
        for (const name of ["0.3 HTTP+JSON", "0.3 JSONRPC"]) {
          const { asked, layer } = talkTo(combination(name), respond(combination(name)), { tenant: "acme" })
          const error = yield* Effect.flip(Agent.send("hi")).pipe(Effect.provide(agent(layer)))
          assert.strictEqual((error as any).reason._tag, "InvalidRequestError")
          assert.deepStrictEqual(asked, [])
        }
      }),
    covers("field:URL-05")
  )

  it.effect("without a scheme are refused when the transport is made, with a suggestion", () =>
    Effect.gen(function*() {
      for (
        const [url, meant] of [
          ["localhost:8080", "http://localhost:8080"],
          ["agent.test/a2a", "https://agent.test/a2a"],
          ["https:agent.test", "https://agent.test"],
          ["ftp://agent.test", "https://agent.test"],
          ["//agent.test/a2a", "https://agent.test/a2a"]
        ] as const
      ) {
        const { layer } = talkTo(rest, respond(rest), { url })
        const error = yield* Effect.flip(Effect.provide(Effect.void, layer))
        assert.strictEqual(error.reason._tag, "InvalidRequestError")
        assert.include(error.message, `did you mean "${meant}"`)
      }
      const { layer } = talkTo(rest, respond(rest), { url: "/api/a2a?key=k" })
      const error = yield* Effect.flip(Effect.provide(Effect.void, layer))
      assert.include(
        error.message,
        "\"/api/a2a\" is not an absolute http(s) URL; a path is completed by BrowserAgent only"
      )
    }), covers("field:URL-07", "field:N2-24"))

  it.effect(
    "that are operations' are refused at once, by the interface and by discovery, with the base URL",
    () =>
      Effect.gen(function*() {
        const paths = [
          ["/a2a/v1/message:stream", "/a2a/v1", "message:stream"],
          ["/a2a/v1/message%3Asend", "/a2a/v1", "message:send"],
          ["/a2a/message%3asend/", "/a2a", "message:send"],
          ["/acme/message:send", "/acme", "message:send"],
          ["/message:send?key=s3cr3t", "", "message:send"],
          ["/a2a/tasks/t-1:cancel", "/a2a", "tasks/t-1:cancel"],
          ["/a2a/acme/tasks/a%2Fb:subscribe", "/a2a/acme", "tasks/a%2Fb:subscribe"],
          ["/a2a/v1/tasks/t-1/pushNotificationConfigs", "/a2a/v1", "tasks/t-1/pushNotificationConfigs"],
          ["/tasks/t-1/pushNotificationConfigs/c-1", "", "tasks/t-1/pushNotificationConfigs/c-1"],
          ["/a2a/extendedAgentCard", "/a2a", "extendedAgentCard"],
          ["/a2a/v1/card", "/a2a", "v1/card"]
        ] as const
        for (const [path, base, operation] of paths) {
          const url = `https://agent.test${path}`
          yield* inEach((one) =>
            Effect.gen(function*() {
              const { asked, layer } = talkTo(one, respond(one), { url })
              const found = Discovery.layer({ agent: url, bindings: [Rest.binding] }).pipe(
                Layer.provide([Credentials.layerNone, peer(respond(one)).layer])
              )
              for (const transport of [layer, found]) {
                const { reason } = yield* Effect.flip(Effect.provide(Effect.void, transport))
                assert.strictEqual(reason._tag, "InvalidRequestError")
                assert.strictEqual(
                  reason.message,
                  `https://agent.test${path.replace(/\?.*/, "")} looks like an operation path (${operation}); ` +
                    `expected the interface's base URL: https://agent.test${base}`
                )
              }
              assert.deepStrictEqual(asked, [])
            })
          )
        }
      }),
    covers("field:N2-40")
  )

  it.effect("that only resemble operations' are used", () =>
    Effect.gen(function*() {
      for (const path of ["/tasks", "/v1/tasks/t-1", "/message", "/message:send/agent", "/agents/card", "/a:b"]) {
        const { asked, layer } = talkTo(rest, respond(rest), { url: `https://agent.test${path}` })
        yield* Effect.provide(Agent.getTask(taskId), agent(layer))
        assert.deepStrictEqual(urlsOf(asked), [`GET ${path}/tasks/t-1`])
      }
    }), covers("field:N2-40"))

  it.effect("of 0.3 have its prefix once", () =>
    Effect.gen(function*() {
      const expected = ["POST /rest/v1/message:send", "GET /rest/v1/tasks/t-1?historyLength=2"]
      for (const url of ["/rest", "/rest/", "/rest/v1", "/rest/v1/"]) {
        assert.deepStrictEqual(yield* urls("0.3 HTTP+JSON", `https://agent.test${url}`), expected)
      }
      assert.deepStrictEqual(
        (yield* urls("1.0 HTTP+JSON", "https://agent.test/rest/v1"))[0],
        "POST /rest/v1/message:send"
      )
    }), covers("field:URL-08"))
})

describe("requests", () => {
  it.effect("contain a history length of zero, and none if it is absent", () =>
    Effect.gen(function*() {
      const lengths = (name: string) =>
        Effect.gen(function*() {
          const one = combination(name)
          const { asked, layer } = talkTo(one, respond(one))
          yield* Effect.gen(function*() {
            yield* Agent.getTask(taskId, { historyLength: 0 })
            yield* Agent.getTask(taskId)
            yield* Agent.getTask(taskId, { historyLength: 5 })
            yield* Agent.send("hi", { historyLength: 0 })
          }).pipe(Effect.provide(agent(layer)))
          return asked
        })
      for (const name of ["1.0 HTTP+JSON", "0.3 HTTP+JSON"]) {
        const asked = yield* lengths(name)
        assert.deepStrictEqual(asked.slice(0, 3).map(({ url }) => new URL(url).search), [
          "?historyLength=0",
          "",
          "?historyLength=5"
        ])
        assert.strictEqual(bodyOf(asked[3]!).configuration.historyLength, 0)
      }
      for (const name of ["1.0 JSONRPC", "0.3 JSONRPC"]) {
        const asked = yield* lengths(name)
        assert.deepStrictEqual(asked.slice(0, 3).map((one) => bodyOf(one).params.historyLength), [0, undefined, 5])
        assert.strictEqual(bodyOf(asked[3]!).params.configuration.historyLength, 0)
      }
    }), covers("field:HIST-01"))

  const verbs = [["1.0 HTTP+JSON", ["POST", "GET"]], ["0.3 HTTP+JSON", ["GET", "POST"]]] as const

  it.effect("subscribe with the verb of their version, and with the other one after 404 or 405 of a route", () =>
    Effect.gen(function*() {
      for (const [name, [first, second]] of verbs) {
        const one = combination(name)
        for (const status of [404, 405]) {
          for (const body of ["", "<html>Cannot do that</html>", "{\"detail\":\"Not Found\"}"]) {
            const { asked, layer } = talkTo(
              one,
              (asked) => asked.method === first ? new Response(body, { status }) : respond(one)(asked)
            )
            yield* Stream.runDrain(Agent.subscribe(taskId)).pipe(Effect.provide(agent(layer)))
            assert.deepStrictEqual(asked.map(({ method }) => method), [first, second], `${name}, ${status}`)
          }
        }
      }
    }))

  it.effect(
    "subscribe at once with the verb that the interface knows, and look again if it no longer does",
    () =>
      Effect.gen(function*() {
        for (const [name, [first, second]] of verbs) {
          const one = combination(name)
          let refused = first
          const { asked, layer } = talkTo(
            one,
            (asked) => asked.method === refused ? new Response("", { status: 405 }) : respond(one)(asked)
          )
          const methods = () => asked.splice(0).map(({ method }) => method)
          const subscribe = Stream.runDrain(Agent.subscribe(taskId))
          yield* Effect.gen(function*() {
            yield* Effect.all([subscribe, subscribe, subscribe])
            assert.deepStrictEqual(methods(), [first, second, second, second], name)
            refused = second
            yield* Effect.all([subscribe, subscribe])
            assert.deepStrictEqual(methods(), [second, first, first], name)
          }).pipe(Effect.provide(agent(layer)))
          // another transport remembers for itself
          yield* Effect.provide(subscribe, Layer.fresh(agent(layer)))
          assert.deepStrictEqual(methods(), [first], name)
        }
      }),
    covers("field:N2-41")
  )

  it.effect(
    "subscribe with the other verb after a 405 that is an A2A error, and report the refusal of both",
    () =>
      Effect.gen(function*() {
        for (const [name] of verbs) {
          const { asked, layer } = talkTo(
            combination(name),
            () => json("{\"error\":{\"code\":405,\"status\":\"METHOD_NOT_FOUND\",\"message\":\"no\"}}", 405)
          )
          const subscribe = Effect.flip(Stream.runDrain(Agent.subscribe(taskId)))
          const error = yield* Effect.provide(Effect.andThen(subscribe, subscribe), agent(layer))
          assert.strictEqual(error.code, "METHOD_NOT_FOUND")
          // what failed is not remembered
          assert.deepStrictEqual(
            asked.map(({ method }) => method),
            name === "1.0 HTTP+JSON"
              ? ["POST", "GET", "POST", "GET"]
              : ["GET", "POST", "GET", "POST"]
          )
        }
      }),
    covers("field:N2-41")
  )

  it.effect("subscribe once if 404 names the task", () =>
    Effect.gen(function*() {
      for (const [name] of verbs) {
        const one = combination(name)
        const { asked, layer } = talkTo(one, () => json("{\"code\":-32001,\"message\":\"Task not found\"}", 404))
        const error = yield* Effect.flip(Stream.runDrain(Agent.subscribe(taskId))).pipe(Effect.provide(agent(layer)))
        assert.strictEqual((error as any).reason._tag, "TaskNotFoundError", name)
        assert.strictEqual(asked.length, 1, name)
      }
    }))

  it.effect("read a result beside a null error, and an error beside a null result", () =>
    Effect.gen(function*() {
      const one = combination("1.0 JSONRPC")
      const { layer } = talkTo(one, (asked) =>
        json(JSON.stringify({ jsonrpc: "2.0", id: bodyOf(asked).id, result: taskJson(one, "completed"), error: null })))
      assert.strictEqual((yield* Agent.getTask(taskId).pipe(Effect.provide(agent(layer)))).id, "t-1")
      const refused = talkTo(one, (asked) =>
        json(JSON.stringify({
          jsonrpc: "2.0",
          id: bodyOf(asked).id,
          result: null,
          error: { code: -32001, message: "gone" }
        })))
      const error = yield* Effect.flip(Agent.getTask(taskId)).pipe(Effect.provide(agent(refused.layer)))
      assert.strictEqual((error as any).reason._tag, "TaskNotFoundError")
    }), covers("field:RPC-01"))

  it.effect("fail at a response or event with the id of another request", () =>
    Effect.gen(function*() {
      const one = combination("1.0 JSONRPC")
      const foreign = JSON.stringify({ jsonrpc: "2.0", id: 999, result: taskJson(one, "completed") })
      const unary = talkTo(one, () => json(foreign))
      const stream = talkTo(one, (asked) =>
        chunks([frame(result(one, asked, { task: taskJson(one, "working") })), frame(foreign)]))
      const first = yield* Effect.flip(Agent.getTask(taskId)).pipe(Effect.provide(agent(unary.layer)))
      const events: Array<unknown> = []
      const second = yield* Agent.stream("hi").pipe(
        Stream.runForEach((event) =>
          Effect.sync(() => events.push(event))
        ),
        Effect.flip,
        Effect.provide(agent(stream.layer))
      )
      assert.strictEqual(events.length, 1)
      for (const error of [first, second]) {
        assert.strictEqual((error as any).reason._tag, "MalformedResponseError")
        assert.include((error as any).reason.message, "999")
        assert.include((error as any).reason.message, "req-1")
      }
    }), covers("field:RPC-02"))

  it.effect("do not modify their values", () =>
    Effect.gen(function*() {
      const freeze = <A>(value: A): A => {
        if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(freeze)
        return value
      }
      const request = freeze(
        {
          message: {
            _tag: "Message",
            messageId: Id.MessageId.make("m"),
            role: "user",
            parts: [{ _tag: "Text", text: "hi" }, { _tag: "Data", data: { a: [1] } }],
            metadata: { k: { v: 1 } }
          },
          configuration: { acceptedOutputModes: ["text/plain"] },
          metadata: { k: 1 }
        } as const satisfies Operation.SendMessageRequest
      )
      for (const one of combinations) {
        const { asked, layer } = talkTo(one, respond(one), one.protocol.version === "1.0" ? { tenant: "acme" } : {})
        yield* Effect.gen(function*() {
          const { call } = yield* AgentTransport.AgentTransport
          yield* Effect.all([call(Operation.SendMessage, request), call(Operation.SendMessage, request)], {
            concurrency: 2
          })
        }).pipe(Effect.provide(layer))
        assert.strictEqual(asked.length, 2)
        assert.isFalse("tenant" in request)
      }
    }), covers("field:CONC-04"))

  it.effect("keep their headers among a thousand concurrent calls", () =>
    Effect.gen(function*() {
      for (const one of [rest, combination("1.0 JSONRPC")]) {
        const { asked, layer } = talkTo(one, (asked) => {
          const user = asked.headers["x-user"]!
          return json(result(one, asked, { ...taskJson(one, "completed"), id: `of-${user}` }))
        })
        const answers = yield* Effect.forEach(
          Array.from({ length: 1000 }, (_, i) => i),
          (i) =>
            Effect.andThen(
              Effect.yieldNow,
              Agent.getTask(Id.TaskId.make(`t-${i}`)).pipe(
                ServiceParameters.provide({ headers: { "x-user": String(i) } })
              )
            ),
          { concurrency: "unbounded" }
        ).pipe(Effect.provide(agent(layer)))
        assert.deepStrictEqual(answers.map(({ id }) => id as string), Array.from({ length: 1000 }, (_, i) => `of-${i}`))
        const mixed = asked.filter(({ body, headers, url }) =>
          !(isRpc(one) ? body : url).includes(isRpc(one) ? `"t-${headers["x-user"]}"` : `/t-${headers["x-user"]}`)
        )
        assert.deepStrictEqual(mixed, [])
        if (isRpc(one)) assert.strictEqual(new Set(asked.map((one) => bodyOf(one).id)).size, 1000)
      }
    }), covers("field:CONC-05"))
})

describe("pages of a list", covers("field:LST-01"), () => {
  const pages = (tokens: ReadonlyArray<string | undefined>) => {
    const one = combination("1.0 HTTP+JSON")
    let page = 0
    const peer = talkTo(one, () => {
      const token = tokens[Math.min(page, tokens.length - 1)]
      page += 1
      return json(JSON.stringify({
        tasks: [{ ...taskJson(one, "completed"), id: `t-${page}` }],
        ...(token === undefined ? {} : { nextPageToken: token }),
        pageSize: 1,
        totalSize: 3
      }))
    })
    return { ...peer, layer: agent(peer.layer) }
  }

  it.effect("end at an empty or absent token", () =>
    Effect.gen(function*() {
      for (const last of ["", undefined]) {
        const { asked, layer } = pages(["A", "B+/", last])
        const tasks = yield* Stream.runCollect(Agent.listTasks({ pageSize: 1, status: "working" })).pipe(
          Effect.provide(layer)
        )
        assert.deepStrictEqual(tasks.map(({ id }) => id as string), ["t-1", "t-2", "t-3"])
        assert.deepStrictEqual(asked.map(({ url }) => new URL(url).searchParams.get("pageToken")), [null, "A", "B+/"])
        for (const { url } of asked) {
          assert.strictEqual(new URL(url).searchParams.get("status"), "TASK_STATE_WORKING")
          assert.strictEqual(new URL(url).searchParams.get("pageSize"), "1")
        }
      }
    }))

  it.effect("fail at a token that was returned before, instead of looping", () =>
    Effect.gen(function*() {
      for (const tokens of [["A"], ["A", "B", "A"]]) {
        const { asked, layer } = pages(tokens)
        const error = yield* Effect.flip(Stream.runDrain(Agent.listTasks())).pipe(Effect.provide(layer))
        assert.strictEqual((error as any).reason._tag, "InvalidAgentResponseError")
        assert.strictEqual(asked.length, tokens.length === 1 ? 2 : 3)
      }
    }))

  it.effect("are requested on demand", () =>
    Effect.gen(function*() {
      const { asked, layer } = pages(["A", "B", "C", ""])
      yield* Agent.listTasks().pipe(Stream.take(2), Stream.runDrain, Effect.provide(layer))
      assert.strictEqual(asked.length, 2)
    }))
})

describe("the deletion of a webhook", () => {
  it.effect("succeeds, whatever the agent says of its success", () =>
    inEach((one) =>
      Effect.forEach([{}, null, [], "gone"], (answer) => {
        const { asked, layer } = talkTo(one, (asked) => json(result(one, asked, answer)))
        return Agent.Agent.pipe(
          Effect.flatMap(({ pushConfigs }) => pushConfigs.delete(taskId, "p-1")),
          Effect.provide(agent(layer)),
          Effect.map((deleted) => assert.deepStrictEqual([deleted, asked.length], [undefined, 1]))
        )
      }, { discard: true })
    ))
})

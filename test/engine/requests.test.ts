import { Agent, AgentTransport, Id, Operation, ServiceParameters } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import {
  type Asked,
  chunks,
  type Combination,
  combination,
  combinations,
  frame,
  isRpc,
  result,
  talkTo
} from "../support/peer.ts"

const taskId = Id.TaskId.make("t-1")

const json = (body: string, status = 200) =>
  new Response(body, { status, headers: { "content-type": "application/json" } })

/** A task in the words of every dialect at once: readers pass over what they do not know. */
const taskOf = ({ protocol, binding }: Combination, state = "completed") => ({
  ...(protocol.version === "0.3" && binding === "JSONRPC" ? { kind: "task" } : {}),
  id: "t-1",
  contextId: "c-1",
  status: {
    state: protocol.version === "0.3" && binding === "JSONRPC"
      ? state
      : `TASK_STATE_${state.toUpperCase().replace("-", "_")}`
  }
})
const answerOf = (combination: Combination) =>
  combination.protocol.version === "0.3" && combination.binding === "JSONRPC"
    ? taskOf(combination)
    : { task: taskOf(combination) }

/** Answers every operation with success. */
const willing = (combination: Combination) => (asked: Asked): Response => {
  const streaming = (asked.headers.accept ?? "").includes("text/event-stream")
  if (streaming) return chunks([frame(result(combination, asked, answerOf(combination)))])
  if (asked.url.includes("agent-card.json")) return json("{}")
  const isSend = asked.url.endsWith("message:send") || /"method":"(SendMessage|message\/send)"/.test(asked.body)
  return json(result(combination, asked, isSend ? answerOf(combination) : taskOf(combination)))
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
  for (const one of combinations) {
    it.effect(`VER-01: the version goes with every request and cannot be replaced, ${one.name}`, () =>
      Effect.gen(function*() {
        const { asked, layer } = talkTo(one, willing(one))
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
      }))

    it.effect(`extensions are asked for in the header of the edition, ${one.name}`, () =>
      Effect.gen(function*() {
        const { asked, layer } = talkTo(one, willing(one))
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
      }))

    it.effect(`RPC-08 RPC-10: what is accepted, and no body where there is nothing to say, ${one.name}`, () =>
      Effect.gen(function*() {
        const { asked, layer } = talkTo(one, willing(one))
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
      }))
  }

  it.effect("a header of the caller's that no request can hold is refused before anything is sent, its value not shown", () =>
    Effect.gen(function*() {
      const { asked, layer } = talkTo(combinations[0]!, willing(combinations[0]!))
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
      const { asked, layer } = talkTo(one, willing(one), { url, tenant })
      yield* Effect.gen(function*() {
        yield* Agent.send("hi")
        yield* Agent.getTask(taskId, { historyLength: 2 })
      }).pipe(Effect.provide(agent(layer)))
      return urlsOf(asked)
    })

  it.effect("URL-01: a trailing slash of the endpoint", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* urls("1.0 HTTP+JSON", "https://agent.test/a2a/"), [
        "POST /a2a/message:send",
        "GET /a2a/tasks/t-1?historyLength=2"
      ])
      assert.deepStrictEqual(yield* urls("1.0 JSONRPC", "https://agent.test/a2a/"), ["POST /a2a/", "POST /a2a/"])
      assert.deepStrictEqual(yield* urls("1.0 JSONRPC", "https://agent.test/a2a"), ["POST /a2a", "POST /a2a"])
    }))

  it.effect("URL-02: a query of the endpoint stays", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* urls("1.0 HTTP+JSON", "https://agent.test/a2a?key=1"), [
        "POST /a2a/message:send?key=1",
        "GET /a2a/tasks/t-1?key=1&historyLength=2"
      ])
      assert.deepStrictEqual(yield* urls("1.0 JSONRPC", "https://agent.test/a2a?key=1"), [
        "POST /a2a?key=1",
        "POST /a2a?key=1"
      ])
    }))

  it.effect("URL-04: reserved characters in ids", () =>
    Effect.gen(function*() {
      const one = combination("1.0 HTTP+JSON")
      const { asked, layer } = talkTo(one, willing(one))
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
    }))

  it.effect("URL-05: a tenant is a path segment over REST and a parameter over JSON-RPC; without one, nothing", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* urls("1.0 HTTP+JSON", "https://agent.test/a2a", "acme"), [
        "POST /a2a/acme/message:send",
        "GET /a2a/acme/tasks/t-1?historyLength=2"
      ])
      for (const tenant of ["acme", undefined]) {
        const one = combination("1.0 JSONRPC")
        const { asked, layer } = talkTo(one, willing(one), { tenant })
        yield* tour.pipe(Effect.provide(agent(layer)))
        assert.deepStrictEqual(asked.map((one) => bodyOf(one).params.tenant), Array(5).fill(tenant))
        assert.deepStrictEqual(asked.map((one) => "tenant" in bodyOf(one).params), Array(5).fill(tenant !== undefined))
        const rest = talkTo(combination("1.0 HTTP+JSON"), willing(combination("1.0 HTTP+JSON")), { tenant })
        yield* Agent.send("hi").pipe(Effect.provide(agent(rest.layer)))
        assert.isFalse("tenant" in bodyOf(rest.asked[0]!))
      }
    }))

  it.effect("URL-05: a tenant cannot be told in 0.3, and is refused before anything is sent", () =>
    Effect.gen(function*() {
      for (const name of ["0.3 HTTP+JSON", "0.3 JSONRPC"]) {
        const { asked, layer } = talkTo(combination(name), willing(combination(name)), { tenant: "acme" })
        const error = yield* Effect.flip(Agent.send("hi")).pipe(Effect.provide(agent(layer)))
        assert.strictEqual((error as any).reason._tag, "InvalidRequestError")
        assert.deepStrictEqual(asked, [])
      }
    }))

  it.effect("URL-07: an endpoint without a scheme is refused when the transport is made, with a correction", () =>
    Effect.gen(function*() {
      for (
        const [url, meant] of [
          ["localhost:8080", "http://localhost:8080"],
          ["agent.test/a2a", "https://agent.test/a2a"],
          ["https:agent.test", "https://agent.test"],
          ["ftp://agent.test", "https://agent.test"]
        ] as const
      ) {
        const { layer } = talkTo(combinations[0]!, willing(combinations[0]!), { url })
        const error = yield* Effect.flip(Effect.provide(Effect.void, layer))
        assert.strictEqual(error.reason._tag, "InvalidRequestError")
        assert.include(error.message, `did you mean "${meant}"`)
      }
    }))

  it.effect("URL-08: the prefix of 0.3, not doubled", () =>
    Effect.gen(function*() {
      const expected = ["POST /rest/v1/message:send", "GET /rest/v1/tasks/t-1?historyLength=2"]
      for (const url of ["/rest", "/rest/", "/rest/v1", "/rest/v1/"]) {
        assert.deepStrictEqual(yield* urls("0.3 HTTP+JSON", `https://agent.test${url}`), expected)
      }
      assert.deepStrictEqual(
        (yield* urls("1.0 HTTP+JSON", "https://agent.test/rest/v1"))[0],
        "POST /rest/v1/message:send"
      )
    }))
})

describe("requests", () => {
  it.effect("HIST-01: a history length of zero is sent, absent is absent", () =>
    Effect.gen(function*() {
      const lengths = (name: string) =>
        Effect.gen(function*() {
          const one = combination(name)
          const { asked, layer } = talkTo(one, willing(one))
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
    }))

  for (const [name, verbs] of [["1.0 HTTP+JSON", ["POST", "GET"]], ["0.3 HTTP+JSON", ["GET", "POST"]]] as const) {
    for (const status of [404, 405]) {
      it.effect(`C16: ${name} subscribes with ${verbs.join(", then on ")} where the first is answered ${status}`, () =>
        Effect.gen(function*() {
          const one = combination(name)
          for (const body of ["", "<html>Cannot do that</html>", "{\"detail\":\"Not Found\"}"]) {
            const { asked, layer } = talkTo(
              one,
              (asked) => asked.method === verbs[0] ? new Response(body, { status }) : willing(one)(asked)
            )
            yield* Stream.runDrain(Agent.subscribe(taskId)).pipe(Effect.provide(agent(layer)))
            assert.deepStrictEqual(asked.map(({ method }) => method), [...verbs])
          }
        }))
    }

    it.effect(`C16: ${name} does not ask again where the peer speaks of the task`, () =>
      Effect.gen(function*() {
        const one = combination(name)
        const { asked, layer } = talkTo(one, () => json("{\"code\":-32001,\"message\":\"Task not found\"}", 404))
        const error = yield* Effect.flip(Stream.runDrain(Agent.subscribe(taskId))).pipe(Effect.provide(agent(layer)))
        assert.strictEqual((error as any).reason._tag, "TaskNotFoundError")
        assert.strictEqual(asked.length, 1)
      }))
  }

  it.effect("RPC-01: error null beside a result, result null beside an error", () =>
    Effect.gen(function*() {
      const one = combination("1.0 JSONRPC")
      const { layer } = talkTo(one, (asked) =>
        json(JSON.stringify({ jsonrpc: "2.0", id: bodyOf(asked).id, result: taskOf(one), error: null })))
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
    }))

  it.effect("RPC-02: an answer to another request is not delivered, nor an event", () =>
    Effect.gen(function*() {
      const one = combination("1.0 JSONRPC")
      const foreign = JSON.stringify({ jsonrpc: "2.0", id: 999, result: taskOf(one) })
      const unary = talkTo(one, () => json(foreign))
      const stream = talkTo(one, (asked) =>
        chunks([frame(result(one, asked, { task: taskOf(one, "working") })), frame(foreign)]))
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
    }))

  it.effect("CONC-04: requests are not modified", () =>
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
        const { asked, layer } = talkTo(one, willing(one), one.protocol.version === "1.0" ? { tenant: "acme" } : {})
        yield* Effect.gen(function*() {
          const { call } = yield* AgentTransport.AgentTransport
          yield* Effect.all([call(Operation.SendMessage, request), call(Operation.SendMessage, request)], {
            concurrency: 2
          })
        }).pipe(Effect.provide(layer))
        assert.strictEqual(asked.length, 2)
        assert.isFalse("tenant" in request)
      }
    }))

  it.effect("CONC-05: a thousand calls at once, each with its own headers", () =>
    Effect.gen(function*() {
      for (const one of combinations) {
        const { asked, layer } = talkTo(one, (asked) => {
          const user = asked.headers["x-user"]!
          return json(result(one, asked, { ...taskOf(one), id: `of-${user}` }))
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
    }))
})

describe("LST-01: all pages", () => {
  const pages = (tokens: ReadonlyArray<string | undefined>) => {
    const one = combination("1.0 HTTP+JSON")
    let page = 0
    const peer = talkTo(one, () => {
      const token = tokens[Math.min(page, tokens.length - 1)]
      page += 1
      return json(JSON.stringify({
        tasks: [{ ...taskOf(one), id: `t-${page}` }],
        ...(token === undefined ? {} : { nextPageToken: token }),
        pageSize: 1,
        totalSize: 3
      }))
    })
    return { ...peer, layer: agent(peer.layer) }
  }

  it.effect("to an empty token, and to an absent one", () =>
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

  it.effect("a token that comes round again is an error instead of an endless loop", () =>
    Effect.gen(function*() {
      for (const tokens of [["A"], ["A", "B", "A"]]) {
        const { asked, layer } = pages(tokens)
        const error = yield* Effect.flip(Stream.runDrain(Agent.listTasks())).pipe(Effect.provide(layer))
        assert.strictEqual((error as any).reason._tag, "InvalidAgentResponseError")
        assert.strictEqual(asked.length, tokens.length === 1 ? 2 : 3)
      }
    }))

  it.effect("pages are fetched as they are wanted", () =>
    Effect.gen(function*() {
      const { asked, layer } = pages(["A", "B", "C", ""])
      yield* Agent.listTasks().pipe(Stream.take(2), Stream.runDrain, Effect.provide(layer))
      assert.strictEqual(asked.length, 2)
    }))
})

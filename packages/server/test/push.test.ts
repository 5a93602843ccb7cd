import { Id, Operation, Protocol } from "@effect-a2a/core"
import type { AgentTransport } from "@effect-a2a/core"
import { AgentExecutor, AgentServer, PushSender, PushStore } from "@effect-a2a/server"
import { Wire } from "@effect-a2a/testing"
import { JsonRpc, JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { Rest, RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Redacted, Stream } from "effect"
import { HttpClient, HttpClientError, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { as, call, card, send } from "./support.ts"

interface Post {
  readonly host: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: any
}

type Respond = (url: URL, attempt: number) => Response | "unreachable" | "private" | "silent"

/** A network of webhooks, in view of the test. */
const network = (respond: Respond = () => new Response()) => {
  const posts: Array<Post> = []
  const client = HttpClient.make((request, url) =>
    Effect.suspend((): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError> => {
      const bytes = request.body._tag === "Uint8Array" ? request.body.body : new Uint8Array()
      posts.push({ host: url.hostname, headers: request.headers, body: JSON.parse(new TextDecoder().decode(bytes)) })
      const answer = respond(url, posts.filter(({ host }) => host === url.hostname).length)
      if (answer === "silent") return Effect.never
      if (answer === "private") {
        // as the client of Node fails if a name resolves to a private address
        return Effect.fail(
          new HttpClientError.HttpClientError({ reason: new HttpClientError.InvalidUrlError({ request }) })
        )
      }
      return answer === "unreachable"
        ? Effect.fail(
          new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request }) })
        )
        : Effect.succeed(HttpClientResponse.fromWeb(request, answer))
    })
  )
  return { posts, to: (host: string) => posts.filter((post) => post.host === host), client }
}

const serve = (client: HttpClient.HttpClient, options?: PushSender.Options) =>
  AgentServer.layerMemory({ card }).pipe(
    Layer.provide(AgentExecutor.layer(() => Stream.make("Hello"))),
    Layer.provide(PushSender.layer(options)),
    Layer.provide([PushStore.layerMemory(), Layer.succeed(HttpClient.HttpClient, client)])
  )

const ask = (...[config]: ReadonlyArray<Operation.SendMessageConfiguration["taskPushNotificationConfig"]>) =>
  Effect.flatMap(
    send("Hi", config === undefined ? {} : { configuration: { taskPushNotificationConfig: config } }),
    (answer) => answer._tag === "Task" ? Effect.succeed(answer) : Effect.die("expected a task")
  )

const kinds = (posts: ReadonlyArray<Post>) =>
  posts.map(({ body }) => body.statusUpdate?.status.state ?? body.kind ?? Object.keys(body)[0])

describe("push notifications", () => {
  it.effect("every event of a task goes to the webhook that came with its message, with its credentials", () => {
    const { client, posts } = network()
    return Effect.gen(function*() {
      const authentication = { scheme: "Bearer", credentials: "secret" }
      yield* ask({ url: "https://app.test/hook?x=1", token: "t-42", authentication })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(kinds(posts)[0], "task")
      assert.strictEqual(kinds(posts).at(-1), "TASK_STATE_COMPLETED")
      assert.include(kinds(posts), "artifactUpdate")
      for (const { headers } of posts) {
        assert.strictEqual(headers["x-a2a-notification-token"], "t-42")
        assert.strictEqual(headers["authorization"], "Bearer secret")
        assert.strictEqual(headers["content-type"], "application/a2a+json")
      }
    }).pipe(Effect.provide(serve(client)))
  })

  for (const protocol of [Protocol.v1_0, Protocol.v0_3]) {
    for (
      const [binding, client, server] of [
        ["REST", Rest.layer, RestServer.routes],
        ["JSON-RPC", JsonRpc.layer, JsonRpcServer.routes]
      ] as const
    ) {
      it.effect(`the body is that of the version of the request, ${protocol.version} over ${binding}`, () => {
        const hooks = network()
        const wire = Wire.through({ protocol, client, server })
        return Effect.gen(function*() {
          yield* ask({ url: "https://app.test/hook" })
          yield* TestClock.adjust("1 second")
          const [first] = hooks.posts
          assert.isDefined(first)
          if (protocol.version === "1.0") {
            assert.strictEqual(kinds(hooks.posts).at(-1), "TASK_STATE_COMPLETED")
          } else {
            assert.deepStrictEqual([...new Set(kinds(hooks.posts))], ["task"])
            assert.strictEqual(hooks.posts.at(-1)!.body.status.state, "completed")
            assert.strictEqual(first.headers["content-type"], "application/json")
          }
        }).pipe(Effect.provide(wire(serve(hooks.client))))
      })
    }
  }

  for (const protocol of [Protocol.v1_0, Protocol.v0_3]) {
    for (
      const [binding, client, server] of [
        ["REST", Rest.layer, RestServer.routes],
        ["JSON-RPC", JsonRpc.layer, JsonRpcServer.routes]
      ] as const
    ) {
      it.effect(`configurations are made, read, listed and deleted, ${protocol.version} over ${binding}`, () =>
        Effect.gen(function*() {
          const { id: taskId } = yield* ask()
          const authentication = { scheme: "Basic", credentials: "dTpw" }
          const config = { taskId, id: "a/b c", url: "https://app.test/hook", token: "t", authentication }
          assert.deepStrictEqual(yield* call(Operation.CreateTaskPushNotificationConfig, config), config)
          const replaced = { taskId, id: "a/b c", url: "https://app.test/other" }
          yield* call(Operation.CreateTaskPushNotificationConfig, replaced)
          assert.deepStrictEqual(
            yield* call(Operation.GetTaskPushNotificationConfig, { taskId, id: "a/b c" }),
            replaced
          )
          const list = Effect.map(
            call(Operation.ListTaskPushNotificationConfigs, { taskId }),
            ({ configs }) => configs
          )
          assert.deepStrictEqual(yield* list, [replaced])
          yield* call(Operation.DeleteTaskPushNotificationConfig, { taskId, id: "a/b c" })
          assert.deepStrictEqual(yield* list, [])
        }).pipe(Effect.provide(Wire.through({ protocol, client, server })(serve(network().client)))))
    }
  }

  it.effect("failures, timeouts and refusals for now are repeated, as Retry-After says", () => {
    const answers = ["unreachable", "silent", new Response(null, { status: 503, headers: { "retry-after": "20" } })]
    const { client, posts } = network((_, attempt) => answers[attempt - 1] as Response | undefined ?? new Response())
    return Effect.gen(function*() {
      yield* ask({ url: "https://app.test/hook" })
      yield* TestClock.adjust("500 millis")
      assert.strictEqual(posts.length, 2)
      yield* TestClock.adjust("11 seconds")
      assert.strictEqual(posts.length, 3)
      yield* TestClock.adjust("18 seconds")
      assert.strictEqual(posts.length, 3)
      yield* TestClock.adjust("2 seconds")
      assert.isAbove(posts.length, 4)
      assert.deepStrictEqual(posts[0]!.body, posts[3]!.body)
      assert.strictEqual(kinds(posts).at(-1), "TASK_STATE_COMPLETED")
    }).pipe(Effect.provide(serve(client)))
  })

  it.effect("a notification ends after its total time, and the next one is sent", () => {
    const { client, posts } = network((_, attempt) => attempt < 20 ? "unreachable" : new Response())
    return Effect.gen(function*() {
      yield* ask({ url: "https://app.test/hook" })
      yield* TestClock.adjust("10 seconds")
      const distinct = () => new Set(posts.map(({ body }) => JSON.stringify(body))).size
      assert.strictEqual(distinct(), 1)
      yield* TestClock.adjust("10 minutes")
      assert.isAbove(distinct(), 1)
    }).pipe(Effect.provide(serve(client)))
  })

  it.effect("a name that resolves to a private address is tried once an event", () => {
    const { client, posts } = network(() => "private")
    return Effect.gen(function*() {
      yield* ask({ url: "https://app.test/hook" })
      yield* TestClock.adjust("10 minutes")
      assert.isAbove(posts.length, 1)
      assert.strictEqual(new Set(posts.map(({ body }) => JSON.stringify(body))).size, posts.length)
    }).pipe(Effect.provide(serve(client)))
  })

  it.effect("410 removes the configuration; 404 and redirects end the notification only", () => {
    const statuses: Record<string, number> = { "gone.test": 410, "missing.test": 404, "moved.test": 302 }
    const { client, to } = network(({ hostname }) => new Response(null, { status: statuses[hostname] ?? 200 }))
    return Effect.gen(function*() {
      const task = yield* ask()
      for (const host of Object.keys(statuses)) {
        yield* call(Operation.CreateTaskPushNotificationConfig, { taskId: task.id, id: host, url: `https://${host}/` })
      }
      const { configs } = yield* call(Operation.ListTaskPushNotificationConfigs, { taskId: task.id })
      assert.strictEqual(configs.length, 3)
    }).pipe(
      Effect.andThen(Effect.gen(function*() {
        const task = yield* ask({ url: "https://gone.test/" })
        yield* TestClock.adjust("1 minute")
        assert.isAtLeast(to("gone.test").length, 1)
        const { configs } = yield* call(Operation.ListTaskPushNotificationConfigs, { taskId: task.id })
        assert.deepStrictEqual(configs, [])
        const other = yield* ask({ url: "https://missing.test/" })
        yield* ask({ url: "https://moved.test/" })
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(
          new Set(to("missing.test").map(({ body }) => JSON.stringify(body))).size,
          to("missing.test").length
        )
        assert.isAbove(to("moved.test").length, 1)
        assert.strictEqual(
          (yield* call(Operation.ListTaskPushNotificationConfigs, { taskId: other.id })).configs.length,
          1
        )
      })),
      Effect.provide(serve(client))
    )
  })

  it.effect("dead and silent webhooks delay no other", () => {
    const { client, to } = network(({ hostname }) =>
      hostname === "dead.test" ? "unreachable" : hostname === "silent.test" ? "silent" : new Response()
    )
    return Effect.gen(function*() {
      yield* ask({ url: "https://dead.test/" })
      yield* ask({ url: "https://silent.test/" })
      yield* Effect.forEach(Array.from({ length: 100 }), (_, n) => ask({ url: `https://h${n}.test/` }))
      yield* TestClock.adjust("1 millis")
      for (let n = 0; n < 100; n++) assert.strictEqual(kinds(to(`h${n}.test`)).at(-1), "TASK_STATE_COMPLETED")
    }).pipe(Effect.provide(serve(client, { drainTimeout: 0 })))
  })

  it.effect("configurations exist for the owner of the task only", () => {
    const { client } = network()
    return Effect.gen(function*() {
      const { id: taskId } = yield* as("ada")(ask({ id: "one", url: "https://app.test/1" }))
      const made = yield* as("ada")(
        call(Operation.CreateTaskPushNotificationConfig, { taskId, url: "https://app.test/2" })
      )
      assert.isDefined(made.id)
      const ids = (pageToken: string) =>
        as("ada")(call(Operation.ListTaskPushNotificationConfigs, { taskId, pageSize: 1, pageToken }))
      const first = yield* ids("")
      assert.deepStrictEqual(first.configs.map(({ id }) => id), ["one"])
      assert.deepStrictEqual((yield* ids(first.nextPageToken!)).configs, [made])
      for (
        const refused of [
          call(Operation.CreateTaskPushNotificationConfig, { taskId, url: "https://app.test/" }),
          call(Operation.GetTaskPushNotificationConfig, { taskId, id: "one" }),
          call(Operation.ListTaskPushNotificationConfigs, { taskId }),
          call(Operation.DeleteTaskPushNotificationConfig, { taskId, id: "one" })
        ]
      ) {
        const { reason } = yield* Effect.flip(
          as("ben")(refused as Effect.Effect<unknown, any, AgentTransport.AgentTransport>)
        )
        assert.strictEqual(reason._tag, "TaskNotFoundError")
      }
      yield* as("ada")(call(Operation.DeleteTaskPushNotificationConfig, { taskId, id: "one" }))
      yield* as("ada")(call(Operation.DeleteTaskPushNotificationConfig, { taskId, id: "one" }))
      const error = yield* Effect.flip(as("ada")(call(Operation.GetTaskPushNotificationConfig, { taskId, id: "one" })))
      assert.strictEqual(error.reason._tag, "TaskNotFoundError")
    }).pipe(Effect.provide(serve(client)))
  })

  it.effect("private addresses, other schemes and unusable credentials are refused before a task exists", () => {
    const { client, posts } = network()
    return Effect.gen(function*() {
      for (
        const config of [
          { url: "http://127.0.0.1:80/" },
          { url: "http://[::ffff:10.0.0.1]/" },
          { url: "http://localhost/" },
          { url: "file:///etc/passwd" },
          { url: "nothing" },
          { url: "https://user:pass@app.test/" },
          { url: "https://app.test/", token: "a\r\nb: c" },
          { url: "https://app.test/", authentication: { scheme: "Bearer x", credentials: "y" } }
        ]
      ) {
        const { reason } = yield* Effect.flip(ask(config))
        assert.strictEqual(reason._tag, "InvalidParamsError", config.url)
        assert.notInclude(JSON.stringify(reason), "pass@")
      }
      assert.deepStrictEqual((yield* call(Operation.ListTasks, {})).tasks, [])
      assert.deepStrictEqual(posts, [])
    }).pipe(Effect.provide(serve(client)))
  })

  it.effect("the card says whether notifications are sent, and an agent that sends none refuses configurations", () => {
    const silent = AgentServer.layerMemory({ card }).pipe(
      Layer.provide(AgentExecutor.layer(() => Stream.make("Hello")))
    )
    return Effect.gen(function*() {
      const of = call(Operation.GetAgentCard, {})
      assert.isTrue((yield* of.pipe(Effect.provide(serve(network().client)))).capabilities.pushNotifications)
      assert.isFalse((yield* of.pipe(Effect.provide(silent))).capabilities.pushNotifications)
      const { reason } = yield* Effect.flip(ask({ url: "https://app.test/" })).pipe(Effect.provide(silent))
      assert.strictEqual(reason._tag, "PushNotificationNotSupportedError")
    })
  })

  it.effect("a queue of limited size drops what is too much, and closing waits for the rest with patience", () => {
    const { client, posts } = network(() => "silent")
    return Effect.gen(function*() {
      const fiber = yield* ask({ url: "https://app.test/" }).pipe(
        Effect.provide(serve(client, { maxQueueBytes: 10, drainTimeout: "3 seconds" })),
        Effect.forkChild
      )
      yield* TestClock.adjust(Duration.seconds(1))
      assert.deepStrictEqual(posts, [])
      yield* Fiber.join(fiber)
      const closing = yield* ask({ url: "https://app.test/" }).pipe(
        Effect.provide(serve(client, { drainTimeout: "3 seconds" })),
        Effect.forkChild
      )
      yield* TestClock.adjust(Duration.seconds(2))
      assert.isUndefined(closing.pollUnsafe())
      yield* TestClock.adjust(Duration.seconds(2))
      assert.strictEqual((yield* Fiber.join(closing)).status.state, "completed")
    })
  })

  it.effect("an owner whose webhooks are silent takes half of the queues, and half of their bytes", () => {
    const { client, to } = network(({ hostname }) => hostname.startsWith("silent") ? "silent" : new Response())
    const silent = (n: number) => as("ben")(ask({ url: `https://silent${n}.test/` }))
    const healthy = Effect.andThen(as("ada")(ask({ url: "https://app.test/" })), TestClock.adjust("1 millis"))
    return Effect.forEach(
      [{ maxQueues: 4 }, { maxBytes: 4000 }],
      (limits, index) =>
        Effect.gen(function*() {
          yield* Effect.forEach(Array.from({ length: 8 }), (_, n) => silent(8 * index + n))
          yield* healthy
          assert.strictEqual(kinds(to("app.test")).at(-1), "TASK_STATE_COMPLETED")
          assert.strictEqual(kinds(to("app.test")).filter((kind) => kind === "task").length, index + 1)
          assert.isUndefined(to(`silent${8 * index + 7}.test`)[0])
        }).pipe(Effect.provide(serve(client, { ...limits, drainTimeout: 0 })))
    )
  })

  it.effect("a store in memory forgets the oldest tasks of the owner that has most", () =>
    Effect.gen(function*() {
      const store = yield* PushStore.PushStore
      const put = (caller: string, task: string, id = "c") => {
        const taskId = Id.TaskId.make(task)
        const config = Redacted.make({ id, taskId, url: "https://app.test/" })
        return store.put({ caller }, { id, taskId, version: "1.0", config })
      }
      yield* put("ada", "a1")
      for (let n = 0; n < 10; n++) yield* put("ben", `b${n}`)
      const count = (caller: string, task: string) =>
        Effect.map(store.list({ caller }, Id.TaskId.make(task)), (all) => all.length)
      assert.deepStrictEqual(
        [yield* count("ada", "a1"), yield* count("ben", "b0"), yield* count("ben", "b9")],
        [1, 0, 1]
      )
      yield* put("ada", "a1", "d")
      const { _tag } = yield* Effect.flip(put("ada", "a1", "e"))
      assert.strictEqual(_tag, "InvalidParamsError")
    }).pipe(Effect.provide(PushStore.layerMemory({ maxPerTask: 2, maxTasks: 3 }))))
})

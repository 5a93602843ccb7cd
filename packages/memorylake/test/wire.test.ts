import {
  type AgentError,
  AgentTransport,
  Credentials,
  type HttpBinding,
  Id,
  Message,
  Operation,
  Part,
  Protocol,
  type Task
} from "@effect-a2a/core"
import { MemoryLake, MemoryLakeOptions, TaskFeedback } from "@effect-a2a/memorylake"
import { JsonRpc } from "@effect-a2a/transport-jsonrpc"
import { Rest } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { covers } from "../../../test/support/covers.ts"

const address = {
  workspaceId: "ws-8001856949ad4f6a5b6226f415ffa877",
  agentId: "agent-f8bf71ab17ed8eccad8c0e8ae708273f"
}
const base =
  `https://app.memorylake.cn/openapi/memorylake/api/v3/workspaces/${address.workspaceId}/agents/${address.agentId}/a2a`
const key = "sk_xxxxxx"

interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: any
}

/** An HTTP client that records bytes and answers with bytes. */
const http = (respond: (sent: Sent) => Response) => {
  const sent: Array<Sent> = []
  const client = HttpClient.make((request, url) =>
    Effect.sync(() => {
      const text = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""
      const one = {
        method: request.method,
        url: url.href,
        headers: { ...request.headers },
        body: text === "" ? undefined : JSON.parse(text)
      }
      sent.push(one)
      return HttpClientResponse.fromWeb(request, respond(one))
    })
  )
  return {
    sent,
    layer: Layer.mergeAll(Layer.succeed(HttpClient.HttpClient, client), Credentials.layerBearer(Redacted.make(key)))
  }
}

const json = (body: string, init?: ResponseInit) =>
  new Response(body, { ...init, headers: { "content-type": "application/json", ...init?.headers } })

const bindings: Readonly<Record<string, HttpBinding.HttpBinding>> = { REST: Rest.binding, "JSON-RPC": JsonRpc.binding }

const transport = (binding: string, protocol: Protocol.Protocol) =>
  MemoryLake.layer({ ...address, binding: bindings[binding]!, protocol })

const options: MemoryLakeOptions.Options = {
  actorId: MemoryLakeOptions.actorId("actor-33d6b73298fb43482a765643ff92444b"),
  readWriteProjectId: MemoryLakeOptions.projectId("proj-b93e8d95a8705bcc4ec42a65ba4cc7f8")
}

const memorylake = { actorId: options.actorId, readWriteProjectId: options.readWriteProjectId }

const question = "How do I configure two-factor authentication?"
const send = Effect.gen(function*() {
  const agent = yield* AgentTransport.AgentTransport
  const message = yield* Message.user(question, {
    contextId: Id.ContextId.make("ctx_m4n7p2q9"),
    messageId: Id.MessageId.make("msg-1")
  })
  return yield* agent.call(Operation.SendMessage, {
    message,
    configuration: { returnImmediately: false, historyLength: 10 }
  })
})
const stream = Stream.unwrap(Effect.gen(function*() {
  const agent = yield* AgentTransport.AgentTransport
  const message = yield* Message.user(question, { messageId: Id.MessageId.make("msg-1") })
  return agent.stream(Operation.SendStreamingMessage, { message })
}))

const message = { role: "ROLE_USER", messageId: "msg-1", parts: [{ text: question }], contextId: "ctx_m4n7p2q9" }
const { contextId: _, ...alone } = message
const { parts, ...legacy } = message
const { contextId: __, ...legacyAlone } = legacy
const kinds = { kind: "message", messageId: "msg-1", role: "user", parts: [{ kind: "text", text: question }] }
const rpc = (method: string, params: object) => ({ jsonrpc: "2.0", id: "req-1", method, params })
const metadata = { memorylake }

/** The page's eight combinations; where it leaves `messageId` and the message's `kind` out, we name them. */
const cells: ReadonlyArray<
  readonly [binding: string, protocol: Protocol.Protocol, mode: "send" | "stream", path: string, body: unknown]
> = [
  ["REST", Protocol.v1_0, "send", "/message:send", {
    message,
    configuration: { returnImmediately: false, historyLength: 10 },
    metadata
  }],
  ["REST", Protocol.v1_0, "stream", "/message:stream", { message: alone, metadata }],
  ["REST", Protocol.v0_3, "send", "/v1/message:send", {
    message: { ...legacy, content: parts },
    configuration: { blocking: true, historyLength: 10 },
    metadata
  }],
  ["REST", Protocol.v0_3, "stream", "/v1/message:stream", { message: { ...legacyAlone, content: parts }, metadata }],
  [
    "JSON-RPC",
    Protocol.v1_0,
    "send",
    "",
    rpc("SendMessage", { message, configuration: { returnImmediately: false, historyLength: 10 }, metadata })
  ],
  ["JSON-RPC", Protocol.v1_0, "stream", "", rpc("SendStreamingMessage", { message: alone, metadata })],
  [
    "JSON-RPC",
    Protocol.v0_3,
    "send",
    "",
    rpc("message/send", {
      message: { ...kinds, contextId: "ctx_m4n7p2q9" },
      configuration: { blocking: true, historyLength: 10 },
      metadata
    })
  ],
  ["JSON-RPC", Protocol.v0_3, "stream", "", rpc("message/stream", { message: kinds, metadata })]
]

const answers: Readonly<Record<string, (body: any) => string>> = {
  "REST 1.0": () => `{"task":{"id":"run-1","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}`,
  "REST 0.3": () => `{"task":{"id":"run-1","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}`,
  "JSON-RPC 1.0": ({ id }) =>
    `{"jsonrpc":"2.0","id":"${id}","result":{"task":{"id":"run-1","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}}`,
  "JSON-RPC 0.3": ({ id }) =>
    `{"jsonrpc":"2.0","id":"${id}","result":{"kind":"task","id":"run-1","contextId":"c","status":{"state":"completed"}}}`
}

describe("MemoryLake on the wire", () => {
  for (const [binding, protocol, mode, path, body] of cells) {
    it.effect(`writes ${protocol.version} ${mode} over ${binding} as documented`, () =>
      Effect.gen(function*() {
        const answer = answers[`${binding} ${protocol.version}`]!
        const { layer, sent } = http(({ body }) =>
          mode === "send"
            ? json(answer(body))
            : new Response(`:\n\ndata:${answer(body)}\n\n`, { headers: { "content-type": "text/event-stream" } })
        )
        const program: Effect.Effect<unknown, AgentError.AgentError, AgentTransport.AgentTransport> = mode === "send"
          ? send
          : Stream.runCollect(stream)
        const result = yield* program.pipe(
          MemoryLake.withOptions(options),
          Effect.provide(transport(binding, protocol).pipe(Layer.provide(layer)))
        )
        const [event] = mode === "send" ? [result] : result as ReadonlyArray<unknown>
        assert.strictEqual((event as Task.Task).status.state, "completed")
        assert.strictEqual(sent.length, 1)
        const [{ body: written, headers, method, url }] = sent as [Sent]
        assert.strictEqual(`${method} ${url}`, `POST ${base}${path}`)
        assert.deepStrictEqual(written, body)
        assert.strictEqual(headers.authorization, `Bearer ${key}`)
        assert.match(headers["content-type"] ?? "", /^application\/json/)
        if (mode === "stream") assert.strictEqual(headers.accept, "text/event-stream")
        if (protocol.version === "1.0") assert.strictEqual(headers["a2a-version"], "1.0")
      }), covers("ML-02", "ML-03", "ML-04", "ML-05", "ML-06", "ML-07", "ML-11"))
  }

  const statuses = [
    [400, "INVALID_ARGUMENT", "InvalidArgumentError"],
    [400, "STATE_NOT_READY", "StateNotReadyError"],
    [400, "ACTOR_INACTIVE", "ActorInactiveError"],
    [401, "UNAUTHENTICATED", "UnauthenticatedError"],
    [402, "QUOTA_EXCEEDED", "QuotaExceededError"],
    [403, "ACCESS_DENIED", "AccessDeniedError"],
    [404, "NOT_FOUND", "NotFoundError"],
    [429, "RATE_LIMIT_EXCEEDED", "RateLimitError"],
    [500, "INTERNAL_ERROR", "InternalError"]
  ] as const
  for (const [status, code, tag] of statuses) {
    it.effect(
      `reads HTTP ${status} ${code} as ${tag} in every combination, and keeps the key secret`,
      () =>
        Effect.gen(function*() {
          for (const binding of Object.keys(bindings)) {
            for (const protocol of [Protocol.v1_0, Protocol.v0_3]) {
              const { layer } = http(() =>
                json(`{"success":false,"message":"no","error_code":"${code}"}`, {
                  status,
                  headers: { "retry-after": "7" }
                })
              )
              for (const program of [send, Stream.runDrain(stream)]) {
                const error = yield* Effect.flip(
                  program.pipe(
                    Effect.provide(transport(binding, protocol).pipe(Layer.provide(layer)))
                  ) as Effect.Effect<
                    never,
                    AgentError.AgentError
                  >
                )
                assert.strictEqual(error.reason._tag, tag)
                assert.strictEqual(error.code, code)
                assert.strictEqual(error.reason.status, status)
                assert.strictEqual(Duration.toSeconds(error.retryAfter!), 7)
                assert.notInclude(`${error} ${JSON.stringify(error)}`, key)
              }
            }
          }
        }),
      covers("ML-02", "ML-33", "ML-35", "ML-36")
    )
  }

  it.effect("reads the production refusal to cancel an ended task", () =>
    Effect.gen(function*() {
      const inner = {
        error: {
          code: 400,
          status: "FAILED_PRECONDITION",
          message: "state 3",
          details: [{
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            reason: "TASK_NOT_CANCELABLE",
            domain: "a2a-protocol.org",
            metadata: {}
          }]
        }
      }
      const { layer } = http(() =>
        json(JSON.stringify({ success: false, error_code: "INVALID_ARGUMENT", message: JSON.stringify(inner) }), {
          status: 400
        })
      )
      const cancel = Effect.flatMap(AgentTransport.AgentTransport, (agent) =>
        agent.call(Operation.CancelTask, { id: Id.TaskId.make("run-1") }))
      const { reason } = yield* Effect.flip(
        cancel.pipe(Effect.provide(transport("REST", Protocol.v1_0).pipe(Layer.provide(layer))))
      )
      assert.strictEqual(reason._tag, "TaskNotCancelableError")
      assert.strictEqual(reason.message, "state 3")
    }), covers("ML-34"))

  it.effect("sends no file without its project", () =>
    Effect.gen(function*() {
      const { layer, sent } = http(() => json("{}"))
      const program = Effect.gen(function*() {
        const agent = yield* AgentTransport.AgentTransport
        return yield* agent.call(Operation.SendMessage, {
          message: yield* Message.user(["see", Part.url("drive://items/1")])
        })
      })
      const { reason } = yield* Effect.flip(
        program.pipe(Effect.provide(transport("REST", Protocol.v1_0).pipe(Layer.provide(layer))))
      )
      assert.strictEqual(reason._tag, "InvalidRequestError")
      assert.strictEqual(sent.length, 0)
    }), covers("ML-17"))

  for (const blank of ["", "\n", "\r\n"]) {
    it.effect(
      `reads address and key from variables that end with ${JSON.stringify(blank)}`,
      () =>
        Effect.gen(function*() {
          const { layer, sent } = http(() => json(`{"id":"run-1","status":{"state":"TASK_STATE_WORKING"}}`))
          const env = {
            MEMORYLAKE_WORKSPACE: `ws-1${blank}`,
            MEMORYLAKE_AGENT: `agent-1${blank}`,
            MEMORYLAKE_HOST: blank,
            MEMORYLAKE_API_KEY: `${key}${blank}`
          }
          const configured = MemoryLake.layerConfig({ binding: Rest.binding }).pipe(
            Layer.provide([layer, ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))])
          )
          yield* Effect.flatMap(
            AgentTransport.AgentTransport,
            ({ call }) => call(Operation.GetTask, { id: Id.TaskId.make("run-1") })
          ).pipe(Effect.provide(configured))
          assert.strictEqual(
            sent[0]?.url,
            "https://app.memorylake.cn/openapi/memorylake/api/v3/workspaces/ws-1/agents/agent-1/a2a/tasks/run-1"
          )
          assert.strictEqual(sent[0]?.headers.authorization, `Bearer ${key}`)
        }),
      covers("field:N2-52")
    )
  }

  it.effect("fails for an invalid host and suggests an origin", () =>
    Effect.gen(function*() {
      const { layer } = http(() => json("{}"))
      const agent = MemoryLake.layer({ ...address, binding: Rest.binding, host: "app.memorylake.ai" })
      const error = yield* Effect.flip(send.pipe(Effect.provide(agent.pipe(Layer.provide(layer)))))
      assert.strictEqual(error.reason._tag, "InvalidRequestError")
      assert.include(error.message, "https://app.memorylake.ai")
    }), covers("ML-01"))
})

describe("TaskFeedback", () => {
  const taskId = Id.TaskId.make("run-1/2")

  for (const [protocol, path] of [[Protocol.v1_0, ""], [Protocol.v0_3, "/v1"]] as const) {
    it.effect(
      `posts a rating below the task of ${protocol.version}, with the header of the extension`,
      () =>
        Effect.gen(function*() {
          const { layer, sent } = http(() => json(`{"success":true}`))
          yield* TaskFeedback.send({ ...address, protocol, taskId, rating: "down", comment: "No." }).pipe(
            Effect.provide(layer)
          )
          const [{ body, headers, method, url }] = sent as [Sent]
          assert.strictEqual(`${method} ${url}`, `POST ${base}${path}/tasks/run-1%2F2:feedback`)
          assert.deepStrictEqual(body, { rating: "down", comment: "No." })
          assert.strictEqual(headers["a2a-extensions"], "extensions://task-feedback/v1")
          assert.strictEqual(headers.authorization, `Bearer ${key}`)
        }),
      covers("ML-31")
    )
  }

  it.effect("posts a rating to the agent at any URL", () =>
    Effect.gen(function*() {
      const { layer, sent } = http(() => json(`{"success":true}`))
      for (const url of ["https://lake.test/agents/a", "https://lake.test/agents/a/?key=1"]) {
        yield* TaskFeedback.send({ url, taskId, rating: "up" }).pipe(Effect.provide(layer))
      }
      assert.deepStrictEqual(sent.map(({ url }) => url), [
        "https://lake.test/agents/a/tasks/run-1%2F2:feedback",
        "https://lake.test/agents/a/tasks/run-1%2F2:feedback?key=1"
      ])
      const invalid = TaskFeedback.send({ url: "lake.test", taskId, rating: "up" }).pipe(Effect.provide(layer))
      assert.strictEqual((yield* Effect.flip(invalid)).reason._tag, "InvalidRequestError")
    }), covers("ML-31", "field:N2-46"))

  it.effect("refuses a comment of more than 2,000 characters before it is sent", () =>
    Effect.gen(function*() {
      const { layer, sent } = http(() => json(`{"success":true}`))
      const rate = (comment: string) =>
        TaskFeedback.send({ ...address, taskId, rating: "up", comment }).pipe(Effect.provide(layer))
      yield* rate("x".repeat(2_000))
      const { origin, reason } = yield* Effect.flip(rate("x".repeat(2_001)))
      assert.strictEqual(sent.length, 1)
      assert.strictEqual(origin, "local")
      assert.strictEqual(reason._tag, "InvalidRequestError")
    }), covers("ML-31"))

  it.effect("fails with the typed refusals of the service", () =>
    Effect.gen(function*() {
      const { layer } = http(() =>
        json(`{"success":false,"message":"no","error_code":"ACCESS_DENIED"}`, { status: 403 })
      )
      const error = yield* Effect.flip(
        TaskFeedback.send({ ...address, taskId, rating: "up" }).pipe(Effect.provide(layer))
      )
      assert.strictEqual(error.operation, "TaskFeedback.send")
      assert.strictEqual(error.reason._tag, "AccessDeniedError")
    }), covers("ML-31", "ML-33"))

  it.effect("reads the rating of a task if the extension was asked for", () =>
    Effect.gen(function*() {
      const { layer, sent } = http(({ headers }) => {
        const rated = headers["a2a-extensions"] === TaskFeedback.uri
        const metadata = rated ? `,"metadata":{"task-feedback/v1":{"rating":"up","comment":"Yes."}}` : ""
        return json(`{"id":"run-1","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}${metadata}}`)
      })
      const get = Effect.flatMap(
        AgentTransport.AgentTransport,
        (agent) => agent.call(Operation.GetTask, { id: taskId })
      )
      const [plain, rated] = yield* Effect.all([get, TaskFeedback.withFeedback(get)]).pipe(
        Effect.provide(transport("REST", Protocol.v1_0).pipe(Layer.provide(layer)))
      )
      assert.strictEqual(sent.length, 2)
      assert.isUndefined(TaskFeedback.fromTask(plain))
      assert.deepStrictEqual(TaskFeedback.fromTask(rated), { rating: "up", comment: "Yes." })
      assert.isUndefined(
        TaskFeedback.fromTask({ ...rated, metadata: { [TaskFeedback.metadataKey]: { rating: "sideways" } } })
      )
    }), covers("ML-31"))
})

import * as AgentError from "@effect-a2a/core/AgentError"
import * as AgentTransport from "@effect-a2a/core/AgentTransport"
import * as Id from "@effect-a2a/core/Id"
import * as Message from "@effect-a2a/core/Message"
import * as Operation from "@effect-a2a/core/Operation"
import * as Part from "@effect-a2a/core/Part"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import { MemoryLake, MemoryLakeOptions } from "@effect-a2a/memorylake"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { covers } from "../../../test/support/covers.ts"

const hex = "33d6b73298fb43482a765643ff92444b"
const actorId = MemoryLakeOptions.actorId(`actor-${hex}`)
const projectId = MemoryLakeOptions.projectId(`proj-${hex}`)
const otherProject = MemoryLakeOptions.projectId(`proj-${"0".repeat(32)}`)
const contextId = Id.ContextId.make("ctx_m4n7p2q9")
const taskId = Id.TaskId.make("run-1")

describe("MemoryLake.endpoint", () => {
  const ids = { workspaceId: "ws-8001856949ad4f6a5b6226f415ffa877", agentId: "agent-f8bf71ab17ed8eccad8c0e8ae708273f" }
  const agent = `/openapi/memorylake/api/v3/workspaces/${ids.workspaceId}/agents/${ids.agentId}`

  it("uses the documented base URL by default, with the card beside it", covers("ML-01", "ML-08"), () => {
    assert.deepStrictEqual(Result.getOrThrow(MemoryLake.endpoint(ids)), {
      url: `https://app.memorylake.cn${agent}/a2a`,
      agentCardUrl: `https://app.memorylake.cn${agent}/.well-known/agent-card.json`
    })
  })

  it("takes any origin, ignores trailing slashes and encodes ids", covers("ML-01"), () => {
    for (const host of ["http://localhost:3000", "http://localhost:3000/", "http://localhost:3000//"]) {
      assert.strictEqual(
        Result.getOrThrow(MemoryLake.endpoint({ ...ids, host })).url,
        `http://localhost:3000${agent}/a2a`
      )
    }
    const url = Result.getOrThrow(MemoryLake.endpoint({ workspaceId: "a/b?c", agentId: "ü #" })).url
    assert.isTrue(url.endsWith("/workspaces/a%2Fb%3Fc/agents/%C3%BC%20%23/a2a"), url)
  })

  it("refuses other hosts and suggests an origin", covers("ML-01"), () => {
    const refused = (host: string) => Result.getOrThrow(Result.flip(MemoryLake.endpoint({ ...ids, host })))
    assert.include(refused("app.memorylake.ai").message, "https://app.memorylake.ai")
    assert.include(refused("ftp://lake.test/").message, "https://lake.test")
    assert.include(refused("localhost:3000").message, "https://localhost:3000")
    assert.include(refused("").message, "https://app.memorylake.cn")
    assert.notInclude(refused("https://user:secret@lake.test").message, "secret")
    assert.strictEqual(refused("lake").violations?.[0]?.field, "host")
    for (const workspaceId of ["", ".."]) {
      assert.strictEqual(
        Result.getOrThrow(Result.flip(MemoryLake.endpoint({ ...ids, workspaceId }))).violations?.[0]?.field,
        "workspaceId"
      )
    }
  })
})

type Call = { readonly operation: string; readonly request: Operation.SendMessageRequest }

/** An agent in the same process that records what reaches it and answers in `contextId`. */
const run = <A, E>(
  program: Effect.Effect<A, E, AgentTransport.AgentTransport>,
  refusal?: AgentError.AgentError
): Effect.Effect<{ readonly result: Result.Result<A, E>; readonly calls: ReadonlyArray<Call> }> => {
  const calls: Array<Call> = []
  const agent = AgentTransport.AgentTransport.of({
    target: {
      url: "https://lake.test/openapi/memorylake/api/v3/workspaces/w/agents/agent-1/a2a",
      protocolBinding: "HTTP+JSON",
      protocolVersion: "1.0"
    },
    call: (operation, request) => {
      calls.push({ operation: operation._tag, request: request as Operation.SendMessageRequest })
      return refusal !== undefined
        ? Effect.fail(refusal)
        : Effect.succeed({ _tag: "Task", id: taskId, contextId, status: { state: "completed" } } as never)
    },
    stream: (operation, request) => {
      calls.push({ operation: operation._tag, request: request as Operation.SendMessageRequest })
      return Stream.make(
        StreamEvent.statusUpdate({ taskId, contextId, status: { state: "working" } }),
        StreamEvent.statusUpdate({ taskId, contextId, status: { state: "completed" } })
      ) as never
    }
  })
  return program.pipe(
    Effect.provide(MemoryLake.withMemory(Layer.succeed(AgentTransport.AgentTransport, agent))),
    Effect.result,
    Effect.map((result) => ({ result, calls }))
  )
}

const request = (input: Message.Input, options?: Message.Options) =>
  Effect.map(Message.user(input, options), (message): Operation.SendMessageRequest => ({ message }))

const send = (input: Message.Input, options?: Message.Options) =>
  Effect.gen(function*() {
    const transport = yield* AgentTransport.AgentTransport
    return yield* transport.call(Operation.SendMessage, yield* request(input, options))
  })

const stream = (input: Message.Input, options?: Message.Options) =>
  Stream.unwrap(Effect.gen(function*() {
    const transport = yield* AgentTransport.AgentTransport
    return transport.stream(Operation.SendStreamingMessage, yield* request(input, options))
  }))

const failureOf = <A>(result: Result.Result<A, AgentError.AgentError>) => Result.getOrThrow(Result.flip(result))

describe("MemoryLake.withMemory", () => {
  it.effect("always sends metadata.memorylake, and never in the message", () =>
    Effect.gen(function*() {
      const { calls } = yield* run(Effect.andThen(send("hi"), Stream.runDrain(stream("hi"))))
      assert.strictEqual(calls.length, 2)
      for (const { request } of calls) {
        assert.deepStrictEqual(request.metadata, { memorylake: {} })
        assert.isUndefined(request.message.metadata)
      }
    }), covers("ML-11"))

  it.effect("merges inner options into outer ones, for effects and streams", () =>
    Effect.gen(function*() {
      const { calls } = yield* run(
        Effect.andThen(
          send("hi").pipe(MemoryLake.withOptions({ overrides: { model: "m2" } })),
          stream("hi").pipe(MemoryLake.withOptions({ skipMemory: true }), Stream.runDrain)
        ).pipe(MemoryLake.withOptions({ actorId, overrides: { model: "m1", modelParams: { maxTokens: 9 } } }))
      )
      assert.deepStrictEqual(calls.map(({ request }) => request.metadata), [
        { memorylake: { actorId, overrides: { model: "m2", modelParams: { max_tokens: 9 } } } },
        { memorylake: { actorId, skipMemory: true, overrides: { model: "m1", modelParams: { max_tokens: 9 } } } }
      ])
    }), covers("ML-11"))

  it.effect("lets the request's own metadata win and keeps other metadata", () =>
    Effect.gen(function*() {
      const { calls } = yield* run(
        Effect.gen(function*() {
          const transport = yield* AgentTransport.AgentTransport
          const metadata = { trace: "t-1", memorylake: { actorId: "jane", brandNew: [1] } }
          return yield* transport.call(Operation.SendMessage, { ...yield* request("hi"), metadata })
        }).pipe(MemoryLake.withOptions({ actorId, skipMemory: true }))
      )
      assert.deepStrictEqual(calls[0]?.request.metadata, {
        trace: "t-1",
        memorylake: { actorId: "jane", skipMemory: true, brandNew: [1] }
      })
    }), covers("ML-11", "ML-16"))

  it.effect("refuses files without a project before anything is sent", () =>
    Effect.gen(function*() {
      for (const file of [Part.url("drive://items/1"), Part.raw(new Uint8Array([1]))]) {
        for (const program of [send(["see", file], { contextId }), Stream.runDrain(stream(["see", file]))]) {
          const { calls, result } = yield* run<unknown, AgentError.AgentError>(program)
          const { origin, reason } = failureOf(result)
          assert.strictEqual(calls.length, 0)
          assert.strictEqual(origin, "local")
          assert.strictEqual(reason._tag, "InvalidRequestError")
          assert.include(reason.message, "metadata.memorylake.readWriteProjectId")
          assert.include(reason.message, "not inherited")
        }
        const { calls } = yield* run(
          send(["see", file]).pipe(MemoryLake.withOptions({ readWriteProjectId: projectId }))
        )
        assert.strictEqual(calls.length, 1)
      }
    }), covers("ML-17"))

  it.effect("keeps the project that a conversation began with", () =>
    Effect.gen(function*() {
      const first = send("one").pipe(MemoryLake.withOptions({ readWriteProjectId: projectId }))
      const later = (readWriteProjectId: MemoryLakeOptions.ProjectId) =>
        send("two", { contextId }).pipe(MemoryLake.withOptions({ readWriteProjectId }))
      const kept = yield* run(
        first.pipe(Effect.andThen(later(projectId)), Effect.andThen(send("three", { contextId })))
      )
      assert.strictEqual(kept.calls.length, 3)
      const changed = yield* run(Effect.andThen(first, later(otherProject)))
      assert.strictEqual(changed.calls.length, 1)
      assert.include(failureOf(changed.result).message, `began with ${projectId}`)
      const added = yield* run(Effect.andThen(Stream.runDrain(stream("one")), later(projectId)))
      assert.strictEqual(added.calls.length, 1)
      assert.include(failureOf(added.result).message, "began without a project")
      assert.include(failureOf(added.result).message, contextId)
    }), covers("ML-18"))

  it.effect("assumes nothing about a conversation that began elsewhere", () =>
    Effect.gen(function*() {
      const { calls } = yield* run(Effect.andThen(
        send("one", { contextId }),
        send("two", { contextId }).pipe(MemoryLake.withOptions({ readWriteProjectId: projectId }))
      ))
      assert.strictEqual(calls.length, 2)
    }), covers("ML-18"))

  it.effect("names the refused context and the agent", () =>
    Effect.gen(function*() {
      const refusal = AgentError.make("SendMessage", "InvalidArgumentError", {
        message: "context belongs to another agent",
        status: 400
      })
      const { result } = yield* run(send("hi", { contextId }), refusal)
      const { reason } = failureOf(result)
      assert.strictEqual(reason._tag, "InvalidArgumentError")
      assert.strictEqual(reason.message, `context belongs to another agent (context ${contextId}, agent agent-1)`)
      assert.strictEqual(reason.status, 400)
    }), covers("ML-10"))

  it.effect("refuses push notifications before anything is sent", () =>
    Effect.gen(function*() {
      const config = { id: "c", url: "https://me.test/hook" }
      const programs: ReadonlyArray<Effect.Effect<unknown, AgentError.AgentError, AgentTransport.AgentTransport>> = [
        Effect.flatMap(AgentTransport.AgentTransport, (transport) =>
          transport.call(Operation.CreateTaskPushNotificationConfig, { taskId, ...config })),
        Effect.flatMap(AgentTransport.AgentTransport, (transport) =>
          transport.call(Operation.ListTaskPushNotificationConfigs, { taskId })),
        Effect.gen(function*() {
          const transport = yield* AgentTransport.AgentTransport
          const configuration = { taskPushNotificationConfig: config }
          return yield* transport.call(Operation.SendMessage, { ...yield* request("hi"), configuration })
        })
      ]
      for (const program of programs) {
        const { calls, result } = yield* run(program)
        assert.strictEqual(calls.length, 0)
        assert.strictEqual(failureOf(result).reason._tag, "PushNotificationNotSupportedError")
      }
    }), covers("ML-08"))

  it.effect("leaves operations on tasks unchanged", () =>
    Effect.gen(function*() {
      const { calls } = yield* run(Effect.gen(function*() {
        const transport = yield* AgentTransport.AgentTransport
        yield* transport.call(Operation.GetTask, { id: taskId })
        yield* Stream.runDrain(transport.stream(Operation.SubscribeToTask, { id: taskId }))
      }))
      assert.deepStrictEqual<unknown>(calls, [
        { operation: "GetTask", request: { id: taskId } },
        { operation: "SubscribeToTask", request: { id: taskId } }
      ])
    }))
})

/** A reason given by an agent, through our server and our client, in every cell. */
import { Agent, AgentError, AgentTransport, Id, Protocol, StreamEvent } from "@effect-a2a/core"
import { MemoryLake } from "@effect-a2a/memorylake"
import { Wire } from "@effect-a2a/testing"
import { JsonRpc, JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { Rest, RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Stream } from "effect"

type Tag = AgentError.AgentErrorReason["_tag"]

const taskId = Id.TaskId.make("t-1")
const working = StreamEvent.statusUpdate({ taskId, contextId: Id.ContextId.make("c"), status: { state: "working" } })

const editions = [Protocol.v1_0, Protocol.v0_3]
const cells = [
  ...editions.map((protocol) => ["", protocol] as const),
  ...editions.map((protocol) => ["MemoryLake ", MemoryLake.protocol<string>(protocol)] as const)
].flatMap(([vendor, protocol]) => [
  { name: `${vendor}${protocol.version} REST`, protocol, client: Rest.layer, server: RestServer.routes },
  { name: `${vendor}${protocol.version} JSON-RPC`, protocol, client: JsonRpc.layer, server: JsonRpcServer.routes }
])

/** Refuses everything; a stream after `events`. */
const refusing = (reason: AgentError.AgentErrorReason, events: ReadonlyArray<StreamEvent.StreamEvent> = []) => {
  const error = new AgentError.AgentError({ operation: "test", reason })
  return Layer.succeed(AgentTransport.AgentTransport, {
    target: { url: "https://agent.test", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
    call: () => Effect.fail(error),
    stream: () => Stream.concat(Stream.fromIterable(events), Stream.fail(error)) as never
  })
}

/** What the peer's own words are; the rest is made on this side, and is an internal error to a caller. */
const survivors = [
  "UnauthenticatedError",
  "AccessDeniedError",
  "RateLimitError",
  "QuotaExceededError",
  "ServiceUnavailableError",
  "InvalidArgumentError",
  "NotFoundError",
  "StateNotReadyError",
  "ActorInactiveError",
  "TaskNotFoundError",
  "TaskNotCancelableError",
  "PushNotificationNotSupportedError",
  "UnsupportedOperationError",
  "ContentTypeNotSupportedError",
  "InvalidAgentResponseError",
  "ExtendedAgentCardNotConfiguredError",
  "ExtensionSupportRequiredError",
  "VersionNotSupportedError",
  "InvalidParamsError",
  "MethodNotFoundError",
  "InternalError"
] as const satisfies ReadonlyArray<Tag>

const made: ReadonlyArray<readonly [AgentError.AgentErrorReason, Tag]> = [
  [new AgentError.InvalidRequestError({ message: "m" }), "InvalidParamsError"],
  [new AgentError.OperationNotInProtocolError({ message: "m", protocolVersion: "0.3" }), "MethodNotFoundError"],
  [new AgentError.NoCompatibleInterfaceError({ message: "m", offered: [], installed: [] }), "InternalError"],
  [new AgentError.CredentialsUnavailableError({ message: "m" }), "InternalError"],
  [new AgentError.ConnectionError({ message: "m" }), "InternalError"],
  [new AgentError.TimeoutError({ message: "m", phase: "call" }), "InternalError"],
  [new AgentError.MalformedResponseError({ message: "m", dialect: "d", issue: "i" }), "InternalError"],
  [new AgentError.ResponseTooLargeError({ message: "m", maxLength: 1 }), "InternalError"],
  [new AgentError.UnknownError({ message: "m" }), "InternalError"]
]

for (const cell of cells) {
  describe(`reasons through both halves, ${cell.name}`, () => {
    const told = Effect.fnUntraced(function*(reason: AgentError.AgentErrorReason) {
      const at = (events: ReadonlyArray<StreamEvent.StreamEvent>) =>
        Agent.layer.pipe(
          Layer.provideMerge(Wire.through(cell)(refusing(reason, events)))
        )
      const call = yield* Effect.flip(Agent.getTask(taskId)).pipe(Effect.provide(at([])))
      const before = yield* Effect.flip(Stream.runDrain(Agent.stream("hi"))).pipe(Effect.provide(at([])))
      const seen: Array<StreamEvent.StreamEvent> = []
      const [after, exchange] = yield* Effect.gen(function*() {
        const error = yield* Agent.stream("hi").pipe(
          Stream.runForEach((event) => Effect.sync(() => seen.push(event))),
          Effect.flip
        )
        const [exchange] = yield* (yield* Wire.Tape).exchanges
        return [error, exchange!] as const
      }).pipe(Effect.provide(at([working])))
      assert.deepStrictEqual(seen, [working])
      assert.strictEqual(exchange.status, 200)
      if (reason._tag === "StreamInterruptedError") assert.notInclude(exchange.chunks.join(""), "event: error")
      else assert.match(exchange.chunks.join(""), /event: error\ndata: .*\n\n$/)
      return [call.reason, before.reason, after.reason]
    })

    for (const tag of survivors) {
      it.effect(`ERR-05 ERR-08: ${tag} survives: in an answer, before a stream and within one`, () =>
        Effect.gen(function*() {
          for (const reason of yield* told(AgentError.reason(tag, { message: "日本 no" } as never))) {
            assert.strictEqual(reason._tag, tag)
            assert.strictEqual(reason.message, "日本 no")
            assert.strictEqual(reason.code, AgentError.reason(tag, { message: "" } as never).code)
          }
        }))
    }

    for (const [reason, tag] of made) {
      it.effect(`${reason._tag} is ${tag} to the caller`, () =>
        Effect.gen(function*() {
          for (const one of yield* told(reason)) {
            assert.strictEqual(one._tag, tag)
            assert.strictEqual(one.message, "m")
          }
        }))
    }

    it.effect("an interruption within a stream is one to the caller, who may take it up again", () =>
      Effect.gen(function*() {
        const reasons = yield* told(new AgentError.StreamInterruptedError({ message: "m" }))
        assert.deepStrictEqual(reasons.map(({ _tag }) => _tag), [
          "InternalError",
          "InternalError",
          "StreamInterruptedError"
        ])
        assert.isTrue(reasons[2]!.isRetryable)
      }))

    it.effect("violations and delays survive where the body has room for them", () =>
      Effect.gen(function*() {
        const violations = [{ field: "message.parts", description: "must not be empty" }]
        for (const reason of yield* told(new AgentError.InvalidParamsError({ message: "m", violations }))) {
          assert.deepStrictEqual(reason._tag === "InvalidParamsError" && reason.violations, violations)
        }
        if (cell.name.startsWith("MemoryLake")) return
        const retryAfter = Duration.millis(2500)
        for (const reason of yield* told(new AgentError.RateLimitError({ message: "m", retryAfter }))) {
          assert.deepStrictEqual(reason.retryAfter, retryAfter)
        }
      }))
  })
}

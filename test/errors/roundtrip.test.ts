/** The reasons of an agent through our server and our client, in every combination, with and without a vendor's patch. */
import { Agent, AgentError, AgentTransport, Id, Protocol, StreamEvent } from "@effect-a2a/core"
import { MemoryLake } from "@effect-a2a/memorylake"
import { Wire } from "@effect-a2a/testing"
import { JsonRpc, JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { Rest, RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Stream } from "effect"
import { covers } from "../support/covers.ts"

type Reason = AgentError.AgentErrorReason
type Tag = Reason["_tag"]

const taskId = Id.TaskId.make("t-1")
const working = StreamEvent.statusUpdate({ taskId, contextId: Id.ContextId.make("c"), status: { state: "working" } })

const versions = [Protocol.v1_0, Protocol.v0_3]
const combinations = [
  ...versions.map((protocol) => ["", protocol] as const),
  ["Release 1.0.0 of ", Protocol.v1_0_0] as const,
  ...versions.map((protocol) => ["MemoryLake ", MemoryLake.servedProtocol<string>(protocol)] as const)
].flatMap(([vendor, protocol]) => [
  { name: `${vendor}${protocol.version} REST`, protocol, client: Rest.layer, server: RestServer.routes },
  { name: `${vendor}${protocol.version} JSON-RPC`, protocol, client: JsonRpc.layer, server: JsonRpcServer.routes }
])

/** A transport that refuses everything; a stream after `events`. */
const refusing = (reason: Reason, events: ReadonlyArray<StreamEvent.StreamEvent> = []) => {
  const error = new AgentError.AgentError({ operation: "test", reason })
  return Layer.succeed(AgentTransport.AgentTransport, {
    target: { url: "https://agent.test", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
    call: () => Effect.fail(error),
    stream: () => Stream.concat(Stream.fromIterable(events), Stream.fail(error)) as never
  })
}

/** The reasons that the caller of the server gets: from a call, before a stream, and after an event. */
const relay = Effect.fnUntraced(function*(combination: (typeof combinations)[number], reason: Reason) {
  const at = (events: ReadonlyArray<StreamEvent.StreamEvent>) =>
    Agent.layer.pipe(Layer.provideMerge(Wire.through(combination)(refusing(reason, events))))
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
  return { call: call.reason, before: before.reason, after: after.reason }
})

/** The reasons that an agent gives, with their words. They survive. */
const given = [
  ["UnauthenticatedError", "UNAUTHENTICATED"],
  ["AccessDeniedError", "ACCESS_DENIED"],
  ["RateLimitError", "RATE_LIMIT_EXCEEDED"],
  ["QuotaExceededError", "QUOTA_EXCEEDED"],
  ["ServiceUnavailableError", "SERVICE_UNAVAILABLE"],
  ["InvalidArgumentError", "INVALID_ARGUMENT"],
  ["NotFoundError", "NOT_FOUND"],
  ["StateNotReadyError", "STATE_NOT_READY"],
  ["ActorInactiveError", "ACTOR_INACTIVE"],
  ["TaskNotFoundError", "TASK_NOT_FOUND"],
  ["TaskNotCancelableError", "TASK_NOT_CANCELABLE"],
  ["PushNotificationNotSupportedError", "PUSH_NOTIFICATION_NOT_SUPPORTED"],
  ["UnsupportedOperationError", "UNSUPPORTED_OPERATION"],
  ["ContentTypeNotSupportedError", "CONTENT_TYPE_NOT_SUPPORTED"],
  ["InvalidAgentResponseError", "INVALID_AGENT_RESPONSE"],
  ["ExtendedAgentCardNotConfiguredError", "EXTENDED_AGENT_CARD_NOT_CONFIGURED"],
  ["ExtensionSupportRequiredError", "EXTENSION_SUPPORT_REQUIRED"],
  ["VersionNotSupportedError", "VERSION_NOT_SUPPORTED"],
  ["InvalidParamsError", "INVALID_PARAMS"],
  ["MethodNotFoundError", "METHOD_NOT_FOUND"],
  ["InternalError", "INTERNAL_ERROR"]
] as const satisfies ReadonlyArray<readonly [Tag, string]>

/** Reasons that are raised on this side, and those of the caller of a server that passes them on. */
const raised: ReadonlyArray<readonly [Reason, Tag]> = [
  [new AgentError.InvalidRequestError({ message: "m" }), "InvalidParamsError"],
  [new AgentError.OperationNotInProtocolError({ message: "m", protocolVersion: "0.3" }), "MethodNotFoundError"],
  [new AgentError.NoCompatibleInterfaceError({ message: "m", offered: [], installed: [] }), "InternalError"],
  [new AgentError.UntrustedCardError({ message: "m", problem: "unsigned" }), "InternalError"],
  [new AgentError.CredentialsUnavailableError({ message: "m" }), "InternalError"],
  [new AgentError.ConnectionError({ message: "m" }), "InternalError"],
  [new AgentError.TimeoutError({ message: "m", phase: "total" }), "InternalError"],
  [new AgentError.MalformedResponseError({ message: "m", dialect: "d", issue: "i" }), "InternalError"],
  [new AgentError.ResponseTooLargeError({ message: "m", maxLength: 1 }), "InternalError"],
  [new AgentError.UnknownError({ message: "m" }), "InternalError"]
]

for (const combination of combinations) {
  describe(`reasons through ${combination.name}`, () => {
    it.effect("an agent's reasons survive, and local ones become internal errors", () =>
      Effect.gen(function*() {
        const message = "日本 no"
        const rows = [
          ...given.map(([_tag, code]) => [AgentError.reason(_tag, { message }), { _tag, code, message }] as const),
          ...raised.map(([reason, _tag]) => [reason, { _tag, message: "m" }] as const)
        ]
        const actual: Record<string, unknown> = {}
        const expected: Record<string, unknown> = {}
        for (const [reason, wanted] of rows) {
          for (const [place, { _tag, code, message }] of Object.entries(yield* relay(combination, reason))) {
            actual[`${reason._tag}, ${place}`] = { _tag, ...("code" in wanted && { code }), message }
            expected[`${reason._tag}, ${place}`] = wanted
          }
        }
        assert.deepStrictEqual(actual, expected)
      }), covers("field:ERR-05", "field:ERR-08"))

    it.effect("a dropped stream is one for the caller too, who may resume it", () =>
      Effect.gen(function*() {
        const { after, before, call } = yield* relay(
          combination,
          new AgentError.StreamInterruptedError({ message: "m" })
        )
        assert.deepStrictEqual([call._tag, before._tag], ["InternalError", "InternalError"])
        assert.deepInclude(after, { _tag: "StreamInterruptedError", isResumable: true, delivery: "delivered" })
      }))

    it.effect("violations and delays survive if the body has room for them", () =>
      Effect.gen(function*() {
        const violations = [{ field: "message.parts", description: "must not be empty" }]
        const invalid = yield* relay(combination, new AgentError.InvalidParamsError({ message: "m", violations }))
        for (const reason of Object.values(invalid)) {
          assert.deepStrictEqual(reason._tag === "InvalidParamsError" && reason.violations, violations)
        }
        if (combination.name.startsWith("MemoryLake")) return
        const retryAfter = Duration.millis(2500)
        const limited = yield* relay(combination, new AgentError.RateLimitError({ message: "m", retryAfter }))
        for (const reason of Object.values(limited)) assert.deepStrictEqual(reason.retryAfter, retryAfter)
      }))

    it.effect("a challenge survives in the header of a response", () =>
      Effect.gen(function*() {
        const challenge = "Bearer realm=\"agents\""
        const { before, call } = yield* relay(
          combination,
          new AgentError.UnauthenticatedError({ message: "m", challenge })
        )
        for (const reason of [call, before]) {
          assert.strictEqual(reason._tag === "UnauthenticatedError" && reason.challenge, challenge)
        }
      }))
  })
}

/** The bytes of refusals: HTTP status, codes and names as the servers of both bindings write them. */
import { Agent, AgentError, AgentTransport, Id, Protocol } from "@effect-a2a/core"
import { Wire } from "@effect-a2a/testing"
import { JsonRpc, JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { Rest, RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"

const { v0_3, v1_0, v1_0_0 } = Protocol
const message = "because"

/** Word, JSON-RPC code (A2A 1.0.1 §5.4), HTTP status and google.rpc name; reasons without a code are HTTP responses. */
const rows = [
  ["UnauthenticatedError", "UNAUTHENTICATED", undefined, 401, "UNAUTHENTICATED"],
  ["AccessDeniedError", "ACCESS_DENIED", undefined, 403, "PERMISSION_DENIED"],
  ["RateLimitError", "RATE_LIMIT_EXCEEDED", undefined, 429, "RESOURCE_EXHAUSTED"],
  ["QuotaExceededError", "QUOTA_EXCEEDED", undefined, 402, "RESOURCE_EXHAUSTED"],
  ["ServiceUnavailableError", "SERVICE_UNAVAILABLE", undefined, 503, "UNAVAILABLE"],
  ["InvalidArgumentError", "INVALID_ARGUMENT", -32602, 400, "INVALID_ARGUMENT"],
  ["NotFoundError", "NOT_FOUND", -32001, 404, "NOT_FOUND"],
  ["StateNotReadyError", "STATE_NOT_READY", -32602, 400, "FAILED_PRECONDITION"],
  ["ActorInactiveError", "ACTOR_INACTIVE", -32602, 400, "FAILED_PRECONDITION"],
  ["TaskNotFoundError", "TASK_NOT_FOUND", -32001, 404, "NOT_FOUND"],
  ["TaskNotCancelableError", "TASK_NOT_CANCELABLE", -32002, 400, "FAILED_PRECONDITION"],
  ["PushNotificationNotSupportedError", "PUSH_NOTIFICATION_NOT_SUPPORTED", -32003, 400, "FAILED_PRECONDITION"],
  ["UnsupportedOperationError", "UNSUPPORTED_OPERATION", -32004, 400, "FAILED_PRECONDITION"],
  ["ContentTypeNotSupportedError", "CONTENT_TYPE_NOT_SUPPORTED", -32005, 400, "INVALID_ARGUMENT"],
  ["InvalidAgentResponseError", "INVALID_AGENT_RESPONSE", -32006, 500, "INTERNAL"],
  ["ExtendedAgentCardNotConfiguredError", "EXTENDED_AGENT_CARD_NOT_CONFIGURED", -32007, 400, "FAILED_PRECONDITION"],
  ["ExtensionSupportRequiredError", "EXTENSION_SUPPORT_REQUIRED", -32008, 400, "FAILED_PRECONDITION"],
  ["VersionNotSupportedError", "VERSION_NOT_SUPPORTED", -32009, 400, "FAILED_PRECONDITION"],
  ["InvalidParamsError", "INVALID_PARAMS", -32602, 400, "INVALID_ARGUMENT"],
  ["MethodNotFoundError", "METHOD_NOT_FOUND", -32601, 404, "NOT_FOUND"],
  ["InternalError", "INTERNAL_ERROR", -32603, 500, "INTERNAL"]
] as const

type Row = (typeof rows)[number]

const details = (reason: string) => [
  { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: "a2a-protocol.org" }
]

/** Reasons whose code another one shares in 0.3, or that have none: the code alone would lose them. */
const isAmbiguous = ([tag, , code]: Row) =>
  code === undefined ||
  ["InvalidArgumentError", "NotFoundError", "StateNotReadyError", "ActorInactiveError"].includes(tag)

const envelope = (error: object) => ({ jsonrpc: "2.0", id: "req-1", error })

const status1_0 = ([, word, , http, name]: Row) => ({
  status: http,
  body: { error: { code: http, status: name, message, details: details(word) } }
})

/** The rows that release 1.0.0 has otherwise (A2A 1.0.0 §5.4). */
const rows1_0_0 = new Map<string, readonly [http: number, name: string]>([
  ["TaskNotCancelableError", [409, "FAILED_PRECONDITION"]],
  ["PushNotificationNotSupportedError", [400, "UNIMPLEMENTED"]],
  ["UnsupportedOperationError", [400, "UNIMPLEMENTED"]],
  ["ContentTypeNotSupportedError", [415, "INVALID_ARGUMENT"]],
  ["InvalidAgentResponseError", [502, "INTERNAL"]],
  ["VersionNotSupportedError", [400, "UNIMPLEMENTED"]]
])

const status1_0_0 = (row: Row) => {
  const { body: { error }, status } = status1_0(row)
  const [http, name] = rows1_0_0.get(row[0]) ?? [status, error.status]
  return { status: http, body: { error: { ...error, code: http, status: name } } }
}

/** Over JSON-RPC both have the HTTP status, and the code that a2a-go writes. */
const ofHttp = new Map<string, number>([["UnauthenticatedError", -31401], ["AccessDeniedError", -31403]])

const error1_0 = (row: Row) => {
  const code = row[2] ?? ofHttp.get(row[0])
  return code === undefined
    ? status1_0(row)
    : { status: row[2] === undefined ? row[3] : 200, body: envelope({ code, message, data: details(row[1]) }) }
}

const bare = (row: Row) => ({
  code: row[2] ?? -32603,
  message,
  ...(isAmbiguous(row) && { data: details(row[1]) })
})

const combinations = [
  { name: "1.0 REST", protocol: v1_0, client: Rest.layer, server: RestServer.routes, expected: status1_0 },
  { name: "1.0 JSON-RPC", protocol: v1_0, client: JsonRpc.layer, server: JsonRpcServer.routes, expected: error1_0 },
  { name: "1.0.0 REST", protocol: v1_0_0, client: Rest.layer, server: RestServer.routes, expected: status1_0_0 },
  { name: "1.0.0 JSON-RPC", protocol: v1_0_0, client: JsonRpc.layer, server: JsonRpcServer.routes, expected: error1_0 },
  {
    name: "0.3 REST",
    protocol: v0_3,
    client: Rest.layer,
    server: RestServer.routes,
    expected: (row: Row) => ({ status: row[3], body: bare(row) })
  },
  {
    name: "0.3 JSON-RPC",
    protocol: v0_3,
    client: JsonRpc.layer,
    server: JsonRpcServer.routes,
    expected: (row: Row) =>
      ofHttp.has(row[0])
        ? { status: row[3], body: envelope({ code: ofHttp.get(row[0]), message }) }
        : row[2] === undefined
        ? { status: row[3], body: bare(row) }
        : { status: 200, body: envelope(bare(row)) }
  }
]

const refusing = (reason: AgentError.AgentErrorReason) => {
  const error = new AgentError.AgentError({ operation: "test", reason })
  return Layer.succeed(AgentTransport.AgentTransport, {
    target: { url: "https://agent.test", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
    call: () => Effect.fail(error),
    stream: () => Stream.fail(error)
  })
}

describe("refusals on the wire", () => {
  for (const { expected, name, ...combination } of combinations) {
    it.effect(`have the status, code and name of their reason over ${name}`, () =>
      Effect.gen(function*() {
        for (const row of rows) {
          const agent = Agent.layer.pipe(
            Layer.provideMerge(Wire.through(combination)(refusing(AgentError.reason(row[0], { message })))),
            Layer.fresh
          )
          const exchange = yield* Effect.gen(function*() {
            yield* Effect.flip(Agent.getTask(Id.TaskId.make("t-1")))
            return (yield* (yield* Wire.Tape).exchanges)[0]!
          }).pipe(Effect.provide(agent))
          const actual = { status: exchange.status, body: JSON.parse(exchange.chunks.join("")) }
          assert.deepStrictEqual(actual, expected(row), row[0])
        }
      }))
  }
})

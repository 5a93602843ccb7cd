/**
 * Serves an agent over the JSON-RPC 2.0 binding (A2A 1.0 §9): any {@link AgentTransport} behind one endpoint, in both
 * protocol versions unless `protocols` says otherwise.
 *
 * ```ts
 * import { Agent, Credentials, Protocol } from "@effect-a2a/core"
 * import { AgentTest, Script, Wire } from "@effect-a2a/testing"
 * import { JsonRpc, JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
 * import { Effect, Layer } from "effect"
 *
 * const routes = JsonRpcServer.routes({ path: "/a2a" }).pipe(
 *   Layer.provide(AgentTest.layer),
 *   Layer.provide(Script.layer(Script.say("Hello")))
 * )
 * const agent = Agent.layer.pipe(
 *   Layer.provide(JsonRpc.layer({ url: "http://agent.test/a2a", protocol: Protocol.v0_3 })),
 *   Layer.provide([Wire.layerHttp(routes), Credentials.layerNone])
 * )
 * const answer = await Effect.runPromise(Agent.ask("Hi").pipe(Effect.provide(agent)))
 * answer.text // => "Hello"
 * ```
 *
 * @since 0.1.0
 */
import * as AgentError from "@effect-a2a/core/AgentError"
import { AgentTransport } from "@effect-a2a/core/AgentTransport"
import * as Authenticator from "@effect-a2a/core/Authenticator"
import * as Operation from "@effect-a2a/core/Operation"
import type { Protocol, WireFailure } from "@effect-a2a/core/Protocol"
import * as Recognizer from "@effect-a2a/core/Recognizer"
import * as ServedInterfaces from "@effect-a2a/core/ServedInterfaces"
import * as ServerHandler from "@effect-a2a/core/ServerHandler"
import * as ServerSentEvents from "@effect-a2a/core/ServerSentEvents"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Scope } from "effect/Scope"
import * as Envelope from "./internal/envelope.ts"
import { binding } from "./JsonRpc.ts"

/** Path of the endpoint (default: the root) and the versions it serves (default: 1.0 and 0.3). */
export interface Options extends ServerHandler.RouteOptions {}

/** A protocol version that is served. */
interface Version {
  readonly protocol: Protocol
  readonly handler: ServerHandler.ServerHandler
}

const toJson = (body: Schema.Json, status: number, headers: Record<string, string> = {}) =>
  HttpServerResponse.jsonUnsafe(body, { status, headers })

/** Codes of failures that HTTP has a status for. The specification has none; a2a-go 2 writes the same. */
const httpCodes = new Map([[401, -31401], [403, -31403]])

const encodeFailure = ({ jsonRpc }: Protocol, failure: WireFailure) =>
  jsonRpc.failure.encode({ ...failure, code: failure.code ?? httpCodes.get(failure.status ?? 0) })

/** Returns the HTTP response that reports a failure. Some failures are plain HTTP responses, without a JSON-RPC error. */
const toRefusal = (protocol: Protocol, id: Envelope.Id) => (failure: WireFailure) => {
  const refusal = encodeFailure(protocol, failure)
  const headers = ServerHandler.toHeaders(failure)
  const { status = 500 } = failure
  return refusal._tag === "Response"
    ? toJson(refusal.body, refusal.status, headers)
    : toJson(
      Envelope.error(id, refusal.error),
      status === 413 || status === 415 || httpCodes.has(status) ? status : refusal.status,
      headers
    )
}

/** Returns the data of the frame that reports a failure inside a stream. */
const toFrame = (protocol: Protocol, id: Envelope.Id) => (failure: WireFailure): Schema.Json => {
  const refusal = encodeFailure(protocol, failure)
  return refusal._tag === "Response" ? refusal.body : Envelope.error(id, refusal.error)
}

const operationOf = ({ jsonRpc }: Protocol, method: string): Operation.All[Operation.Tag] | undefined => {
  const entry = Object.entries(jsonRpc.methods).find(([, name]) => name === method)
  return entry && Operation.all[entry[0] as Operation.Tag]
}

/**
 * Chooses the version that answers: the one that the request names, otherwise the first that has the method, among those
 * that need not be named. A failure is reported in the format of the first version.
 */
const choose = (
  versions: readonly [Version, ...ReadonlyArray<Version>],
  request: HttpServerRequest,
  method?: string
): { readonly version: Version; readonly failure?: WireFailure } => {
  const requested = ServerHandler.readVersion(request)
  const candidates = versions.filter(({ protocol }) =>
    requested === undefined ? !protocol.versionRequired : protocol.version === requested
  )
  const version = candidates.find(({ protocol }) => method !== undefined && operationOf(protocol, method)) ??
    candidates[0]
  return version === undefined
    ? {
      version: versions[0],
      failure: ServerHandler.versionNotSupported(requested, versions.map(({ protocol }) => protocol))
    }
    : { version }
}

const run = Effect.fnUntraced(function*(
  { handler, protocol }: Version,
  operation: Operation.Any,
  { id, isNotification, params }: Envelope.Request
): Effect.fn.Return<HttpServerResponse.HttpServerResponse, WireFailure, Scope> {
  if (isNotification) {
    // nobody waits for its result, and A2A has no operation for which that makes sense: it is not run
    yield* Effect.mapError(handler.check(operation, params), ServerHandler.fromReason)
    return HttpServerResponse.empty()
  }
  if (operation.mode === "streaming") {
    return yield* ServerSentEvents.toResponse({
      events: handler.stream(operation, params),
      encode: (event) => Envelope.result(id, event),
      encodeFailure: toFrame(protocol, id),
      refuse: toRefusal(protocol, id)
    })
  }
  const success = yield* Effect.mapError(handler.call(operation, params), ServerHandler.fromReason)
  return toJson(Envelope.result(id, success), 200)
})

const noMethod = ({ protocol: { version } }: Version, { method }: Envelope.Request) =>
  Effect.fail(ServerHandler.fromReason(
    AgentError.reason("MethodNotFoundError", { message: `A2A ${version} has no method ${method.slice(0, 100)}` })
  ))

/**
 * Adds `POST path` for all operations. If a request names a version (`A2A-Version`), that version must be among those
 * served and have the method; otherwise the method decides. 1.0 has to be named (A2A 1.0 §3.6).
 */
export const routes = (options: Options = {}): Layer.Layer<never, never, AgentTransport | HttpRouter.HttpRouter> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const transport = yield* AgentTransport
    const router = yield* HttpRouter.HttpRouter
    const { path = "/", protocols = ServerHandler.protocols } = options
    const served = yield* ServedInterfaces.ServedInterfaces
    const recognizers = yield* Recognizer.Current
    const authenticator = yield* Authenticator.forBinding(transport)
    yield* served.add({ transport, protocolBinding: binding.protocolBinding, path, protocols })
    const toVersion = (protocol: Protocol): Version => ({
      protocol,
      handler: ServerHandler.make(protocol.jsonRpc.dialect, transport, [...protocol.recognizers, ...recognizers])
    })
    const [first, ...others] = protocols
    const versions = [toVersion(first), ...others.map(toVersion)] as const

    const admit = ServerHandler.admit(path)
    const respond = Effect.fnUntraced(function*(request: HttpServerRequest) {
      const admitted = yield* Effect.result(admit(request))
      if (Result.isFailure(admitted)) {
        const { failure } = admitted
        return HttpServerResponse.setStatus(toRefusal(first, null)(failure), failure.status ?? 400)
      }
      const early = (failure: WireFailure) => toRefusal(choose(versions, request).version.protocol, null)(failure)
      const admission = yield* Effect.result(ServerHandler.authenticate(authenticator, request))
      if (Result.isFailure(admission)) return early(admission.failure)
      const body = yield* Effect.result(ServerHandler.readBody(request))
      if (Result.isFailure(body)) return early(body.failure)
      const call = Envelope.readRequest(body.success)
      if (Result.isFailure(call)) {
        return toRefusal(choose(versions, request).version.protocol, call.failure.id)(call.failure.failure)
      }
      const { failure, version } = choose(versions, request, call.success.method)
      const refuse = toRefusal(version.protocol, call.success.id)
      const operation = operationOf(version.protocol, call.success.method)
      return failure !== undefined
        ? refuse(failure)
        : yield* (operation === undefined
          ? noMethod(version, call.success)
          : ServerHandler.authorize(admission.success, operation)(run(version, operation, call.success))).pipe(
            ServerHandler.catchToResponse(refuse),
            ServerHandler.withServiceParameters(request)
          )
    })

    yield* router.add("POST", path, respond)
  })).pipe(
    Layer.provide([ServedInterfaces.layer, Authenticator.layerRegistry]),
    Layer.merge(ServerHandler.layerAllow(options.path ?? "/", ["POST"]))
  )

/**
 * The JSON-RPC 2.0 binding, serving half: any {@link AgentTransport} behind one endpoint, in every edition listed.
 *
 * ```ts
 * import { Agent, Credentials, Protocol } from "@effect-a2a/core"
 * import { AgentTest, Script, Wire } from "@effect-a2a/testing"
 * import { JsonRpc, JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
 * import { Effect, Layer } from "effect"
 *
 * const routes = JsonRpcServer.routes({ path: "/a2a", protocols: [Protocol.v1_0, Protocol.v0_3] }).pipe(
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
import * as HttpServing from "@effect-a2a/core/HttpServing"
import * as Operation from "@effect-a2a/core/Operation"
import type * as Protocol from "@effect-a2a/core/Protocol"
import * as Recognizer from "@effect-a2a/core/Recognizer"
import type * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Envelope from "./internal/envelope.ts"

/** Where the endpoint is (default: the root), and which editions it speaks. */
export interface Options {
  readonly path?: `/${string}` | undefined
  readonly protocols: Arr.NonEmptyReadonlyArray<Protocol.Protocol>
}

interface Edition {
  readonly protocol: Protocol.Protocol
  readonly handler: HttpServing.Handler
}

/** A request whose envelope is in order. */
interface Call {
  readonly id: Envelope.Id
  readonly method: string
  readonly params: unknown
}

const json = (body: Schema.Json, status: number, headers: Record<string, string> = {}) =>
  HttpServerResponse.jsonUnsafe(body, { status, headers })

const failure = (code: number, message: string): Protocol.WireFailure => ({
  ...HttpServing.refusal(new AgentError.InvalidParamsError({ message })),
  code
})

const open = (
  body: unknown
): Result.Result<Call, { readonly id: Envelope.Id; readonly failure: Protocol.WireFailure }> => {
  if (!Envelope.isObject(body)) {
    return Result.fail({ id: null, failure: failure(-32600, "a request is one object; there are no batches in A2A") })
  }
  const id = Envelope.isId(body.id ?? null) ? (body.id ?? null) as Envelope.Id : null
  const fail = (code: number, message: string) => Result.fail({ id, failure: failure(code, message) })
  if (body.jsonrpc !== "2.0") return fail(-32600, "jsonrpc must be \"2.0\"")
  if (body.id !== undefined && !Envelope.isId(body.id)) return fail(-32600, "id must be a string, an integer or null")
  if (typeof body.method !== "string" || body.method === "") return fail(-32600, "method must be a non-empty string")
  const params = body.params ?? {}
  return Envelope.isObject(params)
    ? Result.succeed({ id, method: body.method, params })
    : fail(-32602, "params must be an object")
}

/** A refusal that is an answer of its own instead of a JSON-RPC error, inside a stream that has begun, is an error. */
const refuse = ({ jsonRpc }: Protocol.Protocol, id: Envelope.Id) => (failure: Protocol.WireFailure) => {
  const refusal = jsonRpc.failure.encode(failure)
  const headers = HttpServing.headers(failure)
  return refusal._tag === "Response"
    ? json(refusal.body, refusal.status, headers)
    : json(Envelope.error(id, refusal.error), failure.status === 413 ? 413 : refusal.status, headers)
}

const fail = ({ jsonRpc }: Protocol.Protocol, id: Envelope.Id) => (failure: Protocol.WireFailure): Schema.Json => {
  const refusal = jsonRpc.failure.encode(failure)
  return refusal._tag === "Response" ? refusal.body : Envelope.error(id, refusal.error)
}

const operationOf = ({ jsonRpc }: Protocol.Protocol, method: string): Operation.All[Operation.Tag] | undefined => {
  const found = Object.entries(jsonRpc.methods).find(([, name]) => name === method)
  return found && Operation.all[found[0] as Operation.Tag]
}

/**
 * All operations of the editions behind `POST path`. A version that is named must be one of those listed and have the
 * method; without one, the method decides among the editions that allow that.
 */
export const routes = (options: Options): Layer.Layer<never, never, AgentTransport | HttpRouter.HttpRouter> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const transport = yield* AgentTransport
    const router = yield* HttpRouter.HttpRouter
    const recognizers = yield* Recognizer.Current
    const editions = options.protocols.map((protocol): Edition => ({
      protocol,
      handler: HttpServing.handler(protocol.jsonRpc.dialect, transport, [...protocol.recognizers, ...recognizers])
    }))

    /** The edition that is to answer: the version's if one is named, else the method's, else the first. */
    const choose = (request: HttpServerRequest.HttpServerRequest, method: string | undefined) => {
      const named = HttpServing.version(request)
      const candidates = named === undefined
        ? editions.filter(({ protocol }) => !protocol.versionRequired)
        : editions.filter(({ protocol }) => protocol.version === named)
      const edition = candidates.find(({ protocol }) => method !== undefined && operationOf(protocol, method)) ??
        candidates[0]
      return edition === undefined
        ? { edition: editions[0]!, failure: HttpServing.versionNotSupported(named, options.protocols) }
        : { edition, failure: undefined }
    }

    const serve = Effect.fnUntraced(function*({ handler, protocol }: Edition, { id, method, params }: Call) {
      const operation = operationOf(protocol, method)
      if (operation === undefined) {
        return yield* Effect.fail(HttpServing.refusal(
          new AgentError.MethodNotFoundError({ message: `A2A ${protocol.version} has no method ${method}` })
        ))
      }
      return operation.mode === "streaming"
        ? yield* HttpServing.eventStream({
          events: handler.stream(operation, params),
          frame: (event) => Envelope.result(id, event),
          fail: fail(protocol, id),
          refuse: refuse(protocol, id)
        })
        : json(Envelope.result(id, yield* handler.call(operation, params)), 200)
    })

    const respond = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
      const body: Result.Result<unknown, Protocol.WireFailure> = yield* Effect.result(HttpServing.body(request))
      if (body._tag === "Failure") return refuse(choose(request, undefined).edition.protocol, null)(body.failure)
      const call = open(body.success)
      if (Result.isFailure(call)) {
        return refuse(choose(request, undefined).edition.protocol, call.failure.id)(call.failure.failure)
      }
      const { edition, failure } = choose(request, call.success.method)
      const refused = refuse(edition.protocol, call.success.id)
      return failure !== undefined
        ? refused(failure)
        : yield* serve(edition, call.success).pipe(
          HttpServing.answered(refused),
          HttpServing.withParameters(request)
        )
    })

    yield* router.add("POST", options.path ?? "/", respond)
  }))

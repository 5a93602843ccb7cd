/**
 * Serves an agent over the HTTP+JSON binding (A2A 1.0 §11): any {@link AgentTransport} as REST routes, in both protocol
 * versions unless `protocols` says otherwise.
 *
 * ```ts
 * import { Agent, Credentials, Protocol } from "@effect-a2a/core"
 * import { AgentTest, Script, Wire } from "@effect-a2a/testing"
 * import { Rest, RestServer } from "@effect-a2a/transport-rest"
 * import { Effect, Layer } from "effect"
 *
 * const routes = RestServer.routes({ path: "/a2a" }).pipe(
 *   Layer.provide(AgentTest.layer),
 *   Layer.provide(Script.layer(Script.say("Hello")))
 * )
 * const agent = Agent.layer.pipe(
 *   Layer.provide(Rest.layer({ url: "http://agent.test/a2a", protocol: Protocol.v0_3 })),
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
import * as Template from "./internal/template.ts"
import { binding } from "./Rest.ts"

/** The path of the routes (default: the root) and the versions they serve (default: 1.0 and 0.3). */
export interface Options extends ServerHandler.RouteOptions {}

/** A protocol version that is served. */
interface Version {
  readonly protocol: Protocol
  readonly match: Template.Matcher
  readonly handler: ServerHandler.ServerHandler
}

/** A version that has a route of the request's path. */
interface Candidate {
  readonly version: Version
  readonly match: Template.Match | Template.Mismatch
  readonly tenant: string | undefined
}

/** The version that answers, with the route's match or the failure to report. */
type Choice =
  | { readonly protocol: Protocol; readonly failure: WireFailure }
  | {
    readonly protocol: Protocol
    readonly failure?: undefined
    readonly version: Version
    readonly match: Template.Match
    readonly tenant: string | undefined
  }

const toJson = (body: Schema.Json, status: number, contentType: string, headers: Record<string, string> = {}) =>
  HttpServerResponse.text(JSON.stringify(body), { status, contentType, headers })

const toRefusal = ({ http }: Protocol, contentType: string) => (failure: WireFailure) => {
  const { body, status } = http.failure.encode(failure)
  return toJson(body, status, contentType, ServerHandler.toHeaders(failure))
}

/** Returns the version's own media type if the client accepts it, otherwise plain JSON. */
const contentTypeOf = (request: HttpServerRequest, { rest }: Protocol): string => {
  const accept = request.headers.accept ?? "*/*"
  return accept.includes("*/*") || accept.includes(rest.contentType) ? rest.contentType : "application/json"
}

/** Returns the path below the mount point, still percent-encoded. The mount point may have parameters. */
const pathBelow = (mount: string, { pathname }: URL): string =>
  `/${pathname.split("/").slice(mount.split("/").filter(Boolean).length + 1).join("/")}`

const candidatesOf = (versions: ReadonlyArray<Version>, method: string, path: string): ReadonlyArray<Candidate> => {
  const prefixes = new Set(versions.map(({ protocol }) => protocol.rest.prefix))
  const [, first = "", ...others] = path.split("/")
  const pathOfTenant = `/${others.join("/")}`
  return versions.flatMap((version): ReadonlyArray<Candidate> => {
    const match = version.match(method, path)
    if (match !== undefined) return [{ version, match, tenant: undefined }]
    const mayBeTenant = version.protocol.rest.tenantSegment === true && first !== "" &&
      !prefixes.has(`/${first}`)
    const tenant = mayBeTenant ? Template.decodeSegment(first) : undefined
    const matchOfTenant = tenant === undefined ? undefined : version.match(method, pathOfTenant)
    return matchOfTenant === undefined ? [] : [{ version, match: matchOfTenant, tenant }]
  })
}

/** The message leaves out the query, which may contain a credential. */
const notFound = ({ method, url }: HttpServerRequest): WireFailure => {
  const message = `no route for ${method} ${url.split("?")[0]}`
  return { ...ServerHandler.fromReason(AgentError.reason("MethodNotFoundError", { message })), status: 404 }
}

/**
 * Chooses the version that answers: the one that the request names, otherwise the first that has the path. A failure is
 * reported in the format of the version that fits best.
 */
const choose = (
  versions: readonly [Version, ...ReadonlyArray<Version>],
  request: HttpServerRequest,
  candidates: ReadonlyArray<Candidate>
): Choice => {
  const protocols = versions.map(({ protocol }) => protocol)
  const requested = ServerHandler.readVersion(request)
  const { protocol: closest } = candidates[0]?.version ?? versions[0]
  if (requested !== undefined && !protocols.some(({ version }) => version === requested)) {
    return { protocol: closest, failure: ServerHandler.versionNotSupported(requested, protocols) }
  }
  const candidate = candidates.find(({ version: { protocol } }) =>
    requested === undefined || protocol.version === requested
  )
  if (candidate === undefined) return { protocol: closest, failure: notFound(request) }
  const { match, tenant, version } = candidate
  const { protocol } = version
  if (requested === undefined && protocol.versionRequired) {
    return { protocol, failure: ServerHandler.versionNotSupported(requested, protocols) }
  }
  return "allowed" in match
    ? { protocol, failure: ServerHandler.methodNotAllowed(request, match.allowed) }
    : { protocol, version, match, tenant }
}

const run = Effect.fnUntraced(function*(
  request: HttpServerRequest,
  url: URL,
  { handler, protocol }: Version,
  match: Template.Match,
  tenant: string | undefined
): Effect.fn.Return<HttpServerResponse.HttpServerResponse, WireFailure, Scope> {
  const operation = Operation.all[match.operation]
  const json = match.route.method === "POST" ? yield* ServerHandler.readBody(request) : {}
  const body = {
    ...json as object,
    ...Template.readQuery(match.route, url.searchParams),
    ...match.params,
    ...(tenant === undefined ? undefined : { tenant })
  }
  const contentType = contentTypeOf(request, protocol)
  if (operation.mode === "streaming") {
    return yield* ServerSentEvents.toResponse({
      events: handler.stream(operation, body),
      encode: (event) => event,
      encodeFailure: (failure) => protocol.http.failure.encode(failure).body,
      refuse: toRefusal(protocol, contentType)
    })
  }
  const success = yield* Effect.mapError(handler.call(operation, body), ServerHandler.fromReason)
  return toJson(success, 200, contentType)
})

/**
 * Adds the routes of all operations below `path`. If a request names a version (`A2A-Version`), that version must be
 * among those served; otherwise the path decides. 1.0 has to be named (A2A 1.0 §3.6).
 */
export const routes = (options: Options = {}): Layer.Layer<never, never, AgentTransport | HttpRouter.HttpRouter> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const transport = yield* AgentTransport
    const router = yield* HttpRouter.HttpRouter
    const { path: mount = "/", protocols = ServerHandler.protocols } = options
    const served = yield* ServedInterfaces.ServedInterfaces
    const recognizers = yield* Recognizer.Current
    const authenticator = yield* Authenticator.forBinding(transport)
    yield* served.add({ transport, protocolBinding: binding.protocolBinding, path: mount, protocols })
    const toVersion = (protocol: Protocol): Version => ({
      protocol,
      match: Template.matcher(protocol.rest),
      handler: ServerHandler.make(protocol.rest.dialect, transport, [...protocol.recognizers, ...recognizers])
    })
    const [first, ...others] = protocols
    const versions = [toVersion(first), ...others.map(toVersion)] as const

    const admit = ServerHandler.admit(mount)
    const respond = Effect.fnUntraced(function*(request: HttpServerRequest) {
      const admitted = yield* Effect.result(admit(request))
      if (Result.isFailure(admitted)) {
        return toRefusal(first, contentTypeOf(request, first))(admitted.failure)
      }
      const url = admitted.success
      const choice = choose(versions, request, candidatesOf(versions, request.method, pathBelow(mount, url)))
      const refuse = toRefusal(choice.protocol, contentTypeOf(request, choice.protocol))
      return choice.failure !== undefined
        ? refuse(choice.failure)
        : yield* ServerHandler.authenticate(authenticator, request).pipe(
          Effect.flatMap((admission) =>
            run(request, url, choice.version, choice.match, choice.tenant).pipe(
              ServerHandler.authorize(admission, Operation.all[choice.match.operation])
            )
          ),
          ServerHandler.catchToResponse(refuse),
          ServerHandler.withServiceParameters(request)
        )
    })

    // One wildcard, since the router's patterns can express neither `{id}:cancel` nor an optional tenant. It begins with
    // a segment, because the mount point itself may be the endpoint of another binding.
    yield* router.add("*", `${mount === "/" ? "" : mount}/:segment/*`, respond)
  })).pipe(Layer.provide([ServedInterfaces.layer, Authenticator.layerRegistry]))

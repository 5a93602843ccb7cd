/**
 * The HTTP+JSON binding, serving half: any {@link AgentTransport} as REST routes, in every edition listed.
 *
 * ```ts
 * import { Agent, Credentials, Protocol } from "@effect-a2a/core"
 * import { AgentTest, Script, Wire } from "@effect-a2a/testing"
 * import { Rest, RestServer } from "@effect-a2a/transport-rest"
 * import { Effect, Layer } from "effect"
 *
 * const routes = RestServer.routes({ path: "/a2a", protocols: [Protocol.v1_0, Protocol.v0_3] }).pipe(
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
import type * as Schema from "effect/Schema"
import * as Template from "./internal/template.ts"

/** Where the routes are mounted (default: the root), and which editions they speak. */
export interface Options {
  readonly path?: `/${string}` | undefined
  readonly protocols: Arr.NonEmptyReadonlyArray<Protocol.Protocol>
}

interface Edition {
  readonly protocol: Protocol.Protocol
  readonly match: ReturnType<typeof Template.matcher>
  readonly handler: HttpServing.Handler
}

/** A path that an edition knows. */
interface Found {
  readonly edition: Edition
  readonly match: Template.Match | "method"
  readonly tenant: string | undefined
}

const json = (body: Schema.Json, status: number, contentType: string, headers: Record<string, string> = {}) =>
  HttpServerResponse.text(JSON.stringify(body), { status, contentType, headers })

const refuse = ({ rest }: Protocol.Protocol, contentType: string) => (failure: Protocol.WireFailure) => {
  const { body, status } = rest.failure.encode(failure)
  return json(body, status, contentType, HttpServing.headers(failure))
}

/** The edition's own media type where the client takes it, plain JSON otherwise. */
const contentType = (request: HttpServerRequest.HttpServerRequest, { rest }: Protocol.Protocol): string => {
  const accept = request.headers.accept ?? "*/*"
  return accept.includes("*/*") || accept.includes(rest.contentType) ? rest.contentType : "application/json"
}

/** The path below the mount point, still percent-encoded; the mount point may have parameters. */
const below = (request: HttpServerRequest.HttpServerRequest, mount: string): string => {
  const path = new URL(request.url, "http://localhost").pathname
  return `/${path.split("/").slice(mount.split("/").filter(Boolean).length + 1).join("/")}`
}

const find = (editions: ReadonlyArray<Edition>, method: string, path: string): ReadonlyArray<Found> => {
  const prefixes = new Set(editions.map(({ protocol }) => protocol.rest.prefix))
  const [, first = "", ...others] = path.split("/")
  const tenantPath = `/${others.join("/")}`
  return editions.flatMap((edition): ReadonlyArray<Found> => {
    const match = edition.match(method, path)
    if (match !== undefined) return [{ edition, match, tenant: undefined }]
    const isTenant = edition.protocol.rest.tenantSegment === true && !prefixes.has(`/${first}`)
    const tenant = isTenant ? Template.decode(first) : undefined
    const ofTenant = tenant === undefined ? undefined : edition.match(method, tenantPath)
    return ofTenant === undefined ? [] : [{ edition, match: ofTenant, tenant }]
  })
}

const notFound = (request: HttpServerRequest.HttpServerRequest, status: 404 | 405): Protocol.WireFailure => ({
  ...HttpServing.refusal(
    new AgentError.MethodNotFoundError({
      message: status === 404
        ? `nothing lives at ${request.method} ${request.url}`
        : `${request.method} is not allowed at ${request.url}`
    })
  ),
  status
})

/**
 * All operations of the editions as routes below `path`. The path decides between editions that share none; a version
 * that is named must be one of those listed.
 */
export const routes = (options: Options): Layer.Layer<never, never, AgentTransport | HttpRouter.HttpRouter> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const transport = yield* AgentTransport
    const router = yield* HttpRouter.HttpRouter
    const recognizers = yield* Recognizer.Current
    const mount = options.path ?? "/"
    const editions = options.protocols.map((protocol): Edition => ({
      protocol,
      match: Template.matcher(protocol.rest),
      handler: HttpServing.handler(protocol.rest.dialect, transport, [...protocol.recognizers, ...recognizers])
    }))

    /** The edition that is to answer, or the refusal in the words of the one that fits best. */
    const choose = (request: HttpServerRequest.HttpServerRequest, found: ReadonlyArray<Found>) => {
      const named = HttpServing.version(request)
      const fallback = (found[0]?.edition ?? editions[0]!).protocol
      if (named !== undefined && !options.protocols.some(({ version }) => version === named)) {
        return { protocol: fallback, failure: HttpServing.versionNotSupported(named, options.protocols) }
      }
      const chosen = found.find(({ edition: { protocol } }) => named === undefined || protocol.version === named)
      if (chosen === undefined) return { protocol: fallback, failure: notFound(request, 404) }
      const { protocol } = chosen.edition
      if (named === undefined && protocol.versionRequired) {
        return { protocol, failure: HttpServing.versionNotSupported(named, options.protocols) }
      }
      return chosen.match === "method"
        ? { protocol, failure: notFound(request, 405) }
        : { protocol, edition: chosen.edition, match: chosen.match, tenant: chosen.tenant }
    }

    const serve = Effect.fnUntraced(function*(
      request: HttpServerRequest.HttpServerRequest,
      { handler, protocol }: Edition,
      match: Template.Match,
      tenant: string | undefined
    ) {
      const operation = Operation.all[match.operation]
      const body = match.route.method === "POST" ? yield* HttpServing.body(request) : {}
      const message = {
        ...body as object,
        ...Template.query(match.route, new URL(request.url, "http://localhost").searchParams),
        ...match.params,
        ...(tenant === undefined ? undefined : { tenant })
      }
      const type = contentType(request, protocol)
      return operation.mode === "streaming"
        ? yield* HttpServing.eventStream({
          events: handler.stream(operation, message),
          frame: (event) => event,
          fail: (failure) => protocol.rest.failure.encode(failure).body,
          refuse: refuse(protocol, type)
        })
        : json(yield* handler.call(operation, message), 200, type)
    })

    const respond = (request: HttpServerRequest.HttpServerRequest) => {
      const choice = choose(request, find(editions, request.method, below(request, mount)))
      const refused = refuse(choice.protocol, contentType(request, choice.protocol))
      return choice.failure !== undefined
        ? Effect.succeed(refused(choice.failure))
        : serve(request, choice.edition, choice.match, choice.tenant).pipe(
          HttpServing.answered(refused),
          HttpServing.withParameters(request)
        )
    }

    // at least one segment: the mount point itself may be another binding's
    yield* router.add("*", `${mount === "/" ? "" : mount}/:segment/*`, respond)
  }))

/** One exchange with an ADK server. Tested in packages/transport-adk/test/{client,errors}.test.ts. */
import * as AgentError from "@effect-a2a/core/AgentError"
import type * as HttpBinding from "@effect-a2a/core/HttpBinding"
import * as HttpPeer from "@effect-a2a/core/HttpPeer"
import * as Timeouts from "@effect-a2a/core/Timeouts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as AdkError from "../../AdkError.ts"
import * as PathSegment from "./pathSegment.ts"
import * as Refusal from "./refusal.ts"
import * as UserPath from "./userPath.ts"

type Reason = AdkError.AdkErrorReason

/** The session, or the user, that a request is about. */
export interface Subject {
  readonly appName?: string | undefined
  readonly userId: string
  readonly sessionId?: string
}

/** A request before it has a host. */
export interface Request {
  readonly operation: string
  readonly method: HttpBinding.HttpRequest["method"]
  /** Segments, not encoded yet. */
  readonly path: ReadonlyArray<string>
  readonly body?: unknown
  /** Checked before anything is sent, and named by errors. */
  readonly subject?: Subject
  readonly isRun?: boolean
}

const invalid = (violations: ReadonlyArray<AgentError.Violation>) =>
  new AgentError.InvalidRequestError({ message: AgentError.describe(violations), violations })

/** Fails with `InvalidRequestError` if there are violations. */
export const check = (
  violations: ReadonlyArray<AgentError.Violation>
): Effect.Effect<void, AgentError.InvalidRequestError> =>
  violations.length === 0 ? Effect.void : Effect.fail(invalid(violations))

/** Returns an encoder to JSON that fails with `InvalidRequestError` if a value does not match the schema. */
export const makeEncoder = <S extends Schema.Codec<unknown>>(schema: S) => {
  const encode = Schema.encodeUnknownResult(schema)
  return (value: S["Type"]): Effect.Effect<unknown, AgentError.InvalidRequestError> =>
    Effect.fromResult(Result.mapError(encode(value), (error) => invalid([{ field: "", description: error.message }])))
}

/** Returns `[apps/{app}/]users/{user}/sessions[/{session}]`; servers with a default application serve the short form. */
export const sessionPath = ({ appName, sessionId, userId }: Subject): ReadonlyArray<string> => [
  ...(appName === undefined ? [] : ["apps", appName]),
  "users",
  userId,
  "sessions",
  ...(sessionId === undefined ? [] : [sessionId])
]

const subjectViolations = ({ appName, sessionId, userId }: Subject) => [
  ...(appName === undefined ? [] : PathSegment.violations("appName", appName)),
  ...PathSegment.violations("userId", userId),
  ...(sessionId === undefined ? [] : PathSegment.violations("sessionId", sessionId))
]

const toHttpRequest = ({ body, method, path }: Request): HttpBinding.HttpRequest => ({
  method,
  path: path.map((segment) => `/${encodeURIComponent(segment)}`).join(""),
  query: [],
  body: body as Schema.Json | undefined
})

/** Returns what is read of a refusal, without the user's id in the paths that it repeats. */
const withoutUser = (
  { subject }: Request,
  { body, response: { status }, text }: HttpPeer.JsonResponse
): Refusal.Response => {
  const hide = subject === undefined ? (text: string) => text : UserPath.hide(subject.userId)
  return {
    status,
    text: hide(text),
    body: Result.map(
      body,
      (json): unknown =>
        json === undefined
          ? json
          : JSON.parse(JSON.stringify(json), (_, value) => typeof value === "string" ? hide(value) : value)
    )
  }
}

/** Returns the path with the names of ids in their place. */
const toRoute = ({ path, subject }: Request): string =>
  path.map((segment, index) => {
    if (path[index - 1] === "users") return "/{user}"
    return `/${segment === subject?.sessionId ? "{session}" : segment}`
  }).join("")

const toRefusalContext = (request: Request): Refusal.RefusalContext => {
  const { isRun = false, method, subject } = request
  return ({
    method,
    route: toRoute(request),
    isRun,
    session: {
      ...(subject?.appName !== undefined && { appName: subject.appName }),
      ...(subject !== undefined && { userId: subject.userId }),
      ...(subject?.sessionId !== undefined && { sessionId: subject.sessionId })
    }
  })
}

/** Returns the URL, the status, the media type and the beginning of a response, without the user's id. */
const originOf = (target: string, request: Request, refused: HttpPeer.JsonResponse) => {
  const contentType = HttpPeer.mediaType(refused.response)
  return {
    url: target.replace(/\/+$/, "") + toRoute(request),
    status: refused.response.status,
    ...(contentType === "" ? undefined : { contentType }),
    snippet: HttpPeer.snippet(withoutUser(request, refused).text)
  }
}

/** Makes the reason of a response in another form than expected, such as the page of a login. */
const toOtherForm = (
  from: ReturnType<typeof originOf>,
  expected: string,
  issue: string
) =>
  new AgentError.MalformedResponseError({
    message: `expected ${expected}, got ${
      from.contentType ?? "no content type"
    } (HTTP ${from.status}) from ${from.url}${from.snippet && `: ${from.snippet}`}`,
    dialect: "ADK",
    issue: HttpPeer.snippet(issue),
    ...from
  })

const toMalformed = (from: ReturnType<typeof originOf>, issue: string) =>
  new AgentError.MalformedResponseError({
    message: `cannot read the response (HTTP ${from.status}): ${issue}; it begins with ${from.snippet}`,
    dialect: "ADK",
    issue: HttpPeer.snippet(issue),
    ...from
  })

/** A response that was read to its end, and what removes the secrets of its request from errors. */
export interface Fetched extends HttpPeer.JsonResponse, Pick<HttpPeer.Received, "redact"> {}

/** The exchanges that a client is made of. */
export interface Http {
  /** Sends a request and returns the response, whatever its status, before its body is read. */
  readonly execute: (
    request: Request,
    accept: string
  ) => Effect.Effect<HttpPeer.Received, Reason>
  /** Reads a response to its end, whatever its status. */
  readonly read: (received: HttpPeer.Received) => Effect.Effect<Fetched, Reason>
  /** Sends a request and reads the response to its end, whatever its status. */
  readonly fetch: (request: Request) => Effect.Effect<Fetched, Reason>
  /** {@link fetch}; fails if the status is 400 or above. */
  readonly fetchOk: (request: Request) => Effect.Effect<Fetched, Reason>
  /** {@link fetchOk}, decoded by a schema. `ifNull` is decoded instead of a body that is null or missing. */
  readonly fetchAs: <S extends Schema.ConstraintDecoder<unknown>>(
    schema: S,
    ifNull?: unknown
  ) => (request: Request) => Effect.Effect<S["Type"], Reason>
  /** Returns the reason of a response whose status is 400 or above. */
  readonly toRefusal: (request: Request, response: Fetched) => Effect.Effect<Reason>
  /** Returns the reason of a response that is not an event stream. */
  readonly notAStream: (request: Request, response: Fetched) => Reason
  /** Returns a function that adds the operation's name and the server's URL to a reason. */
  readonly toError: (operation: string) => (reason: Reason) => AdkError.AdkError
  /** Applies the total timeout to an operation, and {@link toError} to its failures. */
  readonly asOperation: (
    operation: string
  ) => <A, R>(self: Effect.Effect<A, Reason, R>) => Effect.Effect<A, AdkError.AdkError, R>
}

/** Creates the exchanges with a server. */
export const make = (server: HttpPeer.HttpPeer): Http => {
  const target = HttpPeer.publicUrl(server)

  const toError: Http["toError"] = (operation) => (reason) => new AdkError.AdkError({ operation, target, reason })

  const execute: Http["execute"] = Effect.fnUntraced(function*(request, accept) {
    if (request.subject !== undefined) yield* check(subjectViolations(request.subject))
    return yield* HttpPeer.exchange(server, toHttpRequest(request), accept).pipe(
      Effect.mapError(AdkError.fromAgentReason),
      UserPath.trace
    )
  })

  const toRefusal: Http["toRefusal"] = Effect.fnUntraced(function*(request, refused) {
    const { response } = refused
    const retryAfter = yield* HttpPeer.retryAfter(response)
    const challenge = response.headers["www-authenticate"]
    return refused.redact(
      Refusal.toReason(withoutUser(request, refused), toRefusalContext(request), { retryAfter, challenge })
    )
  })

  const read: Http["read"] = ({ redact, response }) =>
    HttpPeer.read(response, server.maxResponseSize).pipe(
      Effect.mapBoth({ onSuccess: (whole) => ({ ...whole, redact }), onFailure: redact })
    )

  const fetch: Http["fetch"] = Effect.fnUntraced(function*(request) {
    return yield* read(yield* execute(request, "application/json"))
  })

  const fetchOk: Http["fetchOk"] = Effect.fnUntraced(function*(request) {
    const response = yield* fetch(request)
    return response.response.status < 400 ? response : yield* Effect.fail(yield* toRefusal(request, response))
  })

  const fetchAs: Http["fetchAs"] = (schema, ifNull) => {
    const decode = Schema.decodeUnknownResult(schema)
    return Effect.fnUntraced(function*(request) {
      const whole = yield* fetchOk(request)
      const from = () => originOf(target, request, whole)
      const result = whole.body.pipe(
        Result.mapError((issue) => toOtherForm(from(), "JSON", issue)),
        Result.flatMap((json) => Result.mapError(decode(json ?? ifNull), ({ message }) => toMalformed(from(), message)))
      )
      return yield* Effect.fromResult(Result.mapError(result, whole.redact))
    })
  }

  const notAStream: Http["notAStream"] = (request, response) =>
    response.redact(
      toOtherForm(
        originOf(target, request, response),
        "an event stream",
        `content-type ${HttpPeer.mediaType(response.response)}`
      )
    )

  const asOperation: Http["asOperation"] = (operation) => (self) =>
    self.pipe(Timeouts.withTotal, Effect.mapError(toError(operation)))

  return { execute, read, fetch, fetchOk, fetchAs, toRefusal, notAStream, toError, asOperation }
}

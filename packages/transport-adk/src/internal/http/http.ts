/** One exchange with an ADK server: a path of segments, a body, and what the answer has to be. */
import * as AgentError from "@effect-a2a/core/AgentError"
import * as HttpExchange from "@effect-a2a/core/HttpExchange"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as AdkError from "../../AdkError.ts"
import * as Check from "./pathSegment.ts"
import * as Refusal from "./refusal.ts"

type Reason = AdkError.AdkErrorReason

/** Whose what is asked: ids become segments of the path. */
export interface Place {
  readonly appName?: string | undefined
  readonly userId: string
  readonly sessionId?: string
}

export interface Ask {
  readonly operation: string
  readonly method: HttpExchange.Frame["method"]
  readonly path: ReadonlyArray<string>
  readonly body?: unknown
  /** What the call is about, for its errors and to be checked before anything is sent. */
  readonly place?: Place
  readonly isRun?: boolean
}

const invalid = (violations: ReadonlyArray<AgentError.Violation>) =>
  new AgentError.InvalidRequestError({ message: AgentError.describe(violations), violations })

/** Nothing is sent where something is wrong. */
export const check = (
  violations: ReadonlyArray<AgentError.Violation>
): Effect.Effect<void, AgentError.InvalidRequestError> =>
  violations.length === 0 ? Effect.void : Effect.fail(invalid(violations))

/** A value as JSON, by its schema. */
export const encode = <S extends Schema.Codec<unknown>>(schema: S) => {
  const run = Schema.encodeUnknownResult(schema)
  return (value: S["Type"]): Effect.Effect<unknown, AgentError.InvalidRequestError> =>
    Effect.fromResult(Result.mapError(run(value), (error) => invalid([{ field: "", description: error.message }])))
}

/** `/apps/{app}/users/{user}/sessions[/{session}]`; a server with a default application knows it without the first two. */
export const sessions = ({ appName, sessionId, userId }: Place): ReadonlyArray<string> => [
  ...(appName === undefined ? [] : ["apps", appName]),
  "users",
  userId,
  "sessions",
  ...(sessionId === undefined ? [] : [sessionId])
]

const placeViolations = ({ appName, sessionId, userId }: Place) => [
  ...(appName === undefined ? [] : Check.segment("appName", appName)),
  ...Check.segment("userId", userId),
  ...(sessionId === undefined ? [] : Check.segment("sessionId", sessionId))
]

const frame = ({ body, method, path }: Ask): HttpExchange.Frame => ({
  method,
  path: path.map((segment) => `/${encodeURIComponent(segment)}`).join(""),
  query: [],
  body: body as Schema.Json | undefined
})

const about = ({ isRun = false, method, place }: Ask): Refusal.About => ({
  method,
  isRun,
  session: {
    ...(place?.appName !== undefined && { appName: place.appName }),
    ...(place !== undefined && { userId: place.userId }),
    ...(place?.sessionId !== undefined && { sessionId: place.sessionId })
  }
})

export const make = (server: HttpExchange.Server) => {
  const failing = (operation: string) => (reason: Reason) =>
    new AdkError.AdkError({ operation, target: HttpExchange.publicUrl(server), reason })

  /** The head of an answer, whatever its status. */
  const head = Effect.fnUntraced(function*(ask: Ask, accept: string) {
    if (ask.place !== undefined) yield* check(placeViolations(ask.place))
    return yield* HttpExchange.execute(server, frame(ask), accept).pipe(Effect.mapError(AdkError.fromAgentReason))
  })

  /** Why an answer is a refusal. */
  const refusal = Effect.fnUntraced(function*(ask: Ask, answer: HttpExchange.Answer) {
    const { headers, status } = answer.response
    return Refusal.reason({ body: answer.body, text: answer.text, status }, about(ask), {
      retryAfter: yield* HttpExchange.retryAfter(answer.response),
      challenge: headers["www-authenticate"]
    })
  })

  const answer = Effect.fnUntraced(function*(ask: Ask) {
    return yield* HttpExchange.read(yield* head(ask, "application/json"), server.maxResponseSize)
  })

  /** An answer that is no refusal. */
  const accepted = Effect.fnUntraced(function*(ask: Ask) {
    const given = yield* answer(ask)
    return given.response.status < 400 ? given : yield* Effect.fail(yield* refusal(ask, given))
  })

  const within =
    (operation: string) => <A, R>(self: Effect.Effect<A, Reason, R>): Effect.Effect<A, AdkError.AdkError, R> =>
      self.pipe(HttpExchange.within, Effect.mapError(failing(operation)))

  /** The body of an answer as `schema` wants it; a missing list is `null` to some servers. */
  const read = <S extends Schema.ConstraintDecoder<unknown>>(schema: S, absent?: unknown) => {
    const decode = Schema.decodeUnknownResult(schema)
    return Effect.fnUntraced(function*(ask: Ask) {
      const { body, response, text } = yield* accepted(ask)
      const malformed = (issue: string) =>
        new AgentError.MalformedResponseError({
          message: `the answer (HTTP ${response.status}) cannot be read: ${issue}; it begins ${
            JSON.stringify(text.slice(0, 200))
          }`,
          dialect: "ADK",
          issue
        })
      const json = yield* Effect.fromResult(Result.mapError(body, malformed))
      return yield* Effect.fromResult(Result.mapError(decode(json ?? absent), ({ message }) => malformed(message)))
    })
  }

  return { accepted, answer, failing, head, read, refusal, within }
}

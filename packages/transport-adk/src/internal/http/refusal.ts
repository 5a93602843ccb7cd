/**
 * Reasons of HTTP refusals. Neither status nor body suffices: servers answer both a missing session and a missing route
 * with 404. Tested in packages/transport-adk/test/errors.test.ts.
 */
import type * as HttpBinding from "@effect-a2a/core/HttpBinding"
import * as HttpPeer from "@effect-a2a/core/HttpPeer"
import type * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as AdkError from "../../AdkError.ts"
import { Event } from "../../AdkEvent.ts"
import * as ErrorText from "./errorText.ts"

/** The request that was refused. */
export interface RefusalContext {
  readonly method: HttpBinding.HttpRequest["method"]
  /** The path, with the names of ids in their place. */
  readonly route: string
  readonly isRun: boolean
  readonly session: { readonly appName?: string; readonly userId?: string; readonly sessionId?: string }
}

/** A refusal, read once for all rules. */
interface Refused extends RefusalContext {
  readonly status: number
  readonly message: string
  readonly json: unknown
  readonly challenge: string | undefined
  readonly fields: {
    readonly message: string
    readonly status: number
    readonly retryAfter?: Duration.Duration
    readonly details?: Schema.Json
  }
}

type Rule = (refused: Refused) => AdkError.AdkErrorReason | undefined

const decodeEvent = Schema.decodeUnknownResult(Event)
const decodeIssues = Schema.decodeUnknownResult(Schema.Array(AdkError.Issue))

const member = (json: unknown, name: string): unknown => Predicate.isReadonlyObject(json) ? json[name] : undefined

/** The events of a failed run that can be decoded. */
const eventsOf = (json: unknown): ReadonlyArray<Event> => {
  const events = member(json, "events")
  return Array.isArray(events)
    ? events.flatMap((event) => Result.match(decodeEvent(event), { onFailure: () => [], onSuccess: (e) => [e] }))
    : []
}

/** A route that exists reports a missing resource in JSON with a text that is not the framework's. */
const lacksRoute = ({ json, message }: Refused) =>
  json === undefined || message === "Not Found" || /^cannot (?:get|post|put|patch|delete) /i.test(message)

const unknownApp: Rule = ({ fields, message, session, status }) =>
  (status === 404 || status >= 500) &&
    /agent not found|agent '[^']*' not found|no root_agent|no agent found/i.test(message)
    ? new AdkError.AppNotFoundError({ ...fields, ...session })
    : undefined

const accessDenial: Rule = ({ challenge, fields, message, status }) => {
  if (status !== 401 && status !== 403) return undefined
  return /^forbidden: (?:host|origin|possible dns)/i.test(message)
    ? new AdkError.GuardRefusedError({
      ...fields,
      message:
        `${message}: the server accepts requests for its own address only; set the Host header, or its allowed hosts`
    })
    : new AdkError.DeniedError({ ...fields, ...(challenge !== undefined && { challenge }) })
}

const sessionExists: Rule = ({ fields, message, session, status }) =>
  (status === 400 || status === 409) && /already exists/i.test(message)
    ? new AdkError.SessionExistsError({ ...fields, ...session })
    : undefined

const missingAppName: Rule = ({ fields, message, status }) =>
  status === 400 && /app_?name\b.*required/i.test(message) ? new AdkError.AppNameRequiredError(fields) : undefined

const routeUnsupported = ({ fields, message, method, route }: Refused) =>
  new AdkError.RouteUnsupportedError({
    ...fields,
    message: `the server has no ${method} ${route} (${message}); check its URL and its kind`
  })

const notFound: Rule = (refused) => {
  const { fields, message, session, status } = refused
  if (status !== 404) return undefined
  if (/^session not found/i.test(message)) return new AdkError.SessionNotFoundError({ ...fields, ...session })
  if (/^artifact/i.test(message)) return new AdkError.ArtifactNotFoundError(fields)
  return lacksRoute(refused)
    ? routeUnsupported(refused)
    : new AdkError.AppNotFoundError({ ...fields, ...session })
}

const missingRoute: Rule = (refused) =>
  refused.status === 405 || refused.status === 501 ? routeUnsupported(refused) : undefined

const tooLarge: Rule = ({ fields, status }) => status === 413 ? new AdkError.TooLargeError(fields) : undefined

const invalid: Rule = ({ fields, status }) => {
  const issues = status === 422 ? decodeIssues(member(fields.details, "detail")) : undefined
  return issues !== undefined && Result.isSuccess(issues)
    ? new AdkError.ValidationFailedError({ ...fields, issues: issues.success })
    : undefined
}

const agentFailed: Rule = ({ fields, isRun, json, status }) =>
  isRun && status === 500 ? new AdkError.AgentFailedError({ ...fields, events: eventsOf(json) }) : undefined

const transient = [408, 429, 502, 503, 504]

const unavailable: Rule = ({ fields, method, status }) =>
  status >= 500 || transient.includes(status)
    ? new AdkError.UpstreamError({ ...fields, isRetryable: method === "GET" && transient.includes(status) })
    : undefined

/** The first rule that applies decides. */
const rules: ReadonlyArray<Rule> = [
  unknownApp,
  accessDenial,
  sessionExists,
  missingAppName,
  notFound,
  missingRoute,
  tooLarge,
  invalid,
  agentFailed,
  unavailable
]

/** The parts of a response that rules read. */
export interface Response extends Pick<HttpPeer.JsonResponse, "body" | "text"> {
  readonly status: number
}

/** Converts a response whose status is 400 or above to a reason. */
export const toReason = (
  { body, status, text }: Response,
  context: RefusalContext,
  headers: { readonly retryAfter?: Duration.Duration | undefined; readonly challenge?: string | undefined } = {}
): AdkError.AdkErrorReason => {
  const json = Result.getOrUndefined(body)
  const details = HttpPeer.excerpt(json)
  const message = ErrorText.fromResponse({ body, status, text })
  const fields = {
    message,
    status,
    ...(headers.retryAfter !== undefined && { retryAfter: headers.retryAfter }),
    ...(details !== undefined && { details })
  }
  const refused: Refused = { ...context, status, message, json, challenge: headers.challenge, fields }
  for (const rule of rules) {
    const reason = rule(refused)
    if (reason !== undefined) return reason
  }
  return new AdkError.BadRequestError(fields)
}

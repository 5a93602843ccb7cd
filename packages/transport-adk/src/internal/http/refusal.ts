/** From an HTTP refusal to its reason, by status and body: servers tell a missing session and a missing route both by 404. */
import type * as HttpExchange from "@effect-a2a/core/HttpExchange"
import type * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as AdkError from "../../AdkError.ts"
import { Event } from "../../AdkEvent.ts"
import * as Words from "./errorText.ts"

/** What was asked. */
export interface About {
  readonly method: HttpExchange.Frame["method"]
  readonly isRun: boolean
  readonly session: { readonly appName?: string; readonly userId?: string; readonly sessionId?: string }
}

const readEvent = Schema.decodeUnknownResult(Event)
const readIssues = Schema.decodeUnknownResult(Schema.Array(AdkError.Issue))

const member = (json: unknown, name: string): unknown =>
  Predicate.isObject(json) ? (json as { readonly [name: string]: unknown })[name] : undefined

/** The events of a failed run that can be read. */
const eventsOf = (json: unknown): ReadonlyArray<Event> => {
  const events = member(json, "events")
  return Array.isArray(events)
    ? events.flatMap((one) => Result.getOrElse(Result.map(readEvent(one), (e) => [e]), () => []))
    : []
}

const isApp = /agent not found|agent '[^']*' not found|no root_agent|no agent found/i
const isSession = /^session not found/i
const isArtifact = /^artifact/i
const isGuard = /^forbidden: (?:host|origin|possible dns)/i

/** Servers that know a route but not what it is asked for say so in words of their own, in JSON. */
const lacksRoute = (json: unknown, message: string) =>
  json === undefined || message === "Not Found" || /^cannot (?:get|post|put|patch|delete) /i.test(message)

const transient = [408, 429, 502, 503, 504]

export const reason = (
  answer: Pick<HttpExchange.Answer, "body" | "text"> & { readonly status: number },
  about: About,
  said: { readonly retryAfter?: Duration.Duration | undefined; readonly challenge?: string | undefined } = {}
): AdkError.AdkErrorReason => {
  const { status } = answer
  const json = Result.getOrUndefined(answer.body)
  const message = Words.of({ ...answer, status })
  const fields = {
    message,
    status,
    ...(said.retryAfter !== undefined && { retryAfter: said.retryAfter }),
    ...(json !== undefined && { details: json as Schema.Json })
  }
  const ofSession = { ...fields, ...about.session }

  if (isApp.test(message) && (status === 404 || status >= 500)) return new AdkError.AppNotFoundError(ofSession)
  if (status === 401 || status === 403) {
    return isGuard.test(message)
      ? new AdkError.GuardRefusedError({
        ...fields,
        message:
          `${message}: the server takes requests for its own address only; set the Host header, or its allowed hosts`
      })
      : new AdkError.DeniedError({ ...fields, ...(said.challenge !== undefined && { challenge: said.challenge }) })
  }
  if (/already exists/i.test(message) && (status === 400 || status === 409)) {
    return new AdkError.SessionExistsError(ofSession)
  }
  if (status === 400 && /app_?name\b.*required/i.test(message)) return new AdkError.AppNameRequiredError(fields)
  if (status === 404) {
    if (isSession.test(message)) return new AdkError.SessionNotFoundError(ofSession)
    if (isArtifact.test(message)) return new AdkError.ArtifactNotFoundError(fields)
    return lacksRoute(json, message)
      ? new AdkError.RouteUnsupportedError(fields)
      : new AdkError.AppNotFoundError(ofSession)
  }
  if (status === 405 || status === 501) return new AdkError.RouteUnsupportedError(fields)
  if (status === 413) return new AdkError.TooLargeError(fields)
  if (status === 422) {
    const issues = readIssues(member(json, "detail"))
    if (Result.isSuccess(issues)) return new AdkError.ValidationFailedError({ ...fields, issues: issues.success })
  }
  if (status === 500 && about.isRun) return new AdkError.AgentFailedError({ ...fields, events: eventsOf(json) })
  return status >= 500 || transient.includes(status)
    ? new AdkError.UpstreamError({ ...fields, isRetryable: about.method === "GET" && transient.includes(status) })
    : new AdkError.BadRequestError(fields)
}

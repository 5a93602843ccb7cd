/**
 * Refusals: from the many bodies that carry them to reasons. They are classified by word first, then by
 * JSON-RPC code, and by HTTP status only if the peer says nothing else (the statuses changed between 1.0.0 and 1.0.1).
 */
import * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as AgentError from "../../AgentError.ts"
import type * as Dialect from "../../Dialect.ts"
import { byCode, byStatus, byWord, type Tag, type TagOf, toWord } from "../errors/errorTable.ts"
import { cut, excerpt, toText } from "../errors/excerpt.ts"
import { type JsonObject, type Members, omitUndefined } from "./wireSchema.ts"

export const domain = "a2a-protocol.org"

const textOf = (...candidates: ReadonlyArray<unknown>): string =>
  candidates.find((one): one is string => typeof one === "string" && one !== "") ?? "the agent refused"

/** The first ones of a list are read: nobody needs more to understand a refusal. */
const maxItems = 10

const maxName = 200

const membersOf = (list: unknown): ReadonlyArray<Members> =>
  (Array.isArray(list) ? list.slice(0, maxItems) : []).filter(Predicate.isReadonlyObject)

const findDetail = (details: unknown, name: string): Members | undefined => {
  const all = membersOf(details).filter((one) => toText(one["@type"]).endsWith(`.${name}`))
  return all.find((one) => one.domain === domain) ?? all[0]
}

const toViolation = (field: unknown, description: unknown): AgentError.Violation => ({
  field: cut(toText(field), maxName),
  description: cut(toText(description), maxName)
})

const readViolations = (list: unknown): ReadonlyArray<AgentError.Violation> =>
  membersOf(list).map(({ description, field }) => toViolation(field, description))

const readDelay = (delay: unknown): Duration.Duration | undefined => {
  const seconds = typeof delay === "string" && /^\d{1,9}(?:\.\d{1,9})?s$/.test(delay)
    ? Number(delay.slice(0, -1))
    : undefined
  return seconds === undefined ? undefined : Duration.millis(Math.round(seconds * 1000))
}

/** Reads the supported versions: a list, or a text with versions in it, since `metadata` has only texts. */
const readVersions = (metadata: unknown): ReadonlyArray<string> => {
  const versions = Predicate.isReadonlyObject(metadata)
    ? metadata.supportedVersions ?? metadata.supported_versions
    : undefined
  const all = Array.isArray(versions) ? versions.slice(0, maxItems) : [versions]
  return all.flatMap((one) => cut(toText(one)).match(/\d{1,9}\.\d{1,9}/g) ?? []).slice(0, maxItems)
}

/** Reads a list of `@type` objects. */
const readDetails = (details: unknown): Partial<Dialect.WireFailure> => {
  const info = findDetail(details, "ErrorInfo")
  const reason = info?.reason
  const supportedVersions = readVersions(info?.metadata)
  const violations = readViolations(findDetail(details, "BadRequest")?.fieldViolations)
  const retryAfter = readDelay(findDetail(details, "RetryInfo")?.retryDelay)
  return {
    ...(typeof reason === "string" ? { reason } : undefined),
    ...(violations.length > 0 ? { violations } : undefined),
    ...(supportedVersions.length > 0 ? { supportedVersions } : undefined),
    ...(retryAfter === undefined ? undefined : { retryAfter })
  }
}

/** Reads a code: below zero it is a JSON-RPC code, else an HTTP status. */
const readCode = (code: unknown): Partial<Dialect.WireFailure> =>
  !Number.isSafeInteger(code) ? {} : Number(code) < 0 ? { code: Number(code) } : { status: Number(code) }

/** Reads the `error` member of a REST body or of a JSON-RPC response. `data` is a list, an object, or a text. */
export const readError = (error: unknown): Dialect.WireFailure => {
  if (!Predicate.isReadonlyObject(error)) return { message: textOf(error), details: error as Schema.Json }
  const isCoded = typeof error.code === "number"
  return {
    message: textOf(error.message, error.title, error.detail, typeof error.data === "string" ? error.data : undefined),
    ...(typeof error.status === "string" && !isCoded ? { reason: error.status } : undefined),
    ...readCode(error.code),
    ...readDetails(error.details),
    ...readDetails(error.data),
    details: error as JsonObject
  }
}

/** Converts `TaskNotFoundError` or `…/errors/task-not-found` to `TASK_NOT_FOUND`. */
const wordOf = (type: string): string => toWord(type.split(/[/#:]/).at(-1) ?? "").replaceAll("-", "_")

/** Reads the `[{ loc, msg }]` of FastAPI. */
const readProblems = (detail: unknown): ReadonlyArray<AgentError.Violation> =>
  membersOf(detail).map(({ loc, msg }) => {
    const path = Array.isArray(loc) ? loc.slice(0, maxItems).filter((one) => one !== "body") : []
    return toViolation(path.map(toText).join("."), msg)
  })

const readProblem = (body: Members): Dialect.WireFailure => {
  const word = typeof body.type === "string" ? wordOf(body.type) : undefined
  const violations = readProblems(body.detail)
  return {
    message: textOf(body.message, body.title, body.detail, violations[0]?.description),
    ...(word !== undefined && byWord.has(word) ? { reason: word } : undefined),
    ...readCode(body.status),
    ...(violations.length > 0 ? { violations } : undefined),
    details: body as JsonObject
  }
}

/**
 * Reads the body of an HTTP response, or an event. Returns `undefined` for anything but a refusal. Runs for every event of a
 * stream, hence looks at a few members only.
 */
export const readBody = (body: unknown): Dialect.WireFailure | undefined => {
  if (!Predicate.isReadonlyObject(body)) return undefined
  if (body.error !== undefined && body.error !== null) return readError(body.error)
  if (typeof body.code === "number" && body.code < 0) return readError(body)
  return typeof body.type === "string" || body.detail !== undefined || typeof body.message === "string"
    ? readProblem(body)
    : undefined
}

/** Classifies a refusal. */
export const tagOf = (failure: Dialect.WireFailure, ofTask: boolean): Tag =>
  byWord.get(failure.reason ?? "") ?? byCode.get(failure.code ?? 0) ??
    (failure.status !== undefined && failure.status >= 400 ? byStatus(failure.status, ofTask) : "UnknownError")

const hasOnlyViolations = ({ code, reason, violations }: Dialect.WireFailure): boolean =>
  violations !== undefined && reason === undefined && code === undefined

/** Returns the peer's own word or number if the row of the tag does not have it. */
const foreignCode = (tag: Tag, { code, reason, status }: Dialect.WireFailure): string | undefined => {
  const given = tag === "UnknownError" ? reason ?? code ?? status : byWord.has(reason ?? "") ? undefined : reason
  return given === undefined ? undefined : cut(String(given), maxName)
}

const specificFields = (tag: Tag, { challenge, supportedVersions, violations }: Dialect.WireFailure) => {
  switch (tag) {
    case "InvalidParamsError":
      return omitUndefined({ violations })
    case "AccessDeniedError":
    case "UnauthenticatedError":
      return omitUndefined({ challenge })
    case "VersionNotSupportedError":
      return omitUndefined({ supportedVersions })
    default:
      return {}
  }
}

export interface RequestContext {
  /** True if the request named a task, so that "not found" means the task. */
  readonly ofTask: boolean
  /** The name of the dialect, for responses that cannot be read. */
  readonly dialect: string
}

/** Converts a refusal to a reason, of which no member grows with what the peer sent. */
export const toReason = (failure: Dialect.WireFailure, context: RequestContext): AgentError.AgentErrorReason => {
  const { retryAfter, status } = failure
  const message = cut(failure.message)
  const details = excerpt(failure.details)
  if (failure.isMalformed === true) {
    const { dialect } = context
    return new AgentError.MalformedResponseError({ message, dialect, issue: message, ...omitUndefined({ details }) })
  }
  const found = tagOf(failure, context.ofTask)
  // the lookups only return rows that peers can name
  const tag = found === "InvalidArgumentError" && hasOnlyViolations(failure)
    ? "InvalidParamsError"
    : found as TagOf<"policy" | "agent" | "other">
  return AgentError.reason(tag, {
    message,
    ...omitUndefined({ code: foreignCode(tag, failure), retryAfter, status, details }),
    ...specificFields(tag, failure)
  })
}

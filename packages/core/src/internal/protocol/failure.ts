/**
 * Refusals: from the many bodies they come in, to reasons, and back. Classified by word first, then by JSON-RPC code,
 * and by HTTP status only where nothing else was said (the statuses changed between 1.0.0 and 1.0.1).
 */
import * as Duration from "effect/Duration"
import type * as Schema from "effect/Schema"
import * as AgentError from "../../AgentError.ts"
import type * as Protocol from "../../Dialect.ts"
import { byCode, byStatus, byWord, type Row, rows, type Tag } from "../errors/errorTable.ts"
import { isObject, type JsonObject, type Members } from "./wireSchema.ts"

const domain = "a2a-protocol.org"
const ofType = (name: string) => `type.googleapis.com/google.rpc.${name}`

// reading

const textOf = (...candidates: ReadonlyArray<unknown>): string =>
  candidates.find((one): one is string => typeof one === "string" && one !== "") ?? "the agent refused"

const typed = (details: unknown, name: string): Members | undefined => {
  const all = (Array.isArray(details) ? details : []).filter(isObject).filter((one) =>
    String(one["@type"]).endsWith(`.${name}`)
  )
  return all.find((one) => one.domain === domain) ?? all[0]
}

const readViolations = (list: unknown): ReadonlyArray<AgentError.Violation> =>
  (Array.isArray(list) ? list : []).filter(isObject).map(({ description, field }) => ({
    field: String(field ?? ""),
    description: String(description ?? "")
  }))

const readDelay = (delay: unknown): Duration.Duration | undefined => {
  const seconds = typeof delay === "string" && /^\d{1,9}(?:\.\d{1,9})?s$/.test(delay)
    ? Number(delay.slice(0, -1))
    : undefined
  return seconds === undefined ? undefined : Duration.millis(Math.round(seconds * 1000))
}

/** A list, or the members of one in a text; the map that holds it has only texts. */
const readVersions = (metadata: unknown): ReadonlyArray<string> => {
  const versions = isObject(metadata) ? metadata.supportedVersions ?? metadata.supported_versions : undefined
  return (Array.isArray(versions) ? versions.join() : String(versions ?? "")).match(/\d+\.\d+/g) ?? []
}

/** What a list of `@type` objects says. */
const readDetails = (details: unknown): Partial<Protocol.WireFailure> => {
  const info = typed(details, "ErrorInfo")
  const reason = info?.reason
  const supportedVersions = readVersions(info?.metadata)
  const violations = readViolations(typed(details, "BadRequest")?.fieldViolations)
  const retryAfter = readDelay(typed(details, "RetryInfo")?.retryDelay)
  return {
    ...(typeof reason === "string" ? { reason } : undefined),
    ...(violations.length > 0 ? { violations } : undefined),
    ...(supportedVersions.length > 0 ? { supportedVersions } : undefined),
    ...(retryAfter === undefined ? undefined : { retryAfter })
  }
}

/** A number below zero is a JSON-RPC code, any other an HTTP status. */
const readCode = (code: unknown): Partial<Protocol.WireFailure> =>
  typeof code !== "number" || !Number.isInteger(code) ? {} : code < 0 ? { code } : { status: code }

/** The `error` member of a REST body or of a JSON-RPC response. `data` may be a list, an object, or text. */
export const readError = (error: unknown): Protocol.WireFailure => {
  if (!isObject(error)) return { message: textOf(error), details: error as Schema.Json }
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

/** `TaskNotFoundError`, or `…/errors/task-not-found`, to `TASK_NOT_FOUND`. */
const wordOf = (type: string): string =>
  (type.split(/[/#:]/).at(-1) ?? "").replace(/Error$/, "").replace(/([a-z])([A-Z])/g, "$1_$2").replaceAll("-", "_")
    .toUpperCase()

/** FastAPI's `[{ loc, msg }]`. */
const readProblems = (detail: unknown): ReadonlyArray<AgentError.Violation> =>
  (Array.isArray(detail) ? detail : []).filter(isObject).map(({ loc, msg }) => ({
    field: Array.isArray(loc) ? loc.filter((one) => one !== "body").join(".") : "",
    description: String(msg ?? "")
  }))

const readProblem = (body: Members): Protocol.WireFailure => {
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

/** Runs for every event of a stream: what is none is told by a few members that it lacks. */
export const readBody = (body: unknown): Protocol.WireFailure | undefined => {
  if (!isObject(body)) return undefined
  if (body.error !== undefined && body.error !== null) return readError(body.error)
  if (typeof body.code === "number" && body.code < 0) return readError(body)
  return typeof body.type === "string" || body.detail !== undefined || typeof body.message === "string"
    ? readProblem(body)
    : undefined
}

const rowOf = (failure: Protocol.WireFailure, ofTask: boolean): Tag =>
  byWord.get(failure.reason ?? "") ?? byCode.get(failure.code ?? 0) ??
    (failure.status !== undefined && failure.status >= 400 ? byStatus(failure.status, ofTask) : "UnknownError")

/** `ofTask`: the request named a task, so that "not found" means the task. */
export const toReason = (
  failure: Protocol.WireFailure,
  context: { readonly ofTask: boolean }
): AgentError.AgentErrorReason => {
  if (failure.isMalformed === true) {
    return new AgentError.MalformedResponseError({
      message: failure.message,
      dialect: "JSON-RPC",
      issue: failure.message,
      ...(failure.details === undefined ? undefined : { details: failure.details })
    })
  }
  const isVague = failure.violations !== undefined && failure.reason === undefined && failure.code === undefined
  const found = rowOf(failure, context.ofTask)
  const tag = found === "InvalidArgumentError" && isVague ? "InvalidParamsError" : found
  const code = tag === "UnknownError"
    ? failure.reason ?? failure.code ?? failure.status
    : byWord.has(failure.reason ?? "")
    ? undefined
    : failure.reason
  const fields = {
    message: failure.message,
    ...(code === undefined ? undefined : { code: String(code) }),
    ...(failure.retryAfter === undefined ? undefined : { retryAfter: failure.retryAfter }),
    ...(failure.status === undefined ? undefined : { status: failure.status }),
    ...(failure.details === undefined ? undefined : { details: failure.details })
  }
  switch (tag) {
    case "InvalidParamsError":
      return new AgentError.InvalidParamsError({
        ...fields,
        ...(failure.violations === undefined ? undefined : { violations: failure.violations })
      })
    case "UnauthenticatedError":
      return new AgentError.UnauthenticatedError({
        ...fields,
        ...(failure.challenge === undefined ? undefined : { challenge: failure.challenge })
      })
    case "VersionNotSupportedError":
      return new AgentError.VersionNotSupportedError({
        ...fields,
        ...(failure.supportedVersions === undefined ? undefined : { supportedVersions: failure.supportedVersions })
      })
    default:
      // only rows that a peer can name get here, and all of them have these fields
      return AgentError.reason(tag as "UnknownError", fields)
  }
}

// writing

/** How a server tells a reason: the words and numbers of its row. What a peer said in `details` stays here. */
export const fromReason = (reason: AgentError.AgentErrorReason): Protocol.WireFailure => {
  const row: Row = rows[reason._tag]
  return {
    message: reason.message,
    reason: reason.code,
    status: row.http,
    ...(row.jsonRpc === undefined ? undefined : { code: row.jsonRpc }),
    ...(reason.retryAfter === undefined ? undefined : { retryAfter: reason.retryAfter }),
    ...("violations" in reason && reason.violations !== undefined ? { violations: reason.violations } : undefined),
    ...("challenge" in reason && reason.challenge !== undefined ? { challenge: reason.challenge } : undefined)
  }
}

/** The row to fill a failure up from. */
const complete = (failure: Protocol.WireFailure) => {
  const tag = rowOf(failure, false)
  const row: Row = rows[tag === "UnknownError" ? "InternalError" : tag]
  const status = failure.status ?? row.http
  const isOwn = row.http === status
  return {
    tag,
    status,
    code: failure.code ?? row.jsonRpc,
    reason: failure.reason ?? row.word,
    name: isOwn ? row.status : rows[byStatus(status, false)].status
  }
}

const writeDetails = (failure: Protocol.WireFailure, reason: string): ReadonlyArray<Schema.Json> => [
  { "@type": ofType("ErrorInfo"), reason, domain, ...(isObject(failure.details) && { metadata: failure.details }) },
  ...(failure.violations === undefined
    ? []
    : [{ "@type": ofType("BadRequest"), fieldViolations: failure.violations.map((one) => ({ ...one })) }]),
  ...(failure.retryAfter === undefined
    ? []
    : [{ "@type": ofType("RetryInfo"), retryDelay: `${Duration.toSeconds(failure.retryAfter)}s` }])
]

/** The body of 1.0 (specification §11.6). */
export const writeStatus = (failure: Protocol.WireFailure) => {
  const { name, reason, status } = complete(failure)
  const error = { code: status, status: name, message: failure.message, details: writeDetails(failure, reason) }
  return { status, body: { error } }
}

/** The `error` of 1.0 (specification §9.5); what HTTP alone says is an HTTP answer in this binding too. */
export const writeError = (failure: Protocol.WireFailure): Protocol.WireRefusal => {
  const { code, reason, status } = complete(failure)
  return code === undefined
    ? { _tag: "Response", status, body: writeStatus(failure).body }
    : { _tag: "Error", status: 200, error: { code, message: failure.message, data: writeDetails(failure, reason) } }
}

/** Code and message of 0.3; `data` where the code does not say it all. */
const writeBare = (failure: Protocol.WireFailure) => {
  const { code = -32603, reason, tag } = complete(failure)
  const isAll = byCode.get(code) === tag && failure.violations === undefined && failure.retryAfter === undefined
  return { code, message: failure.message, ...(isAll ? undefined : { data: writeDetails(failure, reason) }) }
}

/** The body that most 0.3 REST clients read; their edition defines none. */
export const writeBareBody = (failure: Protocol.WireFailure) => ({
  status: complete(failure).status,
  body: writeBare(failure)
})

export const writeBareError = (failure: Protocol.WireFailure): Protocol.WireRefusal => {
  const { code, status } = complete(failure)
  return code === undefined
    ? { _tag: "Response", status, body: writeBare(failure) }
    : { _tag: "Error", status: 200, error: writeBare(failure) }
}

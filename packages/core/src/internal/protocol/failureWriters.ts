/** Refusals as servers write them: from reasons to the bodies of each version. Tested in `test/errors`. */
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import type * as AgentError from "../../AgentError.ts"
import type * as Dialect from "../../Dialect.ts"
import { byCode, byStatus, type Row, rows, type Tag } from "../errors/errorTable.ts"
import { type ServedRow, servedRows } from "../errors/servedTable.ts"
import * as Wait from "../errors/wait.ts"
import { domain, tagOf } from "./failure.ts"
import { omitUndefined } from "./wireSchema.ts"

/** Statuses by reason, which releases of the specification differ in. */
type Served = Readonly<Record<Tag, ServedRow>>

const ofType = (name: string) => `type.googleapis.com/google.rpc.${name}`

/** Converts a reason to a refusal, with the words and numbers of its row. The `details` of a peer are left out. */
export const fromReason = (reason: AgentError.AgentErrorReason): Dialect.WireFailure => {
  const row: Row = rows[reason._tag]
  return {
    message: reason.message,
    reason: reason.code,
    status: servedRows[reason._tag].http,
    ...omitUndefined({
      code: row.jsonRpc,
      retryAfter: reason.retryAfter,
      violations: "violations" in reason ? reason.violations : undefined,
      challenge: "challenge" in reason ? reason.challenge : undefined
    })
  }
}

/** Statuses without a word: the row's stays. */
const unnamed = new Set([405, 413, 415])

/** Fills a failure up from its row. The usual status of its reason becomes that of `served`; another one stays. */
const complete = (failure: Dialect.WireFailure, served: Served) => {
  const tag = tagOf(failure, false)
  const known = tag === "UnknownError" ? "InternalError" : tag
  const row: Row = rows[known]
  const { http, status: name } = served[known]
  const status = failure.status === undefined || failure.status === servedRows[known].http ? http : failure.status
  return {
    tag,
    status,
    code: failure.code ?? row.jsonRpc,
    reason: failure.reason ?? row.word,
    name: status === http || unnamed.has(status) ? name : served[byStatus(status, false)].status
  }
}

const writeDetails = (failure: Dialect.WireFailure, reason: string): ReadonlyArray<Schema.Json> => [
  {
    "@type": ofType("ErrorInfo"),
    reason,
    domain,
    ...(Predicate.isReadonlyObject(failure.details) && { metadata: failure.details })
  },
  ...(failure.violations === undefined
    ? []
    : [{ "@type": ofType("BadRequest"), fieldViolations: failure.violations.map((one) => ({ ...one })) }]),
  ...(failure.retryAfter === undefined
    ? []
    : [{ "@type": ofType("RetryInfo"), retryDelay: `${Wait.toSeconds(failure.retryAfter)}s` }])
]

/** Writes the body of 1.0 (A2A 1.0 §11.6). */
export const writeStatus = (served: Served) => (failure: Dialect.WireFailure) => {
  const { name, reason, status } = complete(failure, served)
  const error = { code: status, status: name, message: failure.message, details: writeDetails(failure, reason) }
  return { status, body: { error } }
}

/** Writes the `error` of 1.0 (A2A 1.0 §9.5). Reasons that HTTP alone carries are HTTP responses over JSON-RPC too. */
export const writeError = (served: Served) => (failure: Dialect.WireFailure): Dialect.WireRefusal => {
  const { code, reason, status } = complete(failure, served)
  return code === undefined
    ? { _tag: "Response", status, body: writeStatus(served)(failure).body }
    : { _tag: "Error", status: 200, error: { code, message: failure.message, data: writeDetails(failure, reason) } }
}

/** Writes code and message of 0.3, and `data` if they are not enough. */
const writeBare = (failure: Dialect.WireFailure) => {
  const { code = -32603, reason, tag } = complete(failure, servedRows)
  const isAll = byCode.get(code) === tag && failure.violations === undefined && failure.retryAfter === undefined
  return { code, message: failure.message, ...(isAll ? undefined : { data: writeDetails(failure, reason) }) }
}

/** Writes the body that most 0.3 REST clients read; the version itself defines none. */
export const writeBareBody = (failure: Dialect.WireFailure) => ({
  status: complete(failure, servedRows).status,
  body: writeBare(failure)
})

/** Writes the `error` of 0.3. */
export const writeBareError = (failure: Dialect.WireFailure): Dialect.WireRefusal => {
  const { code, status } = complete(failure, servedRows)
  return code === undefined
    ? { _tag: "Response", status, body: writeBare(failure) }
    : { _tag: "Error", status: 200, error: writeBare(failure) }
}

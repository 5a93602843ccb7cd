/** From an operation to the requests that a binding can send for it. Nothing has been sent yet. */
import * as Arr from "effect/Array"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as AgentError from "../../AgentError.ts"
import type { ClientProtocol } from "../../ClientProtocol.ts"
import type { ClientDialect, Encoder } from "../../Dialect.ts"
import type { HttpBinding, HttpRequest } from "../../HttpBinding.ts"
import type * as Operation from "../../Operation.ts"

type Reason = AgentError.AgentErrorReason

/** A request ready to be sent, in the forms that peers know. */
export interface Prepared {
  readonly operation: Operation.Any
  readonly id: string
  readonly requests: Arr.NonEmptyReadonlyArray<HttpRequest>
  /** The request names a task. */
  readonly ofTask: boolean
}

/** The encoder of an operation's requests, untyped: the compiler cannot relate a tag to its types here. */
const encoderOf = (dialect: ClientDialect, operation: Operation.Any): Encoder<unknown> | undefined =>
  dialect.request[operation._tag] as Encoder<unknown> | undefined

/** The reason for an operation that the protocol version lacks in this binding. */
export const notInProtocol = (binding: HttpBinding, { version }: ClientProtocol, operation: Operation.Any) =>
  new AgentError.OperationNotInProtocolError({
    message: `A2A ${version} has no ${operation._tag} over ${binding.protocolBinding}`,
    protocolVersion: version
  })

const namesTask = (request: object): boolean => "id" in request || "taskId" in request

const invalid = (violations: ReadonlyArray<AgentError.Violation>) =>
  new AgentError.InvalidRequestError({ message: AgentError.describe(violations), violations })

/** Makes the function that prepares requests; each operation's check is compiled at its first use. */
export const make = (options: {
  readonly binding: HttpBinding
  readonly protocol: ClientProtocol
  readonly tenant: string | undefined
}) => {
  const { binding, protocol, tenant } = options
  const dialect = binding.dialect(protocol)
  const checks = new Map<string, (request: unknown) => Result.Result<unknown, Schema.SchemaError>>()
  let lastId = 0

  const check = (operation: Operation.Any, request: unknown): ReadonlyArray<AgentError.Violation> | undefined => {
    const decode = checks.get(operation._tag) ??
      Schema.decodeUnknownResult(Schema.toType<Schema.Codec<unknown>>(operation.request))
    checks.set(operation._tag, decode)
    const result = decode(request)
    return Result.isSuccess(result) ? undefined : [{ field: "", description: result.failure.message }]
  }

  return (operation: Operation.Any, request: object): Result.Result<Prepared, Reason> => {
    const encoder = encoderOf(dialect, operation)
    if (encoder === undefined) return Result.fail(notInProtocol(binding, protocol, operation))
    const id = `req-${++lastId}`
    const value = tenant === undefined ? request : { tenant, ...request }
    const violations = check(operation, value)
    const body = violations === undefined ? encoder.encode(value) : Result.fail(violations)
    if (Result.isFailure(body)) return Result.fail(invalid(body.failure))
    const requests = binding.toRequests({ protocol, operation, body: body.success, id })
    return Arr.isReadonlyArrayNonEmpty(requests)
      ? Result.succeed({ operation, id, requests, ofTask: namesTask(request) })
      : Result.fail(notInProtocol(binding, protocol, operation))
  }
}

/** Puts Effect's circuit breaker around calls and streams. Tested in `test/resilience/breaker.test.ts`. */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import * as AgentError from "../../AgentError.ts"
import type * as Operation from "../../Operation.ts"
import type { Transport } from "../../Transport.ts"
import { publicUrl } from "../errors/publicUrl.ts"

/** True if the failure shows that the agent, or the way to it, is out of order. */
const isUnhealthy = ({ reason }: AgentError.AgentError): boolean => {
  switch (reason._tag) {
    case "ConnectionError":
    case "TimeoutError":
    case "StreamInterruptedError":
    case "ServiceUnavailableError":
    case "InternalError":
    case "MalformedResponseError":
      return true
    case "UnknownError":
      return reason.status !== undefined && reason.status >= 500
    default:
      return false
  }
}

/** Classifies the outcome of a call for a circuit breaker. */
export const toOutcome = (exit: Exit.Exit<unknown, AgentError.AgentError>): CircuitBreaker.Outcome => {
  if (Exit.isSuccess(exit)) return CircuitBreaker.success
  const error = Cause.findErrorOption(exit.cause)
  return error._tag === "Some" && isUnhealthy(error.value)
    ? CircuitBreaker.failure({ retryAfter: error.value.retryAfter })
    : CircuitBreaker.ignored
}

type Failure = AgentError.AgentError | CircuitBreaker.CircuitBreakerError

const describe = (reason: CircuitBreaker.CircuitBreakerErrorReason): string => {
  switch (reason._tag) {
    case "CircuitOpen":
      return `the circuit of ${reason.key} is open after failures of the agent`
    case "CircuitHalfOpen":
      return `the circuit of ${reason.key} is open until another call has succeeded`
    case "CircuitBreakerStoreError":
      return `the state of the circuit is not available: ${reason.message}`
  }
}

const toError = (target: string, operation: Operation.Any) => (failure: Failure): AgentError.AgentError =>
  failure._tag === "AgentError" ? failure : new AgentError.AgentError({
    operation: operation._tag,
    target,
    reason: new AgentError.ServiceUnavailableError({
      code: "CIRCUIT_OPEN",
      message: `${describe(failure.reason)}; nothing was sent`,
      ...(operation.kind === "send" ? { delivery: "not-sent" } : undefined),
      ...(failure.reason._tag === "CircuitOpen" ? { retryAfter: failure.reason.retryAfter } : undefined)
    })
  })

export interface Options {
  readonly breaker: CircuitBreaker.CircuitBreaker
  readonly key?: string | undefined
}

export const decorate = (transport: Transport, options: Options): Transport => {
  const target = publicUrl(transport.target.url)
  const settings = { key: options.key ?? target, classify: toOutcome }
  const execute = <A>(self: Effect.Effect<A, AgentError.AgentError>) => options.breaker.execute(self, settings)

  /** Holds a call of the breaker open until the stream has ended; a stream that is left early counts for nothing. */
  const watch = <A>(stream: Stream.Stream<A, AgentError.AgentError>): Stream.Stream<A, Failure> =>
    Stream.unwrap(Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<void, AgentError.AgentError>()
      const call = execute(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(ended)))
      const fiber = yield* Effect.forkScoped(call)
      yield* Effect.raceFirst(Deferred.await(begun), Fiber.join(fiber))
      const record = (exit: Exit.Exit<void, AgentError.AgentError>) =>
        Effect.andThen(Deferred.done(ended, exit), Fiber.await(fiber))
      const onExit = (exit: Exit.Exit<unknown, AgentError.AgentError | Cause.Done<void>>): Effect.Effect<unknown> => {
        if (Exit.isSuccess(exit)) return Effect.void
        if (Pull.isDoneCause(exit.cause)) return record(Exit.void)
        const error = Cause.findErrorOption(exit.cause)
        return error._tag === "Some" && AgentError.isAgentError(error.value)
          ? record(Exit.fail(error.value))
          : Effect.void
      }
      return Stream.transformPull(stream, (pull) => Effect.succeed(Effect.onExit(pull, onExit)))
    }))

  return {
    ...transport,
    call: (operation, request) =>
      Effect.mapError(execute(transport.call(operation, request)), toError(target, operation)),
    stream: (operation, request) =>
      Stream.mapError(watch(transport.stream(operation, request)), toError(target, operation))
  }
}

/** Decorates a transport with the breaker of the context. */
export const make = (transport: Transport, key: string | undefined) =>
  Effect.map(CircuitBreaker.CircuitBreaker, (breaker) => decorate(transport, { breaker, key }))

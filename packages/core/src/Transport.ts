/**
 * The contract of a transport: an agent as two functions over operation values. Clients call it, servers implement it.
 *
 * ```ts
 * import { Agent, AgentTransport, Message } from "@effect-a2a/core"
 * import { Effect, Layer } from "effect"
 *
 * const echo = AgentTransport.fromHandlers(
 *   { url: "https://echo.test", protocolBinding: "in-process", protocolVersion: "1.0" },
 *   { SendMessage: ({ message }) => Message.agent(message.parts) }
 * )
 * const agent = Agent.layer.pipe(Layer.provide(Layer.succeed(AgentTransport.AgentTransport, echo)))
 * const text = Effect.map(Agent.ask("Hello"), (answer) => answer.text)
 * await Effect.runPromise(text.pipe(Effect.provide(agent))) // => "Hello"
 * ```
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as AgentCard from "./AgentCard.ts"
import * as AgentError from "./AgentError.ts"
import type { Traits } from "./ClientProtocol.ts"
import { publicUrl } from "./internal/errors/publicUrl.ts"
import { withDelivery } from "./internal/errors/sendDelivery.ts"
import type * as Operation from "./Operation.ts"

/** An agent that can be called. A failed task is a value here; an {@link AgentError} is a failed call. */
export interface Transport {
  /** The interface that is called. */
  readonly target: AgentCard.AgentInterface
  /** The habits of the agent, if a vendor's patch names any. */
  readonly traits?: Traits | undefined
  /** Returns the one result of an operation. */
  readonly call: <Op extends Operation.Unary>(
    operation: Op,
    request: Operation.Request<Op>
  ) => Effect.Effect<Operation.Success<Op>, AgentError.AgentError>
  /** Emits the events of an operation, and succeeds only after a settled state or a message. */
  readonly stream: <Op extends Operation.Streaming>(
    operation: Op,
    request: Operation.Request<Op>
  ) => Stream.Stream<Operation.Success<Op>, AgentError.AgentError>
}

type Request<K extends Operation.Tag> = Operation.Request<Operation.All[K]>
type Success<K extends Operation.Tag> = Operation.Success<Operation.All[K]>

/** A failure that a handler may report: a reason, or an error that names its own operation and target. */
export type Failure = AgentError.AgentErrorReason | AgentError.AgentError

/** One function per operation, which fails with `E`. */
export type Handlers<E = Failure> =
  & {
    readonly [K in Operation.Unary["_tag"]]: (request: Request<K>) => Effect.Effect<Success<K>, E>
  }
  & {
    readonly [K in Operation.Streaming["_tag"]]: (request: Request<K>) => Stream.Stream<Success<K>, E>
  }

/** Functions around the handlers of a transport, by operation; `next` is the original. */
export type Interceptors = {
  readonly [K in Operation.Tag]?: (
    request: Request<K>,
    next: Handlers<AgentError.AgentError>[K]
  ) => ReturnType<Handlers[K]>
}

/**
 * What passed a transport: a request, one of its results (each event of a stream), or its failure. `call` numbers the
 * calls of a transport, from 1.
 */
export type Entry =
  | {
    readonly _tag: "Request"
    readonly call: number
    readonly operation: Operation.Tag
    readonly request: Operation.Request<Operation.Any>
  }
  | {
    readonly _tag: "Result"
    readonly call: number
    readonly operation: Operation.Tag
    readonly result: Operation.Success<Operation.Any>
  }
  | {
    readonly _tag: "Failure"
    readonly call: number
    readonly operation: Operation.Tag
    readonly error: AgentError.AgentError
  }

/** A handler in the only form that the compiler cannot relate to its tag. */
type Untyped = (request: unknown, next?: unknown) => never

const handlerOf = (handlers: Partial<Handlers> | Interceptors, operation: Operation.Any): Untyped | undefined =>
  handlers[operation._tag] as Untyped | undefined

/** Wraps a reason in an error of the operation; an error stays as it is. */
const toError =
  (target: AgentCard.AgentInterface, operation: Operation.Any, request: object, hasBegun: () => boolean = isFalse) =>
  (failure: Failure) =>
    failure._tag === "AgentError" ? failure : new AgentError.AgentError({
      operation: operation._tag,
      target: publicUrl(target.url),
      reason: withDelivery(operation, request, failure, hasBegun())
    })

const isFalse = () => false

/** Wraps the reasons of a stream; those of a send differ after its first event. */
const mapReasons = <A>(
  self: Stream.Stream<A, Failure>,
  target: AgentCard.AgentInterface,
  operation: Operation.Streaming,
  request: object
): Stream.Stream<A, AgentError.AgentError> => {
  if (operation.kind !== "send") return Stream.mapError(self, toError(target, operation, request))
  let hasBegun = false
  return self.pipe(
    Stream.onFirst(() => Effect.sync(() => void (hasBegun = true))),
    Stream.mapError(toError(target, operation, request, () => hasBegun))
  )
}

const toUnsupported = (operation: Operation.Any) =>
  new AgentError.UnsupportedOperationError({ message: `the agent does not support ${operation._tag}` })

/**
 * Makes a transport from one function per operation. A missing one fails with `UnsupportedOperationError`. A reason is
 * wrapped in an {@link AgentError} that names the operation and the target. Handlers are called each time an effect runs.
 */
export const fromHandlers = (target: AgentCard.AgentInterface, handlers: Partial<Handlers>): Transport => ({
  target,
  call: (operation, request) =>
    Effect.suspend(() => {
      const handler = handlerOf(handlers, operation)
      return Effect.mapError(
        handler === undefined ? Effect.fail(toUnsupported(operation)) : handler(request),
        toError(target, operation, request)
      )
    }),
  stream: (operation, request) =>
    Stream.suspend(() => {
      const handler = handlerOf(handlers, operation)
      const stream = handler === undefined ? Stream.fail(toUnsupported(operation)) : handler(request)
      return mapReasons(stream, target, operation, request)
    })
})

/**
 * Puts functions around the operations of a transport; operations without one are passed on.
 *
 * ```ts
 * import { AgentError, AgentTransport, Operation, Transport } from "@effect-a2a/core"
 * import { Effect } from "effect"
 *
 * const target = { url: "https://agent.test", protocolBinding: "in-process", protocolVersion: "1.0" }
 * const polite = Transport.intercept({
 *   ListTasks: () => Effect.fail(new AgentError.RateLimitError({ message: "at most one list a minute" }))
 * })(AgentTransport.fromHandlers(target, {}))
 * const error = await Effect.runPromise(Effect.flip(polite.call(Operation.ListTasks, {})))
 * error.code // => "RATE_LIMIT_EXCEEDED"
 * ```
 */
export const intercept = (interceptors: Interceptors) => (self: Transport): Transport => ({
  ...self,
  call: (operation, request) =>
    Effect.suspend(() => {
      const interceptor = handlerOf(interceptors, operation)
      if (interceptor === undefined) return self.call(operation, request)
      const next = (request: typeof operation.request.Type) => self.call(operation, request)
      return Effect.mapError(interceptor(request, next), toError(self.target, operation, request))
    }),
  stream: (operation, request) =>
    Stream.suspend(() => {
      const interceptor = handlerOf(interceptors, operation)
      if (interceptor === undefined) return self.stream(operation, request)
      const next = (request: typeof operation.request.Type) => self.stream(operation, request)
      return mapReasons(interceptor(request, next), self.target, operation, request)
    })
})

/** Refuses every operation on webhooks with the same reason, before anything is sent. */
export const refusePush = (reason: AgentError.AgentErrorReason) => {
  const refuse = () => Effect.fail(reason)
  return {
    CreateTaskPushNotificationConfig: refuse,
    GetTaskPushNotificationConfig: refuse,
    ListTaskPushNotificationConfigs: refuse,
    DeleteTaskPushNotificationConfig: refuse
  } satisfies Interceptors
}

/**
 * Spans and metrics of calls. Without a tracer and without an open span there are no spans and no trace headers. Tested in
 * `test/resilience/tracing.test.ts`.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as UrlParams from "effect/http/UrlParams"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import type * as AgentCard from "../../AgentCard.ts"
import type { AgentError } from "../../AgentError.ts"
import type { Credential } from "../../Credential.ts"
import type * as Operation from "../../Operation.ts"

const calls = Metric.counter("a2a_client_calls_total", { description: "calls made", incremental: true })
const errors = Metric.counter("a2a_client_errors_total", { description: "calls that failed", incremental: true })
const firstEvent = Metric.timer("a2a_client_time_to_first_event", {
  description: "time to the first event of a stream"
})

// headers that are secret in any request, in addition to those that Effect redacts
const secretHeaders = ["proxy-authorization", "x-a2a-notification-token"]

const isTraced = Effect.withFiber((fiber) =>
  Effect.succeed(
    fiber.getRef(Tracer.Tracer) !== Tracer.nativeTracer ||
      Context.getOrUndefined(fiber.context as Context.Context<Tracer.ParentSpan>, Tracer.ParentSpan) !== undefined
  )
)

/**
 * Traces an HTTP request as a child of the call's span. The names of its secrets, those in the URL's query included, are
 * redacted.
 */
export const exchange =
  (base: URL, credentials: ReadonlyArray<Credential>) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(isTraced, (traced) => {
      if (!traced) return Effect.provideService(self, HttpClient.TracerDisabledWhen, () => true)
      const names = credentials.flatMap((one) =>
        one._tag === "ApiKey" && one.in === "header" ? [one.name.toLowerCase()] : []
      )
      return self.pipe(
        Effect.updateService(Headers.CurrentRedactedNames, (known) => [...known, ...secretHeaders, ...names]),
        Effect.updateService(UrlParams.CurrentRedactedNames, (known) => [...known, ...base.searchParams.keys()])
      )
    })

/** Ids and names for the attributes of a span. */
export interface Known {
  readonly taskId?: string | undefined
  readonly contextId?: string | undefined
  readonly agentName?: string | undefined
}

const attributes = (known: Known): Record<string, string> => ({
  ...(known.taskId === undefined ? undefined : { "a2a.task.id": known.taskId }),
  ...(known.contextId === undefined ? undefined : { "a2a.context.id": known.contextId }),
  ...(known.agentName === undefined ? undefined : { "gen_ai.agent.name": known.agentName })
})

const defaultPort = (protocol: string) => protocol === "https:" ? 443 : 80

/** Returns the attributes that all spans of a transport share. */
export const server = (base: URL, target: AgentCard.AgentInterface): Record<string, unknown> => ({
  "server.address": base.hostname,
  "server.port": base.port === "" ? defaultPort(base.protocol) : Number(base.port),
  "a2a.protocol.binding": target.protocolBinding,
  "a2a.protocol.version": target.protocolVersion,
  ...(target.tenant === undefined ? undefined : { "gen_ai.agent.id": target.tenant })
})

/** The call that is observed. */
export interface Options {
  readonly operation: Operation.Any
  readonly server: Record<string, unknown>
  readonly known: Known
}

interface Ids {
  readonly id?: string
  readonly taskId?: string
  readonly contextId?: string
}

/** Returns the ids in a request: those of its message, or that of the task it names. */
const fromRequest = (request: object): Known => {
  const { id, message, taskId } = request as Ids & { readonly message?: Ids }
  return message === undefined ? { taskId: taskId ?? id } : { taskId: message.taskId, contextId: message.contextId }
}

/** Returns the ids in a result or an event. */
const fromResult = (value: unknown): Known => {
  const { _tag, contextId, id, taskId } = (value ?? {}) as Ids & { readonly _tag?: string }
  return { taskId: _tag === "Task" ? id : taskId, contextId }
}

/** Collects what is known of a call before it is sent. */
export const options = (
  operation: Operation.Any,
  request: object,
  server: Record<string, unknown>,
  agentName: string | undefined
): Options => ({ operation, server, known: { ...fromRequest(request), agentName } })

const span = ({ known, operation, server }: Options) =>
  Effect.makeSpanScoped(`a2a.${operation._tag}`, {
    kind: "client",
    attributes: {
      ...server,
      ...attributes(known),
      ...(operation.kind === "send" ? { "gen_ai.operation.name": "invoke_agent" } : undefined)
    }
  })

const annotate = (span: Tracer.Span, known: Known): void => {
  for (const [name, value] of Object.entries(attributes(known))) span.attribute(name, value)
}

const by = (operation: Operation.Any) => ({ "a2a.operation": operation._tag })

const begin = ({ operation }: Options) => Metric.update(Metric.withAttributes(calls, by(operation)), 1)

const countFailure = ({ operation }: Options) => ({ reason }: AgentError) =>
  Metric.update(Metric.withAttributes(errors, { ...by(operation), "error.type": reason._tag }), 1)

/** Traces and counts a call. */
export const call =
  (options: Options) => <A, R>(self: Effect.Effect<A, AgentError, R>): Effect.Effect<A, AgentError, R> =>
    Effect.flatMap(isTraced, (traced) => {
      const counted = Effect.andThen(begin(options), Effect.tapError(self, countFailure(options)))
      if (!traced) return counted
      return Effect.scoped(
        Effect.flatMap(span(options), (span) =>
          counted.pipe(
            Effect.tap((answer) => Effect.sync(() => annotate(span, fromResult(answer)))),
            Effect.withParentSpan(span, { captureStackTrace: false })
          ))
      ) as Effect.Effect<A, AgentError, R>
    })

/** Traces and counts a stream; its span lasts as long as the stream. Nothing is done per event. */
export const stream =
  (options: Options) => <A, R>(self: Stream.Stream<A, AgentError, R>): Stream.Stream<A, AgentError, R> =>
    Stream.unwrap(Effect.gen(function*() {
      yield* begin(options)
      const traced = yield* isTraced
      const began = yield* Clock.currentTimeMillis
      const opened = traced ? Option.some(yield* span(options)) : Option.none()
      const counted = self.pipe(
        Stream.onFirst((event) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            if (Option.isSome(opened)) annotate(opened.value, fromResult(event))
            return Metric.update(
              Metric.withAttributes(firstEvent, by(options.operation)),
              Duration.millis(now - began)
            )
          })
        ),
        Stream.tapError(countFailure(options))
      )
      return Option.isSome(opened) ? Stream.provideService(counted, Tracer.ParentSpan, opened.value) : counted
    })) as Stream.Stream<A, AgentError, R>

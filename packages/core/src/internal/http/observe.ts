/**
 * Spans and metrics of calls. Where no tracer is installed and no span is open, there are no spans and no trace headers.
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
import type * as Credentials from "../../Credentials.ts"

/** How many calls were made, by operation. */
const calls = Metric.counter("a2a_client_calls_total", { description: "calls made", incremental: true })
/** How many calls failed, by operation and reason. */
const errors = Metric.counter("a2a_client_errors_total", { description: "calls that failed", incremental: true })
/** From a stream's request to its first event, by operation. */
const firstEvent = Metric.timer("a2a_client_time_to_first_event", {
  description: "time to the first event of a stream"
})

/** What is secret wherever it occurs, besides what Effect knows of. */
const secretHeaders = ["proxy-authorization", "x-a2a-notification-token"]

const isTraced = Effect.withFiber((fiber) =>
  Effect.succeed(
    fiber.getRef(Tracer.Tracer) !== Tracer.nativeTracer ||
      Context.getOrUndefined(fiber.context as Context.Context<Tracer.ParentSpan>, Tracer.ParentSpan) !== undefined
  )
)

/**
 * An HTTP request as a child of the call's span, with the names of its secrets made known, the URL's own query among
 * them; none where nobody traces.
 */
export const exchange =
  (base: URL, credentials: ReadonlyArray<Credentials.Credential>) =>
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

/** Ids and names that become known on the way. */
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

/** What all spans of one transport say. */
export const server = (base: URL, target: AgentCard.AgentInterface): Record<string, unknown> => ({
  "server.address": base.hostname,
  "server.port": base.port === "" ? defaultPort(base.protocol) : Number(base.port),
  "a2a.protocol.binding": target.protocolBinding,
  "a2a.protocol.version": target.protocolVersion,
  ...(target.tenant === undefined ? undefined : { "gen_ai.agent.id": target.tenant })
})

export interface Options {
  readonly operation: string
  readonly server: Record<string, unknown>
  readonly known: Known
  /** What an answer or an event tells. */
  readonly learn: (value: unknown) => Known
}

const span = ({ known, operation, server }: Options) =>
  Effect.makeSpanScoped(`a2a.${operation}`, {
    kind: "client",
    attributes: {
      ...server,
      ...attributes(known),
      ...(operation.startsWith("Send") ? { "gen_ai.operation.name": "invoke_agent" } : undefined)
    }
  })

const note = (span: Tracer.Span, known: Known): void => {
  for (const [name, value] of Object.entries(attributes(known))) span.attribute(name, value)
}

const by = (operation: string) => ({ "a2a.operation": operation })

const begin = ({ operation }: Options) => Metric.update(Metric.withAttributes(calls, by(operation)), 1)

const failed = ({ operation }: Options) => ({ reason }: AgentError) =>
  Metric.update(Metric.withAttributes(errors, { ...by(operation), "error.type": reason._tag }), 1)

/** A call with its span and its counts. */
export const call =
  (options: Options) => <A, R>(self: Effect.Effect<A, AgentError, R>): Effect.Effect<A, AgentError, R> =>
    Effect.flatMap(isTraced, (traced) => {
      const counted = Effect.andThen(begin(options), Effect.tapError(self, failed(options)))
      if (!traced) return counted
      return Effect.scoped(
        Effect.flatMap(span(options), (span) =>
          counted.pipe(
            Effect.tap((answer) => Effect.sync(() => note(span, options.learn(answer)))),
            Effect.withParentSpan(span, { captureStackTrace: false })
          ))
      ) as Effect.Effect<A, AgentError, R>
    })

/** A stream with its span, which lasts as long as it, and its counts; nothing is done per event. */
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
            if (Option.isSome(opened)) note(opened.value, options.learn(event))
            return Metric.update(
              Metric.withAttributes(firstEvent, by(options.operation)),
              Duration.millis(now - began)
            )
          })
        ),
        Stream.tapError(failed(options))
      )
      return Option.isSome(opened) ? Stream.provideService(counted, Tracer.ParentSpan, opened.value) : counted
    })) as Stream.Stream<A, AgentError, R>

/**
 * Spans and metrics of calls. Without a tracer and without an open span there are no spans and no trace headers; without a
 * meter nothing is measured. Tested in `test/resilience/tracing.test.ts`.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as UrlParams from "effect/http/UrlParams"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import type * as AgentCard from "../../AgentCard.ts"
import type { AgentError } from "../../AgentError.ts"
import type { Credential } from "../../Credential.ts"
import type { TaskId } from "../../Id.ts"
import type * as Operation from "../../Operation.ts"
import type * as Part from "../../Part.ts"
import * as StreamEvent from "../../StreamEvent.ts"
import { isUnsuccessful, type TaskState } from "../../TaskState.ts"
import { protoStates } from "../protocol/enums.ts"
import { addSpanEvent, parentSpan } from "../transport/spanEvent.ts"
import { withSpanTexts } from "../transport/spanTexts.ts"
import { isForeign } from "../turn/foreign.ts"
import type { Redact } from "./redactSecrets.ts"

type Attributes = Readonly<Record<string, string>>

/** Measures calls, in seconds. `attributes` have few values each. */
export interface Meter {
  /** Called with the time to the first event of a stream. */
  readonly first: (seconds: number, attributes: Attributes) => Effect.Effect<void>
  /** Called with the time that a call or a stream took. */
  readonly end: (seconds: number, attributes: Attributes) => Effect.Effect<void>
}

// headers that are secret in any request, in addition to those that Effect redacts
const secretHeaders = ["proxy-authorization", "x-a2a-notification-token"]

const isTraced = Effect.withFiber((fiber) =>
  Effect.succeed(
    fiber.getRef(Tracer.Tracer) !== Tracer.nativeTracer || parentSpan(fiber) !== undefined
  )
)

/** The call whose requests are traced. */
const CurrentCall = Context.Reference<Call | undefined>("@effect-a2a/core/internal/CurrentCall", {
  defaultValue: () => undefined
})

/**
 * Traces an HTTP request as a child of the call's span. Neither has a secret of the request: secret headers and the URL's
 * query are redacted by name, all else by value.
 */
const exchange =
  (base: URL, credentials: ReadonlyArray<Credential>, redact: Redact) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(isTraced, (traced) => {
      if (!traced) return Effect.provideService(self, HttpClient.TracerDisabledWhen, () => true)
      const names = credentials.flatMap((one) =>
        one._tag === "ApiKey" && one.in === "header" ? [one.name.toLowerCase()] : []
      )
      const hidden = self.pipe(
        withSpanTexts(redact),
        Effect.updateService(Headers.CurrentRedactedNames, (known) => [...known, ...secretHeaders, ...names]),
        Effect.updateService(UrlParams.CurrentRedactedNames, (known) => [...known, ...base.searchParams.keys()])
      )
      return Effect.flatMap(CurrentCall, (call) => {
        if (call !== undefined) call.redact = redact
        return hidden
      })
    })

/** Traces what leads to a call, if calls are traced. */
const withSpan = (name: string) => <A, R>(self: Effect.Effect<A, AgentError, R>): Effect.Effect<A, AgentError, R> =>
  Effect.flatMap(isTraced, (traced) => {
    if (!traced) return self
    const marked = Effect.tapError(self, ({ code }) => Effect.annotateCurrentSpan("error.type", code))
    return Effect.withSpan(marked, name, { captureStackTrace: false }) as Effect.Effect<A, AgentError, R>
  })

/** Adds an event to the call's span when the first bytes of a stream arrive. */
const markFirstByte = <E, R>(self: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E, R> =>
  Stream.unwrap(
    Effect.map(isTraced, (traced) => traced ? Stream.onFirst(self, () => addSpanEvent("a2a.first_byte")) : self)
  )

/** A call while it is observed. */
interface Call {
  readonly operation: Operation.Any
  readonly span: Tracer.Span | undefined
  readonly clock: Clock.Clock
  readonly startedAt: number
  /** The ids of the tool calls so far, or their names. */
  readonly tools: Set<string>
  taskId: TaskId | undefined
  contextId: string | undefined
  state: TaskState | undefined
  /** The code of its failure. */
  code: string | undefined
  /** Removes the secrets of its last request from what a peer says. */
  redact: Redact
}

const partsOf = (event: StreamEvent.StreamEvent): ReadonlyArray<Part.Part> => {
  switch (event._tag) {
    case "Message":
      return event.parts
    case "ArtifactUpdate":
      return event.artifact.parts
    case "StatusUpdate":
      return event.status.message?.parts ?? []
    case "Task":
      return [...event.artifacts ?? [], event.status.message ?? { parts: [] }].flatMap(({ parts }) => parts)
  }
}

/** Notes an event of the call's task, or its result. Each tool call becomes an event of the span, without arguments. */
const note = (call: Call, event: StreamEvent.StreamEvent): void => {
  if (isForeign(call, event)) return
  call.taskId ??= StreamEvent.taskId(event)
  call.contextId = event.contextId ?? call.contextId
  call.state = StreamEvent.state(event) ?? call.state
  if (call.span === undefined) return
  for (const { mark } of partsOf(event)) {
    if (mark?._tag !== "Call") continue
    const { id, name } = mark
    // a call without an id is another one each time, unless a snapshot repeats it
    if ((id !== undefined || event._tag === "Task") && call.tools.has(id ?? name)) continue
    call.tools.add(id ?? name)
    const attributes = { "gen_ai.tool.name": name, ...(id === undefined ? undefined : { "gen_ai.tool.call.id": id }) }
    call.span.event("a2a.tool_call", call.clock.currentTimeNanosUnsafe(), call.redact(attributes))
  }
}

const isEvent = (result: unknown): result is StreamEvent.StreamEvent =>
  Predicate.hasProperty(result, "_tag") && typeof result._tag === "string"

/** Returns the ids in a request: those of its message, or that of the task it names. */
const idsOf = (request: object): Pick<Call, "taskId" | "contextId"> => {
  const { id, message, taskId } = request as {
    readonly id?: TaskId
    readonly taskId?: TaskId
    readonly message?: { readonly taskId?: TaskId; readonly contextId?: string }
  }
  return { taskId: message === undefined ? taskId ?? id : message.taskId, contextId: message?.contextId }
}

const nameOf = ({ _tag, kind }: Operation.Any) => ({
  "a2a.method.name": _tag,
  "gen_ai.operation.name": kind === "send" ? "invoke_agent" : _tag
})

/** True if the call was to bring a task to its end, and the task did not succeed. */
const lacksSuccess = ({ operation, state }: Call): boolean =>
  (operation.kind === "send" || operation.mode === "streaming") && state !== undefined && isUnsuccessful(state)

/** The interface of an agent. */
export interface ObservedPeer {
  readonly base: URL
  readonly target: AgentCard.AgentInterface
}

/** The agent whose calls are observed. */
interface Agent {
  readonly meter: Meter | undefined
  /** Attributes that all spans share. */
  readonly attributes: Readonly<Record<string, unknown>>
  /** The name on its card, once it is known. */
  name: string | undefined
}

const defaultPort = (protocol: string) => protocol === "https:" ? 443 : 80

const toAttributes = ({ base, target }: ObservedPeer) => ({
  "server.address": base.hostname,
  "server.port": base.port === "" ? defaultPort(base.protocol) : Number(base.port),
  "a2a.protocol.binding": target.protocolBinding,
  "a2a.protocol.version": target.protocolVersion,
  "a2a.tenant": target.tenant
})

const annotate = (span: Tracer.Span, attributes: Readonly<Record<string, unknown>>): void => {
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) span.attribute(name, value)
}

const begin = (agent: Agent, operation: Operation.Any, request: object, traced: boolean): Effect.Effect<Call> =>
  Effect.gen(function*() {
    const span = traced ? yield* Effect.makeSpan(`a2a.${operation._tag}`, { kind: "client" }) : undefined
    if (span !== undefined) annotate(span, { ...agent.attributes, ...nameOf(operation) })
    const clock = yield* Clock.Clock
    const startedAt = clock.currentTimeMillisUnsafe()
    return {
      ...idsOf(request),
      operation,
      span,
      clock,
      startedAt,
      tools: new Set(),
      state: undefined,
      code: undefined,
      redact: identity
    }
  })

const measure = (agent: Agent, call: Call, which: keyof Meter): Effect.Effect<void> => {
  if (agent.meter === undefined) return Effect.void
  return agent.meter[which]((call.clock.currentTimeMillisUnsafe() - call.startedAt) / 1000, {
    ...nameOf(call.operation),
    "server.address": String(agent.attributes["server.address"]),
    "server.port": String(agent.attributes["server.port"]),
    ...(call.code === undefined ? undefined : { "error.type": call.code })
  })
}

/** Ends the span: with an error if the call failed or the task did not succeed. */
const end = (agent: Agent, call: Call, exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { clock, span, state } = call
    if (state !== undefined && lacksSuccess(call)) call.code ??= protoStates[state]
    if (span !== undefined) {
      const attributes = {
        "gen_ai.agent.name": agent.name,
        "gen_ai.conversation.id": call.contextId,
        "a2a.task.id": call.taskId,
        "a2a.task.state": state && protoStates[state],
        "error.type": call.code
      }
      annotate(span, call.redact(attributes))
      span.end(
        clock.currentTimeNanosUnsafe(),
        call.code !== undefined && Exit.isSuccess(exit) ? Exit.fail(call.code) : exit
      )
    }
    return measure(agent, call, "end")
  })

/** Starts to observe a call until the scope is closed. Results in `undefined` if nobody is interested. */
const start = (
  agent: Agent,
  operation: Operation.Any,
  request: object
): Effect.Effect<Call | undefined, never, Scope.Scope> =>
  Effect.flatMap(isTraced, (traced) =>
    traced || agent.meter !== undefined
      ? Effect.acquireRelease(begin(agent, operation, request, traced), (call, exit) => end(agent, call, exit))
      : Effect.succeed(undefined))

const fail = (call: Call) => ({ code }: AgentError) => Effect.sync(() => void (call.code = code))

/** Traces and measures a call. */
const call =
  (agent: Agent, operation: Operation.Any, request: object) =>
  <A, R>(self: Effect.Effect<A, AgentError, R>): Effect.Effect<A, AgentError, R> =>
    Effect.scoped(Effect.flatMap(start(agent, operation, request), (call): Effect.Effect<A, AgentError, R> => {
      if (call === undefined) return self
      const noted = self.pipe(
        Effect.map((result) => {
          if (isEvent(result)) note(call, result)
          else if (operation.kind === "card") agent.name = (result as AgentCard.AgentCard).name
          return result
        }),
        Effect.tapError(fail(call))
      )
      return call.span === undefined
        ? noted
        : noted.pipe(
          Effect.provideService(CurrentCall, call),
          Effect.provideService(Tracer.ParentSpan, call.span)
        ) as Effect.Effect<A, AgentError, R>
    })) as Effect.Effect<A, AgentError, R>

/** Traces and measures a stream; its span lasts as long as the stream. */
const stream = (agent: Agent, operation: Operation.Streaming, request: object) =>
<R>(
  self: Stream.Stream<StreamEvent.StreamEvent, AgentError, R>
): Stream.Stream<StreamEvent.StreamEvent, AgentError, R> =>
  Stream.unwrap(Effect.map(start(agent, operation, request), (call) => {
    if (call === undefined) return self
    const noted = self.pipe(
      Stream.onFirst(() => Effect.suspend(() => measure(agent, call, "first"))),
      Stream.mapArray((events) => {
        for (const event of events) note(call, event)
        return events
      }),
      Stream.tapError(fail(call))
    )
    return call.span === undefined ? noted : noted.pipe(
      Stream.provideService(CurrentCall, call),
      Stream.provideService(Tracer.ParentSpan, call.span)
    )
  })) as Stream.Stream<StreamEvent.StreamEvent, AgentError, R>

/** Observes the calls of one agent. */
export interface ObservedAgent {
  /** Traces and measures a call. */
  readonly call: (
    operation: Operation.Any,
    request: object
  ) => <A, R>(self: Effect.Effect<A, AgentError, R>) => Effect.Effect<A, AgentError, R>
  /** Traces and measures a stream. */
  readonly stream: (
    operation: Operation.Streaming,
    request: object
  ) => <R>(
    self: Stream.Stream<StreamEvent.StreamEvent, AgentError, R>
  ) => Stream.Stream<StreamEvent.StreamEvent, AgentError, R>
  /** Makes the HTTP requests of an effect children of the call's span. */
  readonly within: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Marks the arrival of the first bytes of a stream. */
  readonly markFirstByte: <E, R>(self: Stream.Stream<Uint8Array, E, R>) => Stream.Stream<Uint8Array, E, R>
}

/** Observes calls, and the HTTP requests within them. */
export interface Observer {
  readonly agent: (peer: ObservedPeer, name: string | undefined) => Pick<ObservedAgent, "call" | "stream">
  readonly exchange: typeof exchange
  readonly markFirstByte: typeof markFirstByte
  readonly withSpan: typeof withSpan
}

/** Makes an observer, which measures calls if there is a meter. */
export const make = (meter: Meter | undefined): Observer => ({
  agent: (peer, name) => {
    const agent: Agent = { meter, name, attributes: toAttributes(peer) }
    return {
      call: (operation, request) => call(agent, operation, request),
      stream: (operation, request) => stream(agent, operation, request)
    }
  },
  exchange,
  markFirstByte,
  withSpan
})

/**
 * The span of a run, named and described by OpenTelemetry's conventions for generative AI. It fails if the task does.
 * Tested in test/adk/traces.test.ts.
 */
import * as AgentError from "@effect-a2a/core/AgentError"
import type * as Id from "@effect-a2a/core/Id"
import type * as Task from "@effect-a2a/core/Task"
import * as Telemetry from "@effect-a2a/core/Telemetry"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import type { AdkClient } from "../../AdkClient.ts"
import * as UserPath from "../http/userPath.ts"

export interface Options {
  readonly client: Pick<AdkClient["Service"], "appName" | "target">
  readonly taskId: Id.TaskId
  readonly contextId: Id.ContextId
}

/** The span of a run, if anybody sees spans. */
export interface RunSpan {
  /** Makes the requests of an effect children of the span. */
  readonly around: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Ends the span with what became of the task, or with the reason why that is unknown. */
  readonly end: (task: Task.Task | undefined, reason: AgentError.AgentErrorReason | undefined) => Effect.Effect<void>
}

const defaultPorts: Record<string, number> = { "http:": 80, "https:": 443 }

const serverOf = (url: string) => {
  if (!URL.canParse(url)) return {}
  const { hostname, port, protocol } = new URL(url)
  return { "server.address": hostname, "server.port": port === "" ? defaultPorts[protocol] : Number(port) }
}

const untraced: RunSpan = { around: (self) => self, end: () => Effect.void }

const endWith = (
  span: Tracer.Span,
  { client }: Options,
  task: Task.Task | undefined,
  reason: AgentError.AgentErrorReason | undefined
) =>
  Effect.map(Clock.currentTimeNanos, (now) => {
    const failure = reason ?? (task && AgentError.fromTask(task))
    if (task !== undefined) span.attribute("a2a.task.state", Telemetry.stateName(task.status.state))
    if (failure === undefined) return span.end(now, Exit.void)
    const target = AgentError.toTarget(client.target.url)
    const error = new AgentError.AgentError({ operation: "invoke_agent", target, reason: failure })
    span.attribute("error.type", failure.code)
    span.end(now, Exit.fail(error))
  })

/** Starts the span of a run as a child of the caller's. */
export const start = Effect.fnUntraced(
  function*(options: Options): Effect.fn.Return<RunSpan, never, Scope.Scope> {
    if (!(yield* UserPath.isTraced)) return untraced
    const { client: { appName, target }, contextId, taskId } = options
    const span = yield* Effect.makeSpanScoped(appName === undefined ? "invoke_agent" : `invoke_agent ${appName}`, {
      kind: "client",
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        ...(appName !== undefined && { "gen_ai.agent.name": appName }),
        "gen_ai.conversation.id": contextId,
        "a2a.task.id": taskId,
        ...serverOf(target.url)
      }
    })
    return {
      around: (self) => Effect.provideService(self, Tracer.ParentSpan, span),
      end: (task, reason) => endWith(span, options, task, reason)
    }
  }
)

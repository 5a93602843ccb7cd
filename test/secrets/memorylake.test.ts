/** The API key is in one header and nowhere else: not in errors, however they are printed, nor in spans or logs. */
import * as Agent from "@effect-a2a/core/Agent"
import type * as AgentError from "@effect-a2a/core/AgentError"
import * as Credentials from "@effect-a2a/core/Credentials"
import * as Id from "@effect-a2a/core/Id"
import * as Part from "@effect-a2a/core/Part"
import * as MemoryLake from "@effect-a2a/memorylake/MemoryLake"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type * as Tracer from "effect/Tracer"
import { inspect } from "node:util"
import { covers } from "../support/covers.ts"
import * as Emulated from "../support/emulated.ts"
import { makeTracer } from "../support/spans.ts"

const key = "sk_topsecret0123456789"

const taskId = Id.TaskId.make("run-none")

/** Calls that fail in different ways. */
const failing: Readonly<Record<string, Effect.Effect<unknown, AgentError.AgentError, Agent.Agent>>> = {
  "locally refused": Agent.send(Part.url("drive://items/1")),
  "refused with 401": Agent.send("refuse with UNAUTHENTICATED"),
  "refused with 402": Agent.send("refuse with QUOTA_EXCEEDED"),
  "refused with 500": Agent.send("refuse with INTERNAL_ERROR"),
  "refused stream": Stream.runDrain(Agent.stream("refuse with ACCESS_DENIED")),
  "failed task": Agent.send("please fail"),
  "failed stream": Stream.runDrain(Agent.stream("please fail")),
  "unknown task": Effect.flatMap(Agent.Agent, (agent) => agent.getTask(taskId))
}

/** The usual ways to print an error. */
const shown = (error: AgentError.AgentError): string =>
  [
    String(error),
    error.stack,
    JSON.stringify(error),
    JSON.stringify(Exit.fail(error)),
    inspect(error, { depth: 20, showHidden: true, getters: true }),
    Cause.pretty(Cause.fail(error)),
    inspect(Cause.fail(error), { depth: 20, showHidden: true })
  ].join("\n")

/** Records all spans and log messages. */
const observed = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  const { spans, tracer } = makeTracer()
  const logs: Array<unknown> = []
  return effect.pipe(
    Effect.tapCause((cause) => Effect.logError("failed", cause)),
    Effect.withTracer(tracer),
    Effect.provide(
      Logger.layer([Logger.make((entry) => logs.push(Logger.formatJson.log(entry), Logger.formatLogFmt.log(entry)))])
    ),
    Effect.exit,
    Effect.map((exit) => ({ exit, spans, logs: inspect(logs, { depth: 20 }) }))
  )
}

const spanText = (span: Tracer.Span) =>
  inspect([span.name, [...span.attributes], span.status], { depth: 20, showHidden: true })

const check = (effect: Effect.Effect<unknown, AgentError.AgentError>) =>
  Effect.gen(function*() {
    const { exit, logs, spans } = yield* observed(effect)
    const error = Exit.isFailure(exit) ? Cause.findErrorOption(exit.cause) : undefined
    if (error?._tag !== "Some") return assert.fail("expected an error")
    assert.notInclude(shown(error.value), key)
    assert.notInclude(spans.map(spanText).join("\n"), key)
    assert.include(logs, "failed")
    assert.notInclude(logs, key)
    return spans
  })

describe("the key", () => {
  for (const [title, call] of Object.entries(failing)) {
    it.effect(`${title}: it is in one header of the request and nowhere else`, () =>
      Effect.forEach(
        Emulated.combinations,
        Effect.fnUntraced(function*(one) {
          const exchanges: Array<Record<string, string>> = []
          const program = Effect.ensuring(
            call,
            Effect.map(Emulated.exchanges, (all) => exchanges.push(...all.map(({ headers }) => headers)))
          )
          const spans = yield* check(Effect.provide(program, Emulated.layer(one, { key })))
          const sent = title === "locally refused" ? [] : [`Bearer ${key}`]
          assert.deepStrictEqual(exchanges.map(({ authorization }) => authorization), sent, one.name)
          // each exchange has a span, which might have recorded the key
          if (sent.length > 0) assert.isAbove(spans.length, 0)
        })
      ), covers("ML-02", "field:SEC-01"))
  }

  it.effect(
    "a failed connection: it is in no error that holds the request",
    () =>
      Effect.forEach(Emulated.combinations, ({ http, protocol }) =>
        check(
          Agent.send("hi").pipe(Effect.provide(
            Agent.layer.pipe(
              Layer.provide(MemoryLake.layer({ binding: http, workspaceId: "ws", agentId: "agent", protocol })),
              Layer.provide([
                Credentials.layerBearer(Redacted.make(key)),
                Layer.succeed(
                  HttpClient.HttpClient,
                  HttpClient.make((request) =>
                    Effect.fail(
                      new HttpClientError.HttpClientError({
                        reason: new HttpClientError.TransportError({ request, cause: new Error("ECONNREFUSED") })
                      })
                    )
                  )
                )
              ])
            )
          ))
        )),
    covers("ML-02", "field:SEC-01")
  )

  it.effect("a value that no header can hold is refused without being shown", () =>
    check(
      Agent.send("hi").pipe(Effect.provide(Emulated.layer(Emulated.combinations[0]!, { key: `${key}\n` })))
    ), covers("ML-02", "field:SEC-01", "field:SEC-02"))
})

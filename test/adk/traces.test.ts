/** Spans of runs, and what is not in the spans of their requests. */
import { Agent, type AgentError, Id, type Message, Task } from "@effect-a2a/core"
import type { AdkEmulator } from "@effect-a2a/emulators"
import { Adk as AdkTransport } from "@effect-a2a/transport-adk"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Stream, Tracer } from "effect"
import { TestClock } from "effect/testing"
import { covers } from "../support/covers.ts"
import { makeTracer } from "../support/spans.ts"
import * as Adk from "./support.ts"

/** Returns the spans of a program, and its exit. */
const traced = <A, E>(
  program: Effect.Effect<A, E, Adk.Services>,
  options: AdkEmulator.ClientOptions = {}
) =>
  Effect.gen(function*() {
    const { spans, tracer } = makeTracer()
    const exit = yield* program.pipe(
      Effect.provide(Adk.layer(options)),
      Effect.exit,
      Effect.withSpan("mine"),
      Effect.provideService(Tracer.Tracer, tracer)
    )
    return { exit, spans, runs: spans.filter(({ name }) => name.startsWith("invoke_agent")) }
  })

/** Returns the error of a span that failed. */
const errorOf = ({ status }: Tracer.NativeSpan) =>
  status._tag === "Ended" && Exit.isFailure(status.exit) ? Cause.squash(status.exit.cause) : undefined

const stream = (input: Message.Input) => Stream.runDrain(Agent.stream(input))

describe("the span of a run", () => {
  const sends = { ask: Agent.ask, stream }

  it.effect.each(["ask", "stream"] as const)(
    "names agent, conversation and task, and holds the requests (%s)",
    (by) =>
      Effect.gen(function*() {
        const { runs: [run = assert.fail()], spans } = yield* traced(sends[by]("hello"))
        const { "a2a.task.id": taskId, "gen_ai.conversation.id": contextId, ...attributes } = Object.fromEntries(
          run.attributes
        )
        assert.strictEqual(run.name, "invoke_agent demo")
        assert.strictEqual(run.kind, "client")
        assert.deepStrictEqual(attributes, {
          "gen_ai.operation.name": "invoke_agent",
          "gen_ai.agent.name": "demo",
          "a2a.task.state": "TASK_STATE_COMPLETED",
          "server.address": "adk.test",
          "server.port": 80
        })
        assert.isString(taskId)
        assert.isString(contextId)
        assert.isTrue(spans.every(({ status }) => status._tag === "Ended"))
        assert.isUndefined(errorOf(run))
        const children = spans.filter(({ parent }) => parent._tag === "Some" && parent.value.spanId === run.spanId)
        assert.includeMembers(children.map(({ attributes }) => attributes.get("url.path")), [
          by === "ask" ? "/run" : "/run_sse"
        ])
        assert.isTrue(run.parent._tag === "Some" && run.parent.value.spanId === spans[0]!.spanId)
      }),
    covers("ADK-08")
  )

  const failures: Record<string, readonly [code: string, text: RegExp]> = {
    error: ["TASK_STATE_FAILED", /The model is busy/],
    throw: ["TASK_STATE_FAILED", /the tool "x" broke|Internal Server Error/],
    throwfirst: ["TASK_STATE_FAILED", /./]
  }
  for (const by of ["ask", "stream"] as const) {
    it.effect.each(Object.keys(failures))(`fails if the task fails (%s, ${by})`, (input) =>
      Effect.gen(function*() {
        const { runs: [run = assert.fail(), ...others] } = yield* traced(sends[by](input))
        const [code, text] = failures[input]!
        assert.deepStrictEqual([others.length, run.attributes.get("error.type")], [0, code])
        assert.strictEqual(run.attributes.get("a2a.task.state"), "TASK_STATE_FAILED")
        assert.match((errorOf(run) as AgentError.AgentError).message, text)
      }), covers("ADK-08"))
  }

  it.effect("fails if the server refuses the run", () =>
    Effect.gen(function*() {
      const { runs: [run = assert.fail()] } = yield* traced(Agent.ask("hello"), { appName: "nobody" })
      assert.deepStrictEqual([run.name, run.attributes.get("error.type")], ["invoke_agent nobody", "NOT_FOUND"])
      assert.isFalse(run.attributes.has("a2a.task.state"))
      assert.instanceOf(errorOf(run), Error)
    }), covers("ADK-08"))

  it.effect("succeeds if the agent asks a question, and fails if the task is canceled", () =>
    Effect.gen(function*() {
      const { runs: [asked = assert.fail()] } = yield* traced(Agent.ask("confirm"))
      assert.deepStrictEqual([asked.attributes.get("a2a.task.state"), errorOf(asked)], [
        "TASK_STATE_INPUT_REQUIRED",
        undefined
      ])
      const { runs: [left = assert.fail()] } = yield* traced(Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(stream("slow 9"), { startImmediately: true })
        yield* TestClock.adjust("1500 millis")
        yield* Fiber.interrupt(fiber)
      }))
      assert.deepStrictEqual([left.attributes.get("a2a.task.state"), left.attributes.get("error.type")], [
        "TASK_STATE_CANCELED",
        "TASK_STATE_CANCELED"
      ])
    }), covers("ADK-08"))

  it.effect("lasts as long as a run in the background", () =>
    Effect.gen(function*() {
      const { runs: [run = assert.fail()] } = yield* traced(Effect.gen(function*() {
        const task = yield* Adk.send("slow 2", {}, { returnImmediately: true })
        assert.strictEqual(Task.text(yield* Adk.fastForward(Agent.waitFor(task))), "Tick 1. Tick 2. ")
      }))
      assert.strictEqual(run.attributes.get("a2a.task.state"), "TASK_STATE_COMPLETED")
    }), covers("ADK-08"))

  it.effect("is not made without a tracer, and requests have no trace headers then", () =>
    Effect.gen(function*() {
      yield* Agent.ask("hello")
      const exchanges = yield* Adk.exchanges
      assert.isTrue(exchanges.every(({ headers }) => headers.traceparent === undefined))
    }).pipe(Effect.provide(Adk.layer())), covers("ADK-08"))
})

describe("the user's id", () => {
  const users = ["ana", "ana maria@example.com", "ünï", "a'b(c)", "run"]

  it.effect.each(users)("is in no span, neither in URLs nor in errors (%s)", (user) =>
    Effect.gen(function*() {
      const { spans } = yield* traced(
        Effect.gen(function*() {
          yield* Agent.ask("artifact notes.txt", { contextId: Id.ContextId.make("c-1") })
          yield* Effect.ignore(Agent.ask("hello", { contextId: Id.ContextId.make("..") }))
          yield* stream("hello")
        }).pipe(AdkTransport.withUser(user))
      )
      const paths = spans.flatMap(({ attributes }) => attributes.get("url.path") ?? [])
      assert.include(paths, "/apps/demo/users/{user}/sessions")
      assert.include(paths, "/apps/demo/users/{user}/sessions/c-1/artifacts/notes.txt/versions/0")
      for (const span of spans) {
        const texts = [...span.attributes.values(), errorOf(span) as Error | undefined]
          .map((value) => value instanceof Error ? `${value.message} ${value.stack}` : String(value))
        for (const text of texts) {
          for (const id of [user, encodeURIComponent(user)]) assert.notInclude(text, `/users/${id}`)
        }
      }
    }), covers("field:N2-50"))

  it.effect("is not in the error of a span whose request was refused", () =>
    Effect.gen(function*() {
      const { exit, spans } = yield* traced(
        Agent.ask("hello", { contextId: Id.ContextId.make("gone") }).pipe(AdkTransport.withUser("ana")),
        { appName: "nobody", flavour: "javascript" }
      )
      assert.isTrue(Exit.isFailure(exit))
      const failed = spans.flatMap((span) => errorOf(span) ?? []).map(String)
      assert.isTrue(failed.length > 1)
      assert.notInclude(failed.join(" "), "ana")
    }), covers("field:N2-50"))
})

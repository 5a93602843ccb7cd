/** Programs against the ADK emulator, through its bytes. */
import {
  Agent,
  type AgentError,
  AgentTransport,
  Message,
  Operation,
  type StreamEvent,
  type Task,
  TaskProgress
} from "@effect-a2a/core"
import { AdkEmulator, type AdkScript } from "@effect-a2a/emulators"
import { Wire } from "@effect-a2a/testing"
import { assert } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import type { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"

export const flavours = ["python", "javascript"] as const

export type Services = Agent.Agent | AgentTransport.AgentTransport | HttpClient.HttpClient | Wire.Tape

export const layer = (options: AdkEmulator.ClientOptions = {}): Layer.Layer<Services> =>
  Agent.layer.pipe(Layer.provideMerge(AdkEmulator.layerTransport(options)))

type Body = (flavour: AdkScript.Flavour) => Effect.Effect<void, unknown, Services>

/** The body of a test that runs against each kind of server, for behaviour in which their bytes differ. */
export const onEach = (body: Body, options: AdkEmulator.ClientOptions = {}) => (flavour: AdkScript.Flavour) =>
  body(flavour).pipe(Effect.provide(layer({ ...options, flavour })))

/** The body of a test that runs against a Python server; `mapping.test.ts` compares the tasks of both kinds. */
export const onPython = (body: Body, options: AdkEmulator.ClientOptions = {}) => () => onEach(body, options)("python")

/** Returns the events of the transport, where a failed task is a value. */
export const events = (input: Message.Input, options?: Message.Options) =>
  Effect.gen(function*() {
    const transport = yield* AgentTransport.AgentTransport
    const message = yield* Message.user(input, options)
    return yield* Stream.runCollect(transport.stream(Operation.SendStreamingMessage, { message }))
  })

/** Returns the task of the transport. */
export const send = (
  input: Message.Input,
  options?: Message.Options,
  configuration?: Operation.SendMessageConfiguration
) =>
  Effect.gen(function*() {
    const transport = yield* AgentTransport.AgentTransport
    const message = yield* Message.user(input, options)
    const result = yield* transport.call(Operation.SendMessage, { message, ...(configuration && { configuration }) })
    assert(result._tag === "Task")
    return result
  })

export const fold = (events: ReadonlyArray<StreamEvent.StreamEvent>): Task.Task => {
  const task = events.reduce(TaskProgress.apply, undefined as Task.Task | undefined)
  assert.isDefined(task)
  return task!
}

/** Runs an effect while the clock advances by a second at a time. */
export const fastForward = <A, E, R>(self: Effect.Effect<A, E, R>, seconds = 120) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(self, { startImmediately: true })
    for (let i = 0; i < seconds; i++) yield* TestClock.adjust("1 second")
    return yield* Fiber.join(fiber)
  })

export const refusal = <A, R>(self: Effect.Effect<A, AgentError.AgentError, R>) =>
  Effect.map(Effect.flip(self), ({ reason }) => reason)

export const exchanges = Effect.flatMap(Wire.Tape, ({ exchanges }) => exchanges)

/** Returns the bodies of POST requests by the end of their path. */
export const posted = (suffix: string) =>
  Effect.gen(function*() {
    return (yield* exchanges).filter(({ method, url }) => method === "POST" && new URL(url).pathname.endsWith(suffix))
      .map(({ body }) => JSON.parse(body))
  })

/** Returns the methods and paths of all requests. */
export const asked = Effect.map(
  exchanges,
  (exchanges) => exchanges.map(({ method, url }) => `${method} ${new URL(url).pathname}`)
)

/** Programs against the emulated ADK server of each language, through its bytes. */
import { Agent, type AgentError, AgentTransport, Message, Operation, StreamEvent, type Task } from "@effect-a2a/core"
import { AdkEmulator } from "@effect-a2a/emulators"
import { Wire } from "@effect-a2a/testing"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import type { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"

export const flavours = ["python", "javascript"] as const

type Services = Agent.Agent | AgentTransport.AgentTransport | HttpClient.HttpClient | Wire.Tape

export const layer = (options: AdkEmulator.ClientOptions = {}): Layer.Layer<Services> =>
  Agent.layer.pipe(Layer.provideMerge(AdkEmulator.layerTransport(options)))

/** One test per language. */
export const each = (
  title: string,
  body: (flavour: AdkEmulator.Flavour) => Effect.Effect<void, unknown, Services>,
  options: AdkEmulator.ClientOptions = {}
): void => {
  for (const flavour of flavours) {
    it.effect(`${title} (${flavour})`, () => body(flavour).pipe(Effect.provide(layer({ ...options, flavour }))))
  }
}

/** The events of a message as they stand at the seam, where a failed task is a value. */
export const events = (input: Message.Input, options?: Message.Options) =>
  Effect.gen(function*() {
    const transport = yield* AgentTransport.AgentTransport
    const message = yield* Message.user(input, options)
    return yield* Stream.runCollect(transport.stream(Operation.SendStreamingMessage, { message }))
  })

/** The task of a message at the seam. */
export const send = (
  input: Message.Input,
  options?: Message.Options,
  configuration?: Operation.SendMessageConfiguration
) =>
  Effect.gen(function*() {
    const transport = yield* AgentTransport.AgentTransport
    const message = yield* Message.user(input, options)
    const answer = yield* transport.call(Operation.SendMessage, { message, ...(configuration && { configuration }) })
    assert.strictEqual(answer._tag, "Task")
    return answer as Task.Task
  })

export const fold = (events: ReadonlyArray<StreamEvent.StreamEvent>): Task.Task => {
  const task = events.reduce(StreamEvent.apply, undefined as Task.Task | undefined)
  assert.isDefined(task)
  return task!
}

/** Runs while the clock is put forward. */
export const hurried = <A, E, R>(self: Effect.Effect<A, E, R>, seconds = 120) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(self, { startImmediately: true })
    for (let i = 0; i < seconds; i++) yield* TestClock.adjust("1 second")
    return yield* Fiber.join(fiber)
  })

export const refusal = <A, R>(self: Effect.Effect<A, AgentError.AgentError, R>) =>
  Effect.map(Effect.flip(self), ({ reason }) => reason)

/** What was posted to the server, by path. */
export const posted = (suffix: string) =>
  Effect.gen(function*() {
    const { exchanges } = yield* Wire.Tape
    return (yield* exchanges).filter(({ method, url }) => method === "POST" && new URL(url).pathname.endsWith(suffix))
      .map(({ body }) => JSON.parse(body))
  })

/** The paths that were asked, with their methods. */
export const asked = Effect.gen(function*() {
  const { exchanges } = yield* Wire.Tape
  return (yield* exchanges).map(({ method, url }) => `${method} ${new URL(url).pathname}`)
})

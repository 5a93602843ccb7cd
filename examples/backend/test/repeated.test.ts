// The obvious ways to try again, over a connection that breaks after the agent has acted.
import { Agent, AgentTransport, Credentials } from "@effect-a2a/core"
import type { AgentError } from "@effect-a2a/core"
import { AgentExecutor } from "@effect-a2a/server"
import { AgentTest, Fault, Wire } from "@effect-a2a/testing"
import { Rest, RestServer } from "@effect-a2a/transport-rest"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { covers } from "../../../test/support/covers.ts"

const attempts: Readonly<Record<string, (self: typeof booking) => typeof booking>> = {
  "no retry": (self) => self,
  "a retry while the error is retryable": (self) =>
    Effect.retry(self, { times: 2, while: (error) => error.isRetryable }),
  "the policy of the SDK": (self) => Effect.retry(self, AgentTransport.respectRetryAfter(AgentTransport.backoff(2)))
}

const booking: Effect.Effect<unknown, AgentError.AgentError, Agent.Agent> = Agent.ask("book a flight")

for (const [name, again] of Object.entries(attempts)) {
  it.effect(`a lost response is one booking with ${name}`, () => {
    let bookings = 0
    const executor = AgentExecutor.layer(() => {
      bookings++
      return Stream.make("booked")
    })
    const served = RestServer.routes().pipe(Layer.provide(AgentTest.layer), Layer.provide(executor))
    const agent = Agent.layer.pipe(
      Layer.provide(Rest.layer({ url: "http://travel.test" })),
      Layer.provide([
        Credentials.layerNone,
        Fault.inject(Wire.layerHttp(served), { seed: 3, kinds: ["lost"], rate: 1 })
      ])
    )
    return Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(Effect.flip(again(booking)))
      const clock = yield* Effect.forkChild(
        Effect.forever(Effect.andThen(TestClock.adjust("1 second"), Effect.yieldNow))
      )
      const error = yield* Effect.ensuring(Fiber.join(fiber), Fiber.interrupt(clock))
      assert.deepStrictEqual([bookings, error.isRetryable, error.delivery], [1, false, "unknown"])
    }).pipe(Effect.provide(agent))
  }, covers("field:N2-38"))
}

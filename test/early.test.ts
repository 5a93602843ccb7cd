/** Agents that return a task at work although the send was to wait for it. */
import { Agent, Conversation } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Duration, Effect, Fiber, Layer } from "effect"
import { execFile } from "node:child_process"
import * as process from "node:process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { agent, fastForward, refusal, task, taskId, through } from "./resilience/support.ts"
import { covers } from "./support/covers.ts"
import { type Asked, chunks, type Combination, event, frame, inEach, notFound, rest, sendJson } from "./support/peer.ts"

type Respond = (asked: Asked) => Response

const kindOf = ({ body, method, url }: Asked) => {
  const name = url.endsWith("/a2a") ? String(JSON.parse(body).method) : `${method} ${url}`
  if (/SendMessage|message\/send|message:send/.test(name)) return "send"
  return /SubscribeToTask|tasks\/resubscribe|:subscribe/.test(name) ? "subscribe" : "get"
}

/** A peer that returns its task in `state`; subscriptions are refused unless said otherwise. */
const talk = (
  combination: Combination,
  { get = [through(combination).taskResponse("completed")], state = "working", subscribe = refusal(405) }: {
    readonly get?: ReadonlyArray<Respond>
    readonly state?: string
    readonly subscribe?: Respond
  } = {}
) => {
  let gets = 0
  const send = through(combination).json(sendJson(combination, state))
  const { asked, layer } = through(combination).peer([
    (one) =>
      ({ send, subscribe, get: get[Math.min(gets, get.length - 1)]! })[kindOf(one)](
        (kindOf(one) === "get" && gets++, one)
      )
  ])
  const kinds = () => asked.map(kindOf)
  const run = <A, E>(self: Effect.Effect<A, E, Agent.Agent>) => fastForward(Effect.provide(self, agent(layer)))
  return { kinds, layer: agent(layer), run }
}

describe("a task that is returned early", () => {
  for (const state of ["submitted", "working"]) {
    it.effect(
      `as ${state} is polled until it settles, with growing pauses`,
      () =>
        inEach((combination) =>
          Effect.gen(function*() {
            const { taskResponse } = through(combination)
            const working = taskResponse("working")
            const whole = taskResponse("completed", {
              artifacts: [{ artifactId: "a", parts: [{ kind: "text", text: "done" }] }]
            })
            const { kinds, run } = talk(combination, { state, get: [working, working, refusal(503), whole] })
            const answer = yield* run(Agent.ask("hi"))
            assert.deepStrictEqual([answer.state, answer.text], ["completed", "done"])
            assert.deepStrictEqual(kinds().filter((kind) => kind !== "subscribe"), ["send", "get", "get", "get", "get"])
            // 0.5 + 1 + 2 + 4 seconds
            assert.isAtLeast(yield* Clock.currentTimeMillis, 7500)
          })
        ),
      covers("attack:S2-55")
    )
  }

  it.effect("is subscribed to if the agent allows it", () =>
    inEach((combination) =>
      Effect.gen(function*() {
        const subscribe: Respond = (asked) =>
          chunks([task("working"), task("completed", "done")].map((one) => frame(event(combination, asked, one))))
        const { kinds, run } = talk(combination, { subscribe })
        const answer = yield* run(Agent.ask("hi"))
        assert.deepStrictEqual([answer.text, kinds()], ["done", ["send", "subscribe"]])
      })
    ), covers("attack:S2-55"))

  it.effect(
    "is returned as it is if the caller does not want to wait, or it waits for the caller",
    () =>
      Effect.gen(function*() {
        const atOnce = talk(rest)
        assert.strictEqual((yield* atOnce.run(Agent.ask("hi", { returnImmediately: true }))).state, "working")
        assert.deepStrictEqual(atOnce.kinds(), ["send"])
        for (const state of ["completed", "input-required", "auth-required"]) {
          const { kinds, run } = talk(rest, { state })
          assert.strictEqual((yield* run(Agent.ask("hi"))).state, state)
          assert.deepStrictEqual(kinds(), ["send"])
        }
      }),
    covers("attack:S2-55")
  )

  it.effect(
    "fails as a send does if it fails, or is gone; nobody sends the message again",
    () =>
      inEach((combination) =>
        Effect.gen(function*() {
          const gone: Respond = (asked) =>
            new Response(notFound(combination, asked), {
              status: combination.binding === "JSONRPC" ? 200 : 404,
              headers: { "content-type": "application/json" }
            })
          for (
            const [get, reason] of [
              [through(combination).taskResponse("failed"), "TaskFailedError"],
              [through(combination).taskResponse("canceled"), "TaskCanceledError"],
              [gone, "TaskNotFoundError"]
            ] as const
          ) {
            const { kinds, run } = talk(combination, { get: [get] })
            const error = yield* run(
              Effect.flip(Agent.ask("hi").pipe(Effect.retry({ times: 2, while: (e) => e.isRetryable })))
            )
            assert.deepStrictEqual([error.reason._tag, error.operation, error.isRetryable], [
              reason,
              "SendMessage",
              false
            ])
            assert.lengthOf(kinds().filter((kind) => kind === "send"), 1)
          }
        })
      ),
    covers("attack:S2-55")
  )

  it.effect("is waited for as long as the whole call may take, and for an hour at most", () =>
    Effect.gen(function*() {
      for (const [total, minutes] of [["5 minutes", 5], [undefined, 60]] as const) {
        const began = yield* Clock.currentTimeMillis
        const { kinds, run } = talk(rest, { get: [through().taskResponse("working")] })
        const error = yield* run(Effect.flip(Agent.withTimeouts(Agent.ask("hi"), { total })))
        assert.deepInclude(error.reason, { _tag: "TimeoutError", phase: "total", delivery: "delivered" })
        const took = (yield* Clock.currentTimeMillis) - began
        assert.closeTo(took, Duration.toMillis(Duration.minutes(minutes)), 2000)
        // ten seconds apart, after the first
        assert.isBelow(kinds().length, minutes * 6 + 10)
      }
    }), covers("attack:S2-55"))

  it.effect(
    "is known to a conversation that is interrupted, which waits for it before its next message",
    () =>
      Effect.gen(function*() {
        const polled = yield* Deferred.make<void>()
        const { layer } = talk(rest, {
          get: [(asked) => {
            Deferred.doneUnsafe(polled, Effect.void)
            return through().taskResponse("working")(asked)
          }]
        })
        yield* Effect.gen(function*() {
          const conversation = yield* Conversation.make()
          const fiber = yield* Effect.forkChild(conversation.ask("hi"))
          yield* fastForward(Deferred.await(polled))
          yield* Fiber.interrupt(fiber)
          assert.deepInclude((yield* conversation.state).pending, { id: taskId })
        }).pipe(Effect.provide(Layer.fresh(layer)), Effect.scoped)
      }),
    covers("attack:S2-55")
  )

  it.live(
    "is an error that names the task if the module that waits for it cannot be loaded, until it can",
    () =>
      Effect.gen(function*() {
        const script = fileURLToPath(new URL("support/withoutSettle.mjs", import.meta.url))
        const printed = yield* Effect.promise(() => promisify(execFile)(process.execPath, [script]))
        const [first, second, third] = JSON.parse(printed.stdout)
        for (const failure of [first, second]) {
          assert.deepInclude(failure, {
            _tag: "StreamInterruptedError",
            taskId: "t-1",
            delivery: "delivered",
            isResumable: true,
            isRetryable: false,
            cause: "TypeError: Failed to fetch dynamically imported module"
          })
          assert.include(failure.message, "t-1")
        }
        assert.deepInclude(third, { _tag: "Task", status: { state: "completed" } })
      }),
    covers("attack:S2-55")
  )
})

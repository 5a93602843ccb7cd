import { Agent, type AgentError, AgentTransport, Credentials, StreamEvent } from "@effect-a2a/core"
import { AgentTest, Script } from "@effect-a2a/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, type Duration, Effect, Fiber, Layer, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import { type Asked, combinations } from "../support/peer.ts"
import * as Support from "./support.ts"

const { eventStream, hurried, refusal, resumable, say, status, task, taskAnswer, taskId } = Support

const reasonOf = (end: "success" | AgentError.AgentError) => end === "success" ? assert.fail("a success") : end.reason

const wire = (combination: typeof combinations[number], state: string, more: object = {}) =>
  combination.protocol.version === "1.0"
    ? { id: "t-1", contextId: "c-1", status: { state: `TASK_STATE_${state.toUpperCase()}` }, ...more }
    : combination.binding === "JSONRPC"
    ? { kind: "task", id: "t-1", contextId: "c-1", status: { state }, ...more }
    : { id: "t-1", contextId: "c-1", status: { state: `TASK_STATE_${state.toUpperCase()}` }, ...more }

for (const combination of combinations) {
  describe(`resumption, ${combination.name}`, () => {
    const begin = [task("submitted"), status("working"), say("He")]

    for (
      const [id, name, frames, end] of [
        ["RES-01", "a reset", begin, "reset"],
        ["RES-04", "a clean end", begin, "close"],
        ["RES-01", "a cut within an event", [...begin, "data: {\"art"], "reset"],
        ["RES-01", "a cut within a character", [...begin, "data: {\"x\":\"\u00e9"], "close"]
      ] as const
    ) {
      it.effect(`${id}: after ${name} a snapshot goes on where the text was`, () =>
        Effect.gen(function*() {
          const resumed: Array<AgentTransport.ResumeAttempt> = []
          const { asked, layer } = resumable(combination, [
            eventStream(combination, frames, { end }),
            eventStream(combination, [task("working", "Hello"), say(" you", { append: true }), status("completed")])
          ])
          const { end: how, tags, text } = yield* Support.heard.pipe(
            Effect.provide(layer),
            Effect.provideService(AgentTransport.CurrentOnResume, (one) => Effect.sync(() => resumed.push(one))),
            hurried
          )
          assert.strictEqual(how, "success")
          assert.strictEqual(text, "Hello you")
          assert.deepStrictEqual(tags, [
            "Task",
            "StatusUpdate",
            "ArtifactUpdate",
            "Task",
            "ArtifactUpdate",
            "StatusUpdate"
          ])
          assert.deepStrictEqual(resumed, [{ taskId, attempt: 1 }])
          assert.strictEqual(asked.length, 2)
        }))
    }

    it.effect("ML-28: a replay is told from where it was left, over several drops", () =>
      Effect.gen(function*() {
        const all = [
          status("submitted"),
          status("working", "Pa"),
          status("working", "ris"),
          status("working", "ris", "m-again"),
          say("Paris"),
          status("completed")
        ]
        const { asked, layer } = resumable(combination, [
          eventStream(combination, [task("submitted"), ...all.slice(0, 2)], { end: "reset" }),
          eventStream(combination, all.slice(0, 1), { end: "reset" }),
          eventStream(combination, all.slice(0, 4), { end: "reset" }),
          eventStream(combination, all)
        ])
        const { end, events, text } = yield* hurried(Support.heard.pipe(Effect.provide(layer)))
        assert.deepStrictEqual([end, events], ["success", [task("submitted"), ...all]])
        assert.strictEqual(text, (yield* Support.collect(Stream.fromIterable(all))).text)
        assert.strictEqual(asked.length, 4)
      }))

    it.effect("ML-28: equal pieces in a row are all told", () =>
      Effect.gen(function*() {
        const all = [
          status("working"),
          say("ha"),
          ...Array.from({ length: 5 }, () => say("ha", { append: true })),
          status("completed")
        ]
        const { layer } = resumable(combination, [
          eventStream(combination, all.slice(0, 4), { end: "reset" }),
          eventStream(combination, all)
        ])
        assert.deepStrictEqual((yield* hurried(Support.heard.pipe(Effect.provide(layer)))).events, all)
      }))

    it.effect("ML-28: a peer that tells neither the task nor what was is told on as it is", () =>
      Effect.gen(function*() {
        const rest = [say("llo", { append: true }), status("working"), status("completed")]
        const { layer } = resumable(combination, [
          eventStream(combination, begin, { end: "reset" }),
          eventStream(combination, rest)
        ])
        const { events, text } = yield* hurried(Support.heard.pipe(Effect.provide(layer)))
        assert.deepStrictEqual(events, [...begin, ...rest])
        assert.strictEqual(text, "Hello")
      }))

    it.effect("an event that is delivered twice in a row is told once", () =>
      Effect.gen(function*() {
        const { layer } = resumable(combination, [
          eventStream(combination, [
            status("working", "a"),
            status("working", "a"),
            status("working", "b"),
            status("completed")
          ])
        ])
        const { events } = yield* Support.heard.pipe(Effect.provide(layer))
        assert.deepStrictEqual(events, [status("working", "a"), status("working", "b"), status("completed")])
      }))

    it.effect("RES-02 RETRY-01: without a task id nothing is sent again, and the outcome is unknown", () =>
      Effect.gen(function*() {
        const { asked, layer } = resumable(combination, [eventStream(combination, [": hello\n\n"], { end: "reset" })])
        const reason = reasonOf((yield* Support.heard.pipe(Effect.provide(layer))).end)
        assert.strictEqual(asked.length, 1)
        assert.strictEqual(reason._tag, "StreamInterruptedError")
        assert.match(reason.message, /may have received message .*; it was not retried/)
        assert.isTrue(
          reason._tag === "StreamInterruptedError" && reason.messageId !== undefined &&
            asked[0]!.body.includes(reason.messageId)
        )
      }))

    it.effect("RES-04: after input-required and after an end nothing is taken up again", () =>
      Effect.gen(function*() {
        for (const state of ["input-required", "completed"] as const) {
          const { asked, layer } = resumable(combination, [
            eventStream(combination, [task("working"), status(state)], { end: "reset" })
          ])
          assert.strictEqual((yield* Support.heard.pipe(Effect.provide(layer))).end, "success")
          assert.strictEqual(asked.length, 1)
        }
      }))

    it.effect("RES-05: the last event id is sent with every subscription once there was one", () =>
      Effect.gen(function*() {
        const withIds = (frames: Support.Frames) => frames.flatMap((one, at) => [`id: ${at + 1}\n`, one])
        const { asked, layer } = resumable(combination, [
          eventStream(combination, withIds(begin), { end: "reset" }),
          eventStream(combination, [task("working", "He")], { end: "reset" }),
          eventStream(combination, [task("working", "He"), status("completed")])
        ])
        yield* hurried(Support.heard.pipe(Effect.provide(layer)))
        assert.deepStrictEqual(asked.map(({ headers }) => headers["last-event-id"]), [undefined, "3", "3"])
        const without = resumable(combination, [
          eventStream(combination, begin, { end: "reset" }),
          eventStream(combination, [task("completed", "He")])
        ])
        yield* hurried(Support.heard.pipe(Effect.provide(without.layer)))
        assert.isFalse(without.asked.some(({ headers }) => "last-event-id" in headers))
      }))

    it.effect("§3.1.6: a subscription that ends before it says anything may be a refusal, so the task is read", () =>
      Effect.gen(function*() {
        const silent = eventStream(combination, [], { end: "reset" })
        const artifacts = [{
          artifactId: "a",
          parts: [combination.name === "0.3 JSONRPC" ? { kind: "text", text: "Hello" } : { text: "Hello" }]
        }]
        const { asked, layer } = resumable(combination, [
          eventStream(combination, begin, { end: "reset" }),
          silent,
          taskAnswer(combination, wire(combination, "working")),
          silent,
          // told by states alone, so that the answer is still to be had from a stream (ML-27)
          taskAnswer(combination, wire(combination, "completed")),
          silent,
          taskAnswer(combination, wire(combination, "completed", { artifacts }))
        ])
        const { end, text } = yield* hurried(Support.heard.pipe(Effect.provide(layer)))
        assert.strictEqual(end, "success")
        assert.strictEqual(text, "Hello")
        assert.strictEqual(asked.length, 7)
      }))

    it.effect("AUTH-04: each connection asks for its credentials", () =>
      Effect.gen(function*() {
        let tokens = 0
        const credentials = Layer.succeed(Credentials.Credentials, {
          get: () => Effect.sync(() => [{ _tag: "Bearer", token: Redacted.make(`token-${++tokens}`) }] as const),
          renew: () => Effect.succeed(true)
        })
        const { asked, layer } = Support.peer(combination, [
          eventStream(combination, begin, { end: "reset" }),
          refusal(401),
          eventStream(combination, [task("completed", "Hello")])
        ], { credentials })
        const agent = Support.agent(layer.pipe(AgentTransport.resumable()))
        assert.strictEqual((yield* hurried(Support.heard.pipe(Effect.provide(agent)))).text, "Hello")
        assert.deepStrictEqual(asked.map(({ headers }) => headers.authorization), [
          "Bearer token-1",
          "Bearer token-2",
          "Bearer token-3"
        ])
      }))

    it.effect("RES-10: interruption closes the resumed connection, and each one before the next", () =>
      Effect.gen(function*() {
        const closed: Array<string> = []
        const { asked, layer } = resumable(combination, [
          eventStream(combination, begin, { end: "reset" }),
          (asked) => {
            closed.push("second opened")
            return eventStream(combination, [task("working", "He")], {
              end: "open",
              onCancel: () => closed.push("second closed")
            })(asked)
          }
        ])
        const fiber = yield* Effect.forkChild(Support.heard.pipe(Effect.provide(layer)))
        yield* hurried(Effect.repeat(Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve))), {
          until: () => closed.length > 0
        }))
        yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(closed, ["second opened", "second closed"])
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(asked.length, 2)
      }))

    it.effect("the peer's hints are waited for: retry in the stream, Retry-After in refusals", () =>
      Effect.gen(function*() {
        const times: Array<number> = []
        const noting = (answer: (asked: never) => Response) => (asked: never) => {
          times.push(times.length)
          return answer(asked)
        }
        const { asked, layer } = resumable(
          combination,
          [
            eventStream(combination, ["retry: 4000\n\n", ...begin], { end: "reset" }),
            refusal(503, { "retry-after": "30" }),
            eventStream(combination, [task("completed", "Hello")])
          ].map(noting as never)
        )
        const fiber = yield* Effect.forkChild(Support.heard.pipe(Effect.provide(layer)))
        const after = (duration: Duration.Input) =>
          Effect.gen(function*() {
            yield* Effect.repeat(Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve))), {
              times: 5
            })
            yield* TestClock.adjust(duration)
            yield* Effect.repeat(Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve))), {
              times: 5
            })
            return asked.length
          })
        assert.strictEqual(yield* after("3999 millis"), 1)
        assert.strictEqual(yield* after("1 millis"), 2)
        assert.strictEqual(yield* after("29999 millis"), 2)
        assert.strictEqual(yield* after("1 millis"), 3)
        assert.strictEqual((yield* Fiber.join(fiber)).text, "Hello")
      }))

    it.effect("a hint in the stream holds for later drops too", () =>
      Effect.gen(function*() {
        const times: Array<number> = []
        const clock = yield* Clock.Clock
        const noting = (answer: (asked: Asked) => Response) => (asked: Asked) => {
          times.push(clock.currentTimeMillisUnsafe())
          return answer(asked)
        }
        const { layer } = resumable(
          combination,
          [
            eventStream(combination, ["retry: 4000\n\n", ...begin], { end: "reset" }),
            eventStream(combination, [task("working", "He")], { end: "reset" }),
            eventStream(combination, [task("completed", "Hello")])
          ].map(noting)
        )
        yield* hurried(Support.heard.pipe(Effect.provide(layer)))
        assert.isAtLeast(times[1]! - times[0]!, 4000)
        assert.isAtLeast(times[2]! - times[1]!, 4000)
      }))

    it.effect("a task that cannot be read for the moment is subscribed to again", () =>
      Effect.gen(function*() {
        const { asked, layer } = resumable(combination, [
          eventStream(combination, begin, { end: "reset" }),
          refusal(400),
          refusal(503),
          eventStream(combination, [task("completed", "Hello")])
        ])
        assert.strictEqual((yield* hurried(Support.heard.pipe(Effect.provide(layer)))).text, "Hello")
        assert.strictEqual(asked.length, 4)
      }))

    it.effect("attempts are bounded, and the last error says what is known", () =>
      Effect.gen(function*() {
        const { asked, layer } = resumable(combination, [
          eventStream(combination, begin, { end: "reset" }),
          eventStream(combination, [task("working", "He")], { end: "close" })
        ], AgentTransport.backoff(3))
        const reason = reasonOf((yield* hurried(Support.heard.pipe(Effect.provide(layer)))).end)
        assert.strictEqual(asked.length, 4)
        assert.strictEqual(reason._tag, "StreamInterruptedError")
        assert.isTrue(
          reason._tag === "StreamInterruptedError" && reason.taskId === taskId && reason.messageId === undefined
        )
        assert.match(reason.message, /gave up after 3 attempts/)
      }))

    it.effect("RETRY-07: no attempts is none", () =>
      Effect.gen(function*() {
        const { asked, layer } = resumable(
          combination,
          [eventStream(combination, begin, { end: "reset" })],
          AgentTransport.backoff(0)
        )
        const reason = reasonOf((yield* Support.heard.pipe(Effect.provide(layer))).end)
        assert.deepStrictEqual([asked.length, reason._tag], [1, "StreamInterruptedError"])
      }))

    it.effect("a task that ended meanwhile is fetched", () =>
      Effect.gen(function*() {
        const artifacts = [{
          artifactId: "a",
          parts: [
            combination.binding === "JSONRPC" && combination.protocol.version === "0.3"
              ? { kind: "text", text: "Hello" }
              : { text: "Hello" }
          ]
        }]
        const { layer } = resumable(combination, [
          eventStream(combination, begin, { end: "reset" }),
          refusal(400),
          taskAnswer(combination, wire(combination, "completed", { artifacts }))
        ])
        const { end, text } = yield* hurried(Support.heard.pipe(Effect.provide(layer)))
        assert.deepStrictEqual([end, text], ["success", "Hello"])
      }))

    it.effect("ML-29: a subscription that is refused because the task failed tells the failure", () =>
      Effect.gen(function*() {
        const { layer } = resumable(combination, [
          eventStream(combination, begin, { end: "reset" }),
          refusal(400),
          taskAnswer(combination, wire(combination, "failed"))
        ])
        const { end, events } = yield* hurried(Support.heard.pipe(Effect.provide(layer)))
        assert.strictEqual(reasonOf(end)._tag, "TaskFailedError")
        assert.strictEqual(StreamEvent.state(events.at(-1)!), "failed")
      }))

    it.effect("ML-27: a completed task whose answer was not told is no empty answer, and no half of one", () =>
      Effect.gen(function*() {
        for (
          const [frames, how] of [[begin, "StreamInterruptedError"], [[
            ...begin.slice(0, 2),
            say("Hello", { lastChunk: true })
          ], "success"]] as const
        ) {
          const { layer } = resumable(combination, [
            eventStream(combination, frames, { end: "reset" }),
            refusal(400),
            taskAnswer(combination, wire(combination, "completed"))
          ])
          const { end, text } = yield* hurried(Support.heard.pipe(Effect.provide(layer)))
          assert.strictEqual(end === "success" ? end : end.reason._tag, how)
          assert.strictEqual(text, how === "success" ? "Hello" : "He")
        }
      }))

    it.effect("a refused subscription of a task that cannot be read is an interruption that knows its task", () =>
      Effect.gen(function*() {
        const { asked, layer } = resumable(combination, [
          eventStream(combination, begin, { end: "reset" }),
          refusal(404)
        ])
        const reason = reasonOf((yield* hurried(Support.heard.pipe(Effect.provide(layer)))).end)
        assert.isTrue(reason._tag === "StreamInterruptedError" && reason.taskId === taskId && !reason.isRetryable)
        assert.isAtMost(asked.length, 5)
      }))

    it.effect("a subscription is taken up again as well", () =>
      Effect.gen(function*() {
        const { asked, layer } = resumable(combination, [
          eventStream(combination, [], { end: "reset" }),
          eventStream(combination, [task("completed", "Hello")])
        ])
        const stream = Stream.unwrap(Effect.map(Agent.Agent, (agent) => agent.subscribe(taskId)))
        assert.strictEqual((yield* hurried(Support.collect(stream).pipe(Effect.provide(layer)))).text, "Hello")
        assert.strictEqual(asked.length, 2)
      }))
  })
}

it.effect("an agent in the same process is taken up again too", () =>
  Effect.gen(function*() {
    const agent = AgentTest.layer.pipe(
      AgentTransport.resumable(),
      Layer.provide(Script.layer(Script.say("Hel"), Script.cut, Script.wait("1 second"), Script.say("lo"), Script.cut))
    )
    const { end, text } = yield* hurried(Support.heard.pipe(Effect.provide(Support.agent(agent))))
    assert.deepStrictEqual([end, text], ["success", "Hello"])
  }))

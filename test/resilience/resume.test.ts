import { Agent, AgentTransport, ClientProtocol, Credentials, StreamEvent } from "@effect-a2a/core"
import { MemoryLake } from "@effect-a2a/memorylake"
import { AgentTest, Script } from "@effect-a2a/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber, Layer, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import { covers } from "../support/covers.ts"
import { type Asked, inEach, others } from "../support/peer.ts"
import * as Support from "./support.ts"

const { agent, fastForward, reasonOf, refusal, say, status, task, taskId, through, turns } = Support
const { eventStream, peer, resumable, taskResponse } = through()

const lake = MemoryLake.protocol(ClientProtocol.v1_0)

const begin = [task("submitted"), status("working"), say("He")]
const withIds = (frames: Support.Frames) => frames.flatMap((one, at) => [`id: ${at + 1}\n`, one])

describe("a dropped stream", () => {
  it.effect("is resumed by a snapshot and continues its text, wherever it was cut", () =>
    Effect.gen(function*() {
      for (
        const [name, frames, end] of [
          ["a reset", begin, "reset"],
          ["a regular end", begin, "close"],
          ["a cut within an event", [...begin, "data: {\"art"], "reset"],
          ["a cut within a character", [...begin, "data: {\"x\":\"\u00e9"], "close"]
        ] as const
      ) {
        const attempts: Array<AgentTransport.ResumeAttempt> = []
        const { asked, layer } = resumable([
          eventStream(frames, { end }),
          eventStream([task("working", "Hello"), say(" you", { append: true }), status("completed")])
        ])
        const { end: how, tags, text } = yield* Support.stream.pipe(
          Effect.provide(layer),
          Effect.provideService(AgentTransport.CurrentOnResume, (one) => Effect.sync(() => attempts.push(one))),
          fastForward
        )
        assert.deepStrictEqual([how, text], ["success", "Hello you"], name)
        assert.deepStrictEqual(tags, [
          "Task",
          "StatusUpdate",
          "ArtifactUpdate",
          "Task",
          "ArtifactUpdate",
          "StatusUpdate"
        ], name)
        assert.deepStrictEqual(attempts, [{ taskId, attempt: 1 }], name)
        assert.strictEqual(asked.length, 2, name)
      }
    }), covers("field:RES-01", "field:RES-04"))

  it.effect(
    "continues a replay after the events that were delivered, over several drops",
    () =>
      Effect.gen(function*() {
        const all = [
          status("submitted"),
          status("working", "Pa"),
          status("working", "ris"),
          status("working", "ris", "m-again"),
          say("Paris"),
          status("completed")
        ]
        const { asked, layer } = resumable([
          eventStream([task("submitted"), ...all.slice(0, 2)], { end: "reset" }),
          eventStream(all.slice(0, 1), { end: "reset" }),
          eventStream(all.slice(0, 4), { end: "reset" }),
          eventStream(all)
        ])
        const { end, events, text } = yield* fastForward(Support.stream.pipe(Effect.provide(layer)))
        assert.deepStrictEqual([end, events], ["success", [task("submitted"), ...all]])
        assert.strictEqual(text, (yield* Support.collect(Stream.fromIterable(all))).text)
        assert.strictEqual(asked.length, 4)
      }),
    covers("ML-28")
  )

  it.effect("delivers equal pieces in a row as often as they were sent", () =>
    Effect.gen(function*() {
      const all = [
        status("working"),
        say("ha"),
        ...Array.from({ length: 5 }, () => say("ha", { append: true })),
        status("completed")
      ]
      const { layer } = resumable([
        eventStream(all.slice(0, 4), { end: "reset" }),
        eventStream(all)
      ])
      assert.deepStrictEqual((yield* fastForward(Support.stream.pipe(Effect.provide(layer)))).events, all)
    }), covers("ML-28"))

  it.effect(
    "delivers all events of a subscription that begins with neither a task nor the first event",
    () =>
      Effect.gen(function*() {
        const rest = [say("llo", { append: true }), status("working"), status("completed")]
        const { layer } = resumable([
          eventStream(begin, { end: "reset" }),
          eventStream(rest)
        ])
        const { events, text } = yield* fastForward(Support.stream.pipe(Effect.provide(layer)))
        assert.deepStrictEqual(events, [...begin, ...rest])
        assert.strictEqual(text, "Hello")
      }),
    covers("ML-28")
  )

  it.effect("delivers every event of one connection, equal neighbours included", () =>
    Effect.gen(function*() {
      const sent = [status("working", "a"), status("working", "a"), status("working", "b"), status("completed")]
      const { layer } = resumable([eventStream(sent)])
      assert.deepStrictEqual((yield* Support.stream.pipe(Effect.provide(layer))).events, sent)
    }), covers("field:N2-02"))

  it.effect("sends nothing again without a task id, and the outcome is unknown", () =>
    Effect.gen(function*() {
      const { asked, layer } = resumable([eventStream([": hello\n\n"], { end: "reset" })])
      const reason = reasonOf((yield* Support.stream.pipe(Effect.provide(layer))).end)
      assert.strictEqual(asked.length, 1)
      assert.strictEqual(reason._tag, "StreamInterruptedError")
      assert.match(reason.message, /may have received message/)
      assert.isTrue(
        reason._tag === "StreamInterruptedError" && reason.messageId !== undefined &&
          asked[0]!.body.includes(reason.messageId)
      )
    }), covers("field:RES-02", "field:RETRY-01"))

  it.effect("is not resumed after input-required or the end of the task", () =>
    Effect.gen(function*() {
      for (const state of ["input-required", "completed"] as const) {
        const { asked, layer } = resumable([
          eventStream([task("working"), status(state)], { end: "reset" })
        ])
        assert.strictEqual((yield* Support.stream.pipe(Effect.provide(layer))).end, "success")
        assert.strictEqual(asked.length, 1)
      }
    }), covers("field:RES-04"))

  it.effect("sends the last event id with each subscription if there was one", () =>
    Effect.gen(function*() {
      const { asked, layer } = resumable([
        eventStream(withIds(begin), { end: "reset" }),
        eventStream([task("working", "He")], { end: "reset" }),
        eventStream([task("working", "He"), status("completed")])
      ])
      yield* fastForward(Support.stream.pipe(Effect.provide(layer)))
      assert.deepStrictEqual(asked.map(({ headers }) => headers["last-event-id"]), [undefined, "3", "3"])
      const without = resumable([
        eventStream(begin, { end: "reset" }),
        eventStream([task("completed", "He")])
      ])
      yield* fastForward(Support.stream.pipe(Effect.provide(without.layer)))
      assert.isFalse(without.asked.some(({ headers }) => "last-event-id" in headers))
    }), covers("field:RES-05"))

  it.effect("reads the task if a subscription ends before its first event, since that may be a refusal (A2A 1.0 §3.1.6)", () =>
    Effect.gen(function*() {
      const silent = eventStream([], { end: "reset" })
      const artifacts = [{ artifactId: "a", parts: [{ text: "Hello" }] }]
      const { asked, layer } = resumable([
        eventStream(begin, { end: "reset" }),
        silent,
        taskResponse("working"),
        silent,
        // without artifacts: the answer may still come from a stream
        taskResponse("completed"),
        silent,
        taskResponse("completed", { artifacts })
      ])
      const { end, text } = yield* fastForward(Support.stream.pipe(Effect.provide(layer)))
      assert.strictEqual(end, "success")
      assert.strictEqual(text, "Hello")
      assert.strictEqual(asked.length, 7)
    }))

  it.effect("asks for credentials before each connection", () =>
    Effect.gen(function*() {
      let tokens = 0
      const credentials = Layer.succeed(Credentials.Credentials, {
        get: () => Effect.sync(() => [{ _tag: "Bearer", token: Redacted.make(`token-${++tokens}`) }] as const),
        renew: () => Effect.succeed(true)
      })
      const { asked, layer } = peer([
        eventStream(begin, { end: "reset" }),
        refusal(401),
        eventStream([task("completed", "Hello")])
      ], { credentials })
      const agent = Support.agent(layer.pipe(AgentTransport.resumable()))
      assert.strictEqual((yield* fastForward(Support.stream.pipe(Effect.provide(agent)))).text, "Hello")
      assert.deepStrictEqual(asked.map(({ headers }) => headers.authorization), [
        "Bearer token-1",
        "Bearer token-2",
        "Bearer token-3"
      ])
    }), covers("field:AUTH-04"))

  it.effect("closes each connection before the next, and the last on interruption", () =>
    Effect.gen(function*() {
      const closed: Array<string> = []
      const { asked, layer } = resumable([
        eventStream(begin, { end: "reset" }),
        (asked) => {
          closed.push("second opened")
          return eventStream([task("working", "He")], {
            end: "open",
            onCancel: () => closed.push("second closed")
          })(asked)
        }
      ])
      const fiber = yield* Effect.forkChild(Support.stream.pipe(Effect.provide(layer)))
      yield* fastForward(Effect.repeat(turns, {
        until: () => closed.length > 0
      }))
      yield* turns
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(closed, ["second opened", "second closed"])
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(asked.length, 2)
    }), covers("field:RES-10"))

  it.effect("waits as long as the peer asks, by retry in the stream or Retry-After in a refusal", () =>
    Effect.gen(function*() {
      const times: Array<number> = []
      const noting = (answer: (asked: never) => Response) => (asked: never) => {
        times.push(times.length)
        return answer(asked)
      }
      const { asked, layer } = resumable(
        [
          eventStream(["retry: 4000\n\n", ...begin], { end: "reset" }),
          refusal(503, { "retry-after": "30" }),
          eventStream([task("completed", "Hello")])
        ].map(noting as never)
      )
      const fiber = yield* Effect.forkChild(Support.stream.pipe(Effect.provide(layer)))
      const after = (duration: Duration.Input) =>
        Effect.gen(function*() {
          yield* turns
          yield* TestClock.adjust(duration)
          yield* turns
          return asked.length
        })
      assert.strictEqual(yield* after("3999 millis"), 1)
      assert.strictEqual(yield* after("1 millis"), 2)
      assert.strictEqual(yield* after("29999 millis"), 2)
      assert.strictEqual(yield* after("1 millis"), 3)
      assert.strictEqual((yield* Fiber.join(fiber)).text, "Hello")
    }))

  it.effect("is subscribed to again after 429, whether it refuses the subscription, the task, or ends a stream", () =>
    Effect.gen(function*() {
      const clock = yield* Clock.Clock
      const limited = refusal(429, { "retry-after": "20" })
      const limit = JSON.stringify({ error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "slow down" } })
      for (
        const between of [
          [limited],
          [limited, limited],
          [refusal(400), limited],
          [eventStream([`data: ${limit}\n\n`])],
          [eventStream([task("working", "He"), `data: ${limit}\n\n`])]
        ]
      ) {
        const started = clock.currentTimeMillisUnsafe()
        const { asked, layer } = resumable([
          eventStream(begin, { end: "reset" }),
          ...between,
          eventStream([task("completed", "Hello")])
        ])
        const { end, text } = yield* fastForward(Support.stream.pipe(Effect.provide(layer)))
        assert.deepStrictEqual([end, text, asked.length], ["success", "Hello", between.length + 2])
        if (between.includes(limited)) assert.isAtLeast(clock.currentTimeMillisUnsafe() - started, 20_000)
      }
    }))

  it.effect("is resumed if the agent ends the stream itself, in words that ask to come back", () =>
    Effect.gen(function*() {
      for (const [code, status] of [[503, "UNAVAILABLE"], [429, "RESOURCE_EXHAUSTED"]] as const) {
        const farewell = JSON.stringify({ error: { code, status, message: "back soon" } })
        const { asked, layer } = resumable([
          eventStream([...begin, `data: ${farewell}\n\n`]),
          eventStream([task("completed", "Hello")])
        ])
        const { end, text } = yield* fastForward(Support.stream.pipe(Effect.provide(layer)))
        assert.deepStrictEqual([end, text, asked.length], ["success", "Hello", 2])
      }
    }))

  it.effect("is resumed by a policy that stops at errors that are not retryable, since a subscription is a read", () =>
    Effect.gen(function*() {
      const policy = AgentTransport.respectRetryAfter(AgentTransport.backoff(3))
      const { asked, layer } = resumable([
        eventStream(begin, { end: "reset" }),
        eventStream([task("working", "He")], { end: "reset" }),
        eventStream([task("completed", "Hello")])
      ], policy)
      const { end, text } = yield* fastForward(Support.stream.pipe(Effect.provide(layer)))
      assert.deepStrictEqual([end, text, asked.length], ["success", "Hello", 3])
      const bodies = asked.map(({ url }) => /[^/:]*:(\w+)$/.exec(url)?.[1])
      assert.deepStrictEqual(bodies, ["stream", "subscribe", "subscribe"])
    }))

  it.effect("fails at once if the peer asks for hours", () =>
    Effect.gen(function*() {
      for (const code of [429, 503]) {
        const { asked, layer } = resumable([
          eventStream(begin, { end: "reset" }),
          refusal(code, { "retry-after": "7200" }),
          eventStream([task("completed", "Hello")])
        ])
        const reason = reasonOf((yield* fastForward(Support.stream.pipe(Effect.provide(layer)))).end)
        assert.deepStrictEqual([asked.length, reason.retryAfter], [2, Duration.hours(2)])
      }
      assert.isBelow(yield* Clock.currentTimeMillis, Duration.toMillis("1 minute"))
    }), covers("attack:S2-45"))

  it.effect(
    "ends with an empty answer if nothing was emitted, unless the vendor's GetTask leaves answers out",
    () =>
      Effect.gen(function*() {
        for (const [protocol, how] of [[ClientProtocol.v1_0, "success"], [lake, "StreamInterruptedError"]] as const) {
          const { layer } = through().peer([
            eventStream([task("working")], { end: "reset" }),
            refusal(400),
            taskResponse("completed")
          ], { protocol })
          const resuming = agent(layer.pipe(AgentTransport.resumable()))
          const { end, events } = yield* fastForward(Support.stream.pipe(Effect.provide(resuming)))
          assert.strictEqual(end === "success" ? end : end.reason._tag, how)
          assert.strictEqual(StreamEvent.state(events.at(-1)!), how === "success" ? "completed" : "working")
        }
      }),
    covers("field:N2-33", "ML-27")
  )

  it.effect("goes on where it was cut if the agent replays the turns before, too", () =>
    Effect.gen(function*() {
      const question = status("input-required", "Which city?")
      const asking = { ...task("input-required", "Turn one."), status: question.status }
      const turn = [status("working", "Hm."), status("working", "Hm."), say(" Turn two.", { append: true })]
      const all = [status("working", "Hm."), say("Turn one."), question, ...turn, status("completed")]
      for (let cut = 0; cut <= turn.length; cut++) {
        const { layer } = through().peer([
          eventStream([asking, ...turn.slice(0, cut)], { end: "reset" }),
          eventStream(all)
        ], { protocol: lake })
        const resuming = agent(layer.pipe(AgentTransport.resumable()))
        const { end, events, text } = yield* Support.collect(Agent.stream("Lisbon", { taskId })).pipe(
          Effect.provide(resuming),
          fastForward
        )
        assert.strictEqual(end, "success", `cut after ${cut}`)
        assert.strictEqual(events.length, turn.length + 2, `cut after ${cut}`)
        assert.strictEqual(text, "Hm.Hm.\n\n Turn two.", `cut after ${cut}`)
      }
    }), covers("field:N2-04"))

  it.effect("respects a retry hint for all later drops", () =>
    Effect.gen(function*() {
      const times: Array<number> = []
      const clock = yield* Clock.Clock
      const noting = (answer: (asked: Asked) => Response) => (asked: Asked) => {
        times.push(clock.currentTimeMillisUnsafe())
        return answer(asked)
      }
      const { layer } = resumable(
        [
          eventStream(["retry: 4000\n\n", ...begin], { end: "reset" }),
          eventStream([task("working", "He")], { end: "reset" }),
          eventStream([task("completed", "Hello")])
        ].map(noting)
      )
      yield* fastForward(Support.stream.pipe(Effect.provide(layer)))
      assert.isAtLeast(times[1]! - times[0]!, 4000)
      assert.isAtLeast(times[2]! - times[1]!, 4000)
    }))

  it.effect("is subscribed to again if the task cannot be read for the moment", () =>
    Effect.gen(function*() {
      const { asked, layer } = resumable([
        eventStream(begin, { end: "reset" }),
        refusal(400),
        refusal(503),
        eventStream([task("completed", "Hello")])
      ])
      assert.strictEqual((yield* fastForward(Support.stream.pipe(Effect.provide(layer)))).text, "Hello")
      assert.strictEqual(asked.length, 4)
    }))

  it.effect("fails after the last attempt with an error that names the task and the number of attempts", () =>
    Effect.gen(function*() {
      const { asked, layer } = resumable([
        eventStream(begin, { end: "reset" }),
        eventStream([task("working", "He")], { end: "close" })
      ], AgentTransport.backoff(3))
      const reason = reasonOf((yield* fastForward(Support.stream.pipe(Effect.provide(layer)))).end)
      assert.strictEqual(asked.length, 4)
      assert.strictEqual(reason._tag, "StreamInterruptedError")
      assert.isTrue(
        reason._tag === "StreamInterruptedError" && reason.taskId === taskId && reason.messageId === undefined
      )
      assert.match(reason.message, /gave up after 3 attempts/)
    }))

  it.effect("is not resumed by a policy without attempts", () =>
    Effect.gen(function*() {
      const { asked, layer } = resumable(
        [eventStream(begin, { end: "reset" })],
        AgentTransport.backoff(0)
      )
      const reason = reasonOf((yield* Support.stream.pipe(Effect.provide(layer))).end)
      assert.deepStrictEqual([asked.length, reason._tag], [1, "StreamInterruptedError"])
    }), covers("field:RETRY-07"))

  it.effect("reads a task that ended after the drop", () =>
    Effect.gen(function*() {
      const artifacts = [{ artifactId: "a", parts: [{ text: "Hello" }] }]
      const { layer } = resumable([
        eventStream(begin, { end: "reset" }),
        refusal(400),
        taskResponse("completed", { artifacts })
      ])
      const { end, text } = yield* fastForward(Support.stream.pipe(Effect.provide(layer)))
      assert.deepStrictEqual([end, text], ["success", "Hello"])
    }))

  it.effect(
    "fails with TaskFailedError if the subscription is refused because the task failed",
    () =>
      Effect.gen(function*() {
        const { layer } = resumable([
          eventStream(begin, { end: "reset" }),
          refusal(400),
          taskResponse("failed")
        ])
        const { end, events } = yield* fastForward(Support.stream.pipe(Effect.provide(layer)))
        assert.strictEqual(reasonOf(end)._tag, "TaskFailedError")
        assert.strictEqual(StreamEvent.state(events.at(-1)!), "failed")
      }),
    covers("ML-29")
  )

  it.effect(
    "does not succeed with an empty or partial answer if a completed task is read without artifacts",
    () =>
      Effect.gen(function*() {
        for (
          const [frames, how] of [[begin, "StreamInterruptedError"], [[
            ...begin.slice(0, 2),
            say("Hello", { lastChunk: true })
          ], "success"]] as const
        ) {
          const { layer } = resumable([
            eventStream(frames, { end: "reset" }),
            refusal(400),
            taskResponse("completed")
          ])
          const { end, text } = yield* fastForward(Support.stream.pipe(Effect.provide(layer)))
          assert.strictEqual(end === "success" ? end : end.reason._tag, how)
          assert.strictEqual(text, how === "success" ? "Hello" : "He")
        }
      }),
    covers("ML-27")
  )

  it.effect("ends in StreamInterruptedError with the task's id if neither subscribing nor reading works", () =>
    Effect.gen(function*() {
      const { asked, layer } = resumable([
        eventStream(begin, { end: "reset" }),
        refusal(404)
      ])
      const reason = reasonOf((yield* fastForward(Support.stream.pipe(Effect.provide(layer)))).end)
      assert.isTrue(reason._tag === "StreamInterruptedError" && reason.taskId === taskId && !reason.isRetryable)
      assert.isAtMost(asked.length, 5)
    }))

  it.effect("is resumed if it was a subscription, too", () =>
    Effect.gen(function*() {
      const { asked, layer } = resumable([
        eventStream([], { end: "reset" }),
        eventStream([task("completed", "Hello")])
      ])
      const stream = Stream.unwrap(Effect.map(Agent.Agent, (agent) => agent.subscribe(taskId)))
      assert.strictEqual((yield* fastForward(Support.collect(stream).pipe(Effect.provide(layer)))).text, "Hello")
      assert.strictEqual(asked.length, 2)
    }))

  it.effect("is resumed in the words of each other combination", () =>
    inEach((other) =>
      Effect.gen(function*() {
        const { eventStream, resumable, taskResponse } = through(other)
        const { asked, layer } = resumable([
          eventStream(withIds(begin), { end: "reset" }),
          refusal(400),
          taskResponse("working"),
          eventStream([task("working", "Hello"), say(" you", { append: true }), status("completed")])
        ])
        const { end, text } = yield* fastForward(Support.stream.pipe(Effect.provide(layer)))
        assert.deepStrictEqual([end, text], ["success", "Hello you"])
        assert.strictEqual(asked.length, 4)
        assert.deepStrictEqual([asked[1], asked[3]].map((one) => one?.headers["last-event-id"]), ["3", "3"])
      }), others), covers("field:RES-01", "field:RES-05"))
})

it.effect("an agent in the same process is resumed", () =>
  Effect.gen(function*() {
    const agent = AgentTest.layer.pipe(
      AgentTransport.resumable(),
      Layer.provide(Script.layer(Script.say("Hel"), Script.cut, Script.wait("1 second"), Script.say("lo"), Script.cut))
    )
    const { end, text } = yield* fastForward(Support.stream.pipe(Effect.provide(Support.agent(agent))))
    assert.deepStrictEqual([end, text], ["success", "Hello"])
  }))

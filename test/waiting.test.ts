/** `Agent.waitFor`: through the emulator's bytes, against scripted servers, and against peers made of bytes. */
import {
  Agent,
  AgentTransport,
  Answer,
  Artifact,
  type ClientProtocol,
  Id,
  Part,
  Protocol,
  StreamEvent,
  Task
} from "@effect-a2a/core"
import { MemoryLake } from "@effect-a2a/memorylake"
import type { AgentExecutor, AgentServer } from "@effect-a2a/server"
import { AgentTest, Script } from "@effect-a2a/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber, Layer, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { covers } from "./support/covers.ts"
import * as Emulated from "./support/emulated.ts"
import { type Asked, chunks, combination, event as encode, frame, result, talkTo } from "./support/peer.ts"

const atOnce = { returnImmediately: true } as const
const question = Emulated.example

const main = combination("1.0 HTTP+JSON")

describe("Agent.waitFor with MemoryLake", () => {
  const effect = Emulated.test(main)
  for (const one of Emulated.combinations) {
    Emulated.test(one)(
      `subscribes, since GetTask returns no answer, ${one.name}`,
      () =>
        Effect.gen(function*() {
          const sent = yield* Emulated.send("a slow one", atOnce)
          assert.isUndefined(sent.artifacts)
          const task = yield* Emulated.fastForward(Agent.waitFor(sent))
          assert.strictEqual(task.status.state, "completed")
          assert.include(Task.text(task)!, "a slow one")
          const read = yield* Emulated.getTask(sent.id)
          assert.isUndefined(read.artifacts)
          assert.strictEqual(Task.text(yield* Agent.waitFor(read)), Task.text(task))
          assert.strictEqual(Task.text(yield* Agent.waitFor(sent.id)), Task.text(task))
        }),
      covers("ML-20", "ML-27")
    )
  }

  effect("returns the question of a task that requires input", () =>
    Effect.gen(function*() {
      const sent = yield* Emulated.send("ask me", atOnce)
      const task = yield* Emulated.fastForward(Agent.waitFor(sent.id))
      assert.deepStrictEqual([task.status.state, Task.statusText(task)], ["input-required", "Which one do you mean?"])
    }), covers("ML-28"))

  effect(
    "fails for failed, canceled and unknown tasks as a send does",
    () =>
      Effect.gen(function*() {
        const failed = yield* Emulated.send("please fail", atOnce)
        const { id } = yield* Emulated.send("a slow one", atOnce)
        yield* Emulated.cancel(id)
        assert.strictEqual(
          (yield* Emulated.refusal(Emulated.fastForward(Agent.waitFor(failed))))._tag,
          "TaskFailedError"
        )
        assert.strictEqual((yield* Emulated.refusal(Emulated.fastForward(Agent.waitFor(id))))._tag, "TaskCanceledError")
        const unknown = yield* Emulated.refusal(Emulated.fastForward(Agent.waitFor(Id.TaskId.make("run-0"))))
        assert.match(unknown._tag, /NotFoundError$/)
      }),
    covers("ML-29", "ML-30")
  )
})

describe("Agent.waitFor with a server", () => {
  const serve = (options: Partial<AgentServer.Options>, script: Layer.Layer<AgentExecutor.AgentExecutor>) =>
    Agent.layer.pipe(Layer.provideMerge(AgentTest.layerWith(options)), Layer.provide(script))
  const slow = Script.layer(Script.say("one "), Script.wait("1 minute"), Script.say("two"))
  const begin = Effect.map(Agent.send(question, atOnce), Emulated.taskOf)

  it.effect("sends nothing else if the subscription begins with the task", () =>
    Effect.gen(function*() {
      const sent = yield* begin
      yield* Effect.yieldNow
      const fiber = yield* Effect.forkChild(Agent.waitFor(sent.id))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(Task.text(yield* Fiber.join(fiber)), "one two")
    }).pipe(Effect.provide(serve({}, slow))))

  it.effect("polls with growing intervals if the agent does not stream", () =>
    Effect.gen(function*() {
      const sent = yield* begin
      const fiber = yield* Effect.forkChild(Agent.waitFor(sent.id))
      yield* TestClock.adjust("59 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(Task.text(yield* Fiber.join(fiber)), "one two")
    }).pipe(Effect.provide(serve({ card: { ...AgentTest.card, capabilities: { streaming: false } } }, slow))))

  it.effect("fails with a timeout of the whole call if the task outlasts the policy; the task goes on", () =>
    Effect.gen(function*() {
      const sent = yield* begin
      const policy = AgentTransport.backoff(2)
      const fiber = yield* Effect.forkChild(Effect.flip(Agent.waitFor(sent.id, { policy })))
      yield* TestClock.adjust("30 seconds")
      const { operation, reason } = yield* Fiber.join(fiber)
      assert.deepStrictEqual([operation, reason._tag === "TimeoutError" && reason.phase], ["Agent.waitFor", "total"])
      assert.strictEqual((yield* Emulated.getTask(sent.id)).status.state, "working")
    }).pipe(Effect.provide(serve({ card: { ...AgentTest.card, capabilities: { streaming: false } } }, slow))))

  it.effect("returns a task that requires credentials, although the stream stays open", () =>
    Effect.gen(function*() {
      const sent = yield* begin
      const task = yield* Agent.waitFor(sent.id)
      assert.strictEqual(task.status.state, "auth-required")
      assert.strictEqual((yield* Agent.waitFor(task)).status.state, "auth-required")
      const fiber = yield* Effect.forkChild(Agent.waitFor({ ...task, status: { state: "unspecified" } }))
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* Fiber.join(fiber)).status.state, "auth-required")
    }).pipe(
      Effect.provide(serve({}, Script.layer(Script.requireAuth("Log in"), Script.wait("1 day"), Script.say("in"))))
    ))

  it.effect("follows a replay that passes a request for credentials which came long ago", () =>
    Effect.gen(function*() {
      const sent = yield* begin
      yield* TestClock.adjust("1 minute")
      const fiber = yield* Effect.forkChild(Agent.waitFor(sent.id))
      yield* TestClock.adjust("2 hours")
      assert.strictEqual(Task.text(yield* Fiber.join(fiber)), "in")
    }).pipe(Effect.provide(serve(
      { replay: "events" },
      Script.layer(
        Script.requireAuth("Log in"),
        Script.wait("1 minute"),
        Script.become("working"),
        Script.wait("1 hour"),
        Script.say("in")
      )
    ))), covers("ML-28"))

  it.effect("resumes a connection that drops", () =>
    Effect.gen(function*() {
      const sent = yield* begin
      const fiber = yield* Effect.forkChild(Agent.waitFor(sent.id))
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(Task.text(yield* Fiber.join(fiber)), "one two")
    }).pipe(Effect.provide(serve(
      { replay: "events" },
      Script.layer(Script.say("one "), Script.wait("1 second"), Script.cut, Script.wait("1 minute"), Script.say("two"))
    ))))

  it.effect("sends nothing for a task that has settled", () =>
    Effect.gen(function*() {
      const artifacts = [Artifact.make(Id.ArtifactId.make("a"), [Part.text("done")])]
      const task: Task.Task = { _tag: "Task", id: Id.TaskId.make("t"), status: { state: "completed" }, artifacts }
      assert.deepStrictEqual(yield* Agent.waitFor(task), task)
    }).pipe(Effect.provide(serve({}, slow))))
})

describe("Agent.waitFor with a peer", () => {
  const taskId = Id.TaskId.make("t-1")
  const task = (state: string, more: object = {}) => (asked: Asked) =>
    new Response(result(main, asked, { id: taskId, contextId: "c-1", status: { state }, ...more }), {
      headers: { "content-type": "application/json" }
    })
  const events = (...all: ReadonlyArray<StreamEvent.StreamEvent>) => (asked: Asked) =>
    chunks(all.map((one) => frame(encode(main, asked, one))))
  const refused = (status: number, headers: Record<string, string> = {}) => () =>
    new Response("", { status, headers: { "content-type": "application/json", ...headers } })
  const peerOf = (
    options: { readonly protocol?: ClientProtocol.ClientProtocol },
    subscribe: (asked: Asked) => Response,
    ...gets: ReadonlyArray<(asked: Asked) => Response>
  ) => {
    let n = 0
    const { asked, layer } = talkTo(
      main,
      (asked) => asked.url.includes(":subscribe") ? subscribe(asked) : gets[Math.min(n++, gets.length - 1)]!(asked),
      options
    )
    return { asked, layer: Agent.layer.pipe(Layer.provide(layer)) }
  }
  const peer = (subscribe: (asked: Asked) => Response, ...gets: ReadonlyArray<(asked: Asked) => Response>) =>
    peerOf({}, subscribe, ...gets)
  const chunk = (text: string) =>
    StreamEvent.artifactUpdate({
      taskId,
      artifact: Artifact.make(Id.ArtifactId.make("a"), [Part.text(text)]),
      append: true
    })
  const status = (state: "working" | "completed") => StreamEvent.statusUpdate({ taskId, status: { state } })

  it.effect(
    "fails if MemoryLake returns a completed task without its answer, and it cannot be subscribed to",
    () =>
      Effect.gen(function*() {
        const { layer } = peerOf(
          { protocol: MemoryLake.protocol(Protocol.v1_0) },
          refused(400),
          task("TASK_STATE_COMPLETED")
        )
        const reason = yield* Emulated.refusal(Agent.waitFor(taskId).pipe(Effect.provide(layer)))
        assert.deepInclude(reason, { _tag: "StreamInterruptedError", isRetryable: false, isResumable: false })
      }),
    covers("ML-27")
  )

  it.effect(
    "is an empty answer if any other agent returns a completed task without artifacts",
    () =>
      Effect.gen(function*() {
        const { asked, layer } = peer(refused(400), task("TASK_STATE_COMPLETED"))
        const done = yield* Agent.waitFor(taskId).pipe(Effect.provide(layer))
        assert.deepStrictEqual([done.status.state, Answer.from(done).text, asked.length], ["completed", "", 2])
        assert.strictEqual(yield* Agent.waitFor(done).pipe(Effect.provide(layer)), done)
        assert.strictEqual(asked.length, 2)
      }),
    covers("field:N2-33")
  )

  for (
    const [name, input, refusal] of [
      ["a task", { _tag: "Task", id: taskId, status: { state: "working" } }, refused(405)],
      ["a task", { _tag: "Task", id: taskId, status: { state: "submitted" } }, refused(400)],
      ["an id", taskId, refused(400)]
    ] as const
  ) {
    it.effect(`polls ${name} at the intervals of the policy from the first on`, () =>
      Effect.gen(function*() {
        const clock = yield* Clock.Clock
        const times: Array<number> = []
        const timed = (respond: (asked: Asked) => Response) => (asked: Asked) => {
          times.push(clock.currentTimeMillisUnsafe())
          return respond(asked)
        }
        const { layer } = peer(
          refusal,
          ...[
            task("TASK_STATE_WORKING"),
            task("TASK_STATE_WORKING"),
            refused(503),
            task("TASK_STATE_COMPLETED")
          ].map(timed)
        )
        const policy = Schedule.spaced("3 seconds")
        const done = yield* Emulated.fastForward(Agent.waitFor(input, { policy }).pipe(Effect.provide(layer)))
        assert.deepStrictEqual([done.status.state, Answer.from(done).text], ["completed", ""])
        const first = typeof input === "string" ? 0 : 3000
        assert.deepStrictEqual(times, [0, 3000, 6000, 9000].map((time) => time + first))
      }), covers("field:N2-33"))
  }

  it.effect("ends at once if the peer asks for hours between two polls", () =>
    Effect.gen(function*() {
      const { asked, layer } = peer(refused(405), refused(503, { "retry-after": "7200" }))
      const error = yield* Emulated.fastForward(Effect.flip(Agent.waitFor(taskId)).pipe(Effect.provide(layer)))
      assert.deepStrictEqual([error.reason._tag, error.retryAfter], ["ServiceUnavailableError", Duration.hours(2)])
      assert.strictEqual(yield* Clock.currentTimeMillis, 0)
      assert.strictEqual(asked.filter(({ url }) => !url.includes(":subscribe")).length, 1)
    }))

  it.effect("reads the task once more if the peer emits only what is new", () =>
    Effect.gen(function*() {
      const whole = { artifacts: [{ artifactId: "a", parts: [{ text: "one two" }] }] }
      const { layer } = peer(events(chunk("two"), status("completed")), task("TASK_STATE_COMPLETED", whole))
      assert.strictEqual(Task.text(yield* Agent.waitFor(taskId).pipe(Effect.provide(layer))), "one two")
    }))

  it.effect("waits for Retry-After between two polls", () =>
    Effect.gen(function*() {
      const told = task("TASK_STATE_COMPLETED", { artifacts: [{ artifactId: "a", parts: [{ text: "done" }] }] })
      const { asked, layer } = peer(
        refused(405),
        task("TASK_STATE_WORKING"),
        refused(503, { "retry-after": "120" }),
        told
      )
      const fiber = yield* Effect.forkChild(
        Effect.andThen(Agent.waitFor(taskId), Clock.currentTimeMillis).pipe(Effect.provide(layer))
      )
      yield* TestClock.adjust("3 minutes")
      const took = yield* Fiber.join(fiber)
      assert.isAtLeast(took, Duration.toMillis("2 minutes"))
      assert.strictEqual(asked.filter(({ url }) => !url.includes(":subscribe")).length, 3)
    }))
})

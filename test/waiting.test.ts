/** `Agent.waitFor`: through the emulator's bytes, against scripted servers, and against peers made of bytes. */
import { Agent, AgentTransport, Artifact, Id, Part, StreamEvent, Task } from "@effect-a2a/core"
import type { AgentExecutor, AgentServer } from "@effect-a2a/server"
import { AgentTest, Script } from "@effect-a2a/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Emulated from "./support/emulated.ts"
import { type Asked, cell, chunks, event as encode, frame, result, talkTo } from "./support/peer.ts"

const atOnce = { returnImmediately: true } as const
const question = Emulated.example

for (const one of Emulated.cells) {
  describe(`waiting for a task of MemoryLake over ${one.name}`, () => {
    const effect = Emulated.test(one)
    effect(
      "ML-20, ML-27: by subscribing, which tells the answer that Get does not, by id or by task",
      () =>
        Effect.gen(function*() {
          const sent = yield* Emulated.send("a slow one", atOnce)
          assert.isUndefined(sent.artifacts)
          const task = yield* Emulated.hurried(Agent.waitFor(sent))
          assert.strictEqual(task.status.state, "completed")
          assert.include(Task.text(task)!, "a slow one")
          const read = yield* Emulated.getTask(sent.id)
          assert.isUndefined(read.artifacts)
          assert.strictEqual(Task.text(yield* Agent.waitFor(read)), Task.text(task))
          assert.strictEqual(Task.text(yield* Agent.waitFor(sent.id)), Task.text(task))
        })
    )

    effect("ML-28: it stops where input is required, and says what was asked", () =>
      Effect.gen(function*() {
        const sent = yield* Emulated.send("ask me", atOnce)
        const task = yield* Emulated.hurried(Agent.waitFor(sent.id))
        assert.deepStrictEqual([task.status.state, Task.statusText(task)], ["input-required", "Which one do you mean?"])
      }))

    effect(
      "ML-29, ML-30: failed and canceled tasks fail as they do when sent, unknown ones are not found",
      () =>
        Effect.gen(function*() {
          const failed = yield* Emulated.send("please fail", atOnce)
          const { id } = yield* Emulated.send("a slow one", atOnce)
          yield* Emulated.cancel(id)
          assert.strictEqual((yield* Emulated.refusal(Emulated.hurried(Agent.waitFor(failed))))._tag, "TaskFailedError")
          assert.strictEqual((yield* Emulated.refusal(Emulated.hurried(Agent.waitFor(id))))._tag, "TaskCanceledError")
          const unknown = yield* Emulated.refusal(Emulated.hurried(Agent.waitFor(Id.TaskId.make("run-0"))))
          assert.match(unknown._tag, /NotFoundError$/)
        })
    )
  })
}

describe("waiting for a task", () => {
  const serve = (options: Partial<AgentServer.Options>, script: Layer.Layer<AgentExecutor.AgentExecutor>) =>
    Agent.layer.pipe(Layer.provideMerge(AgentTest.layerWith(options)), Layer.provide(script))
  const slow = Script.layer(Script.say("one "), Script.wait("1 minute"), Script.say("two"))
  const begin = Effect.map(Agent.send(question, atOnce), Emulated.taskOf)

  it.effect("an agent that sends the task first: nothing is asked besides", () =>
    Effect.gen(function*() {
      const sent = yield* begin
      yield* Effect.yieldNow
      const fiber = yield* Effect.forkChild(Agent.waitFor(sent.id))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(Task.text(yield* Fiber.join(fiber)), "one two")
    }).pipe(Effect.provide(serve({}, slow))))

  it.effect("an agent that does not stream is asked again and again, less and less often", () =>
    Effect.gen(function*() {
      const sent = yield* begin
      const fiber = yield* Effect.forkChild(Agent.waitFor(sent.id))
      yield* TestClock.adjust("59 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(Task.text(yield* Fiber.join(fiber)), "one two")
    }).pipe(Effect.provide(serve({ card: { ...AgentTest.card, capabilities: { streaming: false } } }, slow))))

  it.effect("a task that outlasts the policy is a timeout of the call, and goes on", () =>
    Effect.gen(function*() {
      const sent = yield* begin
      const policy = AgentTransport.backoff(2)
      const fiber = yield* Effect.forkChild(Effect.flip(Agent.waitFor(sent.id, { policy })))
      yield* TestClock.adjust("30 seconds")
      const { operation, reason } = yield* Fiber.join(fiber)
      assert.deepStrictEqual([operation, reason._tag === "TimeoutError" && reason.phase], ["Agent.waitFor", "call"])
      assert.strictEqual((yield* Emulated.getTask(sent.id)).status.state, "working")
    }).pipe(Effect.provide(serve({ card: { ...AgentTest.card, capabilities: { streaming: false } } }, slow))))

  it.effect("it stops where credentials are required, though the stream stays open", () =>
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

  it.effect("ML-28: a replay that passes by credentials which came long ago is followed to its end", () =>
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
    ))))

  it.effect("a connection that is cut is taken up again", () =>
    Effect.gen(function*() {
      const sent = yield* begin
      const fiber = yield* Effect.forkChild(Agent.waitFor(sent.id))
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(Task.text(yield* Fiber.join(fiber)), "one two")
    }).pipe(Effect.provide(serve(
      { replay: "events" },
      Script.layer(Script.say("one "), Script.wait("1 second"), Script.cut, Script.wait("1 minute"), Script.say("two"))
    ))))

  it.effect("a task that is known to have settled is not asked for", () =>
    Effect.gen(function*() {
      const artifacts = [Artifact.make(Id.ArtifactId.make("a"), [Part.text("done")])]
      const task: Task.Task = { _tag: "Task", id: Id.TaskId.make("t"), status: { state: "completed" }, artifacts }
      assert.deepStrictEqual(yield* Agent.waitFor(task), task)
    }).pipe(Effect.provide(serve({}, slow))))
})

describe("waiting for a task of a peer", () => {
  const v1 = cell("1.0 HTTP+JSON")
  const taskId = Id.TaskId.make("t-1")
  const task = (state: string, more: object = {}) => (asked: Asked) =>
    new Response(result(v1, asked, { id: taskId, contextId: "c-1", status: { state }, ...more }), {
      headers: { "content-type": "application/json" }
    })
  const events = (...all: ReadonlyArray<StreamEvent.StreamEvent>) => (asked: Asked) =>
    chunks(all.map((one) => frame(encode(v1, asked, one))))
  const refused = (status: number, headers: Record<string, string> = {}) => () =>
    new Response("", { status, headers: { "content-type": "application/json", ...headers } })
  const peer = (
    subscribe: (asked: Asked) => Response,
    ...gets: ReadonlyArray<(asked: Asked) => Response>
  ) => {
    let n = 0
    const { asked, layer } = talkTo(
      v1,
      (asked) => asked.url.includes(":subscribe") ? subscribe(asked) : gets[Math.min(n++, gets.length - 1)]!(asked)
    )
    return { asked, layer: Agent.layer.pipe(Layer.provide(layer)) }
  }
  const chunk = (text: string) =>
    StreamEvent.artifactUpdate({
      taskId,
      artifact: Artifact.make(Id.ArtifactId.make("a"), [Part.text(text)]),
      append: true
    })
  const status = (state: "working" | "completed") => StreamEvent.statusUpdate({ taskId, status: { state } })

  it.effect("ML-27: a completed task that cannot be followed and is told without anything is no empty answer", () =>
    Effect.gen(function*() {
      const { layer } = peer(refused(400), task("TASK_STATE_COMPLETED"))
      const reason = yield* Emulated.refusal(Agent.waitFor(taskId).pipe(Effect.provide(layer)))
      assert.strictEqual(reason._tag, "StreamInterruptedError")
      assert.isFalse(reason.isRetryable)
    }))

  it.effect("a peer that tells only what is new is read once more, for what was before", () =>
    Effect.gen(function*() {
      const whole = { artifacts: [{ artifactId: "a", parts: [{ text: "one two" }] }] }
      const { layer } = peer(events(chunk("two"), status("completed")), task("TASK_STATE_COMPLETED", whole))
      assert.strictEqual(Task.text(yield* Agent.waitFor(taskId).pipe(Effect.provide(layer))), "one two")
    }))

  it.effect("Retry-After is waited for between two looks", () =>
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

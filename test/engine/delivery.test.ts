/** The delivery of a stream: what ends it, and what does not. */
import { Agent, type AgentError, AgentStream, Artifact, Id, Part, StreamEvent, Task } from "@effect-a2a/core"
import { MemoryLake } from "@effect-a2a/memorylake"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { covers } from "../support/covers.ts"
import {
  type Asked,
  chunks,
  type Combination,
  combination,
  combinations,
  event,
  frame,
  notFound,
  result,
  talkTo,
  taskJson
} from "../support/peer.ts"

const taskId = Id.TaskId.make("t-1")
const other = Id.TaskId.make("t-sub")

const task = (state: Task.Task["status"]["state"], id = taskId): Task.Task => ({ _tag: "Task", id, status: { state } })

const status = (state: Task.Task["status"]["state"], id = taskId) =>
  StreamEvent.statusUpdate({ taskId: id, status: { state } })

const artifact = (text: string, id = taskId) =>
  StreamEvent.artifactUpdate({
    taskId: id,
    artifact: Artifact.make(Id.ArtifactId.make(`a-${id}`), [Part.text(text)])
  })

const eventStream = { headers: { "content-type": "text/event-stream" } }

/** A body that sends each chunk at its time (milliseconds), and stays open unless `ends`. */
const timed = (
  parts: ReadonlyArray<readonly [at: number, text: string]>,
  schedule: (at: number, run: () => void) => void,
  ends = false
) =>
  new Response(
    new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const [at, text] of parts) schedule(at, () => controller.enqueue(new TextEncoder().encode(text)))
        if (ends) schedule(parts.at(-1)?.[0] ?? 0, () => controller.close())
      }
    }),
    eventStream
  )

const collect = <E>(stream: Stream.Stream<StreamEvent.StreamEvent, E, Agent.Agent>) =>
  Effect.gen(function*() {
    const events: Array<StreamEvent.StreamEvent> = []
    const end = yield* stream.pipe(
      Stream.runForEach((event) => Effect.sync(() => events.push(event))),
      Effect.as("success" as const),
      Effect.catch((error) => Effect.succeed(error))
    )
    return { events, end }
  })

const asks = (
  combination: Combination,
  respond: (asked: Asked) => Response,
  stream = Agent.stream("hi"),
  options: Parameters<typeof talkTo>[2] = {}
) => {
  const { layer } = talkTo(combination, respond, options)
  return collect(stream).pipe(Effect.provide(Agent.layer.pipe(Layer.provide(layer))))
}

const body = (combination: Combination, asked: Asked, events: ReadonlyArray<StreamEvent.StreamEvent>) =>
  events.map((one) => frame(event(combination, asked, one))).join("")

const reasonOf = (end: "success" | AgentError.AgentError): AgentError.AgentErrorReason =>
  end === "success" ? assert.fail("no failure") : end.reason

describe.each(combinations)("$name", (combination) => {
  it.effect("events of another task are delivered, and end nothing", () =>
    Effect.gen(function*() {
      const events = [
        status("working"),
        artifact("sub says ", other),
        status("completed", other),
        task("input-required", other),
        artifact("The answer."),
        status("completed")
      ]
      const heard = yield* asks(combination, (asked) => new Response(body(combination, asked, events), eventStream))
      assert.deepStrictEqual(heard, { events, end: "success" })
    }), covers("field:N2-05"))

  it.effect(
    "events of another task that come first enter no view of a task that is known",
    () =>
      Effect.gen(function*() {
        const events = [
          task("failed", other),
          artifact("sub says ", other),
          artifact("The answer."),
          status("completed")
        ]
        for (const stream of [Agent.subscribe(taskId), Agent.stream("hi", { taskId })]) {
          const { end, events: heard } = yield* asks(
            combination,
            (asked) => new Response(body(combination, asked, events), eventStream),
            stream
          )
          assert.deepStrictEqual([heard, end], [events, "success"])
          const answer = yield* AgentStream.answer(Stream.fromIterable(heard))
          assert.deepStrictEqual([answer.taskId, answer.state, answer.text], [taskId, "completed", "The answer."])
        }
      }),
    covers("field:N2-05")
  )

  it.effect("a message is progress in a subscription", () =>
    Effect.gen(function*() {
      const reply: StreamEvent.StreamEvent = {
        _tag: "Message",
        messageId: Id.MessageId.make("m-1"),
        role: "agent",
        taskId,
        parts: []
      }
      const { end } = yield* asks(
        combination,
        (asked) => new Response(body(combination, asked, [reply]), eventStream),
        Agent.subscribe(taskId)
      )
      assert.strictEqual(reasonOf(end)._tag, "StreamInterruptedError")
    }))

  it.effect("a lost connection does not end a task that waits for credentials", () =>
    Effect.gen(function*() {
      const { end } = yield* asks(
        combination,
        (asked) => chunks([body(combination, asked, [status("auth-required")])], { end: "reset" })
      )
      assert.deepInclude(reasonOf(end), { _tag: "StreamInterruptedError", isResumable: true, taskId })
    }))

  it.effect("a stream that ends after another task's end is interrupted", () =>
    Effect.gen(function*() {
      const { end } = yield* asks(
        combination,
        (asked) => new Response(body(combination, asked, [status("working"), status("completed", other)]), eventStream)
      )
      assert.deepInclude(reasonOf(end), { _tag: "StreamInterruptedError", taskId })
    }), covers("field:N2-05"))

  it.effect(
    "a refusal is one, as a bare document of an event stream and as a frame under an error status",
    () =>
      Effect.gen(function*() {
        const refusal = (asked: Asked) => notFound(combination, asked)
        for (
          const respond of [
            (asked: Asked) => new Response(refusal(asked), eventStream),
            (asked: Asked) => new Response(` \n${JSON.stringify(JSON.parse(refusal(asked)), null, 2)}\n`, eventStream),
            (asked: Asked) => new Response(frame(refusal(asked)), { status: 404, ...eventStream })
          ]
        ) {
          const { end, events } = yield* asks(combination, respond)
          assert.deepStrictEqual(events, [])
          assert.strictEqual(reasonOf(end)._tag, "TaskNotFoundError")
        }
      }),
    covers("field:N2-08")
  )

  it.effect("one document in place of a stream is its only event", () =>
    Effect.gen(function*() {
      const { end, events } = yield* asks(
        combination,
        (asked) => new Response(event(combination, asked, task("completed")), eventStream)
      )
      assert.deepStrictEqual([end, events], ["success", [task("completed")]])
    }))

  it.effect("the snapshot of a task that waited for this message ends nothing", () =>
    Effect.gen(function*() {
      const follow = Agent.stream("Lisbon", { taskId })
      const events = [task("input-required"), status("working"), artifact("Two days"), status("completed")]
      const heard = yield* asks(
        combination,
        (asked) => new Response(body(combination, asked, events), eventStream),
        follow
      )
      assert.deepStrictEqual(heard, { events, end: "success" })
      const only = yield* asks(
        combination,
        (asked) => new Response(body(combination, asked, [task("input-required")]), eventStream),
        follow
      )
      assert.strictEqual(only.end, "success")
    }))

  it.effect("a subscription continues while the task waits for input", () =>
    Effect.gen(function*() {
      const events = [task("input-required"), status("working"), status("completed")]
      const heard = yield* asks(
        combination,
        (asked) => new Response(body(combination, asked, events), eventStream),
        Agent.subscribe(taskId)
      )
      assert.deepStrictEqual(heard, { events, end: "success" })
    }))
})

describe.each(["0.3 HTTP+JSON", "0.3 JSONRPC"])("final, %s", (name) => {
  const over = combination(name)

  const update = (asked: Asked, state: Task.Task["status"]["state"], final: boolean | undefined) => {
    const json = JSON.parse(event(over, asked, status(state)))
    const at = json.result ?? json.statusUpdate
    if (final === undefined) delete at.final
    else at.final = final
    return frame(JSON.stringify(json))
  }

  it.effect("false on a terminal state waits for what follows", () =>
    Effect.gen(function*() {
      const runs: Array<readonly [number, () => void]> = []
      const fiber = yield* asks(over, (asked) =>
        timed(
          [
            [0, update(asked, "completed", false)],
            [1_000, frame(event(over, asked, artifact("late")))],
            [2_000, update(asked, "completed", true)]
          ],
          (at, run) => runs.push([at, run])
        )).pipe(Effect.forkChild({ startImmediately: true }))
      yield* settle
      for (const [at, run] of runs) {
        if (at > 0) yield* TestClock.adjust(1_000)
        run()
        yield* settle
      }
      yield* TestClock.adjust("200 millis")
      const { end, events } = yield* Fiber.join(fiber)
      assert.strictEqual(end, "success")
      assert.deepStrictEqual(events.map(({ _tag }) => _tag), ["StatusUpdate", "ArtifactUpdate", "StatusUpdate"])
    }), covers("field:N2-06"))

  it.effect(
    "false on a terminal state is not waited for longer than thirty silent seconds",
    () =>
      Effect.gen(function*() {
        const fiber = yield* asks(
          over,
          (asked) => timed([[0, update(asked, "completed", false)]], (_, run) => run())
        ).pipe(Effect.forkChild({ startImmediately: true }))
        yield* settle
        yield* TestClock.adjust("29 seconds")
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust("2 seconds")
        assert.strictEqual((yield* Fiber.join(fiber)).end, "success")
      }),
    covers("field:N2-06")
  )

  it.effect("true on a state that is not settled reads the task once", () =>
    Effect.gen(function*() {
      for (const state of ["completed", "working"] as const) {
        let calls = 0
        const { end, events } = yield* asks(over, (asked) => {
          calls++
          return calls === 1
            ? timed([[0, update(asked, "working", true)]], (_, run) => run())
            : new Response(result(over, asked, taskJson(over, state)), {
              headers: { "content-type": "application/json" }
            })
        })
        assert.strictEqual(calls, 2)
        if (state === "completed") assert.deepStrictEqual([end, events.at(-1)?._tag], ["success", "Task"])
        else assert.deepInclude(reasonOf(end), { _tag: "StreamInterruptedError", isRetryable: false })
      }
    }))

  it.effect("true on a state that is not settled subscribes once if the vendor's GetTask leaves answers out", () =>
    Effect.gen(function*() {
      const protocol = MemoryLake.protocol(over.protocol)
      let calls = 0
      const { end, events } = yield* asks(
        over,
        (asked) => {
          calls++
          return calls === 1
            ? timed([[0, update(asked, "working", true)]], (_, run) => run())
            : timed(
              [[0, body(over, asked, [status("working"), artifact("Hello"), status("completed")])]],
              (_, run) => run(),
              true
            )
        },
        undefined,
        { protocol }
      )
      const last = events.at(-1)!
      assert.deepStrictEqual([end, calls, last._tag], ["success", 2, "Task"])
      assert.strictEqual(last._tag === "Task" ? Task.text(last) : undefined, "Hello")
    }))
})

/** Lets promises of bodies run. */
const settle = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve))).pipe(
  Effect.repeat({ times: 5 })
)

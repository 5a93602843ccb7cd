import { Agent, AgentStream, AgentTransport, Artifact, Id, Part, StreamEvent } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schedule, Stream } from "effect"
import * as v8 from "node:v8"
import * as vm from "node:vm"
import { covers } from "../../../test/support/covers.ts"

v8.setFlagsFromString("--expose-gc")
const collectGarbage: () => void = vm.runInNewContext("gc")

const taskId = Id.TaskId.make("t-1")
const target = { url: "https://agent.test", protocolBinding: "in-process", protocolVersion: "1.0" }

const status = (state: "working" | "failed") => StreamEvent.statusUpdate({ taskId, status: { state } })

const chunk = (at: number) =>
  StreamEvent.artifactUpdate({
    taskId,
    artifact: Artifact.make(Id.ArtifactId.make("a"), [Part.text(`chunk ${at} `)]),
    append: at > 0
  })

/** An agent of many chunks, and the number of them that are still held when the last has passed. */
const streaming = (count: number) => {
  const chunks: Array<WeakRef<object>> = []
  const held = { count: -1 }
  const measure = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve))).pipe(
    Effect.andThen(Effect.sync(() => {
      collectGarbage()
      held.count = chunks.filter((one) => one.deref() !== undefined).length
    }))
  )
  const pieces = Stream.range(0, count - 1).pipe(
    Stream.rechunk(1),
    Stream.map((at) => {
      const event = chunk(at)
      chunks.push(new WeakRef(event))
      return event
    })
  )
  const transport = AgentTransport.fromHandlers(target, {
    SendStreamingMessage: () =>
      Stream.make<Array<StreamEvent.StreamEvent>>(status("working")).pipe(
        Stream.concat(pieces),
        Stream.concat(Stream.fromEffect(Effect.as(measure, status("failed"))))
      )
  })
  return { held, layer: Layer.succeed(AgentTransport.AgentTransport, transport) }
}

describe("a stream whose events the program drops", () => {
  const views = {
    "as it is": <E, R>(events: Stream.Stream<StreamEvent.StreamEvent, E, R>) => Stream.runDrain(events),
    "as text": <E, R>(events: Stream.Stream<StreamEvent.StreamEvent, E, R>) =>
      Stream.runDrain(AgentStream.text(events)),
    "as tool calls": <E, R>(events: Stream.Stream<StreamEvent.StreamEvent, E, R>) =>
      Stream.runDrain(AgentStream.toolCalls(events))
  }
  for (const [name, view] of Object.entries(views)) {
    it.live(`keeps no content of it, ${name}, and its error has ids and status only`, () =>
      Effect.gen(function*() {
        const { held, layer } = streaming(150)
        const agent = Agent.layer.pipe(Layer.provide(AgentTransport.resumable(Schedule.recurs(1))(layer)))
        const error = yield* Effect.flip(Effect.provide(view(Agent.stream("hi")), agent))
        assert.deepStrictEqual(error.reason._tag === "TaskFailedError" && error.reason.task, {
          _tag: "Task",
          id: taskId,
          status: { state: "failed" }
        })
        assert.isBelow(held.count, 5)
        assert.isAtLeast(held.count, 0)
      }), covers("field:N2-32"))
  }
})

/** Every operation of a peer, answered by the agent's script. */
import * as Agent from "@effect-a2a/core/Agent"
import * as AgentStream from "@effect-a2a/core/AgentStream"
import { AgentTransport } from "@effect-a2a/core/AgentTransport"
import * as Id from "@effect-a2a/core/Id"
import * as Message from "@effect-a2a/core/Message"
import * as Operation from "@effect-a2a/core/Operation"
import type * as Part from "@effect-a2a/core/Part"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import { assert } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { covers } from "../../support/covers.ts"
import { Peer } from "../peer.ts"
import { type Context, kinds, refusal, runStream, taskOf } from "./client.ts"

const contentOf = (part: Part.Part) => {
  switch (part._tag) {
    case "Raw":
      return new TextDecoder().decode(part.raw)
    case "Url":
      return part.url
    case "Data":
      return part.data
    case "Text":
      return part.text
  }
}

const unknown = Id.TaskId.make("no-such-task")

const sending = ({ it }: Context) => {
  it.effect("send waits for the task and returns its artifact and history", () =>
    Effect.gen(function*() {
      const task = taskOf(yield* Agent.send("echo Hi there", { contextId: Id.ContextId.make("ctx-1") }))
      assert.strictEqual(task.status.state, "completed")
      assert.strictEqual(task.contextId, "ctx-1")
      assert.deepStrictEqual(task.artifacts?.map(({ artifactId, name }) => [artifactId, name]), [["result", "Result"]])
      assert.strictEqual((yield* Agent.ask("echo Hi there")).text, "Hi there")
      assert.strictEqual(Message.text(task.history![0]!), "echo Hi there")
      assert.strictEqual(task.history![0]!.role, "user")
    }))

  it.effect("the result may be a message", () =>
    Effect.gen(function*() {
      const answer = yield* Agent.send("hello")
      assert.strictEqual(answer._tag, "Message")
      const events = yield* Stream.runCollect(Agent.stream("hello"))
      assert.deepStrictEqual(kinds(events), ["Message"])
      assert.strictEqual(events[0]?._tag === "Message" && Message.text(events[0]), "Hello yourself")
    }), covers("field:STR-04"))

  it.effect("a stream emits its events in order, with the artifact in chunks", () =>
    Effect.gen(function*() {
      const events = yield* Stream.runCollect(Agent.stream("chunks"))
      assert.deepStrictEqual(kinds(events), [
        "submitted",
        "working",
        "ArtifactUpdate",
        "ArtifactUpdate",
        "ArtifactUpdate",
        "completed"
      ])
      const answer = yield* AgentStream.answer(Agent.stream("chunks"))
      assert.strictEqual(answer.text, "One, two, three")
    }), covers("field:STR-01"))

  it.effect("a second message answers a task that asks", () =>
    Effect.gen(function*() {
      const asked = taskOf(yield* Agent.send("ask"))
      assert.strictEqual(asked.status.state, "input-required")
      assert.strictEqual(asked.status.message && Message.text(asked.status.message), "Which city?")
      const answer = yield* Agent.ask("Lisbon", { taskId: asked.id, contextId: asked.contextId! })
      assert.strictEqual(answer.text, "You answered Lisbon")
      assert.strictEqual(answer.taskId, asked.id)
      const events = yield* Stream.runCollect(Agent.stream("ask"))
      assert.deepStrictEqual(kinds(events).at(-1), "input-required")
    }))

  it.effect("a failed task is an error with the task and the agent's message", () =>
    Effect.gen(function*() {
      const { reason } = yield* Effect.flip(Agent.send("fail"))
      assert.strictEqual(reason._tag, "TaskFailedError")
      assert.strictEqual(reason.message, "The oven is cold")
      const { events, failure } = yield* runStream(Agent.stream("fail"))
      assert.strictEqual(failure?.reason._tag, "TaskFailedError")
      assert.deepStrictEqual(kinds(events).at(-1), "failed")
    }))
}

const parts = ({ differs, it }: Context) => {
  it.effect("bytes, references and data arrive unchanged", () =>
    Effect.gen(function*() {
      const task = taskOf(yield* Agent.send("files"))
      const parts = task.artifacts![0]!.parts
      assert.deepStrictEqual(parts.map(contentOf), [
        differs.bytes,
        "https://files.test/a.png",
        { answer: 42, list: [1, null] }
      ])
      assert.deepStrictEqual(parts.slice(0, 2).map((part) => part.mediaType), ["text/plain", "image/png"])
    }))
}

const tasks = ({ combination, differs, it }: Context) => {
  it.effect("get returns the task with as much history as requested", () =>
    Effect.gen(function*() {
      const { id } = taskOf(yield* Agent.send("echo Again"))
      const task = yield* Agent.getTask(id)
      assert.strictEqual(task.status.state, "completed")
      assert.strictEqual(task.artifacts?.length, 1)
      assert.isTrue((task.history ?? []).length >= differs.history)
      assert.strictEqual((yield* Agent.getTask(id, { historyLength: 1 })).history?.length, 1)
    }))

  it.effect("list pages through the tasks of a context, and 0.3 lacks the operation", () =>
    Effect.gen(function*() {
      const contextId = Id.ContextId.make(`ctx-list-${combination.name}`)
      const ids: Array<Id.TaskId> = []
      for (const text of ["echo a", "echo b", "echo c"]) ids.push(taskOf(yield* Agent.send(text, { contextId })).id)
      const list = Stream.runCollect(Agent.listTasks({ contextId, pageSize: 2 }))
      if (combination.protocol.version === "0.3") {
        return assert.strictEqual(yield* refusal(list), "OperationNotInProtocolError")
      }
      const tasks = yield* list
      assert.deepStrictEqual(tasks.map(({ id }) => id).toSorted(), ids.toSorted())
      assert.deepStrictEqual(tasks.flatMap(({ artifacts = [] }) => artifacts), [])
      const full = yield* Stream.runCollect(
        Agent.listTasks({ contextId, includeArtifacts: true, status: "completed" })
      )
      assert.deepStrictEqual(full.map(({ artifacts }) => artifacts?.length), [1, 1, 1])
    }))

  it.effect("cancel ends the task and the streams that follow it", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<Id.TaskId>()
      const fiber = yield* Agent.stream("slow").pipe(
        Stream.runForEach((event) =>
          StreamEvent.state(event) === "working" ? Deferred.succeed(started, StreamEvent.taskId(event)!) : Effect.void
        ),
        Effect.forkChild
      )
      const id = yield* Deferred.await(started)
      const task = yield* Agent.cancel(id)
      assert.strictEqual(task.status.state, "canceled")
      assert.strictEqual(yield* refusal(Fiber.join(fiber)), "TaskCanceledError")
    }))

  it.effect("subscribe begins with the current task and follows it to its end", () =>
    Effect.gen(function*() {
      const { finish } = yield* Peer
      const { id } = taskOf(yield* Agent.send("slow", { returnImmediately: true }))
      const events = yield* Agent.subscribe(id).pipe(
        Stream.tap((event) => event._tag === "Task" ? finish(id) : Effect.void),
        Stream.runCollect
      )
      assert.strictEqual(events[0]?._tag, "Task")
      assert.deepStrictEqual(kinds(events).slice(1).filter((kind) => kind !== "working"), [
        "ArtifactUpdate",
        "completed"
      ])
      const late = yield* runStream(Agent.subscribe(id))
      assert.strictEqual(late.failure?.reason._tag ?? late.answer, differs.endedSubscription)
    }))

  it.effect("closing a stream closes its connection, and the task continues", () =>
    Effect.gen(function*() {
      const { finish } = yield* Peer
      const [first] = yield* Agent.stream("slow").pipe(Stream.take(2), Stream.runCollect)
      const id = StreamEvent.taskId(first!)!
      const events = yield* Agent.subscribe(id).pipe(Stream.tap(() => finish(id)), Stream.runCollect)
      assert.strictEqual(kinds(events).at(-1), "completed")
    }))
}

const refusals = ({ differs, it }: Context) => {
  it.effect("an executor that throws is a failure", () =>
    Effect.gen(function*() {
      const { reason } = yield* Effect.flip(Agent.send("throw"))
      assert.strictEqual(reason._tag, differs.thrown)
      if (reason._tag === "TaskFailedError") {
        assert.strictEqual((yield* Agent.getTask(reason.task.id)).status.state, "failed")
      }
      assert.strictEqual(yield* refusal(Stream.runDrain(Agent.stream("throw"))), differs.thrownStream)
    }), covers("field:STR-08"))

  it.effect("an error inside a stream comes after the earlier events, unchanged", () =>
    Effect.gen(function*() {
      const { events, failure } = yield* runStream(Agent.stream("break"))
      assert.strictEqual(failure?.reason._tag, differs.broken)
      assert.deepStrictEqual(kinds(events).slice(0, 2), ["submitted", "working"])
    }))

  it.effect("an unknown task is refused by every operation that names one", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* refusal(Agent.getTask(unknown)), differs.unknown)
      assert.strictEqual(yield* refusal(Agent.cancel(unknown)), differs.unknown)
      assert.strictEqual(yield* refusal(Agent.send("echo x", { taskId: unknown })), differs.unknown)
      assert.strictEqual(yield* refusal(Stream.runDrain(Agent.subscribe(unknown))), differs.unknownSubscription)
      assert.strictEqual(
        yield* refusal(Stream.runDrain(Agent.stream("echo x", { taskId: unknown }))),
        differs.unknownStream
      )
    }))

  it.effect("a finished task is neither canceled nor continued", () =>
    Effect.gen(function*() {
      const { id } = taskOf(yield* Agent.send("echo done"))
      assert.strictEqual(yield* refusal(Agent.cancel(id)), differs.endedCancel)
      assert.strictEqual(yield* refusal(Agent.send("more", { taskId: id })), differs.endedMessage)
    }))

  it.effect("push configurations are refused by the card here and by the agent there", () =>
    Effect.gen(function*() {
      const { id } = taskOf(yield* Agent.send("echo x"))
      const agent = yield* Agent.Agent
      const config = { taskId: id, url: "https://hook.test/" }
      assert.strictEqual(yield* refusal(agent.pushConfigs.create(config)), differs.push)
      const { call } = yield* AgentTransport
      assert.strictEqual(yield* refusal(call(Operation.CreateTaskPushNotificationConfig, config)), differs.push)
      assert.strictEqual(
        yield* refusal(call(Operation.ListTaskPushNotificationConfigs, { taskId: id })),
        differs.push
      )
    }))

  it.effect("a missing extended card is refused", () =>
    Effect.gen(function*() {
      const { extendedCard } = yield* Agent.Agent
      assert.strictEqual(yield* refusal(extendedCard), differs.extendedCard)
    }))
}

export const operations = (context: Context): void => {
  sending(context)
  parts(context)
  tasks(context)
  refusals(context)
}

/** Every operation that a peer serves, as the agent's script has it answer. */
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
import { Peer } from "../peer.ts"
import { type Context, heard, kinds, refusal, taskOf } from "./client.ts"

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
  it.effect("§3.1.1: send waits for the task and gives its artifact and history", () =>
    Effect.gen(function*() {
      const task = taskOf(yield* Agent.send("echo Hi there", { contextId: Id.ContextId.make("ctx-1") }))
      assert.strictEqual(task.status.state, "completed")
      assert.strictEqual(task.contextId, "ctx-1")
      assert.deepStrictEqual(task.artifacts?.map(({ artifactId, name }) => [artifactId, name]), [["result", "Result"]])
      assert.strictEqual((yield* Agent.ask("echo Hi there")).text, "Hi there")
      assert.strictEqual(Message.text(task.history![0]!), "echo Hi there")
      assert.strictEqual(task.history![0]!.role, "user")
    }))

  it.effect("§3.1.1: an answer may be a message (STR-04)", () =>
    Effect.gen(function*() {
      const answer = yield* Agent.send("hello")
      assert.strictEqual(answer._tag, "Message")
      const events = yield* Stream.runCollect(Agent.stream("hello"))
      assert.deepStrictEqual(kinds(events), ["Message"])
      assert.strictEqual(events[0]?._tag === "Message" && Message.text(events[0]), "Hello yourself")
    }))

  it.effect("§3.1.2: a stream in its order, chunks of an artifact joined (STR-01)", () =>
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
    }))

  it.effect("§3.4: a task that asks is answered with a second message", () =>
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

  it.effect("§7: a failed task is an error that carries the task and what the agent said", () =>
    Effect.gen(function*() {
      const { reason } = yield* Effect.flip(Agent.send("fail"))
      assert.strictEqual(reason._tag, "TaskFailedError")
      assert.strictEqual(reason.message, "The oven is cold")
      const { events, failure } = yield* heard(Agent.stream("fail"))
      assert.strictEqual(failure?.reason._tag, "TaskFailedError")
      assert.deepStrictEqual(kinds(events).at(-1), "failed")
    }))
}

const parts = ({ differs, it }: Context) => {
  it.effect("§4.1.6: bytes, references and data arrive as what they are", () =>
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
  it.effect("§3.1.3: get gives the task, with as much history as is asked for (HIST)", () =>
    Effect.gen(function*() {
      const { id } = taskOf(yield* Agent.send("echo Again"))
      const task = yield* Agent.getTask(id)
      assert.strictEqual(task.status.state, "completed")
      assert.strictEqual(task.artifacts?.length, 1)
      assert.isTrue((task.history ?? []).length >= differs.history)
      assert.strictEqual((yield* Agent.getTask(id, { historyLength: 1 })).history?.length, 1)
    }))

  it.effect("§3.1.4: list pages through the tasks of a context; 0.3 has no such operation (LST)", () =>
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

  it.effect("§3.1.5: cancel ends the task and the streams that follow it", () =>
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

  it.effect("§3.1.6: subscribe begins with the task as it is and follows it to its end", () =>
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
      const late = yield* heard(Agent.subscribe(id))
      assert.strictEqual(late.failure?.reason._tag ?? late.answer, differs.endedSubscription)
    }))

  it.effect("CAN: whoever stops reading lets the connection go, and the task goes on", () =>
    Effect.gen(function*() {
      const { finish } = yield* Peer
      const [first] = yield* Agent.stream("slow").pipe(Stream.take(2), Stream.runCollect)
      const id = StreamEvent.taskId(first!)!
      const events = yield* Agent.subscribe(id).pipe(Stream.tap(() => finish(id)), Stream.runCollect)
      assert.strictEqual(kinds(events).at(-1), "completed")
    }))
}

const refusals = ({ differs, it }: Context) => {
  it.effect("STR-08: an executor that throws is a failure, not an answer", () =>
    Effect.gen(function*() {
      const { reason } = yield* Effect.flip(Agent.send("throw"))
      assert.strictEqual(reason._tag, differs.thrown)
      if (reason._tag === "TaskFailedError") {
        assert.strictEqual((yield* Agent.getTask(reason.task.id)).status.state, "failed")
      }
      assert.strictEqual(yield* refusal(Stream.runDrain(Agent.stream("throw"))), differs.thrownStream)
    }))

  it.effect("an error inside a stream comes after the events before it, as the error that it is", () =>
    Effect.gen(function*() {
      const { events, failure } = yield* heard(Agent.stream("break"))
      assert.strictEqual(failure?.reason._tag, differs.broken)
      assert.deepStrictEqual(kinds(events).slice(0, 2), ["submitted", "working"])
    }))

  it.effect("§3.3.2: a task that is not there, by every operation that names one (ERR)", () =>
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

  it.effect("§3.3.2: a task that has ended is neither canceled nor continued (ERR)", () =>
    Effect.gen(function*() {
      const { id } = taskOf(yield* Agent.send("echo done"))
      assert.strictEqual(yield* refusal(Agent.cancel(id)), differs.endedCancel)
      assert.strictEqual(yield* refusal(Agent.send("more", { taskId: id })), differs.endedMessage)
    }))

  it.effect("§3.1.7: push configurations are refused here by the card, and there by the agent (PUSH)", () =>
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

  it.effect("§3.1.11: an extended card that there is none of", () =>
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

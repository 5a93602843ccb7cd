/** Tasks of the emulated MemoryLake, its wire format and its additions to A2A, through bytes, in all four combinations. */
import * as Agent from "@effect-a2a/core/Agent"
import type * as AgentError from "@effect-a2a/core/AgentError"
import * as AgentStream from "@effect-a2a/core/AgentStream"
import { AgentTransport } from "@effect-a2a/core/AgentTransport"
import * as Answer from "@effect-a2a/core/Answer"
import * as Id from "@effect-a2a/core/Id"
import * as Operation from "@effect-a2a/core/Operation"
import * as Part from "@effect-a2a/core/Part"
import type * as Step from "@effect-a2a/core/Step"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as Task from "@effect-a2a/core/Task"
import * as MemoryLakeEmulator from "@effect-a2a/emulators/MemoryLakeEmulator"
import * as MemoryLakeAnswer from "@effect-a2a/memorylake/MemoryLakeAnswer"
import * as TaskFeedback from "@effect-a2a/memorylake/TaskFeedback"
import { assert, describe } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { covers } from "./support/covers.ts"
import * as Emulated from "./support/emulated.ts"
import { cancel, contextId, example, getTask, refusedTask, send } from "./support/emulated.ts"

const subscribe = (id: Id.TaskId) => Stream.unwrap(Effect.map(Agent.Agent, (agent) => agent.subscribe(id)))

for (const combination of Emulated.combinations) {
  const isRest = combination.binding === "HTTP+JSON"
  const isLegacy = combination.protocol.version === "0.3"
  const effect = Emulated.test(combination)

  describe(`MemoryLake over ${combination.name}`, () => {
    describe("following a task", () => {
      effect(
        "returns the state alone by Get, which is not an empty answer",
        () =>
          Effect.gen(function*() {
            const { id } = yield* send(example)
            const task = yield* getTask(id)
            assert.hasAllKeys(task, ["_tag", "id", "contextId", "status"])
            assert.hasAllKeys(task.status, isRest && isLegacy ? ["state"] : ["state", "timestamp"])
            assert.isUndefined(MemoryLakeAnswer.fromTask(task))
            assert.isUndefined(Task.text(task))
            const failed = yield* Emulated.refusal(send("please fail"))
            assert.isUndefined((yield* getTask(refusedTask(failed).id)).status.message)
          }),
        covers("ML-27")
      )

      effect(
        "replays without a leading task, then continues live, and replays again",
        () =>
          Effect.gen(function*() {
            const { id } = yield* send("a slow one", { returnImmediately: true })
            const live = yield* Emulated.fastForward(Stream.runCollect(subscribe(id)))
            assert.notInclude(live.map(({ _tag }) => _tag), "Task")
            assert.strictEqual(StreamEvent.state(live.at(-1)!), "completed")
            assert.include(live.map(({ _tag }) => _tag), "ArtifactUpdate")
            assert.deepStrictEqual(yield* Stream.runCollect(subscribe(id)), live)
            const streamed = (yield* Emulated.exchanges).at(-1)!
            assert.strictEqual(streamed.method, isRest ? "GET" : "POST")
            assert.strictEqual(streamed.headers.accept, "text/event-stream")
          }),
        covers("ML-20", "ML-28")
      )

      effect("replays a stream without its task", () =>
        Effect.gen(function*() {
          const [task, ...rest] = yield* Stream.runCollect(Agent.stream(example))
          assert.deepStrictEqual<ReadonlyArray<StreamEvent.StreamEvent>>(
            yield* Stream.runCollect(subscribe((task as Task.Task).id)),
            rest
          )
        }), covers("ML-28"))

      effect("refuses to subscribe to a failed or canceled task", () =>
        Effect.gen(function*() {
          const failed = refusedTask(yield* Emulated.refusal(send("please fail")))
          const { id } = yield* send("a slow one", { returnImmediately: true })
          yield* cancel(id)
          for (const ended of [failed.id, id]) {
            const reason = yield* Emulated.refusal(Stream.runDrain(subscribe(ended)))
            // 0.3 methods have one code for all refusals; the reason is in the data
            assert.strictEqual(reason._tag, "UnsupportedOperationError")
          }
        }), covers("ML-29"))

      effect(
        "cancels a task and ends its streams, but not an ended task",
        () =>
          Effect.gen(function*() {
            const { id } = yield* send(`a slow one${" with much to say".repeat(400)}`, { returnImmediately: true })
            const isFollowing = yield* Deferred.make<void>()
            const following = yield* subscribe(id).pipe(
              Stream.runForEach(() => Deferred.succeed(isFollowing, undefined)),
              Emulated.refusal,
              Effect.forkChild
            )
            yield* Emulated.fastForward(Deferred.await(isFollowing))
            assert.strictEqual((yield* cancel(id)).status.state, "canceled")
            assert.strictEqual((yield* Emulated.fastForward(Fiber.join(following)))._tag, "TaskCanceledError")
            const done = yield* send("quick")
            const reason = yield* Emulated.refusal(cancel(done.id))
            assert.strictEqual(reason._tag, "TaskNotCancelableError")
            if (!isRest) return
            const { chunks, status } = (yield* Emulated.exchanges).at(-1)!
            const { error_code, message } = JSON.parse(chunks.join(""))
            assert.deepStrictEqual([status, error_code], [400, "INVALID_ARGUMENT"])
            assert.strictEqual(JSON.parse(message).error.details[0].reason, "TASK_NOT_CANCELABLE")
          }),
        covers("ML-30", "ML-34")
      )

      effect("lists tasks, newest first and page by page, except in 0.3", () =>
        Effect.gen(function*() {
          const list = Stream.runCollect(Agent.listTasks({ contextId, pageSize: 2 }))
          if (isLegacy) {
            const reason = yield* Emulated.refusal(list)
            assert.strictEqual(reason._tag, "OperationNotInProtocolError")
            return assert.deepStrictEqual(yield* Emulated.exchanges, [])
          }
          const ids: Array<Id.TaskId> = []
          for (const text of ["one", "two", "three"]) {
            ids.push((yield* send(text, { contextId })).id)
            yield* TestClock.adjust("1 second")
          }
          yield* send("elsewhere")
          assert.deepStrictEqual((yield* Emulated.fastForward(list)).map(({ id }) => id), ids.toReversed())
          assert.strictEqual((yield* Emulated.exchanges).length, 6)
        }), covers("ML-30"))
    })

    describe("bytes", () => {
      effect(
        "decodes floats, comments and data without a space to integers and events",
        () =>
          Effect.gen(function*() {
            const events = yield* Emulated.fastForward(Stream.runCollect(Agent.stream("slow search with citations")))
            const { chunks } = (yield* Emulated.exchanges)[0]!
            const lines = chunks.join("").split("\n")
            assert.isTrue(lines.some((line) => line.startsWith("data:{")))
            assert.deepStrictEqual(lines.filter((line) => !/^($|:|data:\{)/.test(line)), [])
            assert.isTrue(lines.some((line) => line.startsWith(":")))
            assert.match(chunks.join(""), /"limit":2\.0/)
            const answer = yield* AgentStream.answer(Stream.fromIterable(events))
            assert.deepStrictEqual(answer.toolCalls.map(({ args }) => args), [
              { query: "slow search with citations", limit: 2 }
            ])
            assert.deepStrictEqual(
              MemoryLakeAnswer.fromAnswer(answer).other.map((part) => part._tag === "Data" && part.data),
              [
                { kind: "citations", items: [1, 2] },
                { note: "no kind" }
              ]
            )
          }),
        covers("ML-25", "ML-26")
      )

      effect(
        "gives the documented answer, sent and streamed",
        () =>
          Effect.gen(function*() {
            const steps = yield* Stream.runCollect(AgentStream.steps(Agent.stream(example)))
            assert.deepStrictEqual(steps.map(({ _tag }) => _tag), [
              "State",
              "State",
              "Text",
              "ToolCall",
              "ToolResult",
              "Text",
              "Text",
              "Data",
              "State",
              "Answer"
            ])
            const task = yield* send(example, { historyLength: 10 })
            const answer = MemoryLakeAnswer.fromTask(task)
            assert.strictEqual(answer?.text, "Paris is the capital of France.")
            const streamed = steps.flatMap((step) => step._tag === "Answer" ? [step.answer] : [])
            assert.deepStrictEqual(streamed.map(MemoryLakeAnswer.fromAnswer), [answer])
            assert.deepStrictEqual(Answer.fromTask(task).toolCalls, streamed[0]?.toolCalls)
          }),
        covers("ML-21", "ML-22", "ML-23", "ML-24")
      )

      effect(
        "streams files and has attachments in the answer, saved or not",
        () =>
          Effect.gen(function*() {
            const steps = (question: string) => Stream.runCollect(AgentStream.steps(Agent.stream(question)))
            const file = Part.url("https://files.example.com/report.csv", {
              mediaType: "text/csv",
              filename: "report.csv"
            })
            const attachments = (all: ReadonlyArray<Step.Step | AgentStream.Final>) =>
              all.flatMap((step) => step._tag === "Answer" ? MemoryLakeAnswer.fromAnswer(step.answer).attachments : [])
            const saved = yield* steps("make a file")
            assert.deepStrictEqual(saved.flatMap((step) => step._tag === "File" ? [step.file] : []), [file])
            const described = { name: "report.csv", mimeType: "text/csv", description: "The report" }
            assert.deepStrictEqual(attachments(saved), [{ ...described, url: file.url, committed: true }])
            const unsaved = yield* steps("make an unsaved file")
            assert.deepStrictEqual(attachments(unsaved), [{
              ...described,
              committed: false,
              error: "the storage is full"
            }])
            const silent = MemoryLakeAnswer.fromTask(yield* send("be silent"))
            assert.isUndefined(silent)
          }),
        covers("ML-21", "ML-23")
      )
    })

    describe("beside A2A", () => {
      effect(
        "serves the card beside the agent's URL, without push notifications",
        () =>
          Effect.gen(function*() {
            const card = yield* Agent.card
            assert.strictEqual(card.capabilities.pushNotifications, false)
            assert.strictEqual(
              (yield* Emulated.exchanges)[0]?.url,
              Emulated.url.replace(/a2a$/, ".well-known/agent-card.json")
            )
          }),
        covers("ML-08")
      )

      effect("refuses push configurations before anything is sent, in a message too", () =>
        Effect.gen(function*() {
          const { call } = yield* AgentTransport
          const config = { taskId: Id.TaskId.make("run-1"), url: "https://hook.test" }
          const tags = yield* Effect.forEach([
            call(Operation.CreateTaskPushNotificationConfig, config),
            Effect.flatMap(Agent.Agent, ({ pushConfigs }) => pushConfigs.create(config)),
            Agent.send("hi", { taskPushNotificationConfig: { url: "https://hook.test" } }),
            Stream.runDrain(Agent.stream("hi", { taskPushNotificationConfig: { url: "https://hook.test" } }))
          ], (effect) =>
            Effect.map(
              Emulated.refusal(effect as Effect.Effect<unknown, AgentError.AgentError, Agent.Agent>),
              ({ _tag }) => _tag
            ))
          assert.deepStrictEqual([...new Set(tags)], ["PushNotificationNotSupportedError"])
          assert.deepStrictEqual(yield* Emulated.exchanges, [])
        }), covers("ML-08"))

      effect("rates a task, and returns the rating on request", () =>
        Effect.gen(function*() {
          const { id } = yield* send(example)
          const rate = (feedback: TaskFeedback.Feedback & { readonly taskId: Id.TaskId }) =>
            TaskFeedback.send({
              ...MemoryLakeEmulator.address(Emulated.host),
              protocol: combination.protocol,
              ...feedback
            })
          yield* rate({ taskId: id, rating: "up", comment: "Just so." })
          const { body, headers, method, url } = (yield* Emulated.exchanges).at(-1)!
          assert.strictEqual(method, "POST")
          assert.strictEqual(url, `${Emulated.url}${isLegacy ? "/v1" : ""}/tasks/${id}:feedback`)
          assert.deepStrictEqual(JSON.parse(body), { rating: "up", comment: "Just so." })
          assert.strictEqual(headers["a2a-extensions"], "extensions://task-feedback/v1")
          assert.isUndefined(TaskFeedback.fromTask(yield* getTask(id)))
          assert.deepStrictEqual(TaskFeedback.fromTask(yield* TaskFeedback.withFeedback(getTask(id))), {
            rating: "up",
            comment: "Just so."
          })
          const sent = (yield* Emulated.exchanges).length
          const tooLong = yield* Emulated.refusal(rate({ taskId: id, rating: "down", comment: "x".repeat(2001) }))
          assert.strictEqual(tooLong._tag, "InvalidRequestError")
          assert.strictEqual((yield* Emulated.exchanges).length, sent)
          const unknown = yield* Emulated.refusal(rate({ taskId: Id.TaskId.make("run-none"), rating: "up" }))
          assert.strictEqual(unknown.status, 404)
        }), covers("ML-31"))
    })
  })
}

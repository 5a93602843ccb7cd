/** MemoryLake's behaviours, through bytes, in all four combinations of edition and binding. */
import * as Agent from "@effect-a2a/core/Agent"
import type * as AgentError from "@effect-a2a/core/AgentError"
import { AgentTransport } from "@effect-a2a/core/AgentTransport"
import * as Id from "@effect-a2a/core/Id"
import * as Message from "@effect-a2a/core/Message"
import * as Operation from "@effect-a2a/core/Operation"
import * as Part from "@effect-a2a/core/Part"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as Task from "@effect-a2a/core/Task"
import * as MemoryLake from "@effect-a2a/memorylake/MemoryLake"
import * as MemoryLakeAnswer from "@effect-a2a/memorylake/MemoryLakeAnswer"
import * as TaskFeedback from "@effect-a2a/memorylake/TaskFeedback"
import * as MemoryLakeEmulator from "@effect-a2a/testing/MemoryLakeEmulator"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Emulated from "./support/emulated.ts"

const example = "What is the capital of France?"
const contextId = Id.ContextId.make("ctx-demo-1")
const project = MemoryLake.ProjectId.make("proj-b93e8d95a8705bcc4ec42a65ba4cc7f8")
const otherProject = MemoryLake.ProjectId.make("proj-cd2e83f761eec93c75977f51667889cd")
const actor = MemoryLake.ActorId.make("actor-33d6b73298fb43482a765643ff92444b")

const taskOf = (answer: Task.Task | Message.Message): Task.Task => {
  if (answer._tag !== "Task") return assert.fail("expected a task")
  return answer
}
const send = (input: Message.Input, options?: Agent.Options) => Effect.map(Agent.send(input, options), taskOf)
const subscribe = (id: Id.TaskId) => Stream.unwrap(Effect.map(Agent.Agent, (agent) => agent.subscribe(id)))
const getTask = (id: Id.TaskId) => Effect.flatMap(Agent.Agent, (agent) => agent.getTask(id))
const cancel = (id: Id.TaskId) => Effect.flatMap(Agent.Agent, (agent) => agent.cancel(id))
const refusedTask = (reason: AgentError.AgentErrorReason): Task.Task => {
  if (!("task" in reason)) return assert.fail(`expected a failed task, not ${reason._tag}`)
  return reason.task
}

/** Sent without the SDK's own guards, with whatever is in `memorylake`. */
const bare = (input: Message.Input, memorylake: Schema.JsonObject | undefined, options?: Message.Options) =>
  Effect.gen(function*() {
    const transport = yield* AgentTransport
    const message = yield* Message.user(input, options)
    return yield* transport.call(Operation.SendMessage, {
      message,
      ...(memorylake !== undefined && { metadata: { memorylake } })
    })
  })

for (const cell of Emulated.cells) {
  const isRest = cell.binding === "HTTP+JSON"
  const isLegacy = cell.protocol.version === "0.3"
  const effect = (
    title: string,
    program: () => Effect.Effect<void, unknown, any>,
    options?: Parameters<typeof Emulated.layer>[1]
  ) => it.effect(title, () => Effect.provide(program(), Emulated.layer(cell, options)) as Effect.Effect<void, unknown>)

  describe(`MemoryLake over ${cell.name}`, () => {
    describe("what a message must say", () => {
      effect(
        "ML-11: metadata.memorylake at the top, {} being enough; elsewhere it does not count",
        () =>
          Effect.gen(function*() {
            const message = Emulated.message(cell, "hi")
            for (
              const params of [{ message }, {
                message: { ...message, metadata: { memorylake: {} } },
                metadata: { a: 1 }
              }]
            ) {
              const { status, text } = yield* Emulated.post(cell, params)
              assert.strictEqual(status, 400)
              assert.deepStrictEqual(Object.keys(JSON.parse(text)).toSorted(), ["error_code", "message", "success"])
              assert.strictEqual(JSON.parse(text).error_code, "INVALID_ARGUMENT")
            }
            const { status, text } = yield* Emulated.post(cell, {
              message,
              metadata: { memorylake: {}, mine: { kept: true } }
            })
            assert.strictEqual(status, 200)
            assert.isDefined(Emulated.taskIn(cell, text).id)
          })
      )

      effect("ML-12, ML-16: unknown fields are ignored, known ones accepted", () =>
        Effect.gen(function*() {
          const task = yield* send("hello").pipe(MemoryLake.withOptions({
            actorId: actor,
            readWriteProjectId: project,
            readOnlyProjectIds: [otherProject],
            skipMemory: true,
            overrides: { model: "gpt-4o", systemPromptOverride: "Be brief", modelParams: { maxTokens: 10, topP: 0.5 } },
            runtimeOptions: { language: "en" },
            extra: { actorID: "typo", overrides: { maxTurns: 3 } }
          }))
          assert.strictEqual(MemoryLakeAnswer.fromTask(task)?.text, "(English) You asked: hello")
        }))

      const metadata = (memorylake: Schema.JsonObject): Agent.Options => ({ metadata: { memorylake } })
      const id = (prefix: string, digit: string) => `${prefix}-${digit.repeat(32)}`
      const refused: ReadonlyArray<readonly [title: string, options: Agent.Options, tag: string, status: number]> = [
        ["ML-12: a malformed actor", metadata({ actorId: "jane" }), "InvalidArgumentError", 400],
        ["ML-12: an actor of another workspace", metadata({ actorId: id("actor", "f") }), "InvalidArgumentError", 400],
        ["ML-33: a deleted actor", metadata({ actorId: id("actor", "0") }), "ActorInactiveError", 400],
        ["ML-33: a forbidden actor", metadata({ actorId: id("actor", "e") }), "AccessDeniedError", 403],
        ["ML-12: a malformed project", metadata({ readWriteProjectId: "p" }), "InvalidArgumentError", 400],
        ["ML-33: an unknown project", metadata({ readWriteProjectId: id("proj", "0") }), "NotFoundError", 404],
        ["ML-33: a forbidden project", metadata({ readOnlyProjectIds: [id("proj", "e")] }), "AccessDeniedError", 403],
        [
          "ML-14: capabilities that are no object",
          metadata({ overrides: { capabilitiesOverride: ["pii"] } }),
          "InvalidArgumentError",
          400
        ]
      ]
      for (const [title, options, tag, status] of refused) {
        effect(`${title} is refused, sent and streamed`, () =>
          Effect.gen(function*() {
            const sent = yield* Emulated.refusal(send("hi", options))
            const streamed = yield* Emulated.refusal(Stream.runDrain(Agent.stream("hi", options)))
            assert.deepStrictEqual([sent._tag, sent.status], [tag, status])
            assert.deepStrictEqual([streamed._tag, streamed.status], [tag, status])
          }))
      }

      effect(
        "ML-12: unknown read-only projects are skipped, unknown or invalid capabilities dropped (ML-14)",
        () =>
          Effect.gen(function*() {
            const memorylake = {
              readOnlyProjectIds: [`proj-${"0".repeat(32)}`],
              overrides: { capabilitiesOverride: { web_serch: {}, web_search: true, pii: { enabled: false } } }
            }
            const task = yield* send("mail me@a.test", { metadata: { memorylake } })
            assert.strictEqual(MemoryLakeAnswer.fromTask(task)?.text, "You asked: mail [EMAIL_REDACTED]")
            assert.notInclude(MemoryLakeAnswer.fromHistory(task).map(({ _tag }) => _tag), "ToolCall")
          })
      )

      effect("ML-17: files without a project of their own are refused before any byte", () =>
        Effect.gen(function*() {
          for (const file of [Part.url("drive://items/1"), Part.raw(new Uint8Array([1]))]) {
            const { _tag, message } = yield* Emulated.refusal(send(["see", file]))
            assert.strictEqual(_tag, "InvalidRequestError")
            assert.include(message, "metadata.memorylake.readWriteProjectId")
            assert.strictEqual(
              (yield* Emulated.refusal(Stream.runDrain(Agent.stream(file))))._tag,
              "InvalidRequestError"
            )
          }
          assert.deepStrictEqual(yield* Emulated.exchanges, [])
          const task = yield* send(["see", Part.url("drive://items/1")], { contextId }).pipe(
            MemoryLake.withOptions({ readWriteProjectId: project })
          )
          assert.strictEqual(task.status.state, "completed")
          // not even the conversation's project is inherited for them
          const next = yield* Emulated.refusal(send(["see", Part.url("drive://items/2")], { contextId }))
          assert.strictEqual(next._tag, "InvalidRequestError")
          assert.strictEqual((yield* Emulated.exchanges).length, 1)
        }))

      it.effect("ML-17: and by the service, where nothing of ours stands before it", () =>
        Effect.gen(function*() {
          const reason = yield* Emulated.refusal(bare(["see", Part.url("drive://items/1")], {}))
          assert.deepStrictEqual([reason._tag, reason.status], ["InvalidArgumentError", 400])
          const named = { readWriteProjectId: project }
          yield* bare(["see", Part.url("drive://items/1")], named, { contextId })
          const next = yield* Emulated.refusal(bare(["see", Part.url("drive://items/1")], {}, { contextId }))
          assert.strictEqual(next._tag, "InvalidArgumentError")
        }).pipe(Effect.provide(Emulated.layerBare(cell)), Effect.provide(Emulated.layerService)))

      if (isRest) {
        effect(`§9 ML23: a body of the other edition is refused, not guessed at`, () =>
          Effect.gen(function*() {
            const { content, parts, ...rest } = Emulated.message(cell, "hi")
            const mixed = isLegacy ? { ...rest, parts: content } : { ...rest, content: parts }
            for (const mode of ["send", "stream"] as const) {
              const { status, text } = yield* Emulated.post(
                cell,
                { message: mixed, metadata: { memorylake: {} } },
                mode
              )
              assert.strictEqual(status, 400)
              assert.strictEqual(JSON.parse(text).error_code, "INVALID_ARGUMENT")
              assert.include(JSON.parse(text).message, isLegacy ? "message.parts" : "message.content")
            }
          }))
      }

      effect(
        "ML-05: a request without a version, a message id or a kind is served by what its route or method says",
        () =>
          Effect.gen(function*() {
            const params = { message: Emulated.message(cell, example), metadata: { memorylake: {} } }
            const sent = yield* Emulated.post(cell, params)
            assert.strictEqual(sent.status, 200)
            assert.match(Emulated.taskIn(cell, sent.text).id, /^run-[0-9a-f]{32}$/)
            const streamed = yield* Emulated.post(cell, params, "stream")
            assert.include(streamed.type, "text/event-stream")
            assert.isUndefined((yield* Emulated.exchanges)[0]!.headers["a2a-version"])
          })
      )
    })

    describe("configuration", () => {
      effect("ML-07: what is left out: waiting and history, by edition and binding", () =>
        Effect.gen(function*() {
          const ask = (configuration?: Record<string, unknown>) =>
            Effect.map(
              Emulated.post(cell, {
                message: Emulated.message(cell, example),
                metadata: { memorylake: {} },
                ...(configuration && { configuration })
              }),
              ({ text }) => Emulated.taskIn(cell, text)
            )
          const isDone = ({ status }: any) => /completed$/i.test(status.state)
          const plain = yield* ask()
          const atOnce = isRest && isLegacy
          assert.strictEqual(isDone(plain), !atOnce)
          assert.strictEqual("history" in plain, !atOnce)
          const wait = isLegacy ? { blocking: true } : { returnImmediately: false }
          const waited = yield* ask(wait)
          assert.isTrue(isDone(waited))
          assert.strictEqual(waited.history?.length, atOnce ? undefined : 5)
          assert.isUndefined((yield* ask({ ...wait, historyLength: 0 })).history)
          assert.strictEqual((yield* ask({ ...wait, historyLength: 2 })).history.length, 2)
          const unawaited = yield* ask(isLegacy ? { blocking: false } : { returnImmediately: true })
          assert.isFalse(isDone(unawaited))
          assert.isUndefined(unawaited.artifacts)
          // the other edition's word says nothing here
          if (!isLegacy) assert.isTrue(isDone(yield* ask({ blocking: false })))
        }))

      effect(
        "ML-07, ML-20: the client says it outright: by default it waits, whatever the route's default is",
        () =>
          Effect.gen(function*() {
            const task = yield* send(example)
            assert.strictEqual(task.status.state, "completed")
            const unawaited = yield* send("a slow one", { returnImmediately: true })
            assert.include(["submitted", "working"], unawaited.status.state)
            const bodies = (yield* Emulated.exchanges).map(({ body }) => JSON.parse(body))
            const configurations = bodies.map((body) => (body.params ?? body).configuration)
            if (isLegacy) assert.deepStrictEqual(configurations.map(({ blocking }) => blocking), [true, false])
            else assert.deepStrictEqual(configurations, [undefined, { returnImmediately: true }])
          })
      )
    })

    describe("conversations", () => {
      effect(
        "ML-09: one message at a time in a context, however the first was sent; others go on",
        () =>
          Effect.gen(function*() {
            const busy = Effect.gen(function*() {
              const reason = yield* Emulated.refusal(send("next", { contextId }))
              assert.deepStrictEqual([reason._tag, reason.code, reason.status], [
                "InvalidArgumentError",
                "INVALID_ARGUMENT",
                400
              ])
            })
            const { id } = yield* send("a slow one", { contextId, returnImmediately: true })
            yield* busy
            assert.strictEqual(
              (yield* send("elsewhere", { contextId: Id.ContextId.make("ctx-2") })).status.state,
              "completed"
            )
            yield* cancel(id)
            const [first] = yield* Stream.runCollect(Stream.take(Agent.stream("another slow one", { contextId }), 1))
            yield* busy
            yield* cancel((first as Task.Task).id)
            assert.strictEqual((yield* send("at last", { contextId })).status.state, "completed")
          })
      )

      it.effect("ML-10: a context belongs to the agent that first used it; the error names both", () =>
        Effect.gen(function*() {
          yield* send("hi", { contextId }).pipe(Effect.provide(Emulated.layerClient(cell)))
          const reason = yield* Emulated.refusal(send("hi", { contextId })).pipe(
            Effect.provide(Emulated.layerClient(cell, { agentId: "agent-other" }))
          )
          assert.strictEqual(reason._tag, "InvalidArgumentError")
          assert.include(reason.message, "ctx-demo-1")
          assert.include(reason.message, "agent-other")
        }).pipe(Effect.provide(Emulated.layerService)))

      it.effect("ML-18: a context keeps its project: the service refuses another, and one that comes late", () =>
        Effect.gen(function*() {
          const named = { readWriteProjectId: project }
          yield* bare("one", named, { contextId })
          yield* bare("two", {}, { contextId })
          const other = yield* Emulated.refusal(bare("three", { readWriteProjectId: otherProject }, { contextId }))
          assert.deepStrictEqual([other._tag, other.status], ["InvalidArgumentError", 400])
          const late = { contextId: Id.ContextId.make("ctx-late") }
          yield* bare("one", {}, late)
          assert.strictEqual((yield* Emulated.refusal(bare("two", named, late)))._tag, "InvalidArgumentError")
        }).pipe(Effect.provide(Emulated.layerBare(cell)), Effect.provide(Emulated.layerService)))

      effect("ML-18: and the client refuses them before the service hears of it", () =>
        Effect.gen(function*() {
          yield* send("one", { contextId }).pipe(MemoryLake.withOptions({ readWriteProjectId: project }))
          const reason = yield* Emulated.refusal(
            send("two", { contextId }).pipe(MemoryLake.withOptions({ readWriteProjectId: otherProject }))
          )
          assert.strictEqual(reason._tag, "InvalidRequestError")
          assert.include(reason.message, project)
          assert.strictEqual((yield* Emulated.exchanges).length, 1)
        }))
    })

    describe("failures", () => {
      effect("ML-13, ML-32: an unknown model is a failed task, with the page's text", () =>
        Effect.gen(function*() {
          const overrides = MemoryLake.withOptions({ overrides: { model: "gpt-none" } })
          const sent = yield* Emulated.refusal(overrides(send("hi")))
          assert.strictEqual(sent._tag, "TaskFailedError")
          assert.strictEqual(sent.message, "LLM model config not found: gpt-none")
          assert.strictEqual(refusedTask(sent).status.state, "failed")
          assert.isUndefined(refusedTask(sent).artifacts)
          const streamed = yield* Emulated.refusal(overrides(Stream.runDrain(Agent.stream("hi"))))
          assert.deepStrictEqual([streamed._tag, streamed.message], [sent._tag, sent.message])
          assert.deepStrictEqual((yield* Emulated.exchanges).map(({ status }) => status), [200, 200])
        }))

      const keys = [
        ["sk_invalid", "UnauthenticatedError", 401],
        ["sk_quota", "QuotaExceededError", 402],
        ["sk_denied", "AccessDeniedError", 403],
        ["sk_limited", "RateLimitError", 429],
        ["sk_no_actor", "StateNotReadyError", 400]
      ] as const
      for (const [key, tag, status] of keys) {
        effect(
          `ML-33, ML-35, ML-36: ${status} ${tag}, the service's own body in place of the binding's`,
          () =>
            Effect.gen(function*() {
              const { retryAfter, ...reason } = yield* Emulated.refusal(send("hi"))
              assert.deepStrictEqual([reason._tag, reason.status], [tag, status])
              assert.deepStrictEqual(retryAfter && Duration.toSeconds(retryAfter), status === 429 ? 2 : undefined)
              assert.strictEqual(reason.isRetryable, status === 429)
              if (reason._tag === "UnauthenticatedError") assert.include(reason.challenge, "Bearer")
              assert.strictEqual((yield* Emulated.refusal(Stream.runDrain(Agent.stream("hi"))))._tag, tag)
              for (const { chunks, status: answered } of yield* Emulated.exchanges) {
                assert.strictEqual(answered, status)
                assert.hasAllKeys(JSON.parse(chunks.join("")), ["success", "message", "error_code"])
              }
              if (status === 400) return
              assert.strictEqual((yield* Emulated.refusal(getTask(Id.TaskId.make("run-1"))))._tag, tag)
            }),
          { key }
        )
      }

      effect("ML-35: an error of the agent's own is the binding's, and the same reason", () =>
        Effect.gen(function*() {
          const reason = yield* Emulated.refusal(getTask(Id.TaskId.make("run-none")))
          assert.strictEqual(reason._tag, "TaskNotFoundError")
          const { chunks, status } = (yield* Emulated.exchanges)[0]!
          const body = JSON.parse(chunks.join(""))
          assert.strictEqual(status, isRest ? 404 : 200)
          if (isRest) return assert.strictEqual(body.error_code, "NOT_FOUND")
          assert.strictEqual(body.error.code, isLegacy ? -32603 : -32001)
        }))
    })

    describe("following a task", () => {
      effect(
        "ML-27: Get tells the state alone, and that is not taken for an empty answer",
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
          })
      )

      effect(
        "ML-20, ML-28: Subscribe replays without a leading task, then follows live to the end, and replays again",
        () =>
          Effect.gen(function*() {
            const { id } = yield* send("a slow one", { returnImmediately: true })
            const live = yield* Emulated.hurried(Stream.runCollect(subscribe(id)))
            assert.notInclude(live.map(({ _tag }) => _tag), "Task")
            assert.strictEqual(StreamEvent.state(live.at(-1)!), "completed")
            assert.include(live.map(({ _tag }) => _tag), "ArtifactUpdate")
            assert.deepStrictEqual(yield* Stream.runCollect(subscribe(id)), live)
            const streamed = (yield* Emulated.exchanges).at(-1)!
            assert.strictEqual(streamed.method, isRest ? "GET" : "POST")
            assert.strictEqual(streamed.headers.accept, "text/event-stream")
          })
      )

      effect("ML-28: the replay of a stream is that stream without its task", () =>
        Effect.gen(function*() {
          const [task, ...rest] = yield* Stream.runCollect(Agent.stream(example))
          assert.deepStrictEqual<ReadonlyArray<StreamEvent.StreamEvent>>(
            yield* Stream.runCollect(subscribe((task as Task.Task).id)),
            rest
          )
        }))

      effect("ML-29: a failed and a canceled task cannot be subscribed to", () =>
        Effect.gen(function*() {
          const failed = refusedTask(yield* Emulated.refusal(send("please fail")))
          const { id } = yield* send("a slow one", { returnImmediately: true })
          yield* cancel(id)
          for (const ended of [failed.id, id]) {
            const reason = yield* Emulated.refusal(Stream.runDrain(subscribe(ended)))
            // one code for all that 0.3 methods refuse (ML-35); the reason is in what they say besides
            assert.strictEqual(reason._tag, "UnsupportedOperationError")
          }
        }))

      effect(
        "ML-30: cancel ends a task and those who follow it; an ended one is not cancelable (ML-34)",
        () =>
          Effect.gen(function*() {
            const { id } = yield* send(`a slow one${" with much to say".repeat(20)}`, { returnImmediately: true })
            const isFollowing = yield* Deferred.make<void>()
            const following = yield* subscribe(id).pipe(
              Stream.runForEach(() => Deferred.succeed(isFollowing, undefined)),
              Emulated.refusal,
              Effect.forkChild
            )
            yield* Emulated.hurried(Deferred.await(isFollowing))
            assert.strictEqual((yield* cancel(id)).status.state, "canceled")
            assert.strictEqual((yield* Emulated.hurried(Fiber.join(following)))._tag, "TaskCanceledError")
            const done = yield* send("quick")
            const reason = yield* Emulated.refusal(cancel(done.id))
            assert.strictEqual(reason._tag, "TaskNotCancelableError")
            if (!isRest) return
            const { chunks, status } = (yield* Emulated.exchanges).at(-1)!
            const { error_code, message } = JSON.parse(chunks.join(""))
            assert.deepStrictEqual([status, error_code], [400, "INVALID_ARGUMENT"])
            assert.strictEqual(JSON.parse(message).error.details[0].reason, "TASK_NOT_CANCELABLE")
          })
      )

      effect("ML-30: list, newest first and page by page; 0.3 has no method for it", () =>
        Effect.gen(function*() {
          const list = Stream.runCollect(Agent.listTasks({ contextId, pageSize: 2 }))
          if (isLegacy && !isRest) {
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
          assert.deepStrictEqual((yield* Emulated.hurried(list)).map(({ id }) => id), ids.toReversed())
          assert.strictEqual((yield* Emulated.exchanges).length, 6)
        }))
    })

    describe("bytes", () => {
      effect(
        "ML-25, ML-26: floats, data without a space and comments come in, integers and events come out",
        () =>
          Effect.gen(function*() {
            const events = yield* Emulated.hurried(Stream.runCollect(Agent.stream("slow search with citations")))
            const { chunks } = (yield* Emulated.exchanges)[0]!
            const lines = chunks.join("").split("\n")
            assert.isTrue(lines.some((line) => line.startsWith("data:{")))
            assert.deepStrictEqual(lines.filter((line) => !/^($|:|data:\{)/.test(line)), [])
            assert.isTrue(lines.some((line) => line.startsWith(":")))
            assert.match(chunks.join(""), /"limit":2\.0/)
            const calls = events.flatMap(MemoryLakeAnswer.steps).flatMap((step) =>
              step._tag === "ToolCall" ? [step.call.args] : []
            )
            assert.deepStrictEqual(calls, [{ query: "slow search with citations", limit: 2 }])
            const [answer] = events.flatMap(MemoryLakeAnswer.steps).flatMap((step) =>
              step._tag === "Answer" ? [step.answer] : []
            )
            assert.deepStrictEqual(answer?.other.map((part) => part._tag === "Data" && part.data), [
              { kind: "citations", items: [1, 2] },
              { note: "no kind" }
            ])
          })
      )

      effect(
        "ML-21, ML-22, ML-23, ML-24: the page's run, sent and streamed, is the same answer",
        () =>
          Effect.gen(function*() {
            const steps = (yield* Stream.runCollect(Agent.stream(example))).flatMap(MemoryLakeAnswer.steps)
            assert.deepStrictEqual(steps.map(({ _tag }) => _tag), [
              "State",
              "State",
              "TextDelta",
              "ToolCall",
              "ToolResult",
              "TextDelta",
              "TextDelta",
              "Answer",
              "State"
            ])
            const task = yield* send(example, { historyLength: 10 })
            const answer = MemoryLakeAnswer.fromTask(task)
            assert.deepStrictEqual(steps.flatMap((step) => step._tag === "Answer" ? [step.answer] : []), [answer!])
            assert.strictEqual(answer?.text, "Paris is the capital of France.")
            assert.deepStrictEqual(MemoryLakeAnswer.fromHistory(task).map(({ _tag }) => _tag), [
              "TextDelta",
              "ToolCall",
              "ToolResult",
              "TextDelta"
            ])
          })
      )
    })

    describe("beside A2A", () => {
      effect(
        "ML-08: the card is beside the agent's URL, and says that there are no push notifications",
        () =>
          Effect.gen(function*() {
            const card = yield* Agent.card
            assert.strictEqual(card.capabilities.pushNotifications, false)
            assert.strictEqual(
              (yield* Emulated.exchanges)[0]?.url,
              Emulated.url.replace(/a2a$/, ".well-known/agent-card.json")
            )
          })
      )

      effect("ML-08: push configurations are refused before any byte, in a message too", () =>
        Effect.gen(function*() {
          const { call } = yield* AgentTransport
          const config = { taskId: Id.TaskId.make("run-1"), url: "https://hook.test" }
          const tags = yield* Effect.forEach([
            call(Operation.CreateTaskPushNotificationConfig, config),
            Agent.send("hi", { taskPushNotificationConfig: { url: "https://hook.test" } }),
            Stream.runDrain(Agent.stream("hi", { taskPushNotificationConfig: { url: "https://hook.test" } }))
          ], (effect) =>
            Effect.map(
              Emulated.refusal(effect as Effect.Effect<unknown, AgentError.AgentError, Agent.Agent>),
              ({ _tag }) => _tag
            ))
          assert.deepStrictEqual([...new Set(tags)], ["PushNotificationNotSupportedError"])
          assert.deepStrictEqual(yield* Emulated.exchanges, [])
        }))

      effect("ML-31: a task is rated, and tells it to those who ask", () =>
        Effect.gen(function*() {
          const { id } = yield* send(example)
          const rate = TaskFeedback.send({ ...MemoryLakeEmulator.address(Emulated.host), protocol: cell.protocol })
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
        }))
    })
  })
}

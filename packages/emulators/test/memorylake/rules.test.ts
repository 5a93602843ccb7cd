import type * as AgentError from "@effect-a2a/core/AgentError"
import * as AgentStream from "@effect-a2a/core/AgentStream"
import { AgentTransport } from "@effect-a2a/core/AgentTransport"
import * as Answer from "@effect-a2a/core/Answer"
import * as Id from "@effect-a2a/core/Id"
import * as Message from "@effect-a2a/core/Message"
import type { Metadata } from "@effect-a2a/core/Metadata"
import * as Operation from "@effect-a2a/core/Operation"
import * as Part from "@effect-a2a/core/Part"
import * as Recognizer from "@effect-a2a/core/Recognizer"
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as Task from "@effect-a2a/core/Task"
import * as MemoryLake from "@effect-a2a/memorylake/MemoryLake"
import * as MemoryLakeAnswer from "@effect-a2a/memorylake/MemoryLakeAnswer"
import * as AgentExecutor from "@effect-a2a/server/AgentExecutor"
import * as AgentServer from "@effect-a2a/server/AgentServer"
import * as Caller from "@effect-a2a/server/Caller"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { covers, type Id as CoveredId } from "../../../../test/support/covers.ts"
import * as Answers from "../../src/internal/memorylake/answers.ts"
import * as Refusals from "../../src/internal/memorylake/refusals.ts"
import * as Rules from "../../src/internal/memorylake/rules.ts"

const card = {
  name: "Lake",
  description: "Emulated",
  version: "1",
  supportedInterfaces: [],
  capabilities: {},
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: []
}
const server = AgentServer.layerMemory({ card, replay: "events" }).pipe(
  Layer.provide(AgentExecutor.layer(Answers.execute))
)
const agent = (agentId: string) => Layer.fresh(server.pipe(Rules.withRules(agentId)))

/** Runs against a fresh workspace. */
const inWorkspace = <A, E>(program: Effect.Effect<A, E, AgentTransport | Rules.Conversations>) =>
  program.pipe(Effect.provide(agent("agent-1").pipe(Layer.provideMerge(Rules.layerConversations))))

const project = "proj-b93e8d95a8705bcc4ec42a65ba4cc7f8"
const contextId = Id.ContextId.make("ctx-demo-1")

interface Options extends Message.Options {
  readonly memorylake?: Metadata
  readonly returnImmediately?: boolean
  readonly historyLength?: number
}

const request = ({ historyLength, memorylake = {}, returnImmediately, ...options }: Options, input: Message.Input) =>
  Effect.map(Message.user(input, options), (message): Operation.SendMessageRequest => ({
    message,
    metadata: { memorylake },
    configuration: {
      ...(returnImmediately !== undefined && { returnImmediately }),
      ...(historyLength !== undefined && { historyLength })
    }
  }))

const send = (input: Message.Input, options: Options = {}) =>
  Effect.gen(function*() {
    const transport = yield* AgentTransport
    return (yield* transport.call(Operation.SendMessage, yield* request(options, input))) as Task.Task
  })

const stream = (input: Message.Input, options: Options = {}) =>
  Stream.unwrap(Effect.gen(function*() {
    const transport = yield* AgentTransport
    return transport.stream(Operation.SendStreamingMessage, yield* request(options, input))
  }))

const subscribe = (id: Id.TaskId) =>
  Stream.unwrap(Effect.map(AgentTransport, (transport) => transport.stream(Operation.SubscribeToTask, { id })))

const refused = <A, R>(effect: Effect.Effect<A, AgentError.AgentError, R>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason)

const said = (event: StreamEvent.StreamEvent) =>
  event._tag === "StatusUpdate" && event.status.message !== undefined
    ? [event.status.message.messageId.replace(event.taskId, "run"), event.status.message.parts]
    : [event._tag, event._tag === "ArtifactUpdate" ? event.artifact.parts : (event as Task.Task).status.state]

const recommended = Part.data({ kind: "recommended_questions", questions: ["What is the population of Paris?"] })

describe("the emulator's rules", () => {
  it.effect("emit the documented stream, event by event", () =>
    inWorkspace(Effect.gen(function*() {
      const events = yield* Stream.runCollect(stream(Answers.example, { contextId }))
      const marked = (part: Part.Part) => Recognizer.mark([MemoryLake.recognizer], part)
      assert.deepStrictEqual<unknown>(events.map(said), [
        ["Task", "submitted"],
        ["StatusUpdate", "working"],
        ["run-3", [Part.text("Let me look that up.")]],
        ["run-8-call", [
          marked(Part.data({ id: "call_1", name: "web_search", args: { query: "capital of France" } }, {
            metadata: { adk_type: "function_call" }
          }))
        ]],
        ["run-9-response", [
          marked(Part.data({
            id: "call_1",
            name: "web_search",
            response: `{"results": [{"title": "Paris", "url": "https://en.wikipedia.org/wiki/Paris"}]}`
          }, { metadata: { adk_type: "function_response" } }))
        ]],
        ["run-11", [Part.text("Paris is")]],
        ["run-12", [Part.text(" the capital of France.")]],
        ["ArtifactUpdate", [Part.text("Paris is the capital of France."), recommended]],
        ["StatusUpdate", "completed"]
      ])
      const [artifact] = events.flatMap((event) => event._tag === "ArtifactUpdate" ? [event] : [])
      assert.strictEqual(artifact?.artifact.artifactId as string, `result-${artifact?.taskId}`)
      assert.strictEqual(artifact?.artifact.name, "result")
      assert.strictEqual(artifact?.lastChunk, true)
    })), covers("ML-21"))

  it.effect("let a send wait, and join adjacent text in the history", () =>
    inWorkspace(Effect.gen(function*() {
      const task = yield* send(Answers.example, { contextId })
      assert.strictEqual(task.status.state, "completed")
      assert.deepStrictEqual(task.history?.map((message) => [message.role, Message.text(message)]), [
        ["user", Answers.example],
        ["agent", "Let me look that up."],
        ["agent", ""],
        ["agent", ""],
        ["agent", "Paris is the capital of France."]
      ])
      assert.strictEqual(MemoryLakeAnswer.fromTask(task)?.text, "Paris is the capital of France.")
      assert.deepStrictEqual((yield* send(Answers.example, { historyLength: 1 })).history?.map(Message.text), [
        "Paris is the capital of France."
      ])
      assert.isUndefined((yield* send(Answers.example, { historyLength: 0 })).history)
    })), covers("ML-19", "ML-22", "ML-24"))

  it.effect(
    "answer Get with the status alone, and replay all events to Subscribe",
    () =>
      inWorkspace(Effect.gen(function*() {
        const task = yield* send("a slow question", { returnImmediately: true, contextId })
        assert.include(["submitted", "working"], task.status.state)
        assert.deepStrictEqual(task.history?.map(Message.text), ["a slow question"])
        assert.isUndefined(task.artifacts)
        const following = yield* Effect.forkChild(Stream.runCollect(subscribe(task.id)))
        yield* TestClock.adjust(Duration.seconds(60))
        const live = yield* Fiber.join(following)
        assert.notInclude(live.map(({ _tag }) => _tag), "Task")
        const replayed = yield* Stream.runCollect(subscribe(task.id))
        assert.deepStrictEqual(replayed, live)
        const got = yield* Effect.flatMap(
          AgentTransport,
          (transport) => transport.call(Operation.GetTask, { id: task.id })
        )
        assert.hasAllKeys(got, ["_tag", "id", "contextId", "status"])
        assert.hasAllKeys(got.status, ["state", "timestamp"])
      })),
    covers("ML-20", "ML-27", "ML-28")
  )

  it.effect(
    "fail the task of an unknown model, and refuse to subscribe to it",
    () =>
      inWorkspace(Effect.gen(function*() {
        const task = yield* send("hi", { memorylake: { overrides: { model: "gpt-none" } } })
        assert.strictEqual(task.status.state, "failed")
        assert.strictEqual(Task.statusText(task), "LLM model config not found: gpt-none")
        assert.isUndefined(task.artifacts)
        const reason = yield* refused(Stream.runDrain(subscribe(task.id)))
        assert.strictEqual(reason._tag, "UnsupportedOperationError")
      })),
    covers("ML-29", "ML-32")
  )

  it.effect("refuse a message in a busy context, however the first was sent", () =>
    inWorkspace(Effect.gen(function*() {
      const busy = (options: Options) =>
        Effect.map(refused(send("next", options)), ({ code, message }) => `${code} ${message}`)
      const expected = "INVALID_ARGUMENT the context is busy with another message"
      const waiting = yield* Effect.forkChild(send("a slow one", { contextId }))
      yield* Effect.yieldNow
      assert.strictEqual(yield* busy({ contextId }), expected)
      yield* TestClock.adjust(Duration.seconds(60))
      yield* Fiber.join(waiting)

      yield* send("another slow one", { contextId, returnImmediately: true })
      assert.strictEqual(yield* busy({ contextId }), expected)
      yield* TestClock.adjust(Duration.seconds(60))

      // an abandoned stream goes on working
      yield* stream("a third slow one", { contextId }).pipe(Stream.take(1), Stream.runDrain)
      assert.strictEqual(yield* busy({ contextId }), expected)
      const other = yield* send("elsewhere", { contextId: Id.ContextId.make("ctx-2") })
      assert.strictEqual(other.status.state, "completed")
      yield* TestClock.adjust(Duration.seconds(60))
      assert.strictEqual((yield* send("at last", { contextId })).status.state, "completed")
    })), covers("ML-09"))

  it.effect("refuse one of two simultaneous messages", () =>
    inWorkspace(Effect.gen(function*() {
      yield* send("first", { contextId })
      const one = (input: string) => Effect.forkChild(Effect.result(send(input, { contextId })))
      const fibers = [yield* one("a slow one"), yield* one("a slow other")]
      yield* TestClock.adjust(Duration.seconds(60))
      const results = yield* Effect.forEach(fibers, Fiber.join)
      assert.sameMembers(results.map(({ _tag }) => _tag), ["Success", "Failure"])
    })), covers("ML-09"))

  it.effect("bind a context to the agent that used it first", () =>
    Effect.gen(function*() {
      yield* send("hi", { contextId }).pipe(Effect.provide(agent("agent-1")))
      const reason = yield* refused(send("hi", { contextId })).pipe(Effect.provide(agent("agent-2")))
      assert.strictEqual(reason._tag, "InvalidArgumentError")
      assert.include(reason.message, "another agent")
    }).pipe(Effect.provide(Rules.layerConversations)), covers("ML-10"))

  it.effect(
    "bind a context to its project, which later messages may leave out",
    () =>
      inWorkspace(Effect.gen(function*() {
        const named = { contextId, memorylake: { readWriteProjectId: project } }
        yield* send("one", named)
        yield* send("two", { contextId })
        yield* send("three", named)
        const other = { contextId, memorylake: { readWriteProjectId: `proj-${"1".repeat(32)}` } }
        assert.strictEqual((yield* refused(send("four", other))).code, "INVALID_ARGUMENT")
        const late = Id.ContextId.make("ctx-late")
        yield* send("one", { contextId: late })
        assert.strictEqual((yield* refused(send("two", { ...named, contextId: late }))).code, "INVALID_ARGUMENT")
      })),
    covers("ML-18")
  )

  const file = ["see", Part.url("drive://items/1")]
  const refusals: ReadonlyArray<
    readonly [id: CoveredId, title: string, input: Message.Input, options: Options, code: string]
  > = [
    ["ML-12", "a malformed actor", "hi", { memorylake: { actorId: "jane" } }, "INVALID_ARGUMENT"],
    [
      "ML-12",
      "an actor of another workspace",
      "hi",
      { memorylake: { actorId: Refusals.unboundActor } },
      "INVALID_ARGUMENT"
    ],
    ["ML-33", "a deleted actor", "hi", { memorylake: { actorId: Refusals.inactiveActor } }, "ACTOR_INACTIVE"],
    ["ML-33", "a forbidden actor", "hi", { memorylake: { actorId: Refusals.deniedActor } }, "ACCESS_DENIED"],
    ["ML-12", "a malformed project", "hi", { memorylake: { readWriteProjectId: "p" } }, "INVALID_ARGUMENT"],
    ["ML-33", "an unknown project", "hi", { memorylake: { readWriteProjectId: Refusals.unknownProject } }, "NOT_FOUND"],
    [
      "ML-33",
      "a forbidden project",
      "hi",
      { memorylake: { readOnlyProjectIds: [Refusals.deniedProject] } },
      "ACCESS_DENIED"
    ],
    ["ML-17", "files without a project", file, {}, "INVALID_ARGUMENT"],
    [
      "ML-14",
      "capabilities that are not an object",
      "hi",
      { memorylake: { overrides: { capabilitiesOverride: ["pii"] } } },
      "INVALID_ARGUMENT"
    ],
    [
      "ML-10",
      "a context of another agent",
      "hi",
      { contextId: Id.ContextId.make(Refusals.foreignContext) },
      "INVALID_ARGUMENT"
    ],
    ...Refusals.codes.map((code) =>
      ["ML-33", `a prompt that asks for ${code}`, `refuse with ${code}`, {}, code] as const
    )
  ]
  for (const [id, title, input, options, code] of refusals) {
    it.effect(`refuse ${title}, sent and streamed`, () =>
      inWorkspace(Effect.gen(function*() {
        assert.strictEqual((yield* refused(send(input, options))).code, code)
        assert.strictEqual((yield* refused(Stream.runDrain(stream(input, options)))).code, code)
      })), covers(id))
  }

  it.effect("say how long a rate limit lasts", () =>
    inWorkspace(Effect.gen(function*() {
      const { retryAfter } = yield* refused(send("refuse with RATE_LIMIT_EXCEEDED"))
      assert.strictEqual(Duration.toSeconds(retryAfter!), 2)
    })), covers("ML-36"))

  it.effect("require metadata.memorylake, and accept {}", () =>
    inWorkspace(Effect.gen(function*() {
      const transport = yield* AgentTransport
      const message = yield* Message.user("hi")
      assert.strictEqual((yield* refused(transport.call(Operation.SendMessage, { message }))).code, "INVALID_ARGUMENT")
      const inMessage = { message: { ...message, metadata: { memorylake: {} } }, metadata: { other: 1 } }
      assert.strictEqual((yield* refused(transport.call(Operation.SendMessage, inMessage))).code, "INVALID_ARGUMENT")
      assert.strictEqual((yield* send("hi")).status.state, "completed")
    })), covers("ML-11"))

  it.effect(
    "require an actor of callers who have none, and ignore unknown read-only projects",
    () =>
      inWorkspace(Effect.gen(function*() {
        assert.strictEqual((yield* refused(send("hi"))).code, "STATE_NOT_READY")
        const memorylake = {
          actorId: "actor-33d6b73298fb43482a765643ff92444b",
          readOnlyProjectIds: [Refusals.unknownProject]
        }
        assert.strictEqual((yield* send("hi", { memorylake })).status.state, "completed")
      })).pipe(Effect.provideService(Caller.Current, { id: Refusals.keyWithoutActor })),
    covers("ML-12")
  )

  it.effect(
    "ignore the push configuration of a message, and give an id to a message without one",
    () =>
      inWorkspace(Effect.gen(function*() {
        const transport = yield* AgentTransport
        const task = (yield* transport.call(Operation.SendMessage, {
          message: yield* Message.user("hi", { messageId: MemoryLake.missingMessageId }),
          metadata: { memorylake: {} },
          configuration: { taskPushNotificationConfig: { url: "https://me.test" } }
        })) as Task.Task
        assert.strictEqual(task.status.state, "completed")
        assert.notStrictEqual(task.history?.[0]?.messageId, MemoryLake.missingMessageId)
      })),
    covers("ML-08")
  )

  it.effect("cancel a task once, and free its context", () =>
    inWorkspace(Effect.gen(function*() {
      const transport = yield* AgentTransport
      const { id } = yield* send("a slow one", { contextId, returnImmediately: true })
      assert.strictEqual((yield* transport.call(Operation.CancelTask, { id })).status.state, "canceled")
      assert.strictEqual((yield* refused(Stream.runDrain(subscribe(id))))._tag, "UnsupportedOperationError")
      const { id: done } = yield* send("quick", { contextId })
      assert.strictEqual(
        (yield* refused(transport.call(Operation.CancelTask, { id: done })))._tag,
        "TaskNotCancelableError"
      )
    })), covers("ML-30"))
})

describe("the emulator's canned runs", () => {
  const answer = (input: string, memorylake: Metadata = {}) =>
    Effect.map(send(input, { memorylake }), (task) => ({ task, answer: MemoryLakeAnswer.fromTask(task) }))

  it.effect(
    "have files, saved or not, unknown kinds, and no answer on request",
    () =>
      inWorkspace(Effect.gen(function*() {
        assert.deepInclude((yield* answer("make a file")).answer?.attachments[0], {
          committed: true,
          url: "https://files.example.com/report.csv"
        })
        assert.deepInclude((yield* answer("make an unsaved file")).answer?.attachments[0], {
          committed: false,
          error: "the storage is full"
        })
        assert.strictEqual((yield* answer("with citations")).answer?.other.length, 2)
        assert.isUndefined((yield* answer("be silent")).answer)
      })),
    covers("ML-23")
  )

  it.effect("have tool results and tool errors", () =>
    inWorkspace(Effect.gen(function*() {
      const { task } = yield* answer("search with a tool error")
      const outcomes = Answer.fromTask(task).toolCalls.map(({ outcome }) => outcome)
      assert.deepStrictEqual(outcomes.map((outcome) => outcome?._tag), ["Success", "Failure"])
      assert.deepInclude(outcomes[1], { error: "the page did not answer", code: "TIMEOUT" })
    })), covers("ML-24"))

  it.effect("follow the options: language, web search, masked personal data", () =>
    inWorkspace(Effect.gen(function*() {
      const { answer: spoken } = yield* answer("hello", { runtimeOptions: { language: "zh" } })
      assert.strictEqual(spoken?.text, "(Chinese) You asked: hello")
      const { answer: masked } = yield* answer("mail me@a.test", { overrides: { capabilitiesOverride: { pii: {} } } })
      assert.strictEqual(masked?.text, "You asked: mail [EMAIL_REDACTED]")
      const { task } = yield* answer("hello", { overrides: { capabilitiesOverride: { webSearch: {} } } })
      assert.deepStrictEqual(Answer.fromTask(task).toolCalls.map(({ name }) => name), ["web_search"])
    })), covers("ML-14", "ML-15"))

  it.effect("have deltas that add up to the answer", () =>
    inWorkspace(Effect.gen(function*() {
      const events = stream("What does it all add up to, in the end?").pipe(
        Stream.map((event) => Recognizer.apply([MemoryLake.recognizer], event))
      )
      const steps = yield* Stream.runCollect(AgentStream.steps(events))
      const text = steps.flatMap((step) => step._tag === "Text" ? [step.text] : [])
      assert.isAbove(text.length, 2)
      const last = steps.at(-1)
      assert.strictEqual(text.join(""), last?._tag === "Answer" ? last.answer.text : undefined)
    })), covers("ML-22"))

  it.effect("continue with the reply to a question", () =>
    inWorkspace(Effect.gen(function*() {
      const asked = yield* send("ask me", { contextId })
      assert.strictEqual(asked.status.state, "input-required")
      const answered = yield* send("ask me again, this one", { taskId: asked.id })
      assert.strictEqual(answered.status.state, "completed")
      assert.strictEqual(answered.id, asked.id)
    })))
})

import * as AgentCard from "@effect-a2a/core/AgentCard"
import * as Artifact from "@effect-a2a/core/Artifact"
import * as Id from "@effect-a2a/core/Id"
import * as Message from "@effect-a2a/core/Message"
import * as Operation from "@effect-a2a/core/Operation"
import * as Part from "@effect-a2a/core/Part"
import * as PushNotification from "@effect-a2a/core/PushNotification"
import * as SecurityScheme from "@effect-a2a/core/SecurityScheme"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as Task from "@effect-a2a/core/Task"
import * as TaskState from "@effect-a2a/core/TaskState"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

describe("TaskState", () => {
  it("sorts states by what may still happen", () => {
    const table = {
      unspecified: "",
      submitted: "",
      working: "",
      completed: "terminal settled ends",
      failed: "terminal settled ends",
      canceled: "terminal settled ends",
      rejected: "terminal settled ends",
      "input-required": "interrupted settled ends",
      "auth-required": "interrupted settled"
    } as const satisfies Readonly<Record<TaskState.TaskState, string>>
    const actual = TaskState.TaskState.literals.map((state) => [
      state,
      [
        TaskState.isTerminal(state) && "terminal",
        TaskState.isInterrupted(state) && "interrupted",
        TaskState.isSettled(state) && "settled",
        TaskState.endsStream(state) && "ends"
      ].filter(Boolean).join(" ")
    ])
    assert.deepStrictEqual(Object.fromEntries(actual), table)
  })
})

describe("Task", () => {
  const task: Task.Task = { _tag: "Task", id: Id.TaskId.make("t-1"), status: { state: "working" } }

  it("is known by its tag", () => {
    assert.deepStrictEqual([task, { _tag: "Message" }, undefined, "Task"].map(Task.isTask), [true, false, false, false])
  })

  it("has the text of its artifacts, and none without artifacts", () => {
    const artifacts = ["a", "b"].map((id) => Artifact.make(Id.ArtifactId.make(id), [Part.text(id)]))
    assert.strictEqual(Task.text({ ...task, artifacts: artifacts.slice(0, 1) }), "a")
    assert.isUndefined(Task.text({ ...task, artifacts: [] }))
    assert.isUndefined(Task.text(task))
    assert.isUndefined(Task.statusText(task))
  })
})

describe("Id", () => {
  it.effect("generators are asked for each kind of id", () =>
    Effect.gen(function*() {
      const ids = yield* Effect.all([Id.messageId, Id.taskId, Id.contextId, Id.artifactId]).pipe(
        Effect.provideService(Id.CurrentGenerator, (kind) => `${kind}-1`)
      )
      assert.deepStrictEqual<ReadonlyArray<string>>(ids, ["message-1", "task-1", "context-1", "artifact-1"])
      const [first, second] = yield* Effect.all([Id.messageId, Id.messageId])
      assert.notStrictEqual(first, second)
    }))
})

describe("schemas", () => {
  it("have names in JSON Schema", () => {
    const names = (schema: Schema.Top) => Object.keys(Schema.toJsonSchemaDocument(schema).definitions)
    assert.includeMembers(names(StreamEvent.StreamEvent), [
      "StreamEvent",
      "Task",
      "TaskStatus",
      "TaskState",
      "Message",
      "Artifact",
      "StatusUpdate",
      "ArtifactUpdate"
    ])
    assert.includeMembers(names(AgentCard.AgentCard), [
      "AgentCard",
      "AgentInterface",
      "AgentSkill",
      "SecurityScheme",
      "OAuth2"
    ])
    assert.includeMembers(names(Operation.SendMessageRequest), ["SendMessageRequest", "PushNotificationConfig"])
  })

  it("describe plain objects, which need no constructor", () => {
    const values: ReadonlyArray<readonly [Schema.Top, unknown]> = [
      [Task.Task, { _tag: "Task", id: "t", status: { state: "working" } }],
      [Message.Message, { _tag: "Message", messageId: "m", role: "user", parts: [{ _tag: "Text", text: "hi" }] }],
      [SecurityScheme.SecurityScheme, { _tag: "ApiKey", location: "cookie", name: "key" }],
      [PushNotification.TaskPushNotificationConfig, { taskId: "t", url: "https://app.test" }],
      [Operation.GetTaskRequest, { id: "t", historyLength: 0 }]
    ]
    for (const [schema, value] of values) assert.isTrue(Schema.is(schema)(value), JSON.stringify(value))
  })
})

describe("ids", () => {
  const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

  it.effect("are UUIDs of version 4, in pages without TLS too", () =>
    Effect.gen(function*() {
      const made = yield* Effect.replicateEffect(Id.messageId, 50)
      const descriptor = Object.getOwnPropertyDescriptor(crypto, "randomUUID")
      Object.defineProperty(crypto, "randomUUID", { value: undefined, configurable: true })
      const assembled = yield* Effect.ensuring(
        Effect.replicateEffect(Id.messageId, 50),
        Effect.sync(() =>
          descriptor === undefined
            ? Reflect.deleteProperty(crypto, "randomUUID")
            : Object.defineProperty(crypto, "randomUUID", descriptor)
        )
      )
      const all = [...made, ...assembled]
      assert.strictEqual(new Set(all).size, 100)
      for (const id of all) assert.match(id, uuid)
    }))
})

import { type Message, type SendMessageRequest, type StreamResponse, type Task, TaskState } from "@a2a-js/sdk"
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory
} from "@a2a-js/sdk/client"
import { assert, describe, layer } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { covers } from "../support/covers.ts"
import { type Combination, combinations } from "./combinations.ts"
import * as OurAgent from "./ourAgent.ts"

const legacyCompat = { enabled: true }

/**
 * Creates a client from the agent's URL. The SDK requests the card of 1.0 and prefers 1.0 if a card has both, so it gets the
 * card of 0.3 to speak 0.3.
 */
const connect = (combination: Combination) =>
  Effect.flatMap(OurAgent.OurAgent, ({ origin }) =>
    Effect.promise(() =>
      new ClientFactory({
        transports: [new JsonRpcTransportFactory({ legacyCompat }), new RestTransportFactory({ legacyCompat })],
        preferredTransports: [combination.binding],
        cardResolver: new DefaultAgentCardResolver({
          legacyCompat,
          fetchImpl: (url) => fetch(url, { headers: { "a2a-version": combination.protocol.version } })
        })
      }).createFromUrl(origin)
    ))

const request = (text: string, fields?: Partial<Message>, returnImmediately = false): SendMessageRequest => ({
  tenant: "",
  message: {
    messageId: crypto.randomUUID(),
    contextId: "",
    taskId: "",
    role: 1,
    parts: [{ content: { $case: "text", value: text }, metadata: undefined, filename: "", mediaType: "" }],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...fields
  },
  configuration: { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately },
  metadata: undefined
})

/** The parameters that the client adds to a call of its transport. */
const parametersOf = (client: Client) => ({ serviceParameters: { "A2A-Version": client.protocolVersion } })

const textOf = (message: Message | undefined) =>
  message?.parts.map(({ content }) => content?.$case === "text" ? content.value : "").join("")

const taskOf = (answer: Task | Message): Task => {
  assert.isTrue("status" in answer, "a task")
  return answer as Task
}

const artifactText = (task: Task) =>
  task.artifacts.flatMap(({ parts }) => parts).map(({ content }) => content?.$case === "text" ? content.value : "")
    .join("")

const events = (make: () => AsyncIterable<StreamResponse>) =>
  Stream.fromAsyncIterable(make(), (error) => error as Error)

const kindOf = ({ payload }: StreamResponse) =>
  payload?.$case === "task" || payload?.$case === "statusUpdate"
    ? TaskState[payload.value.status!.state]!.replace("TASK_STATE_", "").toLowerCase()
    : payload?.$case

const taskIdOf = ({ payload }: StreamResponse) =>
  payload?.$case === "task" ? payload.value.id : payload?.$case === "message" ? "" : payload!.value.taskId

/** Returns the error with which a promise rejects. */
const rejection = (make: () => Promise<unknown>): Effect.Effect<Error> =>
  Effect.promise(() => make().then(() => Promise.reject(new Error("not refused")), (error: Error) => error))

/** The SDK wraps an error inside a JSON-RPC stream. */
const nameOf = (error: Error) =>
  (error.cause instanceof Error ? error.cause : error).name.replace(/^(Rest|JsonRpc)/, "")

const drain = async (stream: AsyncIterable<unknown>) => {
  for await (const _ of stream) { /* only the end matters */ }
}

const noTask = { tenant: "", id: "no-such-task" }

for (const combination of combinations) {
  const is03 = combination.protocol.version === "0.3"
  describe(
    `@a2a-js/sdk calls ${combination.name}`,
    covers("SDK-03"),
    () =>
      layer(OurAgent.layer, { excludeTestServices: true })((it) => {
        it.effect("the card is found and read, with its security schemes, and leads to this combination", () =>
          Effect.gen(function*() {
            const client = yield* connect(combination)
            assert.strictEqual(client.transport.protocolName, combination.binding)
            assert.strictEqual(client.protocolVersion, combination.protocol.version)
            const card = yield* Effect.promise(() => client.getAgentCard())
            assert.strictEqual(card.name, "Test agent")
            assert.isTrue(card.capabilities?.streaming)
            assert.deepStrictEqual(card.securitySchemes.key?.scheme?.$case, "apiKeySecurityScheme")
            assert.deepStrictEqual(card.skills.map(({ id }) => id), ["script"])
          }))

        it.effect("send waits for the task and returns its artifact and history", () =>
          Effect.gen(function*() {
            const client = yield* connect(combination)
            const task = taskOf(
              yield* Effect.promise(() => client.sendMessage(request("echo Hi there", { contextId: "ctx-1" })))
            )
            assert.strictEqual(task.status?.state, TaskState.TASK_STATE_COMPLETED)
            assert.strictEqual(task.contextId, "ctx-1")
            assert.strictEqual(artifactText(task), "Hi there")
            assert.deepStrictEqual(task.history.map(textOf), ["echo Hi there"])
          }))

        it.effect("the result may be a message", () =>
          Effect.gen(function*() {
            const client = yield* connect(combination)
            const answer = yield* Effect.promise(() => client.sendMessage(request("hello")))
            assert.strictEqual(textOf(answer as Message), "Hello yourself")
            const streamed = yield* Stream.runCollect(events(() => client.sendMessageStream(request("hello"))))
            assert.deepStrictEqual(streamed.map(kindOf), ["message"])
          }), covers("field:STR-04"))

        it.effect("a stream emits its events in order, with the artifact in chunks", () =>
          Effect.gen(function*() {
            const client = yield* connect(combination)
            const streamed = yield* Stream.runCollect(events(() => client.sendMessageStream(request("chunks"))))
            assert.deepStrictEqual(streamed.map(kindOf), [
              "submitted",
              "working",
              "artifactUpdate",
              "artifactUpdate",
              "artifactUpdate",
              "completed"
            ])
            const chunks = streamed.flatMap(({ payload }) => payload?.$case === "artifactUpdate" ? [payload.value] : [])
            // the SDK's reader of 0.3 REST leaves `append` out
            const isLost = combination.name === "0.3 HTTP+JSON"
            assert.deepStrictEqual(
              chunks.map(({ append }) => append),
              isLost ? [false, false, false] : [false, true, true]
            )
            assert.deepStrictEqual(chunks.map(({ lastChunk }) => lastChunk), [false, false, true])
            assert.strictEqual(
              chunks.map(({ artifact }) => artifact?.parts[0]?.content?.value).join(""),
              "One, two, three"
            )
          }), covers("field:STR-01"))

        it.effect("bytes, references and data arrive unchanged", () =>
          Effect.gen(function*() {
            const client = yield* connect(combination)
            const task = taskOf(yield* Effect.promise(() => client.sendMessage(request("files"))))
            const parts = task.artifacts.flatMap(({ parts }) => parts)
            assert.deepStrictEqual(
              parts.map(({ content }) => content?.$case === "raw" ? content.value.toString() : content?.value),
              ["hello", "https://files.test/a.png", { answer: 42, list: [1, null] }]
            )
            assert.deepStrictEqual(parts.slice(0, 2).map(({ mediaType }) => mediaType), ["text/plain", "image/png"])
          }))

        it.effect("a second message answers a task that asks", () =>
          Effect.gen(function*() {
            const client = yield* connect(combination)
            const asked = taskOf(yield* Effect.promise(() => client.sendMessage(request("ask"))))
            assert.strictEqual(asked.status?.state, TaskState.TASK_STATE_INPUT_REQUIRED)
            assert.strictEqual(textOf(asked.status?.message), "Which city?")
            const { contextId, id: taskId } = asked
            const answer = taskOf(
              yield* Effect.promise(() => client.sendMessage(request("Lisbon", { taskId, contextId })))
            )
            assert.strictEqual(answer.id, taskId)
            assert.strictEqual(answer.status?.state, TaskState.TASK_STATE_COMPLETED)
            assert.strictEqual(artifactText(answer), "You answered Lisbon")
            const streamed = yield* Stream.runCollect(events(() => client.sendMessageStream(request("ask"))))
            assert.strictEqual(streamed.map(kindOf).at(-1), "input_required")
          }))

        it.effect("a failed task is a task, and a crash does not reveal its reason", () =>
          Effect.gen(function*() {
            const client = yield* connect(combination)
            const failed = taskOf(yield* Effect.promise(() => client.sendMessage(request("fail"))))
            assert.strictEqual(failed.status?.state, TaskState.TASK_STATE_FAILED)
            assert.strictEqual(textOf(failed.status?.message), "The oven is cold")
            const streamed = yield* Stream.runCollect(events(() => client.sendMessageStream(request("die"))))
            assert.strictEqual(kindOf(streamed[0]!), "submitted")
            assert.strictEqual(streamed.map(kindOf).at(-1), "failed")
            assert.notInclude(JSON.stringify(streamed), "no model")
          }), covers("field:STR-08"))

        it.effect("an error inside a stream arrives unchanged", () =>
          Effect.gen(function*() {
            const client = yield* connect(combination)
            const seen: Array<string | undefined> = []
            const error = yield* rejection(async () => {
              for await (const event of client.sendMessageStream(request("refuse"))) seen.push(kindOf(event))
            })
            assert.deepStrictEqual(seen.slice(0, 2), ["submitted", "working"])
            assert.strictEqual(nameOf(error), "ContentTypeNotSupportedError")
            assert.include(error.message, "No cats")
          }))

        it.effect("get returns the task with as much history as requested", () =>
          Effect.gen(function*() {
            const client = yield* connect(combination)
            const { id } = taskOf(yield* Effect.promise(() => client.sendMessage(request("echo Again"))))
            const task = yield* Effect.promise(() => client.getTask({ tenant: "", id }))
            assert.strictEqual(artifactText(task), "Again")
            assert.strictEqual(task.history.length, 1)
            const latest = yield* Effect.promise(() => client.getTask({ tenant: "", id, historyLength: 1 }))
            assert.strictEqual(latest.history.length, 1)
          }))

        if (!is03) {
          it.effect("list pages through the tasks of a context", () =>
            Effect.gen(function*() {
              const client = yield* connect(combination)
              const contextId = "ctx-list"
              const ids: Array<string> = []
              for (const text of ["echo a", "echo b", "echo c"]) {
                ids.push(taskOf(yield* Effect.promise(() => client.sendMessage(request(text, { contextId })))).id)
              }
              const list = (fields: object) =>
                Effect.promise(() =>
                  client.listTasks({
                    tenant: "",
                    contextId,
                    status: TaskState.TASK_STATE_COMPLETED,
                    pageSize: 2,
                    pageToken: "",
                    statusTimestampAfter: undefined,
                    ...fields
                  })
                )
              const first = yield* list({})
              assert.strictEqual(first.totalSize, 3)
              assert.strictEqual(first.tasks.length, 2)
              const second = yield* list({ pageToken: first.nextPageToken, includeArtifacts: true })
              assert.strictEqual(second.nextPageToken, "")
              assert.deepStrictEqual([...first.tasks, ...second.tasks].map(({ id }) => id).toSorted(), ids.toSorted())
              assert.deepStrictEqual(first.tasks.map(({ artifacts }) => artifacts), [[], []])
              assert.strictEqual(artifactText(second.tasks[0]!), "a")
            }))
        }

        it.effect("cancel ends the task and the streams that follow it", () =>
          Effect.gen(function*() {
            const client = yield* connect(combination)
            const started = yield* Deferred.make<string>()
            const fiber = yield* events(() => client.sendMessageStream(request("slow"))).pipe(
              Stream.tap((event) =>
                kindOf(event) === "working" ? Deferred.succeed(started, taskIdOf(event)) : Effect.void
              ),
              Stream.runCollect,
              Effect.forkChild
            )
            const id = yield* Deferred.await(started)
            const task = yield* Effect.promise(() => client.cancelTask({ tenant: "", id, metadata: undefined }))
            assert.strictEqual(task.status?.state, TaskState.TASK_STATE_CANCELED)
            assert.strictEqual((yield* Fiber.join(fiber)).map(kindOf).at(-1), "canceled")
          }))

        it.effect("resubscribe begins with the current task and follows it to its end", () =>
          Effect.gen(function*() {
            const client = yield* connect(combination)
            const { finish } = yield* OurAgent.OurAgent
            // over 0.3 REST this client cannot ask for an answer at once: proto-JSON leaves out `blocking: false`
            const [first] = yield* events(() => client.sendMessageStream(request("slow"))).pipe(
              Stream.take(1),
              Stream.runCollect
            )
            const id = first?.payload?.$case === "task" ? first.payload.value.id : assert.fail("expected a task")
            const streamed = yield* events(() => client.resubscribeTask({ tenant: "", id })).pipe(
              Stream.tap(({ payload }) => payload?.$case === "task" ? finish(id) : Effect.void),
              Stream.runCollect
            )
            assert.strictEqual(streamed[0]?.payload?.$case, "task")
            assert.deepStrictEqual(streamed.slice(1).map(kindOf).filter((kind) => kind !== "working"), [
              "artifactUpdate",
              "completed"
            ])
            const error = yield* rejection(() => drain(client.resubscribeTask({ tenant: "", id })))
            assert.strictEqual(nameOf(error), "UnsupportedOperationError")
          }))

        it.effect("an unknown task is refused by every operation that names one", () =>
          Effect.gen(function*() {
            const client = yield* connect(combination)
            const more = request("more", { taskId: noTask.id })
            for (
              const make of [
                () => client.getTask(noTask),
                () => client.cancelTask({ ...noTask, metadata: undefined }),
                () => drain(client.resubscribeTask(noTask)),
                () => client.sendMessage(more),
                () => drain(client.sendMessageStream(more))
              ]
            ) assert.strictEqual(nameOf(yield* rejection(make)), "TaskNotFoundError", make.toString())
          }))

        it.effect("a finished task is neither canceled nor continued", () =>
          Effect.gen(function*() {
            const client = yield* connect(combination)
            const { id } = taskOf(yield* Effect.promise(() => client.sendMessage(request("echo done"))))
            const canceled = yield* rejection(() => client.cancelTask({ tenant: "", id, metadata: undefined }))
            assert.strictEqual(nameOf(canceled), "TaskNotCancelableError")
            const continued = yield* rejection(() => client.sendMessage(request("more", { taskId: id })))
            assert.strictEqual(nameOf(continued), "UnsupportedOperationError")
          }))

        it.effect("push configurations are refused, also if the client does not read the card", () =>
          Effect.gen(function*() {
            const client = yield* connect(combination)
            const config = {
              tenant: "",
              id: "c",
              taskId: "t",
              url: "https://hook.test/",
              token: "",
              authentication: undefined
            }
            for (
              const make of [
                async () => client.createTaskPushNotificationConfig(config),
                () => client.transport.createTaskPushNotificationConfig(config, parametersOf(client)),
                () =>
                  client.transport.getTaskPushNotificationConfig(
                    { tenant: "", taskId: "t", id: "c" },
                    parametersOf(client)
                  ),
                () =>
                  client.transport.listTaskPushNotificationConfig(
                    { tenant: "", taskId: "t", pageSize: 0, pageToken: "" },
                    parametersOf(client)
                  ),
                () =>
                  client.transport.deleteTaskPushNotificationConfig(
                    { tenant: "", taskId: "t", id: "c" },
                    parametersOf(client)
                  )
              ]
            ) assert.strictEqual(nameOf(yield* rejection(make)), "PushNotificationNotSupportedError", make.toString())
          }))

        it.effect("a missing extended card is refused", () =>
          Effect.gen(function*() {
            const client = yield* connect(combination)
            const error = yield* rejection(() =>
              client.transport.getExtendedAgentCard({ tenant: "" }, parametersOf(client))
            )
            assert.strictEqual(nameOf(error), "UnsupportedOperationError")
          }))

        it.effect("a message without parts is refused before any work begins", () =>
          Effect.gen(function*() {
            const client = yield* connect(combination)
            const error = yield* rejection(() => client.sendMessage(request("", { parts: [] })))
            assert.strictEqual(nameOf(error), "RequestMalformedError")
          }))

        it.effect("closing a stream closes its connection, and the task continues", () =>
          Effect.gen(function*() {
            const client = yield* connect(combination)
            const { finish } = yield* OurAgent.OurAgent
            const [first] = yield* events(() => client.sendMessageStream(request("slow"))).pipe(
              Stream.take(2),
              Stream.runCollect
            )
            const id = taskIdOf(first!)
            const streamed = yield* events(() => client.resubscribeTask({ tenant: "", id })).pipe(
              Stream.tap(({ payload }) => payload?.$case === "task" ? finish(id) : Effect.void),
              Stream.runCollect
            )
            assert.strictEqual(streamed.map(kindOf).at(-1), "completed")
          }))
      })
  )
}

/**
 * Responses of the reference servers (recorded from `@a2a-js/sdk` 1.3.0 and `a2a-python` 1.x, ids and times made
 * neutral), replayed as bytes through our client.
 */
import * as Agent from "@effect-a2a/core/Agent"
import type * as AgentError from "@effect-a2a/core/AgentError"
import * as Credentials from "@effect-a2a/core/Credentials"
import * as Id from "@effect-a2a/core/Id"
import * as Message from "@effect-a2a/core/Message"
import * as Operation from "@effect-a2a/core/Operation"
import * as Part from "@effect-a2a/core/Part"
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as Task from "@effect-a2a/core/Task"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { readFileSync } from "node:fs"
import { combinations } from "./peers/combinations.ts"
import { covers } from "./support/covers.ts"
import { pieces, respond } from "./support/respond.ts"

/** One recorded response. `cut`: the connection was closed before its end. */
interface Recorded {
  readonly name: string
  readonly status: number
  readonly contentType: string
  readonly body: string
  readonly cut?: boolean
}

const read = (file: string): ReadonlyArray<Recorded> =>
  JSON.parse(readFileSync(new URL(`./fixtures/${file}.json`, import.meta.url), "utf8"))

const replay = ({ body, contentType, cut, status }: Recorded): Response =>
  new Response(pieces([new TextEncoder().encode(body)], cut) as BodyInit, {
    status,
    headers: { "content-type": contentType }
  })

// what comes out, in one line each

const ofTask = (task: Task.Task): string =>
  [
    `${task.id}@${task.contextId} ${task.status.state}`,
    `says ${Task.statusText(task)}`,
    `answers ${Task.text(task)}`,
    `history ${task.history?.map((message) => `${message.role}: ${Message.text(message)}`).join(", ")}`
  ].join("; ")

const ofEvent = (event: StreamEvent.StreamEvent): string => {
  switch (event._tag) {
    case "Task":
      return ofTask(event)
    case "Message":
      return `message ${Message.text(event)}`
    case "StatusUpdate":
      return `${event.status.state} ${event.status.message ? Message.text(event.status.message) : ""}`.trim()
    case "ArtifactUpdate":
      return `${event.append === true ? "more" : "artifact"} ${Part.joinText(event.artifact.parts)}`
  }
}

const taskId = Id.TaskId.make("task-1")

const ofError = ({ reason }: AgentError.AgentError): string => `${reason._tag}: ${reason.message}`

const collected = (stream: Stream.Stream<StreamEvent.StreamEvent, AgentError.AgentError, Agent.Agent>) =>
  stream.pipe(
    Stream.map(ofEvent),
    Stream.catch((error) => Stream.make(ofError(error))),
    Stream.runCollect
  )

const use = <A, E>(f: (agent: Agent.Service) => Effect.Effect<A, E>) => Effect.flatMap(Agent.Agent, f)

/** As the peer returned it: `Agent.send` waits for a task that is returned early. */
const returned = use(({ transport }) =>
  Effect.gen(function*() {
    return [ofEvent(yield* transport.call(Operation.SendMessage, { message: yield* Message.user("hello") }))]
  })
)
const send = Effect.map(Agent.send("hello"), (answer) => [ofEvent(answer)])
const stream = collected(Agent.stream("hello"))
const subscribe = collected(Stream.unwrap(Effect.map(Agent.Agent, (agent) => agent.subscribe(taskId))))
const get = use((agent) => Effect.map(agent.getTask(taskId), (task) => [ofTask(task)]))
const cancel = use((agent) => Effect.map(agent.cancel(taskId), (task) => [ofTask(task)]))
const list = Effect.map(
  Stream.runCollect(
    Stream.unwrap(Effect.map(Agent.Agent, (agent) => Stream.take(agent.listTasks({ pageSize: 2 }), 2)))
  ),
  (tasks) => tasks.map(ofTask)
)
const card = use((agent) =>
  Effect.map(agent.card, (card) => [
    card.name,
    ...card.supportedInterfaces.map(({ protocolBinding, protocolVersion, url }) =>
      `${protocolBinding} ${protocolVersion} ${url}`
    )
  ])
)

/** What each recording is the answer to. */
const calls: Readonly<Record<string, Effect.Effect<ReadonlyArray<string>, AgentError.AgentError, Agent.Agent>>> = {
  card,
  send: returned,
  message: send,
  throw: send,
  "send unknown": send,
  "auth required": send,
  file: Effect.map(
    Agent.ask("hello"),
    ({ artifacts }) =>
      artifacts.flatMap(({ parts }) =>
        parts.map((part) =>
          `${part._tag} ${part.mediaType} ${part._tag === "Raw" ? new TextDecoder().decode(part.raw) : ""}`
        )
      )
  ),
  stream,
  "stream chunked": stream,
  "stream throw": stream,
  get,
  "get unknown": get,
  list,
  cancel,
  "cancel ended": cancel,
  subscribe,
  "subscribe ended": subscribe,
  "subscribe unknown": subscribe,
  invalid: send,
  version: send
}

type Expected = Readonly<Record<string, ReadonlyArray<string>>>

const interfaces = (grpc: string) => [
  "JSONRPC 1.0 https://agent.test/a2a/jsonrpc",
  "HTTP+JSON 1.0 https://agent.test/a2a/rest",
  `GRPC 1.0 ${grpc}`,
  "JSONRPC 0.3 https://agent.test/a2a/jsonrpc",
  "HTTP+JSON 0.3 https://agent.test/a2a/rest",
  `GRPC 0.3 ${grpc}`
]

const begun = (prompt: string) => `task-1@ctx-1 submitted; says undefined; answers undefined; history user: ${prompt}`
const canceled =
  "task-1@ctx-1 canceled; says undefined; answers undefined; history user: slow 9, agent: Processing your question"

const common: Expected = {
  message: ["message direct reply"],
  "auth required": ["task-1@ctx-1 auth-required; says please log in; answers undefined; history user: auth"],
  file: ["Raw text/plain tck"],
  stream: [begun("hello"), "working working on it", "artifact echo: hello", "completed done"],
  "stream chunked": [
    begun("slow 2"),
    "working Processing your question",
    "artifact chunk 1 ",
    "more chunk 2 ",
    "completed done"
  ],
  cancel: [canceled]
}

/** It puts the current status message into the history, too. */
const js: Expected = {
  ...common,
  card: ["JS reference peer", ...interfaces("agent.test:310")],
  send: [
    "task-1@ctx-1 completed; says done; answers echo: hello; history user: hello, agent: working on it, agent: done"
  ],
  get: [
    "task-1@ctx-1 completed; says done; answers echo: hello; history user: hello, agent: working on it, agent: done"
  ],
  "auth required": [
    "task-1@ctx-1 auth-required; says please log in; answers undefined; history user: auth, agent: please log in"
  ],
  throw: ["TaskFailedError: Agent execution error: executor blew up"],
  "stream throw": [
    begun("throw"),
    "failed Agent execution error: executor blew up",
    "TaskFailedError: Agent execution error: executor blew up"
  ],
  "send unknown": ["TaskNotFoundError: Task not found: no-such-task"],
  "get unknown": ["TaskNotFoundError: Task not found: no-such-task"],
  "subscribe unknown": ["TaskNotFoundError: Task not found: no-such-task"],
  list: [
    canceled,
    "task-2@ctx-2 completed; says done; answers undefined; history user: slow 3, agent: Processing your question, agent: done"
  ],
  "cancel ended": ["TaskNotCancelableError: Task not cancelable: task-9"],
  subscribe: [
    "task-1@ctx-1 working; says Processing your question; answers undefined; history user: slow 3, agent: Processing your question",
    "artifact chunk 1 ",
    "more chunk 2 ",
    "more chunk 3 ",
    "completed done"
  ],
  "subscribe ended": [
    "UnsupportedOperationError: Task task-9 is in a terminal state (3) and cannot be subscribed to."
  ],
  version: [
    "VersionNotSupportedError: The requested A2A protocol version '99.0' is not supported. Supported versions: 1.0, 0.3"
  ]
}

const python: Expected = {
  ...common,
  card: ["Python reference peer", ...interfaces("agent.test:330")],
  send: ["task-1@ctx-1 completed; says done; answers echo: hello; history user: hello, agent: working on it"],
  get: ["task-1@ctx-1 completed; says done; answers echo: hello; history user: hello, agent: working on it"],
  throw: ["InternalError: executor blew up"],
  "stream throw": [begun("throw"), "InternalError: executor blew up"],
  "send unknown": ["TaskNotFoundError: Task no-such-task not found"],
  "get unknown": ["TaskNotFoundError: Task not found"],
  "subscribe unknown": ["TaskNotFoundError: Task not found"],
  list: [
    canceled,
    "task-2@ctx-2 completed; says done; answers undefined; history user: slow 3, agent: Processing your question"
  ],
  "cancel ended": ["TaskNotCancelableError: Task cannot be canceled"],
  subscribe: [
    "task-1@ctx-1 working; says Processing your question; answers undefined; history user: slow 3",
    "artifact chunk 1 ",
    "more chunk 2 ",
    "more chunk 3 ",
    "completed done"
  ],
  "subscribe ended": ["InvalidParamsError: Task task-9 is in terminal state: 3"],
  invalid: ["InvalidParamsError: Validation failed"],
  version: [
    "VersionNotSupportedError: A2A version '99.0' is not supported by this handler. Expected version '1.0'."
  ]
}

const submitted = "task-1@ctx-1 submitted; says undefined; answers undefined; history undefined"
const cutOff = "StreamInterruptedError: the connection was lost: socket hang up"

const expected: Readonly<Record<string, Expected>> = {
  "js-v1.0-rest": { ...js, invalid: ["InvalidParamsError: message is required"] },
  "js-v1.0-jsonrpc": { ...js, invalid: ["InvalidParamsError: message.messageId is required."] },
  "js-v0.3-rest": { ...js, invalid: ["InvalidParamsError: SendMessageRequest missing message"] },
  "js-v0.3-jsonrpc": { ...js, invalid: ["InvalidParamsError: message must be an object"] },
  "python-v1.0-rest": {
    ...python,
    throw: ["InternalError: unknown exception"],
    "stream throw": [begun("throw"), "InternalError: unknown exception"]
  },
  "python-v1.0-jsonrpc": python,
  // waits only on request, and closes the connection instead of refusing
  "python-v0.3-rest": {
    ...python,
    send: [submitted],
    stream: [submitted, "working working on it", "artifact echo: hello", "completed done"],
    "stream throw": [submitted, cutOff],
    "subscribe ended": [cutOff],
    "subscribe unknown": [cutOff],
    version: [
      "VersionNotSupportedError: A2A version '99.0' is not supported by this handler. Expected version '0.3'."
    ]
  },
  // every refusal has the code -32603 and nothing else to distinguish it
  "python-v0.3-jsonrpc": {
    ...python,
    "send unknown": ["InternalError: Task no-such-task not found"],
    "get unknown": ["InternalError: Task not found"],
    "subscribe unknown": ["InternalError: Task not found"],
    "subscribe ended": ["InternalError: Task task-9 is in terminal state: 3"],
    invalid: ["InvalidParamsError: Invalid Request"],
    version: ["InternalError: A2A version '99.0' is not supported by this handler. Expected version '0.3'."]
  }
}

for (const server of ["js", "python"]) {
  for (const combination of combinations) {
    const file = `${server}-v${combination.protocol.version}-${combination.binding === "JSONRPC" ? "jsonrpc" : "rest"}`
    it.effect(`recorded from ${file}`, () =>
      Effect.gen(function*() {
        const actual: Record<string, unknown> = {}
        for (const recorded of read(file)) {
          actual[recorded.name] = yield* calls[recorded.name]!.pipe(
            Effect.catch((error) => Effect.succeed([ofError(error)])),
            Effect.provide(Agent.layer.pipe(
              Layer.provide(combination.client({ url: "https://agent.test/a2a", protocol: combination.protocol })),
              Layer.provide([respond(() => replay(recorded)).layer, Credentials.layerNone])
            ))
          )
        }
        // servers of 0.3 lack some of the operations
        assert.deepStrictEqual(
          actual,
          Object.fromEntries(Object.keys(actual).map((name) => [name, expected[file]?.[name]]))
        )
      }), covers("SDK-02"))
  }
}

/** The page of MemoryLake: its answers, literally, and in the four combinations as it describes them. */
import * as Agent from "@effect-a2a/core/Agent"
import * as AgentStream from "@effect-a2a/core/AgentStream"
import * as Id from "@effect-a2a/core/Id"
import * as Part from "@effect-a2a/core/Part"
import * as Recognizer from "@effect-a2a/core/Recognizer"
import type * as Step from "@effect-a2a/core/Step"
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as Task from "@effect-a2a/core/Task"
import * as MemoryLake from "@effect-a2a/memorylake/MemoryLake"
import * as MemoryLakeAnswer from "@effect-a2a/memorylake/MemoryLakeAnswer"
import * as Rest from "@effect-a2a/transport-rest/Rest"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { covers } from "./support/covers.ts"
import { baseUrl, type Combination, rest0_3, rest1_0, rpc0_3, rpc1_0, through } from "./support/lake.ts"
import { events, json } from "./support/respond.ts"

const envelope = (result: string) => `{"jsonrpc": "2.0", "id": "req-1", "result": ${result}}`

const runId = "run-e21fffe8d53647f4bc918bb4a8fb7d73"
const question = "What is the capital of France?"
const answerText = "Paris is the capital of France."

const pageTask = `{
  "task": {
    "id": "run-e21fffe8d53647f4bc918bb4a8fb7d73",
    "contextId": "ctx-demo-1",
    "status": { "state": "TASK_STATE_COMPLETED" },
    "artifacts": [
      {
        "artifactId": "result-run-e21fffe8d53647f4bc918bb4a8fb7d73",
        "name": "result",
        "parts": [{ "text": "Paris is the capital of France." }],
        "metadata": {}
      }
    ],
    "history": [
      {
        "messageId": "msg-1",
        "contextId": "ctx-demo-1",
        "taskId": "run-e21fffe8d53647f4bc918bb4a8fb7d73",
        "role": "ROLE_USER",
        "parts": [{ "text": "What is the capital of France?" }]
      },
      {
        "messageId": "run-e21fffe8d53647f4bc918bb4a8fb7d73-3",
        "contextId": "ctx-demo-1",
        "taskId": "run-e21fffe8d53647f4bc918bb4a8fb7d73",
        "role": "ROLE_AGENT",
        "parts": [{ "text": "Paris is the capital of France." }]
      }
    ]
  }
}`

const sendAnswers: ReadonlyArray<readonly [Combination, string]> = [
  [rest1_0, pageTask],
  [rpc1_0, envelope(pageTask)],
  [rest0_3, pageTask.replaceAll(/"parts": (\[\{ "text": "[^"]+" \}\]\n      \})/g, "\"content\": $1")],
  [
    rpc0_3,
    envelope(`{"kind": "task", "id": "${runId}", "contextId": "ctx-demo-1", "status": {"state": "completed"},
      "artifacts": [{"artifactId": "result-${runId}", "name": "result", "parts": [{"kind": "text", "text": "${answerText}"}], "metadata": {}}],
      "history": [
        {"kind": "message", "messageId": "msg-1", "contextId": "ctx-demo-1", "taskId": "${runId}", "role": "user", "parts": [{"kind": "text", "text": "${question}"}]},
        {"kind": "message", "messageId": "${runId}-3", "contextId": "ctx-demo-1", "taskId": "${runId}", "role": "agent", "parts": [{"kind": "text", "text": "${answerText}"}]}
      ]}`)
  ]
]

describe("the documented result of a send", () => {
  for (const [combination, body] of sendAnswers) {
    it.effect(`${combination.name}: the task, with empty metadata as if it were absent`, () =>
      Effect.gen(function*() {
        const { agent } = through(combination, () => json(body))
        const answer = yield* Agent.send(question).pipe(Effect.provide(agent))
        const ids = { taskId: runId, contextId: "ctx-demo-1" }
        assert.deepStrictEqual<unknown>(answer, {
          _tag: "Task",
          id: runId,
          contextId: "ctx-demo-1",
          status: { state: "completed" },
          artifacts: [{ artifactId: `result-${runId}`, name: "result", parts: [Part.text(answerText)] }],
          history: [
            { _tag: "Message", messageId: "msg-1", ...ids, role: "user", parts: [Part.text(question)] },
            { _tag: "Message", messageId: `${runId}-3`, ...ids, role: "agent", parts: [Part.text(answerText)] }
          ]
        })
        assert.deepStrictEqual(MemoryLakeAnswer.fromTask(answer as Task.Task), {
          text: answerText,
          attachments: [],
          recommendedQuestions: [],
          other: []
        })
      }), covers("ML-19", "ML-37"))
  }
})

const streamId = "run-782860730d1f4f4bc918bb4a8fb76073"
const ofRun = `"taskId": "${streamId}", "contextId": "ctx-demo-1"`

/** Messages of the agent while it works: the id behind the run's, and the one part in each dialect. */
const said: ReadonlyArray<readonly [id: string, part: string, v0_3: string, kind: string]> = [
  [
    "3",
    `{"text": "Let me look that up."}`,
    `{"text": "Let me look that up."}`,
    `{"kind": "text", "text": "Let me look that up."}`
  ],
  [
    "8-call",
    `{"data": {"id": "call_1", "name": "web_search", "args": {"query": "capital of France", "limit": 2.0}}, "metadata": {"adk_type": "function_call"}}`,
    `{"data": {"data": {"id": "call_1", "name": "web_search", "args": {"query": "capital of France", "limit": 2.0}}}, "metadata": {"adk_type": "function_call"}}`,
    `{"kind": "data", "data": {"id": "call_1", "name": "web_search", "args": {"query": "capital of France", "limit": 2.0}}, "metadata": {"adk_type": "function_call"}}`
  ],
  [
    "9-response",
    `{"data": {"id": "call_1", "name": "web_search", "response": "{\\"results\\": [{\\"title\\": \\"Paris\\", \\"url\\": \\"https://en.wikipedia.org/wiki/Paris\\"}]}"}, "metadata": {"adk_type": "function_response"}}`,
    `{"data": {"data": {"id": "call_1", "name": "web_search", "response": "{\\"results\\": [{\\"title\\": \\"Paris\\", \\"url\\": \\"https://en.wikipedia.org/wiki/Paris\\"}]}"}}, "metadata": {"adk_type": "function_response"}}`,
    `{"kind": "data", "data": {"id": "call_1", "name": "web_search", "response": "{\\"results\\": [{\\"title\\": \\"Paris\\", \\"url\\": \\"https://en.wikipedia.org/wiki/Paris\\"}]}"}, "metadata": {"adk_type": "function_response"}}`
  ],
  [
    "10",
    `{"text": "It is Paris.", "metadata": {"adk_thought": true}}`,
    `{"text": "It is Paris.", "metadata": {"adk_thought": true}}`,
    `{"kind": "text", "text": "It is Paris.", "metadata": {"adk_thought": true}}`
  ],
  [
    "11",
    `{"url": "https://files.test/map.png", "mediaType": "image/png", "filename": "map.png"}`,
    `{"file": {"fileWithUri": "https://files.test/map.png", "mimeType": "image/png", "name": "map.png"}}`,
    `{"kind": "file", "file": {"uri": "https://files.test/map.png", "mimeType": "image/png", "name": "map.png"}}`
  ],
  ["12", `{"text": "Paris is"}`, `{"text": "Paris is"}`, `{"kind": "text", "text": "Paris is"}`],
  [
    "13",
    `{"text": " the capital of France."}`,
    `{"text": " the capital of France."}`,
    `{"kind": "text", "text": " the capital of France."}`
  ]
]

const answerParts =
  `[{"text": "${answerText}"}, {"data": {"kind": "recommended_questions", "questions": ["What is the population of Paris?"]}}]`

const events1_0 = (end: string): ReadonlyArray<string> => [
  `{"task": {"id": "${streamId}", "contextId": "ctx-demo-1", "status": {"state": "TASK_STATE_SUBMITTED"}, "history": [{"messageId": "msg-1", "role": "ROLE_USER", "parts": [{"text": "${question}"}], ${ofRun}}]}}`,
  `{"statusUpdate": {${ofRun}, "status": {"state": "TASK_STATE_WORKING"}}}`,
  ...said.map(([id, part]) =>
    `{"statusUpdate": {${ofRun}, "status": {"state": "TASK_STATE_WORKING", "message": {"messageId": "${streamId}-${id}", "role": "ROLE_AGENT", "parts": [${part}], ${ofRun}}}}}`
  ),
  `{"artifactUpdate": {${ofRun}, "artifact": {"artifactId": "result-${streamId}", "name": "result", "parts": ${answerParts}, "metadata": {}}, "lastChunk": true}}`,
  `{"statusUpdate": {${ofRun}, "status": {"state": "${end}"}}}`
]

const events0_3 = (end: string): ReadonlyArray<string> => [
  `{"task": {"id": "${streamId}", "contextId": "ctx-demo-1", "status": {"state": "TASK_STATE_SUBMITTED"}, "history": [{"messageId": "msg-1", "role": "ROLE_USER", "content": [{"text": "${question}"}], ${ofRun}}]}}`,
  `{"statusUpdate": {${ofRun}, "status": {"state": "TASK_STATE_WORKING"}}}`,
  ...said.map(([id, , part]) =>
    `{"statusUpdate": {${ofRun}, "status": {"state": "TASK_STATE_WORKING", "message": {"messageId": "${streamId}-${id}", "role": "ROLE_AGENT", "content": [${part}], ${ofRun}}}}}`
  ),
  `{"artifactUpdate": {${ofRun}, "artifact": {"artifactId": "result-${streamId}", "name": "result", "parts": [{"text": "${answerText}"}, {"data": {"data": {"kind": "recommended_questions", "questions": ["What is the population of Paris?"]}}}], "metadata": {}}, "lastChunk": true}}`,
  `{"statusUpdate": {${ofRun}, "status": {"state": "${end}"}}}`
]

const eventsByKind = (end: string): ReadonlyArray<string> => [
  `{"kind": "task", "id": "${streamId}", "contextId": "ctx-demo-1", "status": {"state": "submitted"}, "history": [{"kind": "message", "messageId": "msg-1", "role": "user", "parts": [{"kind": "text", "text": "${question}"}], ${ofRun}}]}`,
  `{"kind": "status-update", ${ofRun}, "status": {"state": "working"}, "final": false}`,
  ...said.map(([id, , , part]) =>
    `{"kind": "status-update", ${ofRun}, "status": {"state": "working", "message": {"kind": "message", "messageId": "${streamId}-${id}", "role": "agent", "parts": [${part}], ${ofRun}}}, "final": false}`
  ),
  `{"kind": "artifact-update", ${ofRun}, "artifact": {"artifactId": "result-${streamId}", "name": "result", "parts": [{"kind": "text", "text": "${answerText}"}, {"kind": "data", "data": {"kind": "recommended_questions", "questions": ["What is the population of Paris?"]}}], "metadata": {}}, "lastChunk": true}`,
  `{"kind": "status-update", ${ofRun}, "status": {"state": "${end}"}, "final": true}`
]

/** The events of each combination, and its spellings of the two last states. */
const streams: ReadonlyArray<{
  readonly combination: Combination
  readonly events: (end: string) => ReadonlyArray<string>
  readonly completed: string
  readonly canceled: string
}> = [
  { combination: rest1_0, events: events1_0, completed: "TASK_STATE_COMPLETED", canceled: "TASK_STATE_CANCELED" },
  {
    combination: rpc1_0,
    events: (end) => events1_0(end).map(envelope),
    completed: "TASK_STATE_COMPLETED",
    canceled: "TASK_STATE_CANCELED"
  },
  { combination: rest0_3, events: events0_3, completed: "TASK_STATE_COMPLETED", canceled: "TASK_STATE_CANCELLED" },
  {
    combination: rpc0_3,
    events: (end) => eventsByKind(end).map(envelope),
    completed: "completed",
    canceled: "canceled"
  }
]

const progress = (id: string, part: Part.Part) => ({
  _tag: "StatusUpdate",
  taskId: streamId,
  contextId: "ctx-demo-1",
  status: {
    state: "working",
    message: {
      _tag: "Message",
      messageId: `${streamId}-${id}`,
      taskId: streamId,
      contextId: "ctx-demo-1",
      role: "agent",
      parts: [part]
    }
  }
})

const found = `{"results": [{"title": "Paris", "url": "https://en.wikipedia.org/wiki/Paris"}]}`
const map = Part.url("https://files.test/map.png", { mediaType: "image/png", filename: "map.png" })

const canonical: ReadonlyArray<unknown> = [
  {
    _tag: "Task",
    id: streamId,
    contextId: "ctx-demo-1",
    status: { state: "submitted" },
    history: [{
      _tag: "Message",
      messageId: "msg-1",
      taskId: streamId,
      contextId: "ctx-demo-1",
      role: "user",
      parts: [Part.text(question)]
    }]
  },
  { _tag: "StatusUpdate", taskId: streamId, contextId: "ctx-demo-1", status: { state: "working" } },
  progress("3", Part.text("Let me look that up.")),
  progress(
    "8-call",
    Part.data({ id: "call_1", name: "web_search", args: { query: "capital of France", limit: 2 } }, {
      metadata: { adk_type: "function_call" }
    })
  ),
  progress(
    "9-response",
    Part.data({ id: "call_1", name: "web_search", response: found }, { metadata: { adk_type: "function_response" } })
  ),
  progress("10", Part.text("It is Paris.", { metadata: { adk_thought: true } })),
  progress("11", map),
  progress("12", Part.text("Paris is")),
  progress("13", Part.text(" the capital of France.")),
  {
    _tag: "ArtifactUpdate",
    taskId: streamId,
    contextId: "ctx-demo-1",
    artifact: {
      artifactId: `result-${streamId}`,
      name: "result",
      parts: [
        Part.text(answerText),
        Part.data({ kind: "recommended_questions", questions: ["What is the population of Paris?"] })
      ]
    },
    lastChunk: true
  },
  { _tag: "StatusUpdate", taskId: streamId, contextId: "ctx-demo-1", status: { state: "completed" } }
]

const questions = Part.data({ kind: "recommended_questions", questions: ["What is the population of Paris?"] })

const steps: ReadonlyArray<Step.Step> = [
  { _tag: "State", state: "submitted" },
  { _tag: "State", state: "working" },
  { _tag: "Text", source: "status", text: "Let me look that up." },
  {
    _tag: "ToolCall",
    call: { _tag: "Call", id: "call_1", name: "web_search", args: { query: "capital of France", limit: 2 } }
  },
  {
    _tag: "ToolResult",
    result: {
      _tag: "Result",
      id: "call_1",
      name: "web_search",
      outcome: {
        _tag: "Success",
        response: { results: [{ title: "Paris", url: "https://en.wikipedia.org/wiki/Paris" }] }
      }
    }
  },
  { _tag: "Thought", source: `message ${streamId}-10`, text: "It is Paris." },
  { _tag: "File", file: map },
  { _tag: "Text", source: "status", text: "Paris is" },
  { _tag: "Text", source: "status", text: " the capital of France." },
  { _tag: "Data", data: questions },
  { _tag: "State", state: "completed" }
]

/** Spellings of the same frames. */
const frames = {
  "as documented": (data: string) => `data: ${data}\n\n`,
  "without a space, between comments": (data: string) => `:\n\ndata:${data}\n\n: keep-alive\n`,
  "with CRLF": (data: string) => `data: ${data}\r\n\r\n`
}

describe("the documented stream", () => {
  for (const { canceled, combination, completed, events: written } of streams) {
    it.effect(
      `${combination.name}: all events and steps, however the frames are written`,
      () =>
        Effect.gen(function*() {
          for (const [way, frame] of Object.entries(frames)) {
            const { agent } = through(combination, () => events(written(completed).map(frame).join("")))
            const received = yield* Stream.runCollect(Agent.stream(question)).pipe(Effect.provide(agent))
            assert.deepStrictEqual<unknown>(
              received,
              canonical.map((event) => Recognizer.apply([MemoryLake.recognizer], event)),
              way
            )
            // the user's own message in the history of the first event is not a step of the agent
            const seen = yield* Stream.runCollect(AgentStream.steps(Stream.fromIterable(received)))
            assert.deepStrictEqual<unknown>(seen.slice(0, -1), steps, way)
            const last = seen.at(-1)
            assert.deepStrictEqual(last?._tag === "Answer" && MemoryLakeAnswer.fromAnswer(last.answer), {
              text: answerText,
              attachments: [],
              recommendedQuestions: ["What is the population of Paris?"],
              other: []
            }, way)
          }
        }),
      covers("ML-21", "ML-23", "ML-24", "ML-25", "ML-26", "ML-37")
    )

    it.effect(`${combination.name}: ${canceled} is canceled`, () =>
      Effect.gen(function*() {
        const { agent } = through(combination, () => events(written(canceled).map(frames["with CRLF"]).join("")))
        const received: Array<StreamEvent.StreamEvent> = []
        const error = yield* Agent.stream(question).pipe(
          Stream.runForEach((event) => Effect.sync(() => received.push(event))),
          Effect.flip,
          Effect.provide(agent)
        )
        assert.strictEqual(error.reason._tag, "TaskCanceledError")
        assert.deepStrictEqual(received.length, canonical.length)
      }), covers("ML-32", "ML-37"))
  }
})

/** The results of a get: only the status, and over 0.3 REST without its time. */
const statuses: ReadonlyArray<readonly [Combination, string]> = [
  [
    rest1_0,
    `{"id": "run-1", "contextId": "ctx-1", "status": {"state": "TASK_STATE_FAILED", "timestamp": "2026-01-02T03:04:05.678Z"}}`
  ],
  [
    rpc1_0,
    envelope(
      `{"id": "run-1", "contextId": "ctx-1", "status": {"state": "TASK_STATE_FAILED", "timestamp": "2026-01-02T03:04:05.678Z"}}`
    )
  ],
  [rest0_3, `{"id": "run-1", "contextId": "ctx-1", "status": {"state": "TASK_STATE_FAILED"}}`],
  [
    rpc0_3,
    envelope(
      `{"kind": "task", "id": "run-1", "contextId": "ctx-1", "status": {"state": "failed", "timestamp": "2026-01-02T03:04:05.678Z"}}`
    )
  ]
]

describe("the documented result of a get", () => {
  for (const [combination, body] of statuses) {
    it.effect(
      `${combination.name}: a status and no answer, which differs from an empty one`,
      () =>
        Effect.gen(function*() {
          const { agent, asked } = through(combination, () => json(body))
          const task = yield* Effect.flatMap(Agent.Agent, (agent) => agent.getTask(Id.TaskId.make("run-1"))).pipe(
            Effect.provide(agent)
          )
          assert.strictEqual(task.status.state, "failed")
          assert.strictEqual(
            task.status.timestamp?.epochMilliseconds,
            combination === rest0_3 ? undefined : 1767323045678
          )
          assert.hasAllKeys(task, ["_tag", "id", "contextId", "status"])
          assert.isUndefined(MemoryLakeAnswer.fromTask(task))
          assert.isUndefined(Task.text(task))
          if (combination.binding === Rest.binding) {
            assert.strictEqual(asked[0]?.url, `${baseUrl}${combination === rest0_3 ? "/v1" : ""}/tasks/run-1`)
            assert.strictEqual(asked[0]?.method, "GET")
          }
        }),
      covers("ML-27", "ML-37")
    )
  }
})

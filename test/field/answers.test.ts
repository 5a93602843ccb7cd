/** Lenient reading of peers' bytes: tasks, messages and artifacts. */
import {
  Agent,
  AgentStream,
  Artifact,
  Id,
  Operation,
  Part,
  type StreamEvent,
  type Task,
  TaskProgress
} from "@effect-a2a/core"
import { AgentTransport } from "@effect-a2a/core/AgentTransport"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Schema, Stream } from "effect"
import { covers } from "../support/covers.ts"
import { chunks, type Combination, combinations, frame, isRpc, result, talkTo } from "../support/peer.ts"
import { json } from "../support/respond.ts"

const taskId = Id.TaskId.make("t-1")

const is0_3Rpc = ({ name }: Combination) => name === "0.3 JSONRPC"

/** Returns a state in the spelling of a combination. */
const state = (combination: Combination, name: string) =>
  is0_3Rpc(combination) ? name : `TASK_STATE_${name.toUpperCase().replaceAll("-", "_")}`

/** Reads a task with `GetTask`. */
const getTask = (combination: Combination, task: object, replaced: readonly [string, string] = ["", ""]) => {
  const { layer } = talkTo(
    combination,
    (asked) =>
      json(
        result(combination, asked, {
          ...is0_3Rpc(combination) && { kind: "task" },
          id: "t-1",
          contextId: "c-1",
          ...task
        })
          .replace(...replaced)
      )
  )
  return Agent.getTask(taskId).pipe(Effect.provide(Agent.layer.pipe(Layer.provide(layer))))
}

/** Reads a result with `SendMessage`. */
const send = (combination: Combination, answer: unknown) => {
  const { layer } = talkTo(combination, (asked) => json(result(combination, asked, answer)))
  return Agent.send("hi").pipe(Effect.provide(Agent.layer.pipe(Layer.provide(layer))))
}

/** Reads the events of a stream. */
const stream = (combination: Combination, events: ReadonlyArray<object>) =>
  Effect.gen(function*() {
    const { layer } = talkTo(combination, (asked) =>
      chunks(events.map((event) => frame(result(combination, asked, event)))))
    return yield* Agent.stream("hi").pipe(
      Stream.runCollect,
      Effect.provide(Agent.layer.pipe(Layer.provide(layer)))
    )
  })

const ids = { taskId: "t-1", contextId: "c-1" }
const artifact = (combination: Combination, artifactId: string, append: boolean | undefined, text: string) => {
  const update = {
    ...ids,
    artifact: { artifactId, parts: [part(combination, text)] },
    ...append !== undefined && { append }
  }
  return is0_3Rpc(combination) ? { kind: "artifact-update", ...update } : { artifactUpdate: update }
}
const status = (combination: Combination, name: string) => {
  const update = { ...ids, status: { state: state(combination, name) } }
  return is0_3Rpc(combination)
    ? { kind: "status-update", final: name === "completed", ...update }
    : { statusUpdate: update }
}
const snapshot = (combination: Combination, name: string, members: object = {}) => {
  const task = { id: "t-1", contextId: "c-1", status: { state: state(combination, name) }, ...members }
  return is0_3Rpc(combination) ? { kind: "task", ...task } : { task }
}
const part = (combination: Combination, text: string) => is0_3Rpc(combination) ? { kind: "text", text } : { text }

const foldEvents = (events: ReadonlyArray<StreamEvent.StreamEvent>) =>
  events.reduce(TaskProgress.apply, undefined as Task.Task | undefined)

type Row = readonly [
  title: string,
  events: ReadonlyArray<object>,
  artifacts: ReadonlyArray<readonly [id: string, text: string]>
]

const texts = (task: Task.Task | undefined) =>
  task?.artifacts?.map((one) => [one.artifactId as string, Artifact.text(one)])

for (const one of combinations) {
  describe(`artifacts, ${one.name}`, () => {
    const rows: ReadonlyArray<Row> = [
      [
        "appended chunks",
        [artifact(one, "a", false, "He"), artifact(one, "a", true, "llo"), artifact(one, "a", true, "!")],
        [["a", "Hello!"]]
      ],
      [
        "append that is false or absent replaces",
        [
          artifact(one, "a", false, "draft"),
          artifact(one, "a", true, " one"),
          artifact(one, "a", false, "final"),
          artifact(one, "b", false, "x"),
          artifact(one, "b", undefined, "y")
        ],
        [["a", "final"], ["b", "y"]]
      ],
      [
        "append to an artifact that has not begun",
        [artifact(one, "a", true, "lo")],
        [["a", "lo"]]
      ],
      [
        "a snapshot without artifacts",
        [artifact(one, "a", false, "He"), snapshot(one, "working"), artifact(one, "a", true, "llo")],
        [["a", "Hello"]]
      ],
      [
        "interleaved artifacts",
        [
          artifact(one, "a", false, "1"),
          artifact(one, "b", false, "x"),
          artifact(one, "a", true, "2"),
          artifact(one, "b", true, "y")
        ],
        [["a", "12"], ["b", "xy"]]
      ]
    ]
    it.effect("updates give their artifacts, and earlier snapshots do not change", () =>
      Effect.gen(function*() {
        for (const [title, events, expected] of rows) {
          const all = yield* stream(one, [...events, status(one, "completed")])
          const folded: Array<Task.Task | undefined> = []
          for (const event of all) folded.push(TaskProgress.apply(folded.at(-1), event))
          const again = all.map((_, i) => foldEvents(all.slice(0, i + 1)))
          assert.deepStrictEqual(texts(folded.at(-1)), expected.map((pair) => [...pair]), title)
          assert.strictEqual(folded.at(-1)?.status.state, "completed", title)
          assert.deepStrictEqual(folded.map(texts), again.map(texts), title)
        }
      }), covers("field:ART-01", "field:ART-02", "field:ART-04", "field:ART-07"))

    it.effect("a full snapshot at the end repeats no text and no artifact", () =>
      Effect.gen(function*() {
        const events = [
          artifact(one, "a", false, "He"),
          artifact(one, "a", true, "llo"),
          snapshot(one, "completed", { artifacts: [{ artifactId: "a", parts: [part(one, "Hello")] }] })
        ]
        const all = yield* stream(one, events)
        const task = foldEvents(all)
        assert.deepStrictEqual(texts(task), [["a", "Hello"]])
        const text = yield* AgentStream.text(Stream.fromIterable(all)).pipe(Stream.runCollect)
        assert.strictEqual(text.join(""), "Hello")
      }), covers("field:ART-05"))

    it.effect("events after the end do not change the state", () =>
      Effect.gen(function*() {
        const all = yield* stream(one, [
          artifact(one, "a", false, "x"),
          status(one, "completed"),
          artifact(one, "a", true, "tail")
        ])
        const task = foldEvents(all)
        assert.deepStrictEqual([task?.status.state, texts(task)], ["completed", [["a", "xtail"]]])
        const late = yield* stream(one, [status(one, "completed"), status(one, "working")])
        assert.strictEqual(foldEvents(late)?.status.state, "completed")
      }), covers("field:STR-10"))
  })

  describe(`lenient reading, ${one.name}`, () => {
    it.effect("unknown members are ignored anywhere", () =>
      Effect.gen(function*() {
        const task = yield* getTask(one, {
          createdAt: "x",
          status: { state: state(one, "working"), progress: 0.4 },
          artifacts: [{ artifactId: "a", parts: [{ ...part(one, "hi"), x: 1 }], y: [{}] }]
        })
        assert.deepStrictEqual([task.status.state, texts(task)], ["working", [["a", "hi"]]])
        const [event] = yield* stream(one, [{ ...status(one, "completed"), traceId: "t" }])
        assert.strictEqual(event?._tag, "StatusUpdate")
      }), covers("field:SCH-01"))

    it.effect("a state and a role of later versions keep their text and end nothing", () =>
      Effect.gen(function*() {
        const task = yield* getTask(one, {
          status: {
            state: "TASK_STATE_PAUSED",
            message: { messageId: "m", role: "ROLE_TOOL", parts: [part(one, "x")], content: [part(one, "x")] }
          }
        })
        assert.strictEqual(task.status.state, "unspecified")
        assert.strictEqual(task.status.unrecognized?.state, "TASK_STATE_PAUSED")
        assert.strictEqual(task.status.message?.unrecognizedRole, "ROLE_TOOL")
        const paused = status(one, "working")
        const all = yield* stream(one, [
          JSON.parse(JSON.stringify(paused).replace(state(one, "working"), "TASK_STATE_PAUSED")),
          status(one, "completed")
        ])
        assert.strictEqual(all.length, 2)
      }), covers("field:SCH-02"))

    it.effect(
      "null and missing lists, messages and members are accepted, and null within lists",
      () =>
        Effect.gen(function*() {
          const nothing = { artifacts: null, history: null, metadata: null }
          const task = yield* getTask(one, {
            status: { state: state(one, "submitted"), message: null, timestamp: null },
            ...nothing
          })
          assert.deepStrictEqual(task, {
            _tag: "Task",
            id: taskId,
            contextId: Id.ContextId.make("c-1"),
            status: { state: "submitted" }
          })
          const message = {
            messageId: "m",
            role: is0_3Rpc(one) ? "agent" : "ROLE_AGENT",
            ...is0_3Rpc(one) && { kind: "message" }
          }
          const empty = yield* getTask(one, { status: { state: state(one, "working"), message } })
          assert.deepStrictEqual(empty.status.message?.parts, [])
          const holes = yield* getTask(one, {
            status: { state: state(one, "working") },
            history: [null, { ...message, parts: null, content: null }],
            artifacts: [null, { artifactId: "a", parts: [null, part(one, "x")] }]
          })
          assert.deepStrictEqual([holes.history?.length, texts(holes)], [1, [["a", "x"]]])
        }),
      covers("field:SCH-04")
    )

    it.effect(
      "timestamps of any spelling are read, and unreadable ones are kept as text",
      () =>
        Effect.gen(function*() {
          const timestampOf = Effect.fnUntraced(function*(written: unknown) {
            const { status } = yield* getTask(one, {
              status: { state: state(one, "working"), ...written !== undefined && { timestamp: written } }
            })
            assert.strictEqual(status.state, "working")
            return [status.timestamp && DateTime.formatIso(status.timestamp), status.unrecognized?.timestamp]
          })
          for (
            const [written, read] of [
              ["2025-04-16T13:38:21.503444", "2025-04-16T13:38:21.503Z"],
              ["2025-04-16T13:38:21Z", "2025-04-16T13:38:21.000Z"],
              ["2025-04-16T13:38:21.5+00:00", "2025-04-16T13:38:21.500Z"],
              ["2025-04-16T15:38:21+02:00", "2025-04-16T13:38:21.000Z"],
              ["2025-04-16T13:38:21.123456789Z", "2025-04-16T13:38:21.123Z"]
            ]
          ) {
            assert.deepStrictEqual(yield* timestampOf(written), [read, written])
          }
          for (const nothing of ["", undefined, null]) {
            assert.strictEqual((yield* timestampOf(nothing))[0], undefined, String(nothing))
          }
          for (const written of ["yesterday", 1744810701503, { seconds: 1744810701, nanos: 5 }, true, []]) {
            assert.deepStrictEqual(yield* timestampOf(written), [
              undefined,
              typeof written === "string" ? written : JSON.stringify(written)
            ])
          }
        }),
      covers("field:SCH-05")
    )

    it.effect("3.0 is an integer, and numbers beyond 2^53 are rounded as in JSON", () =>
      Effect.gen(function*() {
        const data = is0_3Rpc(one)
          ? { kind: "data", data: { revision: "R" } }
          : one.name === "0.3 HTTP+JSON"
          ? { data: { data: { revision: "R" } } }
          : { data: { revision: "R" } }
        const task = yield* getTask(
          one,
          { status: { state: state(one, "working") }, artifacts: [{ artifactId: "a", parts: [data] }] },
          ["\"R\"", "3.0,\"big\":9007199254740993"]
        )
        const [read] = task.artifacts![0]!.parts
        if (read?._tag !== "Data") return assert.fail(JSON.stringify(task))
        const { big, revision } = read.data as { readonly big: unknown; readonly revision: unknown }
        assert.isTrue(Schema.is(Schema.Int)(revision))
        assert.strictEqual(big, 2 ** 53)
      }), covers("field:SCH-07"))

    it.effect("three spellings of one message are the same message", () =>
      Effect.gen(function*() {
        const spelled = [
          { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "x" }] },
          { kind: "message", messageId: "m", role: "agent", parts: [{ kind: "text", text: "x" }] },
          { message_id: "m", role: "ROLE_AGENT", content: [{ text: "x" }] }
        ]
        const [first, ...others] = yield* Effect.forEach(spelled, (message) =>
          send(
            one,
            one.protocol.version === "0.3" && !isRpc(one) ? { msg: message } : is0_3Rpc(one) ? message : { message }
          ))
        assert.deepStrictEqual(first, {
          _tag: "Message",
          messageId: Id.MessageId.make("m"),
          role: "agent",
          parts: [Part.text("x")]
        })
        for (const other of others) {
          assert.deepStrictEqual(other, first)
        }
      }), covers("field:SCH-08"))

    it.effect("a result is a task or a message, and anything else is malformed", () =>
      Effect.gen(function*() {
        const task = { id: "t-1", contextId: "c-1", status: { state: state(one, "completed") } }
        const message = { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "x" }] }
        assert.strictEqual((yield* send(one, { task }))._tag, "Task")
        assert.strictEqual((yield* send(one, { ...task, kind: "task" }))._tag, "Task")
        assert.strictEqual((yield* send(one, { message }))._tag, "Message")
        assert.strictEqual((yield* send(one, { task: null, message }))._tag, "Message")
        assert.strictEqual((yield* send(one, { msg: message }))._tag, "Message")
        for (const nothing of [{}, null, [], "x", 1, true, { task: {} }, { message: null }, { other: 1 }]) {
          const { reason } = yield* Effect.flip(send(one, nothing))
          assert.strictEqual(reason._tag, "MalformedResponseError", JSON.stringify(nothing))
        }
      }), covers("field:SCH-10"))

    it.effect("all spellings of canceled are read, and the peer's own is written", () =>
      Effect.gen(function*() {
        for (
          const spelling of [
            "canceled",
            "cancelled",
            "TASK_STATE_CANCELLED",
            "TASK_STATE_CANCELED",
            "CANCELED",
            "Cancelled"
          ]
        ) {
          assert.strictEqual((yield* getTask(one, { status: { state: spelling } })).status.state, "canceled")
        }
        if (one.protocol.version !== "1.0") return
        const { asked, layer } = talkTo(
          one,
          (asked) => json(result(one, asked, { tasks: [], nextPageToken: "", pageSize: 50, totalSize: 0 }))
        )
        yield* Effect.flatMap(AgentTransport, ({ call }) => call(Operation.ListTasks, { status: "canceled" })).pipe(
          Effect.provide(layer)
        )
        assert.include(asked[0]!.url + asked[0]!.body, "TASK_STATE_CANCELED")
      }), covers("field:VER-08"))
  })
}

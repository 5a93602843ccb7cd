/** What agents say, read tolerantly: from bytes to tasks, messages and artifacts. */
import { Agent, AgentStream, Artifact, Id, Operation, Part, StreamEvent, type Task } from "@effect-a2a/core"
import { AgentTransport } from "@effect-a2a/core/AgentTransport"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Schema, Stream } from "effect"
import { type Cell, cells, chunks, frame, isRpc, result, talkTo } from "../support/peer.ts"
import { json } from "../support/respond.ts"

const taskId = Id.TaskId.make("t-1")

const is0_3Rpc = ({ name }: Cell) => name === "0.3 JSONRPC"

/** A state as the cell writes it. */
const state = (cell: Cell, name: string) =>
  is0_3Rpc(cell) ? name : `TASK_STATE_${name.toUpperCase().replaceAll("-", "_")}`

/** What `GetTask` makes of a task. */
const got = (cell: Cell, task: object, replaced: readonly [string, string] = ["", ""]) => {
  const { layer } = talkTo(
    cell,
    (asked) =>
      json(
        result(cell, asked, { ...is0_3Rpc(cell) && { kind: "task" }, id: "t-1", contextId: "c-1", ...task })
          .replace(...replaced)
      )
  )
  return Agent.getTask(taskId).pipe(Effect.provide(Agent.layer.pipe(Layer.provide(layer))))
}

/** What `SendMessage` makes of a result. */
const sent = (cell: Cell, answer: unknown) => {
  const { layer } = talkTo(cell, (asked) => json(result(cell, asked, answer)))
  return Agent.send("hi").pipe(Effect.provide(Agent.layer.pipe(Layer.provide(layer))))
}

/** The events of a stream, and each snapshot of the task that they come to. */
const followed = (cell: Cell, events: ReadonlyArray<object>) =>
  Effect.gen(function*() {
    const { layer } = talkTo(cell, (asked) => chunks(events.map((event) => frame(result(cell, asked, event)))))
    return yield* Agent.stream("hi").pipe(
      Stream.runCollect,
      Effect.provide(Agent.layer.pipe(Layer.provide(layer)))
    )
  })

const ids = { taskId: "t-1", contextId: "c-1" }
const artifact = (cell: Cell, artifactId: string, append: boolean | undefined, text: string) => {
  const update = { ...ids, artifact: { artifactId, parts: [part(cell, text)] }, ...append !== undefined && { append } }
  return is0_3Rpc(cell) ? { kind: "artifact-update", ...update } : { artifactUpdate: update }
}
const status = (cell: Cell, name: string) => {
  const update = { ...ids, status: { state: state(cell, name) } }
  return is0_3Rpc(cell) ? { kind: "status-update", final: name === "completed", ...update } : { statusUpdate: update }
}
const snapshot = (cell: Cell, name: string, members: object = {}) => {
  const task = { id: "t-1", contextId: "c-1", status: { state: state(cell, name) }, ...members }
  return is0_3Rpc(cell) ? { kind: "task", ...task } : { task }
}
const part = (cell: Cell, text: string) => is0_3Rpc(cell) ? { kind: "text", text } : { text }

const texts = (task: Task.Task | undefined) =>
  task?.artifacts?.map((one) => [one.artifactId as string, Artifact.text(one)])

for (const one of cells) {
  describe(`artifacts, ${one.name}`, () => {
    const cases: ReadonlyArray<readonly [string, ReadonlyArray<object>, ReadonlyArray<readonly [string, string]>]> = [
      [
        "ART-01: appended chunks",
        [artifact(one, "a", false, "He"), artifact(one, "a", true, "llo"), artifact(one, "a", true, "!")],
        [["a", "Hello!"]]
      ],
      [
        "ART-02: false and absent replace",
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
        "ART-01: an append to what was never begun begins it",
        [artifact(one, "a", true, "lo")],
        [["a", "lo"]]
      ],
      [
        "ART-04: a snapshot that says nothing of artifacts",
        [artifact(one, "a", false, "He"), snapshot(one, "working"), artifact(one, "a", true, "llo")],
        [["a", "Hello"]]
      ],
      [
        "ART-07: interleaved",
        [
          artifact(one, "a", false, "1"),
          artifact(one, "b", false, "x"),
          artifact(one, "a", true, "2"),
          artifact(one, "b", true, "y")
        ],
        [["a", "12"], ["b", "xy"]]
      ]
    ]
    for (const [title, events, expected] of cases) {
      it.effect(title, () =>
        Effect.gen(function*() {
          const all = yield* followed(one, [...events, status(one, "completed")])
          const snapshots: Array<Task.Task> = []
          let task: Task.Task | undefined
          for (const event of all) snapshots.push(task = StreamEvent.apply(task, event)!)
          assert.deepStrictEqual(texts(task), expected as never)
          assert.strictEqual(task?.status.state, "completed")
          // what was seen before has not changed since
          assert.deepStrictEqual(
            snapshots.map(texts),
            snapshots.map((_, i) => {
              let again: Task.Task | undefined
              for (const event of all.slice(0, i + 1)) again = StreamEvent.apply(again, event)
              return texts(again)
            })
          )
        }))
    }

    it.effect("ART-05: a full snapshot at the end repeats nothing, in the task and in the text", () =>
      Effect.gen(function*() {
        const events = [
          artifact(one, "a", false, "He"),
          artifact(one, "a", true, "llo"),
          snapshot(one, "completed", { artifacts: [{ artifactId: "a", parts: [part(one, "Hello")] }] })
        ]
        const all = yield* followed(one, events)
        let task: Task.Task | undefined
        for (const event of all) task = StreamEvent.apply(task, event)
        assert.deepStrictEqual(texts(task), [["a", "Hello"]])
        const told = yield* AgentStream.text(Stream.fromIterable(all)).pipe(Stream.runCollect)
        assert.strictEqual(told.join(""), "Hello")
      }))

    it.effect("STR-10: what comes after the end revives nothing", () =>
      Effect.gen(function*() {
        const all = yield* followed(one, [
          artifact(one, "a", false, "x"),
          status(one, "completed"),
          artifact(one, "a", true, "tail")
        ])
        let task: Task.Task | undefined
        for (const event of all) task = StreamEvent.apply(task, event)
        assert.deepStrictEqual([task?.status.state, texts(task)], ["completed", [["a", "xtail"]]])
        const late = yield* followed(one, [status(one, "completed"), status(one, "working")])
        let ended: Task.Task | undefined
        for (const event of late) ended = StreamEvent.apply(ended, event)
        assert.strictEqual(ended?.status.state, "completed")
      }))
  })

  describe(`tolerance, ${one.name}`, () => {
    it.effect("SCH-01: unknown members anywhere are passed over", () =>
      Effect.gen(function*() {
        const task = yield* got(one, {
          createdAt: "x",
          status: { state: state(one, "working"), progress: 0.4 },
          artifacts: [{ artifactId: "a", parts: [{ ...part(one, "hi"), x: 1 }], y: [{}] }]
        })
        assert.deepStrictEqual([task.status.state, texts(task)], ["working", [["a", "hi"]]])
        const [event] = yield* followed(one, [{ ...status(one, "completed"), traceId: "t" }])
        assert.strictEqual(event?._tag, "StatusUpdate")
      }))

    it.effect("SCH-02: a state and a role of later versions keep their text, and end nothing", () =>
      Effect.gen(function*() {
        const task = yield* got(one, {
          status: {
            state: "TASK_STATE_PAUSED",
            message: { messageId: "m", role: "ROLE_TOOL", parts: [part(one, "x")], content: [part(one, "x")] }
          }
        })
        assert.strictEqual(task.status.state, "unspecified")
        assert.strictEqual(task.status.unrecognized?.state, "TASK_STATE_PAUSED")
        assert.strictEqual(task.status.message?.unrecognizedRole, "ROLE_TOOL")
        const paused = status(one, "working")
        const all = yield* followed(one, [
          JSON.parse(JSON.stringify(paused).replace(state(one, "working"), "TASK_STATE_PAUSED")),
          status(one, "completed")
        ])
        assert.strictEqual(all.length, 2)
      }))

    it.effect("SCH-04: null and missing lists, messages and members, and null within lists", () =>
      Effect.gen(function*() {
        const nothing = { artifacts: null, history: null, metadata: null }
        const task = yield* got(one, {
          status: { state: state(one, "submitted"), message: null, timestamp: null },
          ...nothing
        })
        assert.deepStrictEqual(task, {
          _tag: "Task",
          id: taskId,
          contextId: Id.ContextId.make("c-1"),
          status: { state: "submitted" }
        })
        const told = {
          messageId: "m",
          role: is0_3Rpc(one) ? "agent" : "ROLE_AGENT",
          ...is0_3Rpc(one) && { kind: "message" }
        }
        const empty = yield* got(one, { status: { state: state(one, "working"), message: told } })
        assert.deepStrictEqual(empty.status.message?.parts, [])
        const holes = yield* got(one, {
          status: { state: state(one, "working") },
          history: [null, { ...told, parts: null, content: null }],
          artifacts: [null, { artifactId: "a", parts: [null, part(one, "x")] }]
        })
        assert.deepStrictEqual([holes.history?.length, texts(holes)], [1, [["a", "x"]]])
      }))

    for (
      const [written, read] of [
        ["2025-04-16T13:38:21.503444", "2025-04-16T13:38:21.503Z"],
        ["2025-04-16T13:38:21Z", "2025-04-16T13:38:21.000Z"],
        ["2025-04-16T13:38:21.5+00:00", "2025-04-16T13:38:21.500Z"],
        ["2025-04-16T15:38:21+02:00", "2025-04-16T13:38:21.000Z"],
        ["2025-04-16T13:38:21.123456789Z", "2025-04-16T13:38:21.123Z"],
        ["", undefined],
        [undefined, undefined],
        [null, undefined]
      ] as const
    ) {
      it.effect(`SCH-05: timestamp ${written}`, () =>
        Effect.gen(function*() {
          const { status: { timestamp, unrecognized } } = yield* got(one, {
            status: { state: state(one, "working"), ...written !== undefined && { timestamp: written } }
          })
          assert.strictEqual(timestamp && DateTime.formatIso(timestamp), read)
          if (read !== undefined) assert.strictEqual(unrecognized?.timestamp, written)
        }))
    }

    for (const written of ["yesterday", 1744810701503, { seconds: 1744810701, nanos: 5 }, true, []]) {
      it.effect(`SCH-05: ${JSON.stringify(written)} is no timestamp, and costs no task`, () =>
        Effect.gen(function*() {
          const { status: { state: read, timestamp, unrecognized } } = yield* got(one, {
            status: { state: state(one, "working"), timestamp: written }
          })
          assert.deepStrictEqual([read, timestamp], ["working", undefined])
          assert.strictEqual(unrecognized?.timestamp, typeof written === "string" ? written : JSON.stringify(written))
        }))
    }

    it.effect("SCH-07: 3.0 is a whole number, and beyond 2^53 numbers are as near as JSON has them", () =>
      Effect.gen(function*() {
        const data = is0_3Rpc(one)
          ? { kind: "data", data: { revision: "R" } }
          : one.name === "0.3 HTTP+JSON"
          ? { data: { data: { revision: "R" } } }
          : { data: { revision: "R" } }
        const task = yield* got(
          one,
          { status: { state: state(one, "working") }, artifacts: [{ artifactId: "a", parts: [data] }] },
          ["\"R\"", "3.0,\"big\":9007199254740993"]
        )
        const [read] = task.artifacts![0]!.parts
        if (read?._tag !== "Data") return assert.fail(JSON.stringify(task))
        const { big, revision } = read.data as { readonly big: unknown; readonly revision: unknown }
        assert.isTrue(Schema.is(Schema.Int)(revision))
        assert.strictEqual(big, 2 ** 53)
      }))

    it.effect("SCH-08: three spellings of one message", () =>
      Effect.gen(function*() {
        const spelled = [
          { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "x" }] },
          { kind: "message", messageId: "m", role: "agent", parts: [{ kind: "text", text: "x" }] },
          { message_id: "m", role: "ROLE_AGENT", content: [{ text: "x" }] }
        ]
        const [first, ...others] = yield* Effect.forEach(spelled, (message) =>
          sent(
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
      }))

    it.effect("SCH-10: a task, a message, and what is neither", () =>
      Effect.gen(function*() {
        const task = { id: "t-1", contextId: "c-1", status: { state: state(one, "completed") } }
        const message = { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "x" }] }
        assert.strictEqual((yield* sent(one, { task }))._tag, "Task")
        assert.strictEqual((yield* sent(one, { ...task, kind: "task" }))._tag, "Task")
        assert.strictEqual((yield* sent(one, { message }))._tag, "Message")
        assert.strictEqual((yield* sent(one, { task: null, message }))._tag, "Message")
        assert.strictEqual((yield* sent(one, { msg: message }))._tag, "Message")
        for (const nothing of [{}, null, [], "x", 1, true, { task: {} }, { message: null }, { other: 1 }]) {
          const { reason } = yield* Effect.flip(sent(one, nothing))
          assert.strictEqual(reason._tag, "MalformedResponseError", JSON.stringify(nothing))
        }
      }))

    it.effect("VER-08: all spellings of canceled, and the peer's own is the one that is written", () =>
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
          assert.strictEqual((yield* got(one, { status: { state: spelling } })).status.state, "canceled")
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
      }))
  })
}

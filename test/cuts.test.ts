import { AgentTransport, Artifact, Id, type Message, Operation, Part, StreamEvent, type Task } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { covers } from "./support/covers.ts"
import { chunks, type Combination, event as encode, frame, inEach, question, rest, talkTo } from "./support/peer.ts"

const taskId = Id.TaskId.make("t-1")
const contextId = Id.ContextId.make("c-1")
const at = { taskId, contextId }

const saying = (id: string, part: Part.Part): Message.Message => ({
  _tag: "Message",
  messageId: Id.MessageId.make(id),
  role: "agent",
  parts: [part],
  ...at
})
const working = (id: string, part: Part.Part) =>
  StreamEvent.statusUpdate({ ...at, status: { state: "working", message: saying(id, part) } })

const task: Task.Task = { _tag: "Task", id: taskId, contextId, status: { state: "submitted" } }
const run: ReadonlyArray<StreamEvent.StreamEvent> = [
  task,
  working("m-1", Part.text("日本 ok ✅ \u0085 \u2028 \ufeff")),
  working("m-2", Part.text("👩‍🚀")),
  working("m-3", Part.data({ id: "k", name: "find" }, { metadata: { adk_type: "function_call" } })),
  StreamEvent.artifactUpdate({ ...at, artifact: Artifact.make(Id.ArtifactId.make("a"), [Part.text("é 京")]) }),
  StreamEvent.statusUpdate({ ...at, status: { state: "completed" } })
]

/** The run, with all liberties of the grammar of event streams. */
const transcript = (lineEnd: string, events: ReadonlyArray<string>): Uint8Array => {
  const [first, ...others] = events
  const split = first!.indexOf("{", 1)
  const lines = [
    "\ufeff: hello",
    "retry: 250",
    "",
    "event: message",
    `data: ${first!.slice(0, split)}`,
    `data: ${first!.slice(split)}`,
    "",
    "event: error",
    "",
    ...others.flatMap((data, i) => [`id: ${i}`, i % 2 === 0 ? `data:${data}` : `data: ${data}`, "", ": ping"]),
    ""
  ]
  return new TextEncoder().encode(lines.join(lineEnd))
}

/** The run in plain frames, as most peers write them, with a comment before the last: another parser takes over there. */
const plain = (events: ReadonlyArray<string>): Uint8Array =>
  new TextEncoder().encode(events.map(frame).toSpliced(-1, 0, ": ping\n\n").join(""))

type Write = (events: ReadonlyArray<string>) => Uint8Array

const lf: Write = (events) => transcript("\n", events)
const crlf: Write = (events) => transcript("\r\n", events)
const cr: Write = (events) => transcript("\r", events)

const received = (
  combination: Combination,
  write: Write,
  cut: (bytes: Uint8Array) => ReadonlyArray<Uint8Array>
) =>
  talkTo(
    combination,
    (asked) => chunks(cut(write(run.map((one) => encode(combination, asked, one)))))
  ).layer

const collect = Effect.gen(function*() {
  const transport = yield* AgentTransport.AgentTransport
  return yield* Stream.runCollect(transport.stream(Operation.SendStreamingMessage, yield* question))
})

const ids = [
  "field:SSE-01",
  "field:SSE-02",
  "field:SSE-04",
  "field:SSE-05",
  "field:SSE-07",
  "field:SSE-08",
  "field:SSE-10",
  "field:UTF-01",
  "field:UTF-02"
] as const

describe("a stream is the same however the network cuts it", covers(...ids), () => {
  const atEveryByte = (write: Write) =>
    Effect.gen(function*() {
      let at = 0
      let size = 0
      const halves = received(rest, write, (bytes) => {
        size = bytes.length
        return [bytes.subarray(0, at), bytes.subarray(at)].filter(({ length }) => length > 0)
      })
      yield* Effect.gen(function*() {
        do {
          const events = yield* collect
          try {
            assert.deepStrictEqual(events, run)
          } catch (cause) {
            throw new Error(`cut at byte ${at}`, { cause })
          }
          at += 1
        } while (at < size)
      }).pipe(Effect.provide(halves))
    })

  it.effect("in two chunks, at every byte", () => atEveryByte(crlf))
  it.effect("in two chunks, at every byte of plain frames", () => atEveryByte(plain))

  it.effect("in chunks of one, two and seven bytes, with every line end, in each combination", () =>
    inEach((combination) =>
      Effect.gen(function*() {
        for (const write of [lf, crlf, cr, plain]) {
          for (const size of [1, 2, 7]) {
            const layer = received(combination, write, (bytes) =>
              Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
                bytes.subarray(i * size, (i + 1) * size)))
            assert.deepStrictEqual(yield* collect.pipe(Effect.provide(layer)), run)
          }
        }
      })
    ))
})

import { AgentTransport, Artifact, Id, type Message, Operation, Part, StreamEvent, type Task } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { chunks, type Combination, combination, event as encode, question, talkTo } from "./support/peer.ts"

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

/** The run as a peer with all the liberties of the grammar would send it. */
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

const lineEnds = { LF: "\n", CRLF: "\r\n", CR: "\r" }

/** One dialect each; 1.0 over JSON-RPC is 1.0 over REST in an envelope. */
const dialects = ["1.0 HTTP+JSON", "1.0 JSONRPC", "0.3 HTTP+JSON", "0.3 JSONRPC"].map(combination)

const received = (
  combination: Combination,
  cuts: (bytes: Uint8Array) => ReadonlyArray<Uint8Array>,
  lineEnd: string
) => {
  const { layer } = talkTo(
    combination,
    (asked) => chunks(cuts(transcript(lineEnd, run.map((one) => encode(combination, asked, one)))))
  )
  return { layer }
}

const collect = Effect.gen(function*() {
  const transport = yield* AgentTransport.AgentTransport
  return yield* Stream.runCollect(transport.stream(Operation.SendStreamingMessage, yield* question))
})

describe("a stream is the same however the network cuts it", () => {
  for (const one of dialects) {
    for (const [name, lineEnd] of Object.entries(lineEnds)) {
      it.effect(`SSE-01 SSE-02 SSE-04 SSE-05 SSE-07 SSE-08 SSE-10 UTF-01 UTF-02: ${one.name}, ${name}`, () =>
        Effect.gen(function*() {
          let at = 0
          let size = 0
          const halves = received(one, (bytes) => {
            size = bytes.length
            return [bytes.subarray(0, at), bytes.subarray(at)].filter(({ length }) => length > 0)
          }, lineEnd)
          yield* Effect.gen(function*() {
            do {
              const events = yield* collect
              try {
                assert.deepStrictEqual(events, run)
              } catch (error) {
                throw new Error(`cut at byte ${at}`, { cause: error })
              }
              at += 1
            } while (at < size)
          }).pipe(Effect.provide(halves.layer))

          const single = received(one, (bytes) => Array.from(bytes, (byte) => Uint8Array.of(byte)), lineEnd)
          assert.deepStrictEqual(yield* collect.pipe(Effect.provide(single.layer)), run)
        }))
    }
  }
})

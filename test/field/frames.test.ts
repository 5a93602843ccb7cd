/** Event streams as peers really write them; `test/cuts.test.ts` cuts one with all of these at every byte. */
import { Agent, Artifact, HttpBinding, type StreamEvent } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { cell, chunks, result, talkTo } from "../support/peer.ts"

const bytes = (...values: ReadonlyArray<number>) => Uint8Array.from(values)
const status = (state: string) => ({ statusUpdate: { taskId: "t-1", contextId: "c-1", status: { state } } })
const artifact = (text: string) => ({
  artifactUpdate: { taskId: "t-1", contextId: "c-1", artifact: { artifactId: "a", parts: [{ text }] } }
})
const task = { task: { id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_SUBMITTED" } } }

type Chunk = string | Uint8Array
type Write = (json: unknown) => string

const label = (event: StreamEvent.StreamEvent): string =>
  event._tag === "ArtifactUpdate"
    ? Artifact.text(event.artifact)
    : event._tag === "Message"
    ? "message"
    : event.status.state

for (const one of ["1.0 HTTP+JSON", "1.0 JSONRPC"].map(cell)) {
  describe(`frames, ${one.name}`, () => {
    const heard = (parts: (write: Write) => ReadonlyArray<Chunk>, type = "text/event-stream") =>
      Effect.gen(function*() {
        const { layer } = talkTo(one, (asked) => chunks(parts((json) => result(one, asked, json)), { type }))
        const events: Array<string> = []
        const end = yield* Agent.stream("hi").pipe(
          Stream.runForEach((event) => Effect.sync(() => events.push(label(event)))),
          Effect.as("end"),
          Effect.catch(({ reason }) => Effect.succeed(reason._tag as string)),
          Effect.provide(Agent.layer.pipe(Layer.provide(layer)))
        )
        return [...events, end]
      })

    const done = (write: Write) => `data: ${write(status("TASK_STATE_COMPLETED"))}\n\n`

    const cases: ReadonlyArray<readonly [string, (write: Write) => ReadonlyArray<Chunk>, ReadonlyArray<string>]> = [
      [
        "SSE-01: a lone CR ends lines",
        (
          write
        ) => [`data: ${write(status("TASK_STATE_WORKING"))}\r\r`, `data: ${write(status("TASK_STATE_COMPLETED"))}\r\r`],
        ["working", "completed", "end"]
      ],
      [
        "SSE-02: CRLF that is cut in an event of many lines",
        (write) => {
          const text = write(status("TASK_STATE_COMPLETED"))
          const at = text.indexOf(":") + 1
          return [`data: ${text.slice(0, at)}\r`, `\ndata: ${text.slice(at)}\r`, "\n\r\n"]
        },
        ["completed", "end"]
      ],
      [
        "SSE-04: a comment after an event that had an id",
        (write) => [
          `id: 1\ndata: ${write(status("TASK_STATE_WORKING"))}\n\n: keep-alive\n\nid: 2\n${done(write)}`,
          ": keep-alive\n\n"
        ],
        ["working", "completed", "end"]
      ],
      [
        "SSE-05: no space after the colon, and two of them",
        (write) => [`data:${write(task)}\n\n`, `data:  ${write(status("TASK_STATE_COMPLETED"))}\n\n`],
        ["submitted", "completed", "end"]
      ],
      [
        "SSE-07: JSON over many lines, with an event's name",
        (write) => [
          `event: message\ndata: ${JSON.stringify(JSON.parse(write(task)), null, 2).replaceAll("\n", "\ndata: ")}\n\n`,
          done(write)
        ],
        ["submitted", "completed", "end"]
      ],
      [
        "SSE-08: a byte order mark in two chunks before the first event, and one within a text",
        (write) => [bytes(0xEF), bytes(0xBB, 0xBF), `data: ${write(artifact("\ufeffa"))}\n\n`, done(write)],
        ["\ufeffa", "completed", "end"]
      ],
      [
        "SSE-10: an event's name is forgotten at the blank line, and an empty one is none",
        (write) => ["event: error\n\n", `data: ${write(status("TASK_STATE_WORKING"))}\n\n`, `event:\n${done(write)}`],
        ["working", "completed", "end"]
      ],
      [
        "SSE-11: retry in all spellings ends nothing",
        (write) => ["retry: 5s\nretry: -1\nretry:\nretry: 2500\n", done(write)],
        ["completed", "end"]
      ],
      [
        "SSE-04: events without data are heartbeats too, and the end mark of gateways is none of ours",
        (write) => [
          "data:\n\ndata: \n\ndata\n\nevent: ping\ndata:\n\nid: 7\n\n",
          `data: ${write(status("TASK_STATE_WORKING"))}\n\n`,
          "event: heartbeat\ndata: {}\n\n".slice(0, one.name === "1.0 JSONRPC" ? 0 : undefined),
          done(write),
          "data: [DONE]\n\n"
        ],
        ["working", "completed", "end"]
      ],
      [
        "SSE-10: fields that nobody knows, other letter case and leading space are passed over",
        (write) => ["foo: bar\nbaz\nDATA: x\n data: y\nid: a\0b\n", done(write)],
        ["completed", "end"]
      ],
      [
        "STR-02: an end mark is no end of a task",
        (write) => [`data: ${write(status("TASK_STATE_WORKING"))}\n\ndata: [DONE]\n\n`],
        ["working", "StreamInterruptedError"]
      ],
      [
        "UTF-01: characters of two, three and four bytes, cut within",
        (write) => {
          const all = new TextEncoder().encode(`data: ${write(artifact("é 日本 👩‍🚀"))}\n\n${done(write)}`)
          return Array.from(all, (byte) => bytes(byte))
        },
        ["é 日本 👩‍🚀", "completed", "end"]
      ],
      [
        "UTF-02: NEL, LS and PS are text",
        (write) => [`data: ${write(artifact("ok ✅ \u0085 \u2028 \u2029 end"))}\n\n`, done(write)],
        ["ok ✅ \u0085 \u2028 \u2029 end", "completed", "end"]
      ],
      [
        "UTF-04: escaped and raw are the same text",
        (write) => [
          `data: ${write(artifact("X")).replace("X", "\\ud83d\\ude00 \\u4f60")}\n\n`,
          `data: ${write(artifact("😀 你"))}\n\n`,
          done(write)
        ],
        ["😀 你", "😀 你", "completed", "end"]
      ]
    ]

    for (const [title, parts, expected] of cases) {
      it.effect(title, () => Effect.map(heard(parts), (events) => assert.deepStrictEqual(events, expected)))
      it.effect(`${title}, byte by byte`, () =>
        Effect.map(
          heard((write) =>
            parts(write).flatMap((part) =>
              Array.from(typeof part === "string" ? new TextEncoder().encode(part) : part, (byte) => bytes(byte))
            )
          ),
          (events) => assert.deepStrictEqual(events, expected)
        ))
    }

    it.effect("UTF-02 UTF-05: whatever the header says of the charset, the body is UTF-8", () =>
      Effect.gen(function*() {
        for (
          const type of [
            "text/event-stream",
            "Text/Event-Stream; Charset=UTF-8",
            "text/event-stream;charset=iso-8859-1",
            "TEXT/EVENT-STREAM ; boundary=x"
          ]
        ) {
          assert.deepStrictEqual(
            yield* heard((write) => [`data: ${write(artifact("✅"))}\n\n`, done(write)], type),
            ["✅", "completed", "end"]
          )
        }
      }))

    it.effect("MEM-01: many events within the limit, and one above it", () =>
      Effect.gen(function*() {
        const limits = Layer.effect(
          HttpBinding.CurrentLimits,
          Effect.map(HttpBinding.CurrentLimits, (limits) => ({ ...limits, maxEventSize: 1000 }))
        )
        const small = (write: Write) => [
          ...Array.from({ length: 50 }, () => `data: ${write(status("TASK_STATE_WORKING"))}\n\n`),
          done(write)
        ]
        assert.strictEqual((yield* heard(small).pipe(Effect.provide(limits))).length, 52)
        const large = (write: Write) => [`data: ${write(artifact("x".repeat(2000)))}\n\n`, done(write)]
        assert.deepStrictEqual(yield* heard(large).pipe(Effect.provide(limits)), ["ResponseTooLargeError"])
        const lines = () => Array.from({ length: 200 }, () => `data: ${"x".repeat(100)}\n`)
        assert.deepStrictEqual(yield* heard(lines).pipe(Effect.provide(limits)), ["ResponseTooLargeError"])
      }))
  })
}

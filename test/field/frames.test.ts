/** Event streams as peers write them; `test/cuts.test.ts` cuts one with all of these at every byte. */
import { Agent, Artifact, HttpBinding, type StreamEvent } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { covers, type Id } from "../support/covers.ts"
import { chunks, combination, result, talkTo } from "../support/peer.ts"

const bytes = (...values: ReadonlyArray<number>) => Uint8Array.from(values)
const status = (state: string) => ({ statusUpdate: { taskId: "t-1", contextId: "c-1", status: { state } } })
const artifact = (text: string) => ({
  artifactUpdate: { taskId: "t-1", contextId: "c-1", artifact: { artifactId: "a", parts: [{ text }] } }
})
const task = { task: { id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_SUBMITTED" } } }

type Chunk = string | Uint8Array
type Write = (json: unknown) => string
type Row = readonly [
  title: string,
  covers: ReadonlyArray<Id>,
  parts: (write: Write) => ReadonlyArray<Chunk>,
  events: ReadonlyArray<string>
]

const label = (event: StreamEvent.StreamEvent): string =>
  event._tag === "ArtifactUpdate"
    ? Artifact.text(event.artifact)
    : event._tag === "Message"
    ? "message"
    : event.status.state

for (const one of ["1.0 HTTP+JSON", "1.0 JSONRPC"].map(combination)) {
  describe(`frames, ${one.name}`, () => {
    const read = (parts: (write: Write) => ReadonlyArray<Chunk>, type = "text/event-stream") =>
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

    const rows: ReadonlyArray<Row> = [
      [
        "a lone CR ends lines",
        ["field:SSE-01"],
        (
          write
        ) => [`data: ${write(status("TASK_STATE_WORKING"))}\r\r`, `data: ${write(status("TASK_STATE_COMPLETED"))}\r\r`],
        ["working", "completed", "end"]
      ],
      [
        "CRLF is cut within an event of many lines",
        ["field:SSE-02"],
        (write) => {
          const text = write(status("TASK_STATE_COMPLETED"))
          const at = text.indexOf(":") + 1
          return [`data: ${text.slice(0, at)}\r`, `\ndata: ${text.slice(at)}\r`, "\n\r\n"]
        },
        ["completed", "end"]
      ],
      [
        "a comment follows an event with an id",
        ["field:SSE-04"],
        (write) => [
          `id: 1\ndata: ${write(status("TASK_STATE_WORKING"))}\n\n: keep-alive\n\nid: 2\n${done(write)}`,
          ": keep-alive\n\n"
        ],
        ["working", "completed", "end"]
      ],
      [
        "no space or two spaces follow the colon",
        ["field:SSE-05"],
        (write) => [`data:${write(task)}\n\n`, `data:  ${write(status("TASK_STATE_COMPLETED"))}\n\n`],
        ["submitted", "completed", "end"]
      ],
      [
        "JSON covers many lines, with an event's name",
        ["field:SSE-07"],
        (write) => [
          `event: message\ndata: ${JSON.stringify(JSON.parse(write(task)), null, 2).replaceAll("\n", "\ndata: ")}\n\n`,
          done(write)
        ],
        ["submitted", "completed", "end"]
      ],
      [
        "a byte order mark comes in two chunks before the first event, and one within a text",
        ["field:SSE-08"],
        (write) => [bytes(0xEF), bytes(0xBB, 0xBF), `data: ${write(artifact("\ufeffa"))}\n\n`, done(write)],
        ["\ufeffa", "completed", "end"]
      ],
      [
        "an event's name ends with its blank line, and an empty name is the default",
        ["field:SSE-10"],
        (write) => ["event: error\n\n", `data: ${write(status("TASK_STATE_WORKING"))}\n\n`, `event:\n${done(write)}`],
        ["working", "completed", "end"]
      ],
      [
        "retry in any spelling ends nothing",
        ["field:SSE-11"],
        (write) => ["retry: 5s\nretry: -1\nretry:\nretry: 2500\n", done(write)],
        ["completed", "end"]
      ],
      [
        "events without data are heartbeats, and a gateway's end mark is ignored",
        ["field:SSE-04"],
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
        "unknown fields, other letter case and leading space are ignored",
        ["field:SSE-10"],
        (write) => ["foo: bar\nbaz\nDATA: x\n data: y\nid: a\0b\n", done(write)],
        ["completed", "end"]
      ],
      [
        "an end mark does not end a task",
        ["field:STR-02"],
        (write) => [`data: ${write(status("TASK_STATE_WORKING"))}\n\ndata: [DONE]\n\n`],
        ["working", "StreamInterruptedError"]
      ],
      [
        "characters of two, three and four bytes are cut",
        ["field:UTF-01"],
        (write) => {
          const all = new TextEncoder().encode(`data: ${write(artifact("é 日本 👩‍🚀"))}\n\n${done(write)}`)
          return Array.from(all, (byte) => bytes(byte))
        },
        ["é 日本 👩‍🚀", "completed", "end"]
      ],
      [
        "NEL, LS and PS are text",
        ["field:UTF-02"],
        (write) => [`data: ${write(artifact("ok ✅ \u0085 \u2028 \u2029 end"))}\n\n`, done(write)],
        ["ok ✅ \u0085 \u2028 \u2029 end", "completed", "end"]
      ],
      [
        "escaped and raw characters are the same text",
        ["field:UTF-04"],
        (write) => [
          `data: ${write(artifact("X")).replace("X", "\\ud83d\\ude00 \\u4f60")}\n\n`,
          `data: ${write(artifact("😀 你"))}\n\n`,
          done(write)
        ],
        ["😀 你", "😀 你", "completed", "end"]
      ]
    ]

    const toBytes = (part: Chunk) =>
      Array.from(typeof part === "string" ? new TextEncoder().encode(part) : part, (byte) => bytes(byte))

    it.effect("events of all spellings are read, whole and byte by byte", () =>
      Effect.gen(function*() {
        for (const [title, , parts, expected] of rows) {
          assert.deepStrictEqual(yield* read(parts), expected, title)
          assert.deepStrictEqual(
            yield* read((write) => parts(write).flatMap(toBytes)),
            expected,
            `${title}, byte by byte`
          )
        }
      }))

    it.effect("the body is UTF-8, whatever charset the header names", () =>
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
            yield* read((write) => [`data: ${write(artifact("✅"))}\n\n`, done(write)], type),
            ["✅", "completed", "end"]
          )
        }
      }), covers("field:UTF-02", "field:UTF-05"))

    it.effect("the limit is for one event, not for all of them", () =>
      Effect.gen(function*() {
        const limits = Layer.effect(
          HttpBinding.CurrentLimits,
          Effect.map(HttpBinding.CurrentLimits, (limits) => ({ ...limits, maxEventSize: 1000 }))
        )
        const small = (write: Write) => [
          ...Array.from({ length: 50 }, () => `data: ${write(status("TASK_STATE_WORKING"))}\n\n`),
          done(write)
        ]
        assert.strictEqual((yield* read(small).pipe(Effect.provide(limits))).length, 52)
        const large = (write: Write) => [`data: ${write(artifact("x".repeat(2000)))}\n\n`, done(write)]
        assert.deepStrictEqual(yield* read(large).pipe(Effect.provide(limits)), ["ResponseTooLargeError"])
        const lines = () => Array.from({ length: 200 }, () => `data: ${"x".repeat(100)}\n`)
        assert.deepStrictEqual(yield* read(lines).pipe(Effect.provide(limits)), ["ResponseTooLargeError"])
      }), covers("field:MEM-01"))
  })
}

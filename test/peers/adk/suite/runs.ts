/** Runs with and without a stream. */
import { AdkClient, AdkContent, AdkEvent, AdkMessage } from "@effect-a2a/transport-adk"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { covers } from "../../../support/covers.ts"
import { type Context, run, saying, session, texts } from "./context.ts"

const streamed = Effect.fnUntraced(function*(text: string, streaming = true) {
  const client = yield* AdkClient.AdkClient
  return yield* Stream.runCollect(client.runSse({ ...yield* session, ...saying(text), streaming }))
})

const settled = (events: ReadonlyArray<AdkEvent.Event>) =>
  AdkMessage.fromEvents(events).map(({ complete, parts }) => [complete, ...parts.map(({ text }) => text)])

export const runs = ({ differs, it }: Context): void => {
  it.effect("a run returns all events at once, whatever the request", () =>
    Effect.gen(function*() {
      const events = yield* run("hello")
      assert.deepStrictEqual(texts(events), ["Hello, world"])
      const [event] = events
      assert.strictEqual(event?.author, "scripted")
      assert.match(event?.invocationId ?? "", /^e-/)
      assert.closeTo(AdkEvent.timeMillis(event!)!, Date.now(), 60_000)
      assert.deepStrictEqual(yield* run("nothing"), [])
    }), covers("ADK-01"))

  it.effect(
    "pieces and their full text arrive in order, and only the full text if pieces are not requested",
    () =>
      Effect.gen(function*() {
        const events = yield* streamed("hello")
        assert.deepStrictEqual(events.map((event) => [AdkEvent.isPartial(event), AdkEvent.text(event)]), [
          [true, "Hello"],
          [true, ", world"],
          [false, "Hello, world"]
        ])
        assert.deepStrictEqual(settled(events), [[true, "Hello, world"]])
        assert.deepStrictEqual(texts(yield* streamed("hello", false)), ["Hello, world"])
        assert.deepStrictEqual(yield* streamed("nothing"), [])
      }),
    covers("ADK-02")
  )

  it.effect(
    "thoughts are kept apart, and pieces that are never repeated are kept and marked",
    () =>
      Effect.gen(function*() {
        const thought = yield* streamed("thought")
        assert.deepStrictEqual(settled(thought), [[true, "Six by seven.", "42"]])
        assert.deepStrictEqual(AdkContent.thoughtOf(thought.at(-1)?.content), "Six by seven.")
        assert.deepStrictEqual(settled(yield* streamed("unfinished")), [[false, "Half of it"]])
      }),
    covers("ADK-02")
  )

  it.effect("calls and their results keep the keys that users chose", () =>
    Effect.gen(function*() {
      const events = yield* run("tool")
      assert.deepStrictEqual(events.flatMap(AdkEvent.calls), [
        { id: "adk-1", name: "search", args: { some_query: "cats" } }
      ])
      assert.deepStrictEqual(events.flatMap(AdkEvent.responses), [
        { id: "adk-1", name: "search", response: { hit_count: 1 } }
      ])
      assert.deepStrictEqual(events.flatMap(AdkEvent.pending), [])
      const [asked] = (yield* run("longrun")).flatMap(AdkEvent.pending)
      assert.strictEqual(asked?.id, "adk-2")
    }), covers("ADK-04"))

  it.effect("bytes in either alphabet, files, code and metadata are read", () =>
    Effect.gen(function*() {
      const [{ inlineData } = {}, { fileData } = {}] = AdkContent.partsOf((yield* run("inline"))[0]?.content)
      assert.deepStrictEqual([...AdkContent.bytes(inlineData!)!], [0xfb, 0xff, 0xbe, 0])
      assert.strictEqual(inlineData?.displayName, "dot.png")
      assert.deepStrictEqual(fileData, { fileUri: "gs://bucket/a.pdf", mimeType: "application/pdf" })
      const code = (yield* run("code")).flatMap(({ content }) => AdkContent.partsOf(content))
      assert.deepStrictEqual(code[0]?.executableCode, { code: "print(6*7)", language: "PYTHON" })
      assert.deepStrictEqual(code[1]?.codeExecutionResult, { outcome: "OUTCOME_OK", output: "42" })
      const [meta] = yield* run("meta")
      assert.deepStrictEqual(meta?.customMetadata, { keep_this: { as_it: "is" } })
      assert.deepStrictEqual(meta?.usageMetadata, { promptTokenCount: 3, totalTokenCount: 5 })
      assert.deepStrictEqual(meta?.citationMetadata?.citations, [{ title: "Example", uri: "https://example.com/" }])
      assert.deepStrictEqual(texts(yield* streamed("unicode")), ["Ünï\u2028cöde 🦊 \u0001 漢字"])
    }), covers("ADK-04"))

  it.effect("a change of state accompanies a message, and null in it counts", () =>
    Effect.gen(function*() {
      const client = yield* AdkClient.AdkClient
      const key = yield* session
      const stateDelta = { topic_now: "dogs", nothing: null }
      const [heard] = yield* client.run({ ...key, ...saying("echo"), stateDelta })
      const { parts, state } = JSON.parse(AdkEvent.text(heard!))
      assert.deepStrictEqual(parts, [{ text: "echo" }])
      assert.deepInclude(state, stateDelta)
      const [delta] = yield* client.run({ ...key, ...saying("state") })
      assert.deepStrictEqual(delta?.actions?.stateDelta, { some_topic: "cats", "user:name": "Ana", gone: null })
      assert.deepInclude((yield* client.getSession(key)).state, { some_topic: "cats", "user:name": "Ana" })
    }), covers("ADK-01"))

  it.effect("every kind of part arrives unchanged", () =>
    Effect.gen(function*() {
      const client = yield* AdkClient.AdkClient
      const newMessage = AdkContent.user(
        AdkContent.text("echo"),
        AdkContent.inline(Uint8Array.of(0xfb, 0xff, 0xbe, 0), "image/png", "dot.png"),
        AdkContent.file("gs://bucket/a.pdf", "application/pdf")
      )
      const [heard] = yield* client.run({ ...yield* session, newMessage })
      const [, { inlineData }, { fileData }] = JSON.parse(AdkEvent.text(heard!)).parts
      assert.deepStrictEqual([...AdkContent.bytes(inlineData)!], [0xfb, 0xff, 0xbe, 0])
      assert.deepStrictEqual(fileData, { fileUri: "gs://bucket/a.pdf", mimeType: "application/pdf" })
    }), covers("ADK-01"))

  it.effect("an error reported by the model is an event", () =>
    Effect.gen(function*() {
      const events = yield* streamed("error")
      assert.deepStrictEqual(AdkEvent.failure(events.at(-1)!), {
        code: "RESOURCE_EXHAUSTED",
        message: "The model is busy.",
        truncated: false
      })
      assert.isTrue(AdkEvent.failure((yield* run("truncated"))[0]!)?.truncated)
    }), covers("ADK-04"))

  it.effect(
    "an interrupted run is not requested again, and the server decides if it stops",
    () =>
      Effect.gen(function*() {
        const client = yield* AdkClient.AdkClient
        const key = yield* session
        const first = yield* Stream.runHead(client.runSse({ ...key, ...saying("slow") }))
        assert.strictEqual(first._tag, "Some")
        yield* Effect.sleep("1200 millis")
        const { events = [] } = yield* client.getSession(key)
        const ticks = events.filter(({ author }) => author === "scripted").length
        assert.strictEqual(ticks < 3, differs.stops, String(ticks))
      }),
    covers("ADK-07")
  )

  it.effect("runs of one session wait for each other", () =>
    Effect.gen(function*() {
      const client = yield* AdkClient.AdkClient
      const key = yield* session
      const one = client.run({ ...key, ...saying("slow") })
      yield* Effect.all([one, one], { concurrency: 2 })
      const { events = [] } = yield* client.getSession(key)
      assert.deepStrictEqual(texts(events), [
        "slow",
        "Tick 1.",
        "Tick 2.",
        "Tick 3.",
        "slow",
        "Tick 1.",
        "Tick 2.",
        "Tick 3."
      ])
    }), covers("ADK-01"))
}

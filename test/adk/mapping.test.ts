/** Events of ADK as those of a task, through the emulator's bytes. */
import { Agent, AgentStream, Answer, Artifact, Message, Part, type StreamEvent, Task } from "@effect-a2a/core"
import { AdkScript } from "@effect-a2a/emulators"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { covers } from "../support/covers.ts"
import * as Adk from "./support.ts"

const artifactsOf = (events: ReadonlyArray<StreamEvent.StreamEvent>) =>
  events.filter((event) => event._tag === "ArtifactUpdate")

const statesOf = (events: ReadonlyArray<StreamEvent.StreamEvent>) =>
  events.flatMap((event) => event._tag === "Task" || event._tag === "StatusUpdate" ? [event.status.state] : [])

const metadataOf = (event: StreamEvent.StreamEvent | undefined) => event?.metadata ?? {}

describe("events of a run", () => {
  it.effect.each(Adk.flavours)(
    "text arrives in appended pieces, then in full, and is emitted once (%s)",
    Adk.onEach(() =>
      Effect.gen(function*() {
        const events = yield* Adk.events("hello")
        assert.deepStrictEqual(statesOf(events), ["submitted", "working", "completed"])
        const chunks = artifactsOf(events)
        assert.deepStrictEqual(
          chunks.map(({ append, artifact, lastChunk }) => [Artifact.text(artifact), append, lastChunk]),
          [["Hello", false, false], [", ", true, false], ["world", true, false], ["Hello, world", false, true]]
        )
        assert.strictEqual(new Set(chunks.map(({ artifact }) => artifact.artifactId)).size, 1)
        assert.strictEqual(Task.text(Adk.fold(events)), "Hello, world")
        const told = yield* Stream.runCollect(AgentStream.text(Stream.fromIterable(events)))
        assert.deepStrictEqual(told, ["Hello", ", ", "world"])
        assert.strictEqual((yield* AgentStream.answer(Stream.fromIterable(events))).text, "Hello, world")
      })
    ),
    covers("ADK-08", "ADK-02", "field:ADK-01")
  )

  it.effect(
    "a blocking send returns the same task as a stream, with one artifact per event",
    Adk.onPython(() =>
      Effect.gen(function*() {
        const [sent, streamed] = [yield* Adk.send("tool x"), Adk.fold(yield* Adk.events("tool x"))]
        assert.deepStrictEqual(view(sent), view(streamed))
        assert.strictEqual(Answer.from(sent).text, "One hit.")
        assert.strictEqual((yield* Adk.posted("/run")).length, 1)
        assert.deepStrictEqual((yield* Adk.posted("/run_sse")).map(({ streaming }) => streaming), [true])
      })
    ),
    covers("ADK-08")
  )

  it.effect.each(Adk.flavours)(
    "updates carry ADK's metadata of their origin (%s)",
    Adk.onEach((flavour) =>
      Effect.gen(function*() {
        const events = yield* Adk.events("meta")
        const [{ artifact } = assert.fail()] = artifactsOf(events)
        const { adk_event_id, adk_invocation_id, adk_session_id, adk_user_id, ...metadata } = artifact.metadata ?? {}
        assert.deepStrictEqual(metadata, {
          adk_app_name: "demo",
          adk_author: "demo",
          adk_finish_reason: "STOP",
          adk_usage_metadata: { promptTokenCount: 3, totalTokenCount: 5 },
          adk_citation_metadata: { citations: [{ uri: "https://example.com/", title: "Example" }] },
          adk_custom_metadata: { keep_this: { as_it: "is" } }
        })
        assert.match(String(adk_event_id), flavour === "python" ? /^0{8}-/ : /^ev\d{6}$/)
        assert.match(String(adk_invocation_id), /^e-/)
        const task = Adk.fold(events)
        assert.strictEqual(adk_session_id, task.contextId)
        assert.strictEqual(adk_user_id, `A2A_USER_${task.contextId}`)
        assert.strictEqual(metadataOf(events.at(-1)).adk_invocation_id, adk_invocation_id)
      })
    ),
    covers("ADK-08")
  )

  it.effect(
    "thoughts are separate parts, in pieces and in full",
    Adk.onPython(() =>
      Effect.gen(function*() {
        const events = yield* Adk.events("thought")
        const [whole] = Adk.fold(events).artifacts ?? []
        assert.deepStrictEqual(whole?.parts, [
          Part.thought("Six by seven.", { metadata: { adk_thought: true } }),
          Part.text("42")
        ])
        const thoughts = artifactsOf(events).slice(0, -1).flatMap(({ artifact }) => artifact.parts).filter(
          Part.isThought
        )
        assert.strictEqual(thoughts.map((part) => part._tag === "Text" ? part.text : "").join(""), "Six by seven.")
        const text = yield* Agent.stream("thought").pipe(AgentStream.text, Stream.mkString)
        assert.deepStrictEqual([text, (yield* Agent.ask("thought")).text], ["42", "42"])
      })
    ),
    covers("ADK-08")
  )

  it.effect(
    "tool calls come from complete events, and a repeated response replaces the first",
    Adk.onPython(() =>
      Effect.gen(function*() {
        const events = yield* Adk.events("preview")
        const task = Adk.fold(events)
        const data = (task.artifacts ?? []).flatMap(({ parts }) => parts).filter((part) => part._tag === "Data")
        assert.deepStrictEqual(data.map(({ data, metadata }) => [metadata?.adk_type, data]), [
          ["function_call", { id: "adk-search", name: "search", args: {} }],
          ["function_response", { id: "adk-search", name: "search", response: { try: 2 } }]
        ])
        const tools = yield* Agent.stream("tool x").pipe(AgentStream.toolCalls, Stream.runCollect)
        assert.deepStrictEqual(tools, [
          { _tag: "Call", id: "adk-search", name: "search", args: { query: "x" } },
          {
            _tag: "Result",
            id: "adk-search",
            name: "search",
            outcome: { _tag: "Success", response: { hits: ["x"], total: 1 } }
          }
        ])
      })
    ),
    covers("ADK-08")
  )

  it.effect(
    "agents that speak at the same time have an artifact each",
    Adk.onPython(() =>
      Effect.gen(function*() {
        const { artifacts = [] } = Adk.fold(yield* Adk.events("parallel"))
        assert.deepStrictEqual(
          artifacts.map((one) => [one.metadata?.adk_author, one.metadata?.adk_branch, Artifact.text(one)]),
          [["left", "a.left", "Left."], ["right", "a.right", "Right."]]
        )
      })
    ),
    covers("ADK-08")
  )

  it.effect("branches of one agent have an artifact each", () =>
    Effect.gen(function*() {
      const { artifacts = [] } = Adk.fold(yield* Adk.events("go"))
      assert.deepStrictEqual(artifacts.map((one) => [one.metadata?.adk_branch, Artifact.text(one)]), [
        ["left", "Left."],
        ["right", "Right."]
      ])
    }).pipe(Effect.provide(Adk.layer({
      agent: () =>
        ([["left", "Le"], ["right", "Ri"], ["left", "ft."], ["right", "ght."]] as const).map(([branch, text]) =>
          AdkScript.event({ author: "demo", branch, partial: true, content: { parts: [{ text }] } })
        )
    }))), covers("ADK-08"))

  const piece = (text: string, thought = false) =>
    AdkScript.event({ partial: true, content: { parts: [thought ? { text, thought } : { text }] } })
  const betweenPieces: Record<string, AdkScript.Step> = {
    "a tool call": AdkScript.call({ id: "c-1", name: "search" }),
    "a tool's result": AdkScript.respond({ id: "c-1", name: "search", response: { hits: 2 } }),
    "empty text": AdkScript.event({ content: { parts: [{ text: "" }] } }),
    "no content": AdkScript.event({ finishReason: "STOP" }),
    "a change of state": AdkScript.event({ actions: { stateDelta: { topic: "x" } } }),
    "an output": AdkScript.event({ output: { hits: 2 } }),
    "a thought": AdkScript.event({ content: { parts: [{ text: "Hm.", thought: true }] } }),
    "bytes": AdkScript.event({ content: { parts: [{ inlineData: { data: "AQI=", mimeType: "image/png" } }] } })
  }

  it.effect.each(Object.keys(betweenPieces))(
    "a complete event with %s does not end text that comes in pieces",
    (kind) =>
      Effect.gen(function*() {
        const events = yield* Adk.events("go")
        const texts = artifactsOf(events).filter(({ artifact }) => Artifact.text(artifact) !== "")
        assert.deepStrictEqual(
          texts.map(({ append, artifact, lastChunk }) => [Artifact.text(artifact), append, lastChunk]),
          [["Hel", false, false], ["lo", true, false], ["Hello", false, true]]
        )
        assert.strictEqual(new Set(texts.map(({ artifact }) => artifact.artifactId)).size, 1)
        assert.strictEqual(Task.text(Adk.fold(events)), "Hello")
        assert.strictEqual(yield* Agent.stream("go").pipe(AgentStream.text, Stream.mkString), "Hello")
      }).pipe(Effect.provide(Adk.layer({
        agent: () => [
          piece("Hel"),
          betweenPieces[kind]!,
          piece("lo"),
          AdkScript.event({ content: { parts: [{ text: "Hello" }] } })
        ]
      }))),
    covers("ADK-08")
  )

  it.effect(
    "a complete thought repeats its pieces, and the text after it is another artifact",
    () =>
      Effect.gen(function*() {
        const { artifacts = [] } = Adk.fold(yield* Adk.events("go"))
        assert.deepStrictEqual(
          artifacts.map(({ parts }) => parts.map((part) => [Part.isThought(part), part._tag === "Text" && part.text])),
          [[[true, "Six by seven."]], [[false, "42"]]]
        )
      }).pipe(Effect.provide(Adk.layer({
        agent: () => [
          piece("Six by ", true),
          piece("seven.", true),
          AdkScript.event({ content: { parts: [{ text: "Six by seven.", thought: true }] } }),
          AdkScript.say("4", "2")
        ]
      }))),
    covers("ADK-08")
  )

  it.effect(
    "text that never arrives in full is emitted at the end and marked",
    Adk.onPython(() =>
      Effect.gen(function*() {
        const events = yield* Adk.events("unfinished")
        const last = artifactsOf(events).at(-1)
        assert.deepStrictEqual([last?.append, last?.lastChunk, last?.metadata?.adk_partial], [false, true, true])
        assert.strictEqual(Task.text(Adk.fold(events)), "Half of it")
        const text = yield* Agent.stream("unfinished").pipe(AgentStream.text, Stream.runCollect)
        assert.deepStrictEqual(text, ["Half ", "of it"])
      })
    ),
    covers("ADK-08")
  )

  it.effect.each(Adk.flavours)(
    "bytes, files, code and its result become parts (%s)",
    Adk.onEach(() =>
      Effect.gen(function*() {
        const [inline] = (yield* Adk.send("inline")).artifacts ?? []
        assert.deepStrictEqual(inline?.parts, [
          Part.raw(new Uint8Array([251, 239, 191, 0]), { mediaType: "image/png", filename: "dot.png" }),
          Part.url("gs://bucket/a.pdf", { mediaType: "application/pdf" })
        ])
        const code = ((yield* Adk.send("code")).artifacts ?? []).flatMap(({ parts }) => parts)
        assert.deepStrictEqual(code.map(({ metadata }) => metadata?.adk_type), [
          "executable_code",
          "code_execution_result",
          undefined
        ])
      })
    ),
    covers("ADK-08", "ADK-04")
  )

  it.effect(
    "events without content report their changes of state",
    Adk.onPython(() =>
      Effect.gen(function*() {
        const events = yield* Adk.events("state")
        const told = events.find(({ _tag, metadata }) => _tag === "StatusUpdate" && metadata?.adk_actions !== undefined)
        const stateDelta = { topic: "lisbon", "user:name": "Ana", "temp:draft": 1, gone: null }
        assert.deepStrictEqual(metadataOf(told).adk_actions, { stateDelta })
        const task = yield* Adk.send("state")
        assert.strictEqual(Task.text(task), "Noted.")
        assert.deepStrictEqual(task.metadata?.adk_actions, { stateDelta })
      })
    ),
    covers("ADK-08", "ADK-03", "field:ADK-02")
  )

  it.effect(
    "the output of a workflow is data",
    Adk.onPython(() =>
      Effect.gen(function*() {
        const { artifacts = [], metadata } = yield* Adk.send("workflow")
        const output = { city: "Lisbon", nights: 2 }
        assert.deepStrictEqual(artifacts[0]?.parts, [Part.data(output, { metadata: { adk_type: "output" } })])
        assert.deepStrictEqual(metadata?.adk_output, output)
      })
    ),
    covers("ADK-08")
  )

  it.effect(
    "a run without events is completed",
    Adk.onPython(() =>
      Effect.gen(function*() {
        const { artifacts, status } = yield* Adk.send("nothing")
        assert.deepStrictEqual([status.state, artifacts], ["completed", undefined])
        assert.deepStrictEqual(statesOf(yield* Adk.events("nothing")), ["submitted", "working", "completed"])
      })
    ),
    covers("ADK-08")
  )

  it.effect.each(Adk.flavours)(
    "text of any characters and length arrives unchanged (%s)",
    Adk.onEach(() =>
      Effect.gen(function*() {
        const text = "Ünï\u2028cöde 🦊 \u0000 漢字"
        assert.strictEqual((yield* Agent.ask("unicode")).text, text)
        assert.strictEqual(yield* Agent.stream("unicode").pipe(AgentStream.text, Stream.mkString), text)
        assert.strictEqual((yield* Agent.stream("big 200000").pipe(AgentStream.answer)).text.length, 200_000)
      })
    ),
    covers("ADK-08")
  )
})

/** The parts of a task that do not differ between servers. */
const view = (task: Task.Task) => {
  const { state, text, toolCalls } = Answer.from(task)
  return { state, text, toolCalls, parts: task.artifacts?.map(({ parts }) => parts) }
}

describe("kinds of servers", () => {
  const inputs = (
    "hello,tool x,thought,preview,parallel,unfinished,inline,code,state,workflow,nothing,unicode,meta,error,truncated," +
    "stop,input,longrun"
  ).split(",")
  const views = (flavour: AdkScript.Flavour) =>
    Effect.forEach(inputs, (input) =>
      Effect.gen(function*() {
        return { input, sent: view(yield* Adk.send(input)), streamed: view(Adk.fold(yield* Adk.events(input))) }
      })).pipe(Effect.provide(Adk.layer({ flavour })))

  it.effect("JavaScript and Python servers give the same tasks", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* views("javascript"), yield* views("python"))
    }), covers("ADK-08", "ADK-05"))
})

describe("servers with another spelling", () => {
  it.effect("snake_case is read as camelCase, and unknown metadata is kept", () =>
    Effect.gen(function*() {
      const events = yield* Adk.events("anything")
      const task = Adk.fold(events)
      assert.strictEqual(task.status.state, "input-required")
      assert.strictEqual(Task.text(task), "Hm.")
      const [part] = task.status.message?.parts ?? []
      assert.deepStrictEqual(part?.metadata, { adk_type: "function_call", adk_is_long_running: true })
      const texts = artifactsOf(events)
      assert.deepStrictEqual(texts.at(-1)?.metadata?.adk_custom_metadata, { adk_new: 1 })
    }).pipe(Effect.provide(Adk.layer({
      agent: () => [
        AdkScript.event({ partial: true, content: { parts: [{ text: "H" }] } }),
        AdkScript.event({ custom_metadata: { adk_new: 1 }, content: { parts: [{ text: "Hm." }] } }),
        AdkScript.event({
          long_running_tool_ids: ["c-1"],
          content: { parts: [{ function_call: { id: "c-1", name: "ask", args: { as_it: "is" } } }] }
        })
      ]
    }))), covers("ADK-05", "field:ADK-07"))
})

describe("files of an agent", () => {
  it.effect.each(Adk.flavours)(
    "a saved file is loaded and is not text of the answer, although Python reports it in a frame before the text (%s)",
    Adk.onEach(() =>
      Effect.gen(function*() {
        const events = yield* Adk.events("artifact notes.txt")
        const task = Adk.fold(events)
        assert.strictEqual(Task.text(task), "Saved.")
        const file = task.artifacts?.find(({ name }) => name === "notes.txt")
        assert.strictEqual(file?.artifactId, "notes.txt@0")
        assert.deepStrictEqual(file?.parts, [
          Part.raw(new TextEncoder().encode("report"), { mediaType: "text/plain", filename: "notes.txt" })
        ])
        const again = yield* Adk.send("artifact notes.txt", { contextId: task.contextId! })
        assert.isTrue(again.artifacts?.some(({ artifactId }) => artifactId === "notes.txt@1"))
        assert.deepStrictEqual(again.metadata?.adk_actions, { artifactDelta: { "notes.txt": 1 } })
      })
    ),
    covers("ADK-08")
  )

  it.effect("a saved text is a file too", () =>
    Effect.gen(function*() {
      const task = yield* Adk.send("save")
      assert.strictEqual(Task.text(task), "Saved.")
      assert.deepStrictEqual(task.artifacts?.find(({ name }) => name === "notes.txt")?.parts, [
        Part.raw(new TextEncoder().encode("report"), { mediaType: "text/plain", filename: "notes.txt" })
      ])
    }).pipe(Effect.provide(Adk.layer({
      agent: () => [AdkScript.save("notes.txt", { text: "report" }, "Saved.")]
    }))), covers("ADK-08"))

  it.effect(
    "a file is only named if the program says so",
    Adk.onPython(() =>
      Effect.gen(function*() {
        const { artifacts = [] } = yield* Adk.send("artifact a/b.txt")
        assert.deepStrictEqual(artifacts.find(({ name }) => name === "a/b.txt")?.parts, [
          Part.data({ filename: "a/b.txt", version: 0 }, { metadata: { adk_type: "artifact" } })
        ])
        assert.isFalse((yield* Adk.asked).some((path) => path.includes("/artifacts")))
      }), { loadArtifacts: false }),
    covers("ADK-08")
  )
})

describe("the agent's input", () => {
  const echoed = (task: Task.Task) => JSON.parse(Task.text(task)!)

  it.effect(
    "parts of a message become parts of ADK, and JSON becomes text",
    Adk.onPython(() =>
      Effect.gen(function*() {
        const { parts } = echoed(
          yield* Adk.send([
            "echo ",
            Part.raw(new Uint8Array([251, 255]), { mediaType: "image/png", filename: "a.png" }),
            Part.url("https://example.com/a.pdf", { mediaType: "application/pdf" }),
            Part.data({ n: [1, null] }),
            Part.data({ outcome: "OUTCOME_OK" }, { metadata: { adk_type: "code_execution_result" } })
          ])
        )
        assert.deepStrictEqual(parts, [
          { text: "echo " },
          { inlineData: { data: "+/8=", mimeType: "image/png", displayName: "a.png" } },
          { fileData: { fileUri: "https://example.com/a.pdf", mimeType: "application/pdf" } },
          { text: "{\"n\":[1,null]}" },
          { codeExecutionResult: { outcome: "OUTCOME_OK" } }
        ])
      })
    ),
    covers("ADK-08")
  )

  it.effect("JSON can be wrapped as ADK does it, and returns unchanged", () =>
    Effect.gen(function*() {
      const mirror = ({ parts }: AdkScript.Turn) => [AdkScript.event({ content: { role: "model", parts } })]
      const part = Part.data({ n: 1 }, { metadata: { kind: "x" } })
      const task = yield* Adk.send(["echo", part]).pipe(
        Effect.provide(Adk.layer({ agent: mirror, dataParts: "wrapped" }))
      )
      assert.deepStrictEqual(task.artifacts?.[0]?.parts, [Part.text("echo"), part])
    }), covers("ADK-08"))

  it.effect.each(Adk.flavours)(
    "metadata of the request is the run's (%s)",
    Adk.onEach(() =>
      Effect.gen(function*() {
        const { text } = yield* Agent.ask("echo", { metadata: { tenant: "t", deep: { x: null } } })
        assert.deepStrictEqual(JSON.parse(text).customMetadata, { a2a_metadata: { tenant: "t", deep: { x: null } } })
        const [run] = yield* Adk.posted("/run")
        assert.deepStrictEqual(Object.keys(run).sort(), [
          "appName",
          "customMetadata",
          "newMessage",
          "sessionId",
          "userId"
        ])
        assert.strictEqual(run.newMessage.role, "user")
      })
    ),
    covers("ADK-08", "ADK-01")
  )

  it.effect(
    "the user's message is in the history and not in the answer",
    Adk.onPython(() =>
      Effect.gen(function*() {
        const [first] = yield* Adk.events("hello")
        assert.deepStrictEqual((first as Task.Task).history?.map((one) => [one.role, Message.text(one)]), [[
          "user",
          "hello"
        ]])
        assert.strictEqual(yield* Agent.stream("hello").pipe(AgentStream.text, Stream.mkString), "Hello, world")
      })
    ),
    covers("field:ADK-08")
  )
})

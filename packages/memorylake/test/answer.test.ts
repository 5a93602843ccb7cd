import * as Answer from "@effect-a2a/core/Answer"
import * as Artifact from "@effect-a2a/core/Artifact"
import * as Id from "@effect-a2a/core/Id"
import type * as Message from "@effect-a2a/core/Message"
import * as Part from "@effect-a2a/core/Part"
import * as Recognizer from "@effect-a2a/core/Recognizer"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as Task from "@effect-a2a/core/Task"
import * as TaskProgress from "@effect-a2a/core/TaskProgress"
import { MemoryLake, MemoryLakeAnswer } from "@effect-a2a/memorylake"
import { assert, describe, it } from "@effect/vitest"
import { covers } from "../../../test/support/covers.ts"

const taskId = Id.TaskId.make("run-1")

/** Parts as the wire has them, numbers included: JSON text in. */
const parts = (json: string): ReadonlyArray<Part.Part> =>
  (JSON.parse(json) as ReadonlyArray<any>).map(({ data, text, url, ...options }) =>
    Recognizer.mark(
      [MemoryLake.recognizer],
      text !== undefined
        ? Part.text(text, options)
        : url !== undefined
        ? Part.url(url, options)
        : Part.data(data, options)
    )
  )

const artifact = (json: string) => ({
  artifactId: Id.ArtifactId.make("result-run-1"),
  name: "result",
  parts: parts(json)
})
const message = (json: string): Message.Message => ({
  _tag: "Message",
  role: "agent",
  messageId: Id.MessageId.make("run-1-3"),
  parts: parts(json)
})
const working = (json: string) =>
  StreamEvent.statusUpdate({ taskId, status: { state: "working", message: message(json) } })

const steps = (event: StreamEvent.StreamEvent) => TaskProgress.add(TaskProgress.make(), event).steps

describe("MemoryLakeAnswer", () => {
  it("has text, attachments and recommended questions, and keeps other parts apart", covers("ML-23"), () => {
    const answer = MemoryLakeAnswer.fromArtifact(artifact(`[
      {"text":"Two files."},
      {"data":{"kind":"attachments","attachments":[
        {"name":"a.csv","mime_type":"text/csv","presign_url":"https://files.test/a","description":"rows","committed":true},
        {"name":"b.csv","mime_type":"text/csv","committed":false,"error":"disk full"},
        "nonsense"]}},
      {"data":{"kind":"recommended_questions","questions":["And now?",5]}},
      {"data":{"kind":"citations","items":[]}},
      {"data":{"answer":42}},
      {"data":"loose"}]`))
    assert.deepStrictEqual(answer, {
      text: "Two files.",
      attachments: [
        { name: "a.csv", mimeType: "text/csv", url: "https://files.test/a", description: "rows", committed: true },
        { name: "b.csv", mimeType: "text/csv", committed: false, error: "disk full" }
      ],
      recommendedQuestions: ["And now?"],
      other: [Part.data({ kind: "citations", items: [] }), Part.data({ answer: 42 }), Part.data("loose")]
    })
  })

  it("reads floats as the integers that they stand for", covers("ML-25"), () => {
    const [, step] = steps(
      working(`[{"data":{"id":"c","name":"n","args":{"limit":2.0}},"metadata":{"adk_type":"function_call"}}]`)
    )
    assert.deepStrictEqual(step, { _tag: "ToolCall", call: { _tag: "Call", id: "c", name: "n", args: { limit: 2 } } })
  })

  it("has a step for every kind of progress", covers("ML-21", "ML-24"), () => {
    const seen = steps(working(`[
      {"text":"Let me look that up."},
      {"text":"Hm.","metadata":{"adk_thought":true}},
      {"data":{"id":"call_1","name":"web_search","args":{"query":"capital of France"}},"metadata":{"adk_type":"function_call","adk_thought_signature":"xyz"}},
      {"data":{"id":"call_1","name":"web_search","response":"{\\"results\\":[]}"},"metadata":{"adk_type":"function_response"}},
      {"data":{"id":"call_2","name":"web_search","response":{"error":"timed out","code":"TIMEOUT"}},"metadata":{"adk_type":"function_response"}},
      {"url":"https://files.test/a.png","mediaType":"image/png","filename":"a.png"},
      {"data":{"kind":"news"}}]`))
    assert.deepStrictEqual(seen.map((step) => step._tag), [
      "State",
      "Text",
      "Thought",
      "ToolCall",
      "ToolResult",
      "ToolResult",
      "File",
      "Data"
    ])
    assert.deepStrictEqual(
      seen.flatMap((step) => step._tag === "ToolResult" ? [step.result.outcome] : []),
      [{ _tag: "Success", response: { results: [] } }, { _tag: "Failure", error: "timed out", code: "TIMEOUT" }]
    )
    assert.deepStrictEqual(seen[6], {
      _tag: "File",
      file: Part.url("https://files.test/a.png", { mediaType: "image/png", filename: "a.png" })
    })
  })

  it("takes the message of a failed status for the reason, not for progress", covers("ML-32"), () => {
    const reason = message(`[{"text":"LLM model config not found: x"}]`)
    const event = StreamEvent.statusUpdate({ taskId, status: { state: "failed", message: reason } })
    assert.deepStrictEqual(steps(event), [{ _tag: "State", state: "failed", message: reason }])
  })

  it("pairs the tool calls of a history by id", covers("ML-24"), () => {
    const task: Task.Task = {
      _tag: "Task",
      id: taskId,
      status: { state: "completed" },
      artifacts: [artifact(`[{"text":"Paris."}]`)],
      history: [
        { ...message(`[{"text":"capital?"}]`), role: "user" },
        message(`[{"data":{"id":"c1","name":"s","args":{}},"metadata":{"adk_type":"function_call"}}]`),
        message(`[{"data":{"id":"c1","name":"s","response":"plain"},"metadata":{"adk_type":"function_response"}}]`)
      ]
    }
    assert.deepStrictEqual(steps(task).map((step) => step._tag), ["State", "ToolCall", "ToolResult", "Text"])
    assert.deepStrictEqual(Answer.fromTask(task).toolCalls, [
      { id: "c1", name: "s", args: {}, outcome: { _tag: "Success", response: "plain" } }
    ])
  })

  it("is absent, not empty, for a snapshot without an answer", covers("ML-19", "ML-27"), () => {
    const task: Task.Task = { _tag: "Task", id: taskId, status: { state: "completed" } }
    assert.isUndefined(MemoryLakeAnswer.fromTask(task))
    assert.deepStrictEqual(steps(task).map((step) => step._tag), ["State"])
    assert.strictEqual(
      MemoryLakeAnswer.fromTask({ ...task, artifacts: [artifact(`[{"text":"Paris."}]`)] })?.text,
      "Paris."
    )
  })

  it("separates the texts of artifacts by blank lines, as the answer and the task do", covers("ML-23"), () => {
    const named = (id: string, ...all: ReadonlyArray<Part.Part>) => Artifact.make(Id.ArtifactId.make(id), all)
    const questions = (...questions: ReadonlyArray<string>) => Part.data({ kind: "recommended_questions", questions })
    const cases: ReadonlyArray<readonly [text: string, artifacts: ReadonlyArray<Artifact.Artifact>]> = [
      ["Paris.", [named("a", Part.text("Par"), Part.text("is."))]],
      ["Paris.\n\nFrance.", [named("a", Part.text("Paris.")), named("b", questions("And?"), Part.text("France."))]],
      ["One\n\nThree", [named("a", Part.text("One")), named("b", Part.thought("two")), named("c", Part.text("Three"))]],
      ["", [named("a", questions("And?")), named("b", questions("Then?"))]]
    ]
    for (const [text, artifacts] of cases) {
      const task: Task.Task = { _tag: "Task", id: taskId, status: { state: "completed" }, artifacts }
      const answer = MemoryLakeAnswer.fromTask(task)
      assert.deepStrictEqual([answer?.text, Task.text(task), Answer.fromTask(task).text], [text, text, text])
      assert.deepStrictEqual(MemoryLakeAnswer.fromAnswer(Answer.fromTask(task)), answer)
    }
  })

  it("reads answers that are messages, and of a task that continued only what is new", covers("ML-23"), () => {
    const asked = { _tag: "Message", role: "agent", messageId: Id.MessageId.make("m") } as const
    const questions = (question: string) => Part.data({ kind: "recommended_questions", questions: [question] })
    const reply = Answer.fromMessage({ ...asked, parts: [Part.text("Hi"), questions("And?")] })
    assert.deepInclude(MemoryLakeAnswer.fromAnswer(reply), { text: "Hi", recommendedQuestions: ["And?"] })
    const one = Artifact.make(Id.ArtifactId.make("a"), [Part.text("One"), questions("First?")])
    const two = Artifact.make(Id.ArtifactId.make("b"), [Part.text("Two"), questions("Second?")])
    const task = (artifacts: ReadonlyArray<Artifact.Artifact>): Task.Task => ({
      _tag: "Task",
      id: taskId,
      status: { state: "completed" },
      artifacts
    })
    const later = Answer.fromTask(task([one, two]), task([one]))
    assert.deepInclude(MemoryLakeAnswer.fromAnswer(later), { text: "Two", recommendedQuestions: ["Second?"] })
  })
})

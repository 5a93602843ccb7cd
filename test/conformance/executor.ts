// The agent that the conformance suites expect: messages of the 1.0 suite are known by the beginning of their id.
import { Message, Part } from "@effect-a2a/core"
import { AgentExecutor, Reply } from "@effect-a2a/server"
import { Effect, Stream } from "effect"

type Replies = Stream.Stream<Reply.Reply>

const replies = (...all: ReadonlyArray<Reply.Reply>): Replies => Stream.fromIterable(all)

/** Replies while the task is at work. */
const atWork = (...all: ReadonlyArray<Reply.Reply>): Replies => replies(Reply.status("working"), ...all)

const artifact = (part: string | Part.Part) => Reply.artifact({ parts: part })

const name = { filename: "output.txt", mediaType: "text/plain" }
const file = Part.raw(new TextEncoder().encode("content of a file"), name)
const chunk = (text: string, append: boolean) =>
  Reply.artifact({ artifactId: "chunked", parts: text }, { append, lastChunk: append })

// seconds that the suites wait for an event of a stream
const patience = Number(process.env.TCK_STREAMING_TIMEOUT ?? 2)

/** The longest beginnings come first. */
const scenarios: ReadonlyArray<readonly [beginning: string, execution: () => AgentExecutor.Execution]> = [
  ["tck-stream-artifact-chunked", () => atWork(chunk("chunk-1 ", false), chunk("chunk-2", true))],
  ["tck-stream-artifact-text", () => atWork(artifact("Streamed text content"))],
  ["tck-stream-artifact-file", () => atWork(artifact(file))],
  ["test-resubscribe-message-id", () => Stream.concat(atWork(), Stream.fromEffectDrain(Effect.sleep(patience * 2500)))],
  ["tck-stream-ordering-001", () => atWork(artifact("Ordered output"))],
  ["tck-artifact-file-url", () => replies(artifact(Part.url("https://example.com/output.txt", name)))],
  ["tck-message-response", () => Effect.succeed("Direct message response")],
  ["tck-input-required", () => replies(Reply.status("input-required"))],
  ["tck-complete-task", () => replies(Reply.status("completed", "Hello from TCK"))],
  ["tck-artifact-text", () => replies(artifact("Generated text content"))],
  ["tck-artifact-file", () => replies(artifact(file))],
  ["tck-artifact-data", () => replies(artifact(Part.data({ key: "value", count: 42 })))],
  ["tck-reject-task", () => replies(Reply.status("rejected", "rejected"))],
  ["tck-stream-001", () => atWork(artifact("Stream hello from TCK"))],
  ["tck-stream-002", () => replies(Reply.status("completed"))],
  ["tck-stream-003", () => atWork(artifact("Stream task lifecycle"))]
]

/** The 0.3 suite continues, cancels and reads each task it has made, so that a task works a little and asks. */
const question = (text: string): Replies =>
  Stream.concat(
    replies(Reply.progress("Thinking about it")),
    Stream.fromEffect(
      Effect.as(Effect.sleep(1500), Reply.status("input-required", `You said: ${text}. What else?`) as Reply.Reply)
    )
  )

/** `asks`: other messages get a question; otherwise the task is completed. */
export const layer = (asks: boolean) =>
  AgentExecutor.layer(({ message }) => {
    const found = scenarios.find(([beginning]) => message.messageId.startsWith(beginning))
    if (found !== undefined) return found[1]()
    const text = Message.text(message)
    return asks ? question(text) : atWork(Reply.status("completed", `You said: ${text}`))
  })

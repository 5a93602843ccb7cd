import * as Agent from "@effect-a2a/core/Agent"
import * as Conversation from "@effect-a2a/core/Conversation"
import type * as Id from "@effect-a2a/core/Id"
import * as Operation from "@effect-a2a/core/Operation"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as TaskState from "@effect-a2a/core/TaskState"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { connectAgent } from "../connect.ts"
import { Exit } from "../exit.ts"
import * as Flags from "../flags.ts"
import { handler } from "../handler.ts"
import * as Lines from "../lines.ts"
import * as Message from "../message.ts"
import * as Outcome from "../outcome.ts"
import { Output } from "../output.ts"
import * as Report from "../report.ts"
import * as Turn from "../turn.ts"

/** The state of the conversation. */
interface State {
  /** The number of messages that run or are queued. */
  waiting: number
  /** The cancellation of the running task; it is sent as soon as the task is known. */
  cancel: "no" | "wanted" | "sent"
  /** The latest task. */
  taskId: Id.TaskId | undefined
  /** The exit code of the last message. */
  code: number
}

const help = "/cancel cancels the running task, /task shows the task, /quit quits"

/** Holds a conversation in one context. */
export const chat = Command.make(
  "chat",
  { ...Flags.place, ...Flags.request },
  handler(Effect.fnUntraced(function*(input) {
    const output = yield* Output
    const { contextId, taskId } = yield* Message.place(input)
    const { api, provide, target: { reader } } = yield* connectAgent
    const conversation = yield* Conversation.make(contextId === undefined ? {} : { contextId }).pipe(
      Effect.provideService(Agent.Agent, api)
    )
    const state: State = { waiting: 0, cancel: "no", taskId, code: 0 }
    const fork = Effect.runForkWith(yield* Effect.context<Output>())
    const main = yield* Effect.fiber

    const cancelTask = Effect.gen(function*() {
      const { pending } = yield* conversation.state
      if (state.cancel !== "wanted" || pending === undefined) return
      state.cancel = "sent"
      yield* provide(conversation.cancel)
    }).pipe(Effect.catchTag("AgentError", (error) => Effect.ignore(Report.failure(error))))

    const cancel = () => {
      if (state.waiting === 0) return void fork(output.say("a2a: nothing is running"))
      state.cancel = "wanted"
      fork(cancelTask)
    }

    const lines = yield* Lines.make({
      line: (line) => {
        if (line.trim() === "/cancel") cancel()
        else if (!line.trim().startsWith("/") && line.trim() !== "") state.waiting++
        return line.trim() !== "/cancel"
      },
      interrupt: () => {
        if (state.waiting === 0 || state.cancel !== "no") main.interruptUnsafe()
        else cancel()
      }
    })

    const onEvent = (event: StreamEvent.StreamEvent) =>
      Effect.sync(() => {
        state.taskId = StreamEvent.taskId(event) ?? state.taskId
        if (state.cancel === "wanted") fork(cancelTask)
      })

    let replyTo = taskId
    const message = (text: string) =>
      Turn.follow({
        operation: Operation.SendStreamingMessage._tag,
        reader,
        events: conversation.stream(text, {
          ...Message.requestOptions(input),
          ...(replyTo !== undefined && { taskId: replyTo })
        }),
        onEvent
      }).pipe(
        provide,
        Effect.map(Outcome.codeOf),
        Effect.catchTag("AgentError", (error) => Report.failure(error)),
        Effect.catchTag("Exit", ({ code }) => Effect.succeed(code)),
        Effect.map((code) => {
          state.code = code
        }),
        Effect.ensuring(Effect.sync(() => {
          replyTo = undefined
          state.waiting--
          state.cancel = "no"
        }))
      )

    const showTask = Effect.gen(function*() {
      const { contextId, pending } = yield* conversation.state
      const isAsked = pending !== undefined && TaskState.isInterrupted(pending.status.state)
      yield* output.say(
        state.taskId === undefined
          ? "a2a: no task yet"
          : `a2a: task ${state.taskId}${contextId === undefined ? "" : `, context ${contextId}`}${
            isAsked ? ", waiting for your reply" : ""
          }`
      )
    })

    const loop: Effect.Effect<void, never, Output> = Effect.gen(function*() {
      while (true) {
        yield* lines.prompt
        const line = (yield* lines.next).trim()
        if (line === "/quit") return
        if (line === "/task") yield* showTask
        else if (line.startsWith("/")) yield* output.say(`a2a: ${help}`)
        else if (line !== "") yield* message(line)
      }
    }).pipe(Effect.catchTag("Done", () => Effect.void))

    if (lines.isTerminal) yield* output.say(`a2a: ${help}`)
    yield* loop
    if (!lines.isTerminal && state.code !== 0) return yield* new Exit({ code: state.code })
  }))
).pipe(
  Command.withDescription(
    "Hold a conversation, one message per line. /cancel or Ctrl-C cancels the running task, /task shows it, /quit or " +
      "Ctrl-C twice quits. A task that still runs after a dropped connection is awaited before the next message. If stdin " +
      "is a pipe, the conversation ends with it, with the exit code of the last message."
  ),
  Command.withShortDescription("Hold a conversation"),
  Command.withExamples([
    { command: "a2a chat", description: "Talk to the emulated agent" },
    { command: "printf 'hello\\nand then?\\n' | a2a chat --json", description: "A conversation from a script" }
  ])
)

import type * as Agent from "@effect-a2a/core/Agent"
import * as Conversation from "@effect-a2a/core/Conversation"
import type * as Id from "@effect-a2a/core/Id"
import * as Operation from "@effect-a2a/core/Operation"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as TaskState from "@effect-a2a/core/TaskState"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { connectAgent, type Connection } from "../connect.ts"
import { Exit, type UsageError } from "../exit.ts"
import * as Flags from "../flags.ts"
import { handler } from "../handler.ts"
import type { Leave } from "../leave.ts"
import * as Lines from "../lines.ts"
import * as Message from "../message.ts"
import * as Outcome from "../outcome.ts"
import { Output } from "../output.ts"
import type { Reader } from "../reader.ts"
import * as Report from "../report.ts"
import * as Turn from "../turn.ts"

/** The state of the command. */
interface State {
  /** The number of messages that run or are queued. */
  waiting: number
  /** The cancellation of the running task; it is sent as soon as the task is known. */
  cancel: "no" | "wanted" | "sent"
  /** The latest task. */
  taskId: Id.TaskId | undefined
  /** The task that the next message continues. */
  replyTo: Id.TaskId | undefined
  /** The exit code of the last message. */
  code: number
}

interface Chat {
  readonly conversation: Conversation.Service
  readonly provide: Connection["provide"]
  readonly reader: Reader
  readonly leave: Leave
  /** The options of every message. */
  readonly options: Agent.Options
  readonly state: State
  /** Runs an effect in the background. */
  readonly fork: (effect: Effect.Effect<void, never, Output>) => void
}

const help = "/cancel cancels the running task, /task shows the task, /quit quits"

const say = (line: string) => Effect.flatMap(Output, (output) => output.say(line))

/** Cancels the running task if the user wants that, and the task is known. */
const cancelTask = ({ conversation, provide, state }: Chat) =>
  Effect.gen(function*() {
    const { pending } = yield* conversation.state
    if (state.cancel !== "wanted" || pending === undefined) return
    state.cancel = "sent"
    yield* provide(conversation.cancel)
  }).pipe(Effect.catchTag("AgentError", (error) => Effect.ignore(Report.reportFailure(error))))

const cancel = (chat: Chat): void => {
  if (chat.state.waiting === 0) return chat.fork(say("a2a: nothing is running"))
  chat.state.cancel = "wanted"
  chat.fork(cancelTask(chat))
}

/** Sends a message and keeps the exit code of its turn. */
const sendMessage = (chat: Chat, text: string) => {
  const { conversation, fork, leave, options, provide, reader, state } = chat
  return Turn.follow({
    operation: Operation.SendStreamingMessage._tag,
    reader,
    // the second Ctrl-C does not wait for the cancellation that the first one sent
    leave: { ...leave, onInterrupt: (id) => state.cancel === "sent" ? Effect.void : leave.onInterrupt(id) },
    events: conversation.stream(text, {
      ...options,
      ...(state.replyTo !== undefined && { taskId: state.replyTo })
    }),
    onEvent: (event) =>
      Effect.sync(() => {
        state.taskId = StreamEvent.taskId(event) ?? state.taskId
        if (state.cancel === "wanted") fork(cancelTask(chat))
      })
  }).pipe(
    provide,
    Effect.map(Outcome.codeOf),
    Effect.catchTag("AgentError", (error) => Report.reportFailure(error)),
    Effect.catchTag("Exit", ({ code }) => Effect.succeed(code)),
    Effect.map((code) => {
      state.code = code
    }),
    Effect.ensuring(Effect.sync(() => {
      state.replyTo = undefined
      state.waiting--
      state.cancel = "no"
    }))
  )
}

const showTask = Effect.fnUntraced(function*({ conversation, state: { taskId } }: Chat) {
  const { contextId, pending } = yield* conversation.state
  if (taskId === undefined) return yield* say("a2a: no task yet")
  const context = contextId === undefined ? "" : `, context ${contextId}`
  const waits = pending !== undefined && TaskState.isInterrupted(pending.status.state) ? ", waiting for your reply" : ""
  yield* say(`a2a: task ${taskId}${context}${waits}`)
})

/** Obeys one line after the other, until `/quit` or the end of stdin. */
const loop = (chat: Chat, lines: Lines.Lines): Effect.Effect<void, UsageError, Output> =>
  Effect.gen(function*() {
    while (true) {
      yield* lines.prompt
      const line = (yield* lines.next).trim()
      if (line === "/quit") return
      if (line === "/task") yield* showTask(chat)
      else if (line.startsWith("/")) yield* say(`a2a: ${help}`)
      else if (line !== "") yield* sendMessage(chat, line)
    }
  }).pipe(Effect.catchTag("Done", () => Effect.void))

/** Holds a conversation in one context. */
export const chat = Command.make(
  "chat",
  { ...Flags.place, ...Flags.request },
  handler(Effect.fnUntraced(function*(input) {
    const { contextId, taskId } = yield* Message.place(input)
    const { api, leave, provide, target: { reader } } = yield* connectAgent
    const state: State = { waiting: 0, cancel: "no", taskId, replyTo: taskId, code: 0 }
    const chat: Chat = {
      conversation: yield* Conversation.of(api, contextId === undefined ? {} : { contextId }),
      provide,
      reader,
      leave,
      options: Message.requestOptions(input),
      state,
      fork: Effect.runForkWith(yield* Effect.context<Output>())
    }
    const main = yield* Effect.fiber
    const lines = yield* Lines.make({
      line: (line) => {
        const text = line.trim()
        if (text === "/cancel") cancel(chat)
        else if (text !== "" && !text.startsWith("/")) state.waiting++
        return text !== "/cancel"
      },
      interrupt: () => {
        if (state.waiting === 0 || state.cancel !== "no") main.interruptUnsafe()
        else cancel(chat)
      }
    })
    if (lines.isTerminal) yield* say(`a2a: ${help}`)
    yield* loop(chat, lines)
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

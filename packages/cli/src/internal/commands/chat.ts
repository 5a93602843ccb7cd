import type * as Answer from "@effect-a2a/core/Answer"
import type * as Id from "@effect-a2a/core/Id"
import * as Operation from "@effect-a2a/core/Operation"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
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

/** What is known of the conversation. */
interface State {
  contextId: Id.ContextId | undefined
  /** Of the task that the next message answers. */
  replyTo: Id.TaskId | undefined
  /** Of the task that was heard of last. */
  taskId: Id.TaskId | undefined
  /** Messages that are under way or wait for it. */
  pending: number
  /** Whether the message under way has a task that was heard of. */
  isTold: boolean
  isCanceling: boolean
  /** How the last message ended. */
  code: number
}

const help = "/cancel cancels the running task, /task shows the task, /quit leaves"

/** A conversation on one context. */
export const chat = Command.make(
  "chat",
  { ...Flags.place, ...Flags.request },
  handler(Effect.fnUntraced(function*(input) {
    const output = yield* Output
    const { contextId, taskId } = yield* Message.place(input)
    const { api, provide } = yield* connectAgent
    const state: State = {
      contextId,
      replyTo: taskId,
      taskId,
      pending: 0,
      isTold: false,
      isCanceling: false,
      code: 0
    }
    const fork = Effect.runForkWith(yield* Effect.context<Output>())
    const main = yield* Effect.fiber

    /** Once there is something to cancel: before, it is remembered until the agent has told of its task. */
    const cancelTold = Effect.suspend(() =>
      state.isTold && state.taskId !== undefined
        ? provide(api.cancel(state.taskId)).pipe(
          Effect.catchTag("AgentError", (error) => Effect.ignore(Report.failure(error))),
          Effect.asVoid
        )
        : Effect.void
    )
    const cancel = () => {
      if (state.pending === 0) return void fork(output.say("a2a: nothing is running"))
      state.isCanceling = true
      fork(cancelTold)
    }

    const lines = yield* Lines.make({
      line: (line) => {
        if (line.trim() === "/cancel") cancel()
        else if (!line.trim().startsWith("/") && line.trim() !== "") state.pending++
        return line.trim() !== "/cancel"
      },
      interrupt: () => {
        if (state.pending === 0 || state.isCanceling) main.interruptUnsafe()
        else cancel()
      }
    })

    const onEvent: Turn.OnEvent = (event) =>
      Effect.suspend(() => {
        const id = StreamEvent.taskId(event)
        if (event.contextId !== undefined) state.contextId = event.contextId
        if (id === undefined || (state.isTold && id === state.taskId)) return Effect.void
        state.taskId = id
        state.isTold = true
        if (state.isCanceling) fork(cancelTold)
        return Effect.void
      })

    const heard = (answer: Answer.Answer) => {
      state.code = Outcome.codeOf(answer)
      state.replyTo = state.code === 0 ? undefined : answer.taskId
    }

    const message = (text: string) =>
      Turn.follow(
        Operation.SendStreamingMessage._tag,
        api.stream(text, {
          ...Message.requestOptions(input),
          ...(state.contextId !== undefined && { contextId: state.contextId }),
          ...(state.replyTo !== undefined && { taskId: state.replyTo })
        }),
        onEvent
      ).pipe(
        provide,
        Effect.map(heard),
        Effect.catchTag("AgentError", (error) => Report.failure(error)),
        Effect.catchTag("Exit", ({ code }) =>
          Effect.sync(() => {
            // the task that was replied to has ended; after anything else it may still wait
            if (code === 1) state.replyTo = undefined
            state.code = code
          })),
        Effect.ensuring(Effect.sync(() => {
          state.pending--
          state.isTold = false
          state.isCanceling = false
        }))
      )

    const showTask = Effect.suspend(() =>
      output.say(
        state.taskId === undefined
          ? "a2a: no task yet"
          : `a2a: task ${state.taskId}${state.contextId === undefined ? "" : `, context ${state.contextId}`}${
            state.replyTo === undefined ? "" : ", waiting for your reply"
          }`
      )
    )

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
    "A conversation, one line a message. /cancel cancels the running task, /task shows it, /quit leaves; so do Ctrl-C " +
      "and Ctrl-C twice. From a pipe it ends with stdin, and with the code of the last message."
  ),
  Command.withShortDescription("Hold a conversation"),
  Command.withExamples([
    { command: "a2a chat", description: "Talk to the emulated agent" },
    { command: "printf 'hello\\nand then?\\n' | a2a chat --json", description: "A conversation from a script" }
  ])
)

/**
 * Scripted agents: a list of steps, run for every message or chosen by the message.
 *
 * ```ts
 * import { AgentTransport, Message, Operation, Task } from "@effect-a2a/core"
 * import { AgentTest, Script } from "@effect-a2a/testing"
 * import { Effect, Layer } from "effect"
 *
 * const agent = AgentTest.layer.pipe(Layer.provide(Script.layer(
 *   Script.think("Greet in French"),
 *   Script.say("Bon"),
 *   Script.say("jour")
 * )))
 * const program = Effect.gen(function*() {
 *   const transport = yield* AgentTransport.AgentTransport
 *   const task = yield* transport.call(Operation.SendMessage, { message: yield* Message.user("Hi") })
 *   return task._tag === "Task" ? Task.text(task) : ""
 * })
 * await Effect.runPromise(program.pipe(Effect.provide(agent))) // => "Bonjour"
 * ```
 *
 * @since 0.1.0
 */
import type { AgentErrorReason } from "@effect-a2a/core/AgentError"
import type { TaskId } from "@effect-a2a/core/Id"
import type * as Message from "@effect-a2a/core/Message"
import type * as Part from "@effect-a2a/core/Part"
import type * as Recognizer from "@effect-a2a/core/Recognizer"
import type { TaskState } from "@effect-a2a/core/TaskState"
import * as AgentExecutor from "@effect-a2a/server/AgentExecutor"
import * as Reply from "@effect-a2a/server/Reply"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

/** Emits a reply. */
export interface Say {
  readonly _tag: "Say"
  readonly reply: Reply.Reply
}

/** Waits, on Effect's clock. */
export interface Wait {
  readonly _tag: "Wait"
  readonly duration: Duration.Input
}

/** Fails with a reason, or dies of a defect. */
export interface Stop {
  readonly _tag: "Stop"
  readonly effect: Effect.Effect<never, AgentErrorReason>
}

/** Cuts the connections that follow the task. */
export interface Cut {
  readonly _tag: "Cut"
}

/** One step of a script. */
export type Step = Say | Wait | Stop | Cut

/** Cuts the connections that follow a task. Provided by `AgentTest.layer`; elsewhere {@link cut} dies. */
export const CurrentCut = Context.Reference<(id: TaskId) => Effect.Effect<void>>(
  "@effect-a2a/testing/Script/CurrentCut",
  { defaultValue: () => () => Effect.die("Script.cut needs AgentTest.layer") }
)

/** Emits any reply. */
export const reply = (reply: Reply.Reply): Say => ({ _tag: "Say", reply })

/** Emits a piece of the answer: a chunk of the artifact `result`. */
export const say = (text: string): Say => reply(text)

/** Emits a piece of text as a status message, as agents do that stream text for display before the artifact. */
export const write = (text: string): Say => reply(Reply.progress(text))

/** Recognizes what {@link think}, {@link callTool} and {@link toolResult} write into metadata, as most agents do. */
export const recognizer: Recognizer.Recognizer = Reply.recognizer

/** Emits a thought. */
export const think = (text: string): Say => reply(Reply.thought(text))

/** Emits a tool call; the {@link toolResult} that belongs to it has the same id. */
export const callTool = (
  call: { readonly id: string; readonly name: string; readonly args?: Schema.JsonObject }
): Say => reply(Reply.toolCall(call))

/** Emits the result of a tool call: JSON, JSON in a string, or `{ error, code? }`. */
export const toolResult = (
  result: { readonly id: string; readonly name: string; readonly response: Schema.Json }
): Say => reply(Reply.toolResult(result))

/** Emits a file as a status message. */
export const file = (part: Part.Raw | Part.Url): Say => reply(Reply.progress(part))

/** Emits another artifact than the answer, or a chunk of one. */
export const artifact = (artifact: Reply.Content, options?: Reply.ChunkOptions): Say =>
  reply(Reply.artifact(artifact, options))

/** Emits a new state of the task. A terminal state and `input-required` end the script. */
export const become = (state: TaskState, message?: Message.Input): Say => reply(Reply.status(state, message))

/** Fails the task with a message. */
export const fail = (text: string): Say => become("failed", text)

/** Asks a question and ends the script; the next message to the task starts it again. */
export const askForInput = (text: string): Say => become("input-required", text)

/** Asks for credentials out of band, then continues. */
export const requireAuth = (text: string): Say => become("auth-required", text)

/**
 * Cuts the connections that follow the task, while the script goes on. In the same process the streams fail with
 * `StreamInterruptedError`; over a binding the response ends. Needs `AgentTest.layer`.
 */
export const cut: Cut = { _tag: "Cut" }

/** Waits for a duration, on Effect's clock. */
export const wait = (duration: Duration.Input): Wait => ({ _tag: "Wait", duration })

/** Refuses every waiting call with a reason, fails the task and ends the script. */
export const refuse = (reason: AgentErrorReason): Stop => ({ _tag: "Stop", effect: Effect.fail(reason) })

/** Dies of a defect. */
export const die = (defect: unknown): Stop => ({ _tag: "Stop", effect: Effect.die(defect) })

/** Runs steps: emits their replies in order, in one chunk if no other step is between them. */
export const play = (
  turn: Pick<AgentExecutor.Turn, "taskId">,
  steps: ReadonlyArray<Step>
): Stream.Stream<Reply.Reply, AgentErrorReason> =>
  Stream.fromIterable(runs(steps)).pipe(
    Stream.flatMap((run): Stream.Stream<Reply.Reply, AgentErrorReason> =>
      run._tag === "Replies" ? Stream.fromArray(run.replies) : Stream.fromEffectDrain(pause(turn, run))
    )
  )

type Run = Wait | Stop | Cut | { readonly _tag: "Replies"; readonly replies: Array<Reply.Reply> }

const runs = (steps: ReadonlyArray<Step>): ReadonlyArray<Run> =>
  steps.reduce<Array<Run>>((runs, step) => {
    const last = runs.at(-1)
    if (step._tag !== "Say") runs.push(step)
    else if (last?._tag === "Replies") last.replies.push(step.reply)
    else runs.push({ _tag: "Replies", replies: [step.reply] })
    return runs
  }, [])

const pause = (
  { taskId }: Pick<AgentExecutor.Turn, "taskId">,
  step: Wait | Stop | Cut
): Effect.Effect<void, AgentErrorReason> => {
  switch (step._tag) {
    case "Wait":
      return Effect.sleep(step.duration)
    case "Stop":
      return step.effect
    case "Cut":
      // the server writes what it holds back while the script does not answer at once
      return Effect.yieldNow.pipe(Effect.andThen(CurrentCut), Effect.flatMap((cut) => cut(taskId)))
  }
}

/** Provides a scripted executor: the same steps for every message, or those that a function returns for the turn. */
export const layer: {
  (script: (turn: AgentExecutor.Turn) => ReadonlyArray<Step>): Layer.Layer<AgentExecutor.AgentExecutor>
  (...steps: ReadonlyArray<Step>): Layer.Layer<AgentExecutor.AgentExecutor>
} = (
  ...script: ReadonlyArray<Step> | readonly [(turn: AgentExecutor.Turn) => ReadonlyArray<Step>]
): Layer.Layer<AgentExecutor.AgentExecutor> => {
  const [first] = script
  return AgentExecutor.layer((turn) =>
    play(turn, typeof first === "function" ? first(turn) : script as ReadonlyArray<Step>)
  )
}

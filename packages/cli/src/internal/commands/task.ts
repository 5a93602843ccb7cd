import * as Agent from "@effect-a2a/core/Agent"
import * as AgentError from "@effect-a2a/core/AgentError"
import * as Operation from "@effect-a2a/core/Operation"
import * as Task from "@effect-a2a/core/Task"
import * as TaskState from "@effect-a2a/core/TaskState"
import * as Timeouts from "@effect-a2a/core/Timeouts"
import * as TaskFeedback from "@effect-a2a/memorylake/TaskFeedback"
import { protocols } from "@effect-a2a/node/NodeAgent"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { connectAgent } from "../connect.ts"
import { UsageError } from "../exit.ts"
import * as Flags from "../flags.ts"
import { handler } from "../handler.ts"
import * as Message from "../message.ts"
import * as Outcome from "../outcome.ts"
import { oneLine, Output } from "../output.ts"
import type { Target } from "../target.ts"
import * as Turn from "../turn.ts"
import * as Wire from "../wire.ts"

const id = Argument.String("ID").pipe(Argument.withDescription("The task's id"))

const line = (task: Task.Task): string => {
  const { state, timestamp } = task.status
  const feedback = TaskFeedback.fromTask(task)
  const text = Task.text(task) ?? Task.statusText(task)
  return [
    task.id,
    state,
    ...(timestamp === undefined ? [] : [DateTime.formatIso(timestamp)]),
    ...(task.contextId === undefined ? [] : [`context ${task.contextId}`]),
    ...(feedback === undefined ? [] : [`rated ${feedback.rating}`]),
    ...(text === undefined || text === "" ? [] : [oneLine(text)])
  ].join("  ")
}

const show = Effect.fnUntraced(function*(task: Task.Task) {
  const output = yield* Output
  yield* output.json ? Effect.flatMap(Wire.task(task), output.document) : output.print(`${line(task)}\n`)
})

/** Requests MemoryLake's ratings too. */
const withFeedback = ({ isMemoryLake }: Target) => <A, E, R>(self: Effect.Effect<A, E, R>) =>
  isMemoryLake ? TaskFeedback.withFeedback(self) : self

const get = Command.make(
  "get",
  { id, history: Flags.request.history },
  handler(Effect.fnUntraced(function*(input) {
    const taskId = yield* Message.taskId(input.id)
    const { api, provide, target } = yield* connectAgent
    const options = Option.isSome(input.history) ? { historyLength: input.history.value } : {}
    yield* show(yield* api.getTask(taskId, options).pipe(withFeedback(target), provide))
  }))
).pipe(Command.withDescription("Show a task."))

const states = TaskState.TaskState.literals.filter((state) => state !== "unspecified")

const list = Command.make(
  "list",
  {
    context: Flags.place.context,
    state: Flag.Literals("state", states).pipe(Flag.withDescription("Only tasks in this state"), Flag.optional),
    history: Flags.request.history
  },
  handler(Effect.fnUntraced(function*(input) {
    const { contextId } = yield* Message.place({ context: input.context, task: Option.none() })
    const { api, provide, target } = yield* connectAgent
    const tasks = api.listTasks({
      ...(contextId !== undefined && { contextId }),
      ...(Option.isSome(input.state) && { status: input.state.value }),
      ...(Option.isSome(input.history) && { historyLength: input.history.value })
    })
    yield* Stream.runForEach(tasks, show).pipe(withFeedback(target), provide)
  }))
).pipe(Command.withDescription("List tasks, newest first, one per line."))

const cancel = Command.make(
  "cancel",
  { id, metadata: Flags.request.metadata },
  handler(Effect.fnUntraced(function*(input) {
    const taskId = yield* Message.taskId(input.id)
    const { api, provide } = yield* connectAgent
    const options = Option.isSome(input.metadata) ? { metadata: input.metadata.value } : {}
    yield* show(yield* provide(api.cancel(taskId, options)))
  }))
).pipe(Command.withDescription("Cancel a running task."))

const watch = Command.make(
  "watch",
  { id },
  handler(
    Effect.fnUntraced(function*(input) {
      const taskId = yield* Message.taskId(input.id)
      const { api, leaveFollowed: leave, provide, target: { reader } } = yield* connectAgent
      const events = api.subscribe(taskId)
      yield* Outcome.end(
        yield* provide(Turn.follow({ operation: Operation.SubscribeToTask._tag, reader, leave, events }))
      )
    }),
    Operation.SubscribeToTask._tag
  )
).pipe(Command.withDescription("Subscribe to a task and follow it to its end, as ask --stream does."))

/** Limits the whole wait by the total timeout: for the user it is one call. */
const withTotalTimeout = <A, R>(self: Effect.Effect<A, AgentError.AgentError, R>) =>
  Effect.flatMap(Timeouts.CurrentTimeouts, ({ total }) =>
    total === undefined ? self : Effect.timeoutOrElse(self, {
      duration: total,
      orElse: () => {
        const message = `the task did not settle within ${Duration.format(Duration.fromInputUnsafe(total))}`
        return Effect.fail(AgentError.make("Agent.waitFor", "TimeoutError", { phase: "total", message }))
      }
    }))

const wait = Command.make(
  "wait",
  { id },
  handler(
    Effect.fnUntraced(function*(input) {
      const taskId = yield* Message.taskId(input.id)
      const { api, leaveFollowed: leave, provide, target: { reader } } = yield* connectAgent
      // reads first, so that an unreachable agent fails at once
      const result = withTotalTimeout(
        Effect.flatMap(api.getTask(taskId), (task) => Effect.provideService(Agent.waitFor(task), Agent.Agent, api))
      )
      yield* Outcome.end(
        yield* provide(Turn.once({ operation: "Agent.waitFor", reader, leave, result, taskId: () => taskId }))
      )
    }),
    "Agent.waitFor"
  )
).pipe(
  Command.withDescription(
    "Wait until a task settles, by subscribing or by polling, for an hour at most unless --timeout is shorter."
  ),
  Command.withShortDescription("Wait until a task settles.")
)

const feedback = Command.make(
  "feedback",
  {
    id,
    rating: Argument.Literals("up|down", ["up", "down"]).pipe(Argument.withDescription("The rating")),
    comment: Flag.String("comment").pipe(
      Flag.withDescription(`A comment of at most ${TaskFeedback.maxComment} characters`),
      Flag.optional
    )
  },
  handler(Effect.fnUntraced(function*(input) {
    const taskId = yield* Message.taskId(input.id)
    const output = yield* Output
    const { http, interface: { protocolVersion, url }, provide, target: { isMemoryLake } } = yield* connectAgent
    if (!isMemoryLake) {
      return yield* new UsageError({
        message:
          "only MemoryLake agents can be rated: give --workspace and --agent, or add --memorylake to the URL of one"
      })
    }
    const feedback = { rating: input.rating, ...(Option.isSome(input.comment) && { comment: input.comment.value }) }
    yield* TaskFeedback.send({
      url,
      protocol: Object.values(protocols).find(({ version }) => version === protocolVersion),
      taskId,
      ...feedback
    }).pipe(
      Effect.provideContext(http),
      provide
    )
    yield* output.json
      ? output.document({ feedback: { taskId, ...feedback } })
      : output.print(`rated ${taskId} ${input.rating}\n`)
  }))
).pipe(Command.withDescription("Rate a task of a MemoryLake agent."))

/** Manages tasks. */
export const task = Command.make("task").pipe(
  Command.withDescription("Manage tasks."),
  Command.withSubcommands([get, list, cancel, watch, wait, feedback]),
  Command.withExamples([
    { command: "a2a task list --context ctx-1", description: "The tasks of a conversation" },
    { command: "a2a task feedback run-1 up --comment 'Just so.'", description: "Rate a task" }
  ])
)

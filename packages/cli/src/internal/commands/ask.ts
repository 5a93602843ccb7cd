import * as Operation from "@effect-a2a/core/Operation"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { connectAgent } from "../connect.ts"
import { UsageError } from "../exit.ts"
import * as Flags from "../flags.ts"
import { handler } from "../handler.ts"
import * as Message from "../message.ts"
import * as Outcome from "../outcome.ts"
import { Output } from "../output.ts"
import * as Turn from "../turn.ts"

/** Asks one question. */
export const ask = Command.make(
  "ask",
  {
    text: Argument.String("TEXT").pipe(Argument.withDescription("The question; - reads stdin")),
    stream: Flag.Boolean("stream").pipe(
      Flag.withDescription("Stream the answer, or wait for it (default: stream if stdout is a terminal)"),
      Flag.optional
    ),
    wait: Flag.Boolean("wait").pipe(
      Flag.withDescription("Wait for the answer, or return the task at once"),
      Flag.withDefault(true)
    ),
    ...Flags.place,
    ...Flags.content,
    ...Flags.request
  },
  handler(
    Effect.fnUntraced(function*(input) {
      if (!input.wait && Option.contains(input.stream, true)) {
        return yield* new UsageError({ message: "give only one of --stream and --no-wait" })
      }
      const parts = yield* Message.parts(input)
      const options = {
        ...yield* Message.place(input),
        ...yield* Message.messageId(input.messageId),
        ...Message.requestOptions(input)
      }
      const { api, canceling, leave, provide, target: { reader } } = yield* connectAgent
      const { isLive } = yield* Output
      const isStream = input.wait && Option.getOrElse(input.stream, () => isLive)
      // a stream begins with the task as it was; a send returns it with all that it had
      const before = isStream || options.taskId === undefined
        ? Option.none()
        : yield* Effect.option(provide(api.getTask(options.taskId)))
      const answer = yield* provide(
        isStream
          ? Turn.follow({
            operation: Operation.SendStreamingMessage._tag,
            reader,
            leave,
            events: api.stream(parts, options)
          })
          : Turn.once({
            operation: Operation.SendMessage._tag,
            reader,
            leave,
            taskId: canceling.taskId,
            before: Option.getOrUndefined(before),
            result: api.send(parts, input.wait ? options : { ...options, returnImmediately: true })
          })
      )
      yield* Outcome.end(answer)
    }),
    Operation.SendMessage._tag
  )
).pipe(
  Command.withDescription(
    "Ask one question. The answer goes to stdout, the agent's steps to stderr."
  ),
  Command.withShortDescription("Ask one question"),
  Command.withExamples([
    { command: "a2a ask \"What is the capital of France?\"", description: "Ask and wait for the answer" },
    { command: "a2a ask --stream --json hello | jq -c .", description: "Every event as A2A 1.0, then the outcome" },
    { command: "git diff | a2a ask - --project proj-… --file notes.md", description: "Text from stdin, and a file" }
  ])
)

/**
 * The `a2a` command as an effect: talks to A2A agents from a terminal or a script. Answers and JSON documents go to
 * stdout, everything else to stderr. Exit codes: 0 success, 1 the task did not succeed, 2 wrong usage, 3 refused,
 * 4 network, 5 response not understood, 6 the task waits for its caller, 130 interrupted; 70 is a bug of the command.
 *
 * ```ts
 * import { Cli } from "@effect-a2a/cli"
 * import * as NodeServices from "@effect/platform-node/NodeServices"
 * import { Effect } from "effect"
 *
 * const code = Cli.run(["ask", "please fail"]).pipe(
 *   Effect.as(0),
 *   Effect.catchTag("Exit", (exit) => Effect.succeed(exit.code)),
 *   Effect.provide(NodeServices.layer)
 * )
 * await Effect.runPromise(code) // => 1
 * ```
 *
 * @since 0.1.0
 */
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { createRequire } from "node:module"
import { ask } from "./internal/commands/ask.ts"
import { card } from "./internal/commands/card.ts"
import { chat } from "./internal/commands/chat.ts"
import { emulator } from "./internal/commands/emulator.ts"
import { matrix } from "./internal/commands/matrix.ts"
import { serve } from "./internal/commands/serve.ts"
import { task } from "./internal/commands/task.ts"
import { webhook } from "./internal/commands/webhook.ts"
import { Exit, faultLine, internalError } from "./internal/exit.ts"
import { Json, Verbose } from "./internal/flags.ts"
import * as Headers from "./internal/headers.ts"
import * as Output from "./internal/output.ts"
import { root } from "./internal/root.ts"
import * as Sink from "./internal/sink.ts"
import * as Usage from "./internal/usage.ts"

const { version }: { readonly version: string } = createRequire(import.meta.url)("../package.json")

/** The command with its subcommands. */
export const command = root.pipe(
  Command.withSubcommands([ask, chat, card, task, serve, webhook, emulator, matrix]),
  Command.withGlobalFlags([Json, Verbose])
)

/**
 * Runs the command with arguments. Fails with the exit code if it is not 0, after the reason was written. Effect's
 * `runMain` turns an interruption into 130. If the reader of stdout leaves, the command is interrupted and fails with 0.
 */
export const run = (args: ReadonlyArray<string>) =>
  Command.runWith(command, { version })(args).pipe(
    Effect.catchTag("ShowHelp", () => Effect.fail(new Exit({ code: 2 }))),
    Effect.mapError((error) => error._tag === "Exit" ? error : new Exit({ code: 2 })),
    Effect.catchDefect((defect) =>
      Effect.andThen(Output.complain(faultLine(defect)), new Exit({ code: internalError }))
    ),
    Sink.guard,
    Effect.provideService(CliOutput.Presenter, Usage.presenter(args)),
    Effect.provideService(Output.CurrentHeaders, Headers.secrets(args)),
    Effect.provideServiceEffect(Output.CurrentSecrets, Output.secrets(args))
  )

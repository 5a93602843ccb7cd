/** The process around the command: its variables, its streams and its signals. */
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

type Terminal = { readonly isTTY?: boolean | undefined }

/** The part of Node's `process` that the command uses. */
export interface Process extends Pick<NodeJS.EventEmitter, "listeners" | "off" | "on" | "removeAllListeners"> {
  readonly stdin: NodeJS.ReadableStream & Terminal
  readonly stdout: NodeJS.WritableStream & Terminal
  readonly stderr: NodeJS.WritableStream & Terminal
}

/** The process that the command reads from, writes to and gets signals of. Default: the one it runs in. */
export const CurrentProcess = Context.Reference<Process>("@effect-a2a/cli/CurrentProcess", {
  defaultValue: () => process
})

const NonBlank = Schema.Trim.check(Schema.isNonEmpty())

/** Returns the trimmed value of an environment variable; a blank one counts as missing. */
export const variable = (name: string): Effect.Effect<string | undefined> =>
  Effect.orDie(Config.orElse(Config.schema(NonBlank, name), () => Config.succeed(undefined)))

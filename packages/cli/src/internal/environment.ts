/** The process around the command: its variables, its streams and its signals. */
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"

type Terminal = { readonly isTTY?: boolean | undefined }

/** The part of Node's `process` that the command uses. */
export interface Process extends Pick<NodeJS.EventEmitter, "listeners" | "off" | "on" | "removeAllListeners"> {
  readonly stdin: NodeJS.ReadableStream & Terminal
  readonly stdout: NodeJS.WritableStream & Terminal
  readonly stderr: NodeJS.WritableStream & Terminal
}

/** The descriptors of stdout and stderr stay open: others may write to them. */
const openFiles = { write: fs.write, close: (_: number, done: (error?: null) => void) => done() }

/** Node's own stream of a file takes a write for whole of which a full disk took only a part. */
const wholly = (stream: NodeJS.WriteStream & { readonly fd: number }): Process["stdout"] =>
  (fs.fstatSync(stream.fd).isFile() ? fs.createWriteStream("", { fd: stream.fd, fs: openFiles }) : stream)
    // without a listener, a failed write would be an uncaught exception
    .on("error", () => {})

const own = (): Process => ({
  // node opens stdin when it is first looked at
  get stdin() {
    return process.stdin
  },
  stdout: wholly(process.stdout),
  stderr: wholly(process.stderr),
  listeners: (name) => process.listeners(name as NodeJS.Signals),
  off: process.off.bind(process),
  on: process.on.bind(process),
  removeAllListeners: process.removeAllListeners.bind(process)
})

/** The process that the command reads from, writes to and gets signals of. Default: the one it runs in. */
export const CurrentProcess = Context.Reference<Process>("@effect-a2a/cli/CurrentProcess", { defaultValue: own })

const NonBlank = Schema.Trim.check(Schema.isNonEmpty())

/** Returns the trimmed value of an environment variable; a blank one counts as missing. */
export const variable = (name: string): Effect.Effect<string | undefined> =>
  Effect.orDie(Config.orElse(Config.schema(NonBlank, name), () => Config.succeed(undefined)))

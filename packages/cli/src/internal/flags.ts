/** Flags of more than one command. */
import * as Protocol from "@effect-a2a/core/Protocol"
import * as MemoryLakeOptions from "@effect-a2a/memorylake/MemoryLakeOptions"
import * as ByteSize from "effect/ByteSize"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withoutNegation, Flag.withDefault(false))

const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description))

const many = (name: string, metavar: string, description: string) =>
  text(name, metavar, `${description} (repeatable)`).pipe(Flag.atLeast(0))

const json = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => Flag.withSchema(Schema.fromJsonString(schema))

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** A time limit; none if it is absent. */
const duration = (name: string, description: string) =>
  text(name, "TIME", `${description}, such as 30s (default: no limit)`).pipe(
    Flag.filterMap(
      (text) => {
        const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? []
        return amount === undefined || Number(amount) === 0
          ? Option.none()
          : Option.some(Duration.millis(Number(amount) * units[unit as keyof typeof units]))
      },
      () => "a time such as 500ms, 30s, 5m or 1h"
    ),
    Flag.optional
  )

const JsonObject = Schema.Record(Schema.String, Schema.Json)

/** Selects output for programs. */
export const Json = GlobalFlag.Setting("json")({
  flag: toggle("json", "Print one JSON document per line and nothing else")
})
/** Adds traces to failures. */
export const Verbose = GlobalFlag.Setting("verbose")({ flag: toggle("verbose", "Print the trace of a failure") })

/** The agent and its credentials. */
export const target = {
  url: text("url", "URL", "The URL of an A2A interface; or A2A_URL").pipe(Flag.optional),
  card: text("card", "URL", "An agent to discover: its base URL, or the URL of its card").pipe(Flag.optional),
  allowOrigin: many("allow-origin", "ORIGIN", "A further origin that credentials may be sent to when a card names it"),
  workspace: text("workspace", "ID", "A MemoryLake workspace, with --agent; or MEMORYLAKE_WORKSPACE").pipe(
    Flag.optional
  ),
  agent: text("agent", "ID", "A MemoryLake agent; or MEMORYLAKE_AGENT").pipe(Flag.optional),
  host: text("host", "ORIGIN", "MemoryLake's origin; or MEMORYLAKE_HOST (default https://app.memorylake.cn)").pipe(
    Flag.optional
  ),
  adk: text("adk", "URL", "An ADK API server, with --app and --user").pipe(Flag.optional),
  app: text("app", "NAME", "ADK: the application").pipe(Flag.optional),
  user: text("user", "ID", "ADK: the user, who owns the sessions").pipe(Flag.optional),
  session: text("session", "ID", "ADK: the session, created if it does not exist (default: a new one)").pipe(
    Flag.optional
  ),
  memorylake: toggle("memorylake", "The agent at --url or --card is a MemoryLake agent"),
  protocol: Flag.Literals("protocol", [Protocol.v1_0.version, Protocol.v0_3.version]).pipe(
    Flag.withDescription("The protocol version (default 1.0; with --card, the version that the card prefers)"),
    Flag.optional
  ),
  binding: Flag.Literals("binding", ["rest", "jsonrpc"]).pipe(
    Flag.withDescription("The binding (default rest; with --card, the binding that the card prefers)"),
    Flag.optional
  ),
  apiKeyHeader: text("api-key-header", "NAME", "The header of A2A_API_KEY (default X-API-Key)").pipe(
    Flag.optional
  ),
  header: many("header", "'NAME: VALUE'", "An additional header")
}

/** Timeouts, retries and resumption. */
export const limits = {
  timeoutHeaders: duration("timeout-headers", "The longest wait for the headers of a response"),
  timeoutSilence: duration(
    "timeout-silence",
    "The longest wait for the next bytes of a response; heartbeats count"
  ),
  timeout: duration("timeout", "The longest time for a whole call, retries and resumed streams included"),
  retries: Flag.Int("retries").pipe(
    Flag.withSchema(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
    Flag.withMetavar("N"),
    Flag.withDescription("How often reads are retried after failures that may pass (default 2); messages never are"),
    Flag.withDefault(2)
  ),
  resume: Flag.Boolean("resume").pipe(
    Flag.withDescription("Resume dropped streams (default); --no-resume fails instead"),
    Flag.withDefault(true)
  ),
  cancelOnInterrupt: toggle(
    "cancel-on-interrupt",
    "Cancel the task if Ctrl-C, a closed pipe or a time limit ends the command; by default it goes on"
  )
}

/** MemoryLake's options of a message. */
export const memoryLake = {
  actor: text("actor", "ID", "MemoryLake: the actor who sends the message").pipe(
    Flag.withSchema(MemoryLakeOptions.ActorId),
    Flag.optional
  ),
  project: text("project", "ID", "MemoryLake: the project to read and write; required with --file").pipe(
    Flag.withSchema(MemoryLakeOptions.ProjectId),
    Flag.optional
  ),
  readOnlyProject: many("read-only-project", "ID", "MemoryLake: a further project to read").pipe(
    Flag.withSchema(Schema.Array(MemoryLakeOptions.ProjectId))
  ),
  skipMemory: toggle("skip-memory", "MemoryLake: do not use memory"),
  model: text("model", "CODE", "MemoryLake: the model to use").pipe(Flag.optional),
  systemPrompt: text("system-prompt", "TEXT", "MemoryLake: replaces the agent's instructions").pipe(
    Flag.optional
  ),
  webSearch: text(
    "web-search",
    "SETS",
    "MemoryLake: search the web, and the Open Data sets in this comma-separated list"
  ).pipe(
    Flag.withOptionalValue(""),
    Flag.optional
  ),
  language: text("language", "NAME", "MemoryLake: the language of the answer").pipe(Flag.optional),
  memorylakeJson: text("memorylake-json", "JSON", "MemoryLake: further members of metadata.memorylake").pipe(
    json(JsonObject),
    Flag.optional
  )
}

/** Options of every message of a conversation. */
export const request = {
  metadata: text("metadata", "JSON", "Metadata of the request").pipe(json(JsonObject), Flag.optional),
  history: Flag.Int("history").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription("How many messages of the history to return"),
    Flag.optional
  ),
  accept: many("accept", "MIME", "A media type that the answer may have")
}

/** The context and the task of a message. */
export const place = {
  context: text("context", "ID", "The context to continue").pipe(Flag.optional),
  task: text("task", "ID", "The task to continue").pipe(Flag.optional)
}

/** Parts of a message other than its text, and its id. */
export const content = {
  file: many("file", "PATH|URL", "A file: a path is read and sent inline, a URL is sent as a reference"),
  data: many("data", "JSON", "A JSON part").pipe(Flag.withSchema(Schema.Array(Schema.fromJsonString(Schema.Json)))),
  maxSize: text("max-size", "SIZE", "The most that stdin and the files, in base64, may have together (default 24MiB)")
    .pipe(
      Flag.filterMap(ByteSize.fromString, () => "a size such as 500kB, 24MiB or 1GiB"),
      Flag.withDefault(ByteSize.mebibytes(24))
    ),
  messageId: text("message-id", "ID", "The message's id (default: a new one)").pipe(Flag.optional)
}

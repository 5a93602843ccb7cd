/** Flags that several commands share. */
import * as Protocol from "@effect-a2a/core/Protocol"
import * as MemoryLake from "@effect-a2a/memorylake/MemoryLake"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const isOn = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withoutNegation, Flag.withDefault(false))

const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description))

const many = (name: string, metavar: string, description: string) =>
  text(name, metavar, `${description} (repeatable)`).pipe(Flag.atLeast(0))

const json = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => Flag.withSchema(Schema.fromJsonString(schema))

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** A limit of time; none where it is absent. */
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

export const Json = GlobalFlag.Setting("json")({
  flag: isOn("json", "Print one JSON document per line and nothing else")
})
export const Verbose = GlobalFlag.Setting("verbose")({ flag: isOn("verbose", "Add the trace to a failure") })

/** Where the agent is and what is presented to it. */
export const target = {
  url: text("url", "URL", "An A2A interface; or A2A_URL").pipe(Flag.optional),
  card: text("card", "URL", "An agent to be found by its card: a base URL, or the card's own").pipe(Flag.optional),
  workspace: text("workspace", "ID", "A MemoryLake workspace, with --agent; or MEMORYLAKE_WORKSPACE").pipe(
    Flag.optional
  ),
  agent: text("agent", "ID", "A MemoryLake agent; or MEMORYLAKE_AGENT").pipe(Flag.optional),
  host: text("host", "ORIGIN", "Where MemoryLake is; or MEMORYLAKE_HOST (default https://app.memorylake.cn)").pipe(
    Flag.optional
  ),
  adk: text("adk", "URL", "An ADK API server, with --app and --user").pipe(Flag.optional),
  app: text("app", "NAME", "ADK: the application").pipe(Flag.optional),
  user: text("user", "ID", "ADK: whose sessions").pipe(Flag.optional),
  session: text("session", "ID", "ADK: the session to go on with, made if it is missing (default: a new one)").pipe(
    Flag.optional
  ),
  memorylake: isOn("memorylake", "The agent at --url or --card is one of MemoryLake's"),
  protocol: Flag.Literals("protocol", [Protocol.v1_0.version, Protocol.v0_3.version]).pipe(
    Flag.withDescription("The A2A version to speak (default 1.0; with --card, what the card prefers)"),
    Flag.optional
  ),
  binding: Flag.Literals("binding", ["rest", "jsonrpc"]).pipe(
    Flag.withDescription("The binding to speak (default rest; with --card, what the card prefers)"),
    Flag.optional
  ),
  apiKeyHeader: text("api-key-header", "NAME", "The header that A2A_API_KEY goes into (default X-API-Key)").pipe(
    Flag.optional
  ),
  header: many("header", "'NAME: VALUE'", "A header to send along")
}

/** What is done about time and drops. */
export const limits = {
  timeoutHeaders: duration("timeout-headers", "How long an answer may take to begin"),
  timeoutSilence: duration(
    "timeout-silence",
    "How long an answer under way may be silent; heartbeats count"
  ),
  timeout: duration("timeout", "How long a call may take in all, repeats and resumed streams included"),
  retries: Flag.Int("retries").pipe(
    Flag.withSchema(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
    Flag.withMetavar("N"),
    Flag.withDescription("How often reads are repeated that may do better then (default 2); messages never are"),
    Flag.withDefault(2)
  ),
  resume: Flag.Boolean("resume").pipe(
    Flag.withDescription("Take dropped streams up again; --no-resume ends with them (default: take them up)"),
    Flag.withDefault(true)
  )
}

/** What a MemoryLake agent is told with every message. */
export const memoryLake = {
  actor: text("actor", "ID", "MemoryLake: who speaks").pipe(Flag.withSchema(MemoryLake.ActorId), Flag.optional),
  project: text("project", "ID", "MemoryLake: the project read and written; needed with --file").pipe(
    Flag.withSchema(MemoryLake.ProjectId),
    Flag.optional
  ),
  readOnlyProject: many("read-only-project", "ID", "MemoryLake: a project read besides").pipe(
    Flag.withSchema(Schema.Array(MemoryLake.ProjectId))
  ),
  skipMemory: isOn("skip-memory", "MemoryLake: neither recall nor remember"),
  model: text("model", "CODE", "MemoryLake: the model to use").pipe(Flag.optional),
  systemPrompt: text("system-prompt", "TEXT", "MemoryLake: in place of the agent's own instructions").pipe(
    Flag.optional
  ),
  webSearch: text("web-search", "SETS", "MemoryLake: search the web, and the Open Data sets named, by commas").pipe(
    Flag.withOptionalValue(""),
    Flag.optional
  ),
  language: text("language", "NAME", "MemoryLake: the language of the answer").pipe(Flag.optional),
  memorylakeJson: text("memorylake-json", "JSON", "MemoryLake: anything else for metadata.memorylake").pipe(
    json(JsonObject),
    Flag.optional
  )
}

/** What goes into every message of a conversation. */
export const request = {
  metadata: text("metadata", "JSON", "Metadata of the request").pipe(json(JsonObject), Flag.optional),
  history: Flag.Int("history").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription("How many messages of history to return"),
    Flag.optional
  ),
  accept: many("accept", "MIME", "A media type that can be handled in the answer")
}

/** Where a message belongs. */
export const place = {
  context: text("context", "ID", "The conversation to go on with").pipe(Flag.optional),
  task: text("task", "ID", "The task that the message is about").pipe(Flag.optional)
}

/** What one message holds besides its text. */
export const content = {
  file: many("file", "PATH|URL", "A file: read and sent inline, or by reference for a URL"),
  data: many("data", "JSON", "A part of JSON").pipe(Flag.withSchema(Schema.Array(Schema.fromJsonString(Schema.Json)))),
  messageId: text("message-id", "ID", "The message's id (default: a new one)").pipe(Flag.optional)
}

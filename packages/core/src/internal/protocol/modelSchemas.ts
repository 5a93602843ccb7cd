/** The wire schemas of messages, artifacts, tasks and events in one style. */
import * as Schema from "effect/Schema"
import { roleNames, stateNames } from "./enums.ts"
import type { Style, WireArtifactUpdate, WireMessage, WireStatusUpdate, WireTask } from "./style.ts"
import * as Wire from "./wireSchema.ts"

const partsOf = (members: ReadonlyArray<Schema.Top>) =>
  Schema.Array(Schema.Union(members).annotate({ expected: "text, bytes, a URL or data, and only one of them" }))

/** Returns `kind` in dialects that have it. */
const kindOf = (style: Style, name: string) => style.hasKind ? { kind: Wire.kind(name) } : {}

/** Messages of a caller (strict: id, role and at least one part are required) and of an agent. */
const makeMessages = (style: Style, known: Schema.Top, any: Schema.Top) => {
  const common = {
    ...kindOf(style, "message"),
    contextId: Wire.text,
    taskId: Wire.text,
    metadata: Wire.metadata,
    extensions: Wire.texts,
    referenceTaskIds: Wire.texts
  }
  const aliases = { [style.partsField === "parts" ? "content" : "parts"]: style.partsField }
  return {
    strictMessage: Wire.struct({ ...common, messageId: Wire.id, role: roleNames, [style.partsField]: known }, aliases),
    message: Wire.struct({
      ...common,
      messageId: Wire.text,
      role: Schema.String.annotate(roleNames.ast.annotations ?? {}),
      [style.partsField]: Wire.optional(any)
    }, aliases)
  }
}

/** Creates the wire schemas of a style. */
export const makeSchemas = (style: Style) => {
  const { known, unknown } = style.part()
  const atLeastOne = partsOf(known).check(Schema.isMinLength(1, { expected: "a list of at least one part" }))
  const parts = partsOf([...known, unknown])
  const { message, strictMessage } = makeMessages(style, atLeastOne, parts)
  const artifact = Wire.struct({
    artifactId: Wire.id,
    name: Wire.text,
    description: Wire.text,
    parts: Wire.optional(parts),
    metadata: Wire.metadata,
    extensions: Wire.texts
  }, { content: "parts" })
  const status = Wire.struct({
    state: Schema.String.annotate(stateNames.ast.annotations ?? {}),
    message: Wire.optional(message),
    // anything, for an unreadable timestamp must not cost the task
    timestamp: Wire.optional(Wire.json)
  }, style.statusAliases)
  const task = Wire.struct({
    ...kindOf(style, "task"),
    id: Wire.id,
    contextId: Wire.text,
    status,
    artifacts: Wire.optional(Schema.Array(artifact)),
    history: Wire.optional(Schema.Array(message)),
    metadata: Wire.metadata
  })
  const update = { taskId: Wire.id, contextId: Wire.text, metadata: Wire.metadata }
  const statusUpdate = Wire.struct({ ...kindOf(style, "status-update"), ...update, status })
  const artifactUpdate = Wire.struct({
    ...kindOf(style, "artifact-update"),
    ...update,
    artifact,
    append: Wire.flag,
    lastChunk: Wire.flag
  })
  return {
    strictMessage: strictMessage as Schema.Top as Schema.Codec<WireMessage>,
    message: message as Schema.Top as Schema.Codec<WireMessage>,
    task: task as Schema.Top as Schema.Codec<WireTask>,
    statusUpdate: statusUpdate as Schema.Top as Schema.Codec<WireStatusUpdate>,
    artifactUpdate: artifactUpdate as Schema.Top as Schema.Codec<WireArtifactUpdate>
  }
}

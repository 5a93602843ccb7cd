/** The style in which a dialect writes the model, and the wire types that all dialects share. */
import type * as Schema from "effect/Schema"
import type * as Message from "../../Message.ts"
import type { Metadata } from "../../Metadata.ts"
import type * as Part from "../../Part.ts"
import type * as TaskState from "../../TaskState.ts"
import type { JsonObject } from "./wireSchema.ts"

/** The differences between the dialects: parts, enumerations, `kind` and `final`. */
export interface Style {
  /** True if objects name their type in `kind`. */
  readonly hasKind: boolean
  /** The member that holds the parts of a message. */
  readonly partsField: "parts" | "content"
  /** Other spellings of a status's members. */
  readonly statusAliases?: Readonly<Record<string, string>>
  readonly states: Readonly<Record<TaskState.TaskState, string>>
  readonly roles: Readonly<Record<Message.Role, string>>
  /** The end-of-stream mark of a status update, in dialects that have one. */
  readonly final?: (state: TaskState.TaskState) => boolean | undefined
  readonly hasReferences: boolean
  readonly part: () => {
    readonly known: ReadonlyArray<Schema.Codec<unknown>>
    /** A part of a later version. */
    readonly unknown: Schema.Codec<unknown>
  }
  /** Called with parts that matched a schema of `part`. */
  readonly readPart: (part: any) => Part.Part | undefined
  readonly writePart: (part: Part.Part) => JsonObject
}

export interface WireMessage {
  readonly messageId?: string
  readonly contextId?: string
  readonly taskId?: string
  readonly role: string
  readonly parts?: ReadonlyArray<unknown>
  readonly content?: ReadonlyArray<unknown>
  readonly metadata?: Metadata
  readonly extensions?: ReadonlyArray<string>
  readonly referenceTaskIds?: ReadonlyArray<string>
}

export interface WireStatus {
  readonly state: string
  readonly message?: WireMessage
  readonly timestamp?: unknown
}

export interface WireArtifact {
  readonly artifactId: string
  readonly name?: string
  readonly description?: string
  readonly parts?: ReadonlyArray<unknown>
  readonly metadata?: Metadata
  readonly extensions?: ReadonlyArray<string>
}

export interface WireTask {
  readonly id: string
  readonly contextId?: string
  readonly status: WireStatus
  readonly artifacts?: ReadonlyArray<WireArtifact>
  readonly history?: ReadonlyArray<WireMessage>
  readonly metadata?: Metadata
}

interface WireUpdate {
  readonly taskId: string
  readonly contextId?: string
  readonly metadata?: Metadata
}

export interface WireStatusUpdate extends WireUpdate {
  readonly status: WireStatus
}

export interface WireArtifactUpdate extends WireUpdate {
  readonly artifact: WireArtifact
  readonly append?: boolean
  readonly lastChunk?: boolean
}

/**
 * Messages, artifacts, tasks and events. The dialects differ in how a part looks, in words, in `kind` and in `final`;
 * a {@link Style} says how, the rest is written once.
 */
import * as Schema from "effect/Schema"
import type * as Artifact from "../../Artifact.ts"
import type * as Id from "../../Id.ts"
import * as Message from "../../Message.ts"
import type { Metadata } from "../../Metadata.ts"
import type * as Part from "../../Part.ts"
import type * as StreamEvent from "../../StreamEvent.ts"
import type * as Task from "../../Task.ts"
import type * as TaskState from "../../TaskState.ts"
import { readRole, readState, roleNames, stateNames } from "./enums.ts"
import * as Wire from "./wireSchema.ts"

export interface Style<P> {
  /** Whether objects name their type. */
  readonly kinds: boolean
  /** Where a message keeps its parts. */
  readonly content: "parts" | "content"
  /** Other spellings of a status's members. */
  readonly statusAliases?: Readonly<Record<string, string>>
  readonly states: Readonly<Record<TaskState.TaskState, string>>
  readonly roles: Readonly<Record<Message.Role, string>>
  /** The end-of-stream mark of a status update, where there is one. */
  readonly final?: (state: TaskState.TaskState) => boolean | undefined
  readonly hasReferences: boolean
  readonly part: () => {
    readonly known: ReadonlyArray<Schema.Codec<P>>
    /** A part of a later version. */
    readonly unknown: Schema.Codec<unknown>
  }
  readonly readPart: (part: P) => Part.Part | undefined
  readonly writePart: (part: Part.Part) => Wire.JsonObject
}

interface WireMessage {
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

interface WireStatus {
  readonly state: string
  readonly message?: WireMessage
  readonly timestamp?: unknown
}

interface WireArtifact {
  readonly artifactId: string
  readonly name?: string
  readonly description?: string
  readonly parts?: ReadonlyArray<unknown>
  readonly metadata?: Metadata
  readonly extensions?: ReadonlyArray<string>
}

interface WireTask {
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

interface WireStatusUpdate extends WireUpdate {
  readonly status: WireStatus
}

interface WireArtifactUpdate extends WireUpdate {
  readonly artifact: WireArtifact
  readonly append?: boolean
  readonly lastChunk?: boolean
}

const some = (metadata: Metadata | undefined): metadata is Metadata => metadata !== undefined && !Wire.isEmpty(metadata)

const many = <A>(list: ReadonlyArray<A> | undefined): list is ReadonlyArray<A> => list !== undefined && list.length > 0

export const makeModel = <P>(style: Style<P>) => {
  const kind = <const K extends string>(name: K) => style.kinds ? { kind: Wire.kind(name) } : {}

  // schemas

  const schemas = Wire.lazy(() => {
    const { known, unknown } = style.part()
    const partOf = (members: ReadonlyArray<Schema.Top>) =>
      Schema.Union(members).annotate({ expected: "text, bytes, a URL or data, and only one of them" })
    const strictPart = partOf(known)
    const part = partOf([...known, unknown])
    const common = {
      ...kind("message"),
      contextId: Wire.text,
      taskId: Wire.text,
      metadata: Wire.metadata,
      extensions: Wire.texts,
      referenceTaskIds: Wire.texts
    }
    const aliases = { [style.content === "parts" ? "content" : "parts"]: style.content }
    /** Of a caller. */
    const strictMessage = Wire.struct({
      ...common,
      messageId: Wire.id,
      role: roleNames,
      [style.content]: Schema.Array(strictPart).check(
        Schema.isMinLength(1, { expected: "a list of at least one part" })
      )
    }, aliases)
    /** Of an agent. */
    const message = Wire.struct({
      ...common,
      messageId: Wire.text,
      role: Schema.String.annotate(roleNames.ast.annotations ?? {}),
      [style.content]: Wire.optional(Schema.Array(part))
    }, aliases)
    const artifact = Wire.struct({
      artifactId: Wire.id,
      name: Wire.text,
      description: Wire.text,
      parts: Wire.optional(Schema.Array(part)),
      metadata: Wire.metadata,
      extensions: Wire.texts
    }, { content: "parts" })
    const status = Wire.struct({
      state: Schema.String.annotate(stateNames.ast.annotations ?? {}),
      message: Wire.optional(message),
      // whatever stands here must not cost the task
      timestamp: Wire.optional(Wire.json)
    }, style.statusAliases)
    const task = Wire.struct({
      ...kind("task"),
      id: Wire.id,
      contextId: Wire.text,
      status,
      artifacts: Wire.optional(Schema.Array(artifact)),
      history: Wire.optional(Schema.Array(message)),
      metadata: Wire.metadata
    })
    const update = { taskId: Wire.id, contextId: Wire.text, metadata: Wire.metadata }
    const statusUpdate = Wire.struct({ ...kind("status-update"), ...update, status })
    const artifactUpdate = Wire.struct({
      ...kind("artifact-update"),
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
  })

  // from the wire; these are the hot path, hence assignments instead of spreads

  const readParts = (parts: ReadonlyArray<unknown> | undefined): ReadonlyArray<Part.Part> => {
    const all: Array<Part.Part> = []
    if (parts !== undefined) {
      for (const one of parts) {
        const part = style.readPart(one as P)
        if (part !== undefined) all.push(part)
      }
    }
    return all
  }

  const readMessage = (wire: WireMessage): Message.Message => {
    const role = readRole(wire.role)
    const message: Wire.Draft<Message.Message> = {
      _tag: "Message",
      messageId: wire.messageId ? wire.messageId as Id.MessageId : Message.unidentified,
      role: role ?? "unspecified",
      parts: readParts(wire[style.content])
    }
    if (role === undefined) message.unrecognizedRole = wire.role
    if (wire.contextId) message.contextId = wire.contextId as Id.ContextId
    if (wire.taskId) message.taskId = wire.taskId as Id.TaskId
    if (some(wire.metadata)) message.metadata = wire.metadata
    if (many(wire.extensions)) message.extensions = wire.extensions
    if (many(wire.referenceTaskIds)) message.referenceTaskIds = wire.referenceTaskIds as ReadonlyArray<Id.TaskId>
    return message
  }

  const readStatus = (wire: WireStatus): Task.TaskStatus => {
    const state = readState(wire.state)
    const status: Wire.Draft<Task.TaskStatus> = { state: state ?? "unspecified" }
    if (wire.message !== undefined) status.message = readMessage(wire.message)
    if (state === undefined) status.unrecognized = { state: wire.state }
    if (wire.timestamp === undefined || wire.timestamp === null || wire.timestamp === "") return status
    const written = typeof wire.timestamp === "string" ? wire.timestamp : JSON.stringify(wire.timestamp)
    if (Wire.isOwnTimestamp(written)) {
      status.timestamp = Wire.readOwnTimestamp(written)
      return status
    }
    const timestamp = Wire.readTimestamp(written)
    if (timestamp !== undefined) status.timestamp = timestamp
    if (timestamp === undefined || Wire.writeTimestamp(timestamp) !== written) {
      status.unrecognized = { ...status.unrecognized, timestamp: written }
    }
    return status
  }

  const readArtifact = (wire: WireArtifact): Artifact.Artifact => {
    const artifact: Wire.Draft<Artifact.Artifact> = {
      artifactId: wire.artifactId as Id.ArtifactId,
      parts: readParts(wire.parts)
    }
    if (wire.name) artifact.name = wire.name
    if (wire.description) artifact.description = wire.description
    if (some(wire.metadata)) artifact.metadata = wire.metadata
    if (many(wire.extensions)) artifact.extensions = wire.extensions
    return artifact
  }

  const readTask = (wire: WireTask): Task.Task => {
    const task: Wire.Draft<Task.Task> = { _tag: "Task", id: wire.id as Id.TaskId, status: readStatus(wire.status) }
    if (wire.contextId) task.contextId = wire.contextId as Id.ContextId
    if (many(wire.artifacts)) task.artifacts = wire.artifacts.map(readArtifact)
    if (many(wire.history)) task.history = wire.history.map(readMessage)
    if (some(wire.metadata)) task.metadata = wire.metadata
    return task
  }

  const readStatusUpdate = (wire: WireStatusUpdate): StreamEvent.StatusUpdate => {
    const event: Wire.Draft<StreamEvent.StatusUpdate> = {
      _tag: "StatusUpdate",
      taskId: wire.taskId as Id.TaskId,
      status: readStatus(wire.status)
    }
    if (wire.contextId) event.contextId = wire.contextId as Id.ContextId
    if (some(wire.metadata)) event.metadata = wire.metadata
    return event
  }

  const readArtifactUpdate = (wire: WireArtifactUpdate): StreamEvent.ArtifactUpdate => {
    const event: Wire.Draft<StreamEvent.ArtifactUpdate> = {
      _tag: "ArtifactUpdate",
      taskId: wire.taskId as Id.TaskId,
      artifact: readArtifact(wire.artifact)
    }
    if (wire.contextId) event.contextId = wire.contextId as Id.ContextId
    if (wire.append) event.append = true
    if (wire.lastChunk) event.lastChunk = true
    if (some(wire.metadata)) event.metadata = wire.metadata
    return event
  }

  // to the wire

  const tag = (name: string) => style.kinds ? name : undefined

  const writeMessage = (message: Message.Message): Wire.JsonObject => ({
    ...Wire.compact({
      kind: tag("message"),
      messageId: message.messageId,
      contextId: message.contextId,
      taskId: message.taskId,
      role: style.roles[message.role],
      metadata: message.metadata,
      extensions: message.extensions,
      referenceTaskIds: style.hasReferences ? message.referenceTaskIds : undefined
    }),
    [style.content]: message.parts.map(style.writePart)
  })

  const writeStatus = (status: Task.TaskStatus): Wire.JsonObject =>
    Wire.compact({
      state: style.states[status.state],
      message: status.message === undefined ? undefined : writeMessage(status.message),
      timestamp: status.timestamp === undefined ? undefined : Wire.writeTimestamp(status.timestamp)
    })

  const writeArtifact = (artifact: Artifact.Artifact): Wire.JsonObject => ({
    ...Wire.compact({
      artifactId: artifact.artifactId,
      name: artifact.name,
      description: artifact.description,
      metadata: artifact.metadata,
      extensions: artifact.extensions
    }),
    parts: artifact.parts.map(style.writePart)
  })

  const writeTask = (task: Task.Task): Wire.JsonObject =>
    Wire.compact({
      kind: tag("task"),
      id: task.id,
      contextId: task.contextId,
      status: writeStatus(task.status),
      artifacts: task.artifacts?.map(writeArtifact),
      history: task.history?.map(writeMessage),
      metadata: task.metadata
    })

  const writeStatusUpdate = (event: StreamEvent.StatusUpdate): Wire.JsonObject =>
    Wire.compact({
      kind: tag("status-update"),
      taskId: event.taskId,
      contextId: event.contextId,
      status: writeStatus(event.status),
      final: style.final?.(event.status.state),
      metadata: event.metadata
    })

  const writeArtifactUpdate = (event: StreamEvent.ArtifactUpdate): Wire.JsonObject =>
    Wire.compact({
      kind: tag("artifact-update"),
      taskId: event.taskId,
      contextId: event.contextId,
      artifact: writeArtifact(event.artifact),
      append: event.append || undefined,
      lastChunk: event.lastChunk || undefined,
      metadata: event.metadata
    })

  return {
    schemas,
    readMessage,
    readTask,
    readStatusUpdate,
    readArtifactUpdate,
    writeMessage,
    writeTask,
    writeStatusUpdate,
    writeArtifactUpdate
  }
}

export interface Model extends ReturnType<typeof makeModel> {}

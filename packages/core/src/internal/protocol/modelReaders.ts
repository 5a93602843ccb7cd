/** Readers of wire documents that matched a schema. They are the hot path, hence assignments instead of spreads. */
import type * as Artifact from "../../Artifact.ts"
import type * as Id from "../../Id.ts"
import * as Message from "../../Message.ts"
import type { Metadata } from "../../Metadata.ts"
import type * as Part from "../../Part.ts"
import type * as StreamEvent from "../../StreamEvent.ts"
import type * as Task from "../../Task.ts"
import { readRole, readState } from "./enums.ts"
import type {
  Style,
  WireArtifact,
  WireArtifactUpdate,
  WireMessage,
  WireStatus,
  WireStatusUpdate,
  WireTask
} from "./style.ts"
import * as Wire from "./wireSchema.ts"

const hasMembers = (metadata: Metadata | undefined): metadata is Metadata =>
  metadata !== undefined && !Wire.isEmpty(metadata)

const hasItems = <A>(list: ReadonlyArray<A> | undefined): list is ReadonlyArray<A> =>
  list !== undefined && list.length > 0

const readParts = (style: Style, parts: ReadonlyArray<unknown> | undefined): ReadonlyArray<Part.Part> => {
  const all: Array<Part.Part> = []
  if (parts !== undefined) {
    for (const one of parts) {
      const part = style.readPart(one)
      if (part !== undefined) all.push(part)
    }
  }
  return all
}

export const readMessage = (style: Style, wire: WireMessage): Message.Message => {
  const role = readRole(wire.role)
  const message: Wire.Draft<Message.Message> = {
    _tag: "Message",
    messageId: wire.messageId ? wire.messageId as Id.MessageId : Message.missingMessageId,
    role: role ?? "unspecified",
    parts: readParts(style, wire[style.partsField])
  }
  if (role === undefined) message.unrecognizedRole = wire.role
  if (wire.contextId) message.contextId = wire.contextId as Id.ContextId
  if (wire.taskId) message.taskId = wire.taskId as Id.TaskId
  if (hasMembers(wire.metadata)) message.metadata = wire.metadata
  if (hasItems(wire.extensions)) message.extensions = wire.extensions
  if (hasItems(wire.referenceTaskIds)) message.referenceTaskIds = wire.referenceTaskIds as ReadonlyArray<Id.TaskId>
  return message
}

const readStatus = (style: Style, wire: WireStatus): Task.TaskStatus => {
  const state = readState(wire.state)
  const status: Wire.Draft<Task.TaskStatus> = { state: state ?? "unspecified" }
  if (wire.message !== undefined) status.message = readMessage(style, wire.message)
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

const readArtifact = (style: Style, wire: WireArtifact): Artifact.Artifact => {
  const artifact: Wire.Draft<Artifact.Artifact> = {
    artifactId: wire.artifactId as Id.ArtifactId,
    parts: readParts(style, wire.parts)
  }
  if (wire.name) artifact.name = wire.name
  if (wire.description) artifact.description = wire.description
  if (hasMembers(wire.metadata)) artifact.metadata = wire.metadata
  if (hasItems(wire.extensions)) artifact.extensions = wire.extensions
  return artifact
}

export const readTask = (style: Style, wire: WireTask): Task.Task => {
  const task: Wire.Draft<Task.Task> = { _tag: "Task", id: wire.id as Id.TaskId, status: readStatus(style, wire.status) }
  if (wire.contextId) task.contextId = wire.contextId as Id.ContextId
  if (hasItems(wire.artifacts)) task.artifacts = wire.artifacts.map((one) => readArtifact(style, one))
  if (hasItems(wire.history)) task.history = wire.history.map((one) => readMessage(style, one))
  if (hasMembers(wire.metadata)) task.metadata = wire.metadata
  return task
}

export const readStatusUpdate = (style: Style, wire: WireStatusUpdate): StreamEvent.StatusUpdate => {
  const event: Wire.Draft<StreamEvent.StatusUpdate> = {
    _tag: "StatusUpdate",
    taskId: wire.taskId as Id.TaskId,
    status: readStatus(style, wire.status)
  }
  if (wire.contextId) event.contextId = wire.contextId as Id.ContextId
  if (hasMembers(wire.metadata)) event.metadata = wire.metadata
  return event
}

export const readArtifactUpdate = (style: Style, wire: WireArtifactUpdate): StreamEvent.ArtifactUpdate => {
  const event: Wire.Draft<StreamEvent.ArtifactUpdate> = {
    _tag: "ArtifactUpdate",
    taskId: wire.taskId as Id.TaskId,
    artifact: readArtifact(style, wire.artifact)
  }
  if (wire.contextId) event.contextId = wire.contextId as Id.ContextId
  if (wire.append) event.append = true
  if (wire.lastChunk) event.lastChunk = true
  if (hasMembers(wire.metadata)) event.metadata = wire.metadata
  return event
}

/** Writers of messages, artifacts, tasks and events, in one style each. */
import type * as Artifact from "../../Artifact.ts"
import type * as Message from "../../Message.ts"
import type * as StreamEvent from "../../StreamEvent.ts"
import type * as Task from "../../Task.ts"
import type { Style } from "./style.ts"
import * as Wire from "./wireSchema.ts"

const kindOf = (style: Style, name: string) => style.hasKind ? name : undefined

export const writeMessage = (style: Style, message: Message.Message): Wire.JsonObject => ({
  ...Wire.compact({
    kind: kindOf(style, "message"),
    messageId: message.messageId,
    contextId: message.contextId,
    taskId: message.taskId,
    role: style.roles[message.role],
    metadata: message.metadata,
    extensions: message.extensions,
    referenceTaskIds: style.hasReferences ? message.referenceTaskIds : undefined
  }),
  [style.partsField]: message.parts.map(style.writePart)
})

const writeStatus = (style: Style, status: Task.TaskStatus): Wire.JsonObject =>
  Wire.compact({
    state: style.states[status.state],
    message: status.message === undefined ? undefined : writeMessage(style, status.message),
    timestamp: status.timestamp === undefined ? undefined : Wire.writeTimestamp(status.timestamp)
  })

const writeArtifact = (style: Style, artifact: Artifact.Artifact): Wire.JsonObject => ({
  ...Wire.compact({
    artifactId: artifact.artifactId,
    name: artifact.name,
    description: artifact.description,
    metadata: artifact.metadata,
    extensions: artifact.extensions
  }),
  parts: artifact.parts.map(style.writePart)
})

export const writeTask = (style: Style, task: Task.Task): Wire.JsonObject =>
  Wire.compact({
    kind: kindOf(style, "task"),
    id: task.id,
    contextId: task.contextId,
    status: writeStatus(style, task.status),
    artifacts: task.artifacts?.map((one) => writeArtifact(style, one)),
    history: task.history?.map((one) => writeMessage(style, one)),
    metadata: task.metadata
  })

export const writeStatusUpdate = (style: Style, event: StreamEvent.StatusUpdate): Wire.JsonObject =>
  Wire.compact({
    kind: kindOf(style, "status-update"),
    taskId: event.taskId,
    contextId: event.contextId,
    status: writeStatus(style, event.status),
    final: style.final?.(event.status.state),
    metadata: event.metadata
  })

export const writeArtifactUpdate = (style: Style, event: StreamEvent.ArtifactUpdate): Wire.JsonObject =>
  Wire.compact({
    kind: kindOf(style, "artifact-update"),
    taskId: event.taskId,
    contextId: event.contextId,
    artifact: writeArtifact(style, event.artifact),
    append: event.append || undefined,
    lastChunk: event.lastChunk || undefined,
    metadata: event.metadata
  })

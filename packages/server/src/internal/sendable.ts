/** Free-form JSON in events: what no answer could contain must not be stored, since the task could never be read again. */
import * as Metadata from "@effect-a2a/core/Metadata"
import type * as Part from "@effect-a2a/core/Part"
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"

/** The rule, for refusals. */
export const rule = "JSON of finite numbers and at most 150 levels"

const isSendable = (metadata: Metadata.Metadata | undefined) => metadata === undefined || Metadata.isJson(metadata)

const areSendable = (parts: ReadonlyArray<Part.Part> | undefined) =>
  parts === undefined ||
  parts.every((part) => isSendable(part.metadata) && (part._tag !== "Data" || Metadata.isJson(part.data)))

/** Returns false if an event breaks the rule. */
export const canBeSent = (event: StreamEvent.StreamEvent): boolean => {
  if (event._tag === "Task") return isSendable(event.metadata) && (event.history ?? []).every(canBeSent)
  if (!isSendable(event.metadata)) return false
  if (event._tag === "Message") return areSendable(event.parts)
  if (event._tag === "ArtifactUpdate") return isSendable(event.artifact.metadata) && areSendable(event.artifact.parts)
  return event.status.message === undefined || canBeSent(event.status.message)
}

/** Folds the events of a task into its snapshot, in linear time. */
import type * as Artifact from "@effect-a2a/core/Artifact"
import type * as Id from "@effect-a2a/core/Id"
import type * as Part from "@effect-a2a/core/Part"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"

/** An update that others are appended to in place, so that appending costs only what is appended. */
interface Merged extends StreamEvent.ArtifactUpdate {
  readonly artifact: Artifact.Artifact & { readonly parts: Array<Part.Part> }
}

const copy = (event: StreamEvent.ArtifactUpdate): Merged => ({
  ...event,
  artifact: { ...event.artifact, parts: [...event.artifact.parts] }
})

const append = (self: Merged, { artifact }: StreamEvent.ArtifactUpdate): Merged => {
  const { parts } = self.artifact
  for (const part of artifact.parts) parts.push(part)
  const metadata = { ...self.artifact.metadata, ...artifact.metadata }
  return {
    ...self,
    artifact: { ...self.artifact, ...artifact, parts, ...(Object.keys(metadata).length > 0 ? { metadata } : undefined) }
  }
}

/** Merges the chunks of each artifact into one event. Statuses and artifacts commute. */
const compact = (events: Iterable<StreamEvent.StreamEvent>): ReadonlyArray<StreamEvent.StreamEvent> => {
  const compacted: Array<StreamEvent.StreamEvent> = []
  const artifacts = new Map<Id.ArtifactId, Merged>()
  for (const event of events) {
    if (event._tag === "ArtifactUpdate") {
      const { artifactId } = event.artifact
      const merged = event.append === true ? artifacts.get(artifactId) : undefined
      artifacts.set(artifactId, merged === undefined ? copy(event) : append(merged, event))
    } else {
      if (event._tag === "Task") {
        compacted.push(...artifacts.values())
        artifacts.clear()
      }
      compacted.push(event)
    }
  }
  return [...compacted, ...artifacts.values()]
}

/** Returns the task after `events`: the same as `StreamEvent.apply` event by event. */
export const applyAll = (
  task: Task.Task | undefined,
  events: Iterable<StreamEvent.StreamEvent>
): Task.Task | undefined => compact(events).reduce(StreamEvent.apply, task)

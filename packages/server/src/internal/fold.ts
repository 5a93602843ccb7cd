import type * as Artifact from "@effect-a2a/core/Artifact"
import type * as Id from "@effect-a2a/core/Id"
import type * as Part from "@effect-a2a/core/Part"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"

/** One chunk out of many, made in place: appending is linear in what is appended. */
interface Merged extends StreamEvent.ArtifactUpdate {
  readonly artifact: Artifact.Artifact & { readonly parts: Array<Part.Part> }
}

const start = (event: StreamEvent.ArtifactUpdate): Merged => ({
  ...event,
  artifact: { ...event.artifact, parts: [...event.artifact.parts] }
})

const merge = (self: Merged, { artifact }: StreamEvent.ArtifactUpdate): Merged => {
  const { parts } = self.artifact
  for (const part of artifact.parts) parts.push(part)
  const metadata = { ...self.artifact.metadata, ...artifact.metadata }
  return {
    ...self,
    artifact: { ...self.artifact, ...artifact, parts, ...(Object.keys(metadata).length > 0 ? { metadata } : undefined) }
  }
}

/** Fewer events that come to the same task: the chunks of an artifact become one. Statuses and artifacts commute. */
const compact = (events: Iterable<StreamEvent.StreamEvent>): ReadonlyArray<StreamEvent.StreamEvent> => {
  const compacted: Array<StreamEvent.StreamEvent> = []
  const artifacts = new Map<Id.ArtifactId, Merged>()
  for (const event of events) {
    if (event._tag === "ArtifactUpdate") {
      const { artifactId } = event.artifact
      const known = event.append === true ? artifacts.get(artifactId) : undefined
      artifacts.set(artifactId, known === undefined ? start(event) : merge(known, event))
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

/** The task after many events: what `StreamEvent.apply` makes of them one by one, in linear time. */
export const fold = (
  task: Task.Task | undefined,
  events: Iterable<StreamEvent.StreamEvent>
): Task.Task | undefined => compact(events).reduce(StreamEvent.apply, task)

/** Files that a run saved, as artifacts. Tested in test/adk/mapping.test.ts. */
import * as Artifact from "@effect-a2a/core/Artifact"
import * as Id from "@effect-a2a/core/Id"
import * as Part from "@effect-a2a/core/Part"
import * as Effect from "effect/Effect"
import type { AdkClient } from "../../AdkClient.ts"
import type * as AdkEvent from "../../AdkEvent.ts"
import type * as AdkSession from "../../AdkSession.ts"
import * as Parts from "../mapping/parts.ts"
import * as UpdateMetadata from "../mapping/updateMetadata.ts"

export interface Settings {
  readonly loadArtifacts: boolean
}

/** A text file must not become text of the answer. */
const toFile = (part: Part.Part | undefined, filename: string): Part.Part | undefined => {
  const file = part?._tag === "Text"
    ? Part.raw(new TextEncoder().encode(part.text), { mediaType: "text/plain" })
    : part
  return file && { ...file, filename }
}

/** Loads the files that an event reports. A file that is not to be loaded, or cannot be, is named only. */
export const load = Effect.fnUntraced(function*(
  client: AdkClient["Service"],
  { loadArtifacts }: Settings,
  { sessionId, userId }: AdkSession.Key,
  event: AdkEvent.Event
) {
  const metadata = UpdateMetadata.fromEvent(event)
  return yield* Effect.forEach(
    Object.entries(event.actions?.artifactDelta ?? {}),
    ([name, version]) =>
      Effect.gen(function*() {
        const part = loadArtifacts
          ? yield* client.loadArtifact({ userId, sessionId, filename: name, version }).pipe(
            Effect.map((part) => toFile(Parts.toPart(part, () => false), name)),
            Effect.orElseSucceed(() => undefined)
          )
          : undefined
        const reference = Part.data({ filename: name, version }, { metadata: { adk_type: "artifact" } })
        return Artifact.make(Id.ArtifactId.make(`${name}@${version}`), [part ?? reference], {
          name,
          metadata: { ...metadata, adk_artifact_version: version }
        })
      })
  )
})

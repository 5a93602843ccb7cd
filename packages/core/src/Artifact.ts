/**
 * A result that an agent produced (specification §4.1.7).
 *
 * ```ts
 * import { Artifact, Id, Part } from "@effect-a2a/core"
 *
 * const chunk = (text: string) => Artifact.make(Id.ArtifactId.make("a"), [Part.text(text)])
 * Artifact.text(Artifact.append(chunk("Hello "), chunk("world"))) // => "Hello world"
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as Id from "./Id.ts"
import { Metadata } from "./Metadata.ts"
import * as Part from "./Part.ts"

export const Artifact = Schema.Struct({
  artifactId: Id.ArtifactId,
  name: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  parts: Schema.Array(Part.Part),
  metadata: Schema.optionalKey(Metadata),
  extensions: Schema.optionalKey(Schema.Array(Schema.String))
})
export type Artifact = typeof Artifact.Type

export const make = (
  artifactId: Id.ArtifactId,
  parts: ReadonlyArray<Part.Part>,
  options?: Omit<Artifact, "artifactId" | "parts">
): Artifact => ({ artifactId, parts, ...options })

/** An artifact with the parts of `chunk` behind its own; name and description of the chunk win, metadata merges. */
export const append = (self: Artifact, chunk: Artifact): Artifact => ({
  ...self,
  ...chunk,
  parts: [...self.parts, ...chunk.parts],
  ...(self.metadata || chunk.metadata ? { metadata: { ...self.metadata, ...chunk.metadata } } : undefined)
})

/** The text of an artifact, thoughts left out: adjacent chunks are one text. */
export const text = ({ parts }: Artifact): string => Part.joinText(parts.filter((part) => !Part.isThought(part)))

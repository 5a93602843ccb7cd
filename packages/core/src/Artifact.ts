/**
 * A result that an agent produced (A2A 1.0 §4.1.7).
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
import { dual } from "effect/Function"
import * as Schema from "effect/Schema"
import * as Id from "./Id.ts"
import { Metadata } from "./Metadata.ts"
import * as Part from "./Part.ts"

/** A result of an agent. */
export class Artifact extends Schema.Opaque<Artifact>()(
  Schema.Struct({
    artifactId: Id.ArtifactId,
    name: Schema.optionalKey(Schema.String),
    description: Schema.optionalKey(Schema.String),
    parts: Schema.Array(Part.Part),
    metadata: Schema.optionalKey(Metadata),
    extensions: Schema.optionalKey(Schema.Array(Schema.String))
  }).annotate({ identifier: "Artifact" })
) {}

/** Creates an artifact. */
export const make = (
  artifactId: Id.ArtifactId,
  parts: ReadonlyArray<Part.Part>,
  options?: Omit<Artifact, "artifactId" | "parts">
): Artifact => ({ artifactId, parts, ...options })

/**
 * Appends the parts of `chunk` to those of an artifact. Name, description and extensions of the chunk replace those of the
 * artifact; metadata is merged.
 */
export const append: {
  (chunk: Artifact): (self: Artifact) => Artifact
  (self: Artifact, chunk: Artifact): Artifact
} = /*#__PURE__*/ dual(2, (self: Artifact, chunk: Artifact): Artifact => ({
  ...self,
  ...chunk,
  parts: [...self.parts, ...chunk.parts],
  ...(self.metadata || chunk.metadata ? { metadata: { ...self.metadata, ...chunk.metadata } } : undefined)
}))

/** Returns the text of an artifact, all chunks joined. Thoughts are left out. */
export const text = ({ parts }: Artifact): string => Part.joinText(parts)

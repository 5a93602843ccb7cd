/**
 * Files of a session. Versions are counted from 0; a name that begins with `user:` is shared by a user's sessions.
 *
 * ```ts
 * import { AdkArtifact } from "@effect-a2a/transport-adk"
 * import { Schema } from "effect"
 *
 * const version = Schema.decodeUnknownSync(AdkArtifact.ArtifactVersion)({ version: 0, mimeType: null })
 * version // => { version: 0 }
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Part } from "./AdkContent.ts"
import type * as AdkSession from "./AdkSession.ts"
import { looseStruct } from "./internal/schema/looseStruct.ts"

/** Identifies an artifact. */
export interface Key extends AdkSession.Key {
  /** The file's name, which may contain slashes. */
  readonly filename: string
}

/** The description of one version. `createTime` is in seconds since 1970. */
export const ArtifactVersion = looseStruct({
  canonicalUri: Schema.String,
  customMetadata: Schema.JsonObject,
  createTime: Schema.Finite,
  mimeType: Schema.String
}, { version: Schema.Finite }).annotate({ identifier: "AdkArtifactVersion" })
export type ArtifactVersion = typeof ArtifactVersion.Type

/** A file to save. */
export const SaveArtifact = looseStruct({ customMetadata: Schema.JsonObject }, {
  filename: Schema.String,
  artifact: Part
}).annotate({ identifier: "AdkSaveArtifact" })
export type SaveArtifact = typeof SaveArtifact.Type

/** Artifacts of an ADK server. Tested in packages/transport-adk/test/client.test.ts. */
import type * as AgentError from "@effect-a2a/core/AgentError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as AdkArtifact from "../../AdkArtifact.ts"
import * as AdkContent from "../../AdkContent.ts"
import type { AdkError } from "../../AdkError.ts"
import type * as AdkSession from "../../AdkSession.ts"
import { strings } from "../schema/looseStruct.ts"
import * as Http from "./http.ts"
import * as PathSegment from "./pathSegment.ts"

export interface Options {
  readonly http: Http.Http
  readonly withApp: <K extends AdkSession.Owner>(key: K) => K
}

const encodeArtifact = Http.makeEncoder(AdkArtifact.SaveArtifact)

/** A file name may contain slashes: they are encoded, and most servers decode them. */
const checkFilename = (filename: string): Effect.Effect<void, AgentError.InvalidRequestError> =>
  Http.check(PathSegment.violations("filename", filename.replaceAll("/", "")))

/** Creates the operations on artifacts. */
export const make = ({ http: { asOperation, fetchAs, fetchOk }, withApp }: Options) => {
  const fetchNames = fetchAs(strings, [])
  const fetchVersions = fetchAs(Schema.Array(Schema.Finite), [])
  const fetchPart = fetchAs(AdkContent.Part)
  const fetchSaved = fetchAs(AdkArtifact.ArtifactVersion)

  const toRequest = (
    operation: string,
    method: Http.Request["method"],
    key: AdkSession.Key,
    ...path: ReadonlyArray<string>
  ): Http.Request => {
    const { appName, sessionId, userId } = withApp(key)
    const subject = { appName, sessionId, userId }
    return { operation, method, path: [...Http.sessionPath(subject), "artifacts", ...path], subject }
  }

  const listArtifacts = (key: AdkSession.Key) =>
    fetchNames(toRequest("listArtifacts", "GET", key)).pipe(asOperation("listArtifacts"))

  const loadArtifact = (
    key: AdkArtifact.Key & { readonly version?: number | "latest" }
  ): Effect.Effect<AdkContent.Part, AdkError> => {
    const { filename, version = "latest" } = key
    const path = version === "latest" ? [filename] : [filename, "versions", String(version)]
    return checkFilename(filename).pipe(
      Effect.andThen(fetchPart(toRequest("loadArtifact", "GET", key, ...path))),
      asOperation("loadArtifact")
    )
  }

  const artifactVersions = (key: AdkArtifact.Key) =>
    checkFilename(key.filename).pipe(
      Effect.andThen(fetchVersions(toRequest("artifactVersions", "GET", key, key.filename, "versions"))),
      asOperation("artifactVersions")
    )

  const saveArtifact = (
    options: AdkSession.Key & AdkArtifact.SaveArtifact
  ): Effect.Effect<AdkArtifact.ArtifactVersion, AdkError> => {
    const { artifact, customMetadata, filename } = options
    const file = { filename, artifact, ...(customMetadata !== undefined && { customMetadata }) }
    return checkFilename(filename).pipe(
      Effect.andThen(encodeArtifact(file)),
      Effect.flatMap((body) => fetchSaved({ ...toRequest("saveArtifact", "POST", options), body })),
      asOperation("saveArtifact")
    )
  }

  const deleteArtifact = (key: AdkArtifact.Key): Effect.Effect<void, AdkError> =>
    checkFilename(key.filename).pipe(
      Effect.andThen(fetchOk(toRequest("deleteArtifact", "DELETE", key, key.filename))),
      Effect.asVoid,
      asOperation("deleteArtifact")
    )

  return { listArtifacts, loadArtifact, artifactVersions, saveArtifact, deleteArtifact }
}

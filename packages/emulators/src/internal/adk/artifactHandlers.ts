/** Routes of artifacts. Tested in packages/emulators/test/adk.test.ts. */
import type * as AdkContent from "@effect-a2a/transport-adk/AdkContent"
import * as Effect from "effect/Effect"
import type * as Requests from "./requests.ts"
import * as RunScript from "./runScript.ts"
import * as Server from "./server.ts"

const load = (server: Server.Server): Server.Handler => ({ params, request }) => {
  const { isPython, spelling, store } = server
  const versions = store.versions(Server.placeOf(server, params), params.file ?? "")
  const inQuery = isPython ? URL.parse(request.url, "http://x")?.searchParams.get("version") : null
  const version = params.version ?? inQuery ?? "latest"
  const part = version === "latest" ? versions.at(-1) : versions[Number(version)]
  return part === undefined
    ? Server.refuse(server, 404, isPython ? "Artifact not found" : `Artifact not found: ${params.file}`)
    : Effect.succeed(Server.json(RunScript.writePart(spelling, part)))
}

const toVersion = (
  { artifact, customMetadata = {}, filename }: Requests.Json,
  version: number,
  createTime: number
) => ({
  version,
  canonicalUri: `memory://${filename}/${version}`,
  customMetadata,
  createTime,
  mimeType: artifact.inlineData?.mimeType ?? artifact.fileData?.mimeType ?? "text/plain"
})

const save = (server: Server.Server): Server.Handler => ({ body, params }) => {
  const { filename } = body
  return typeof filename === "string" && body.artifact !== undefined
    ? Effect.map(server.now, (now) => {
      const version = server.store.save(Server.placeOf(server, params), filename, body.artifact as AdkContent.Part)
      return Server.json(toVersion(body, version, now))
    })
    : Server.refuse(server, 400, "filename and artifact are required")
}

/** Returns the routes of artifacts; saving is Python's. */
export const make = (server: Server.Server): Server.Handlers => {
  const { spelling, store } = server
  const path = `${Server.sessionsPath}/:session/artifacts`
  const placeOf = (params: Server.Ask["params"]) => Server.placeOf(server, params)
  return {
    [`GET ${path}`]: ({ params }) => Effect.sync(() => Server.json(store.filenames(placeOf(params)))),
    [`GET ${path}/:file`]: load(server),
    [`GET ${path}/:file/versions`]: ({ params }) =>
      Effect.sync(() => Server.json([...store.versions(placeOf(params), params.file ?? "").keys()])),
    [`GET ${path}/:file/versions/:version`]: load(server),
    [`DELETE ${path}/:file`]: ({ params }) =>
      Effect.sync(() => {
        store.forget(placeOf(params), params.file ?? "")
        return spelling.deleted
      }),
    ...(server.isPython && { [`POST ${path}`]: save(server) })
  }
}

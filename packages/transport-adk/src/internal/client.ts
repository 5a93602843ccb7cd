/** The operations of an ADK server. */
import type * as AgentError from "@effect-a2a/core/AgentError"
import * as HttpBinding from "@effect-a2a/core/HttpBinding"
import * as HttpExchange from "@effect-a2a/core/HttpExchange"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as AdkArtifact from "../AdkArtifact.ts"
import * as AdkContent from "../AdkContent.ts"
import type { AdkError } from "../AdkError.ts"
import { Event } from "../AdkEvent.ts"
import * as AdkRun from "../AdkRun.ts"
import * as AdkSession from "../AdkSession.ts"
import type { ArtifactKey, Client, Flavour, Options } from "./contract.ts"
import * as Frames from "./http/eventStream.ts"
import * as Server from "./http/http.ts"
import * as Check from "./http/pathSegment.ts"
import * as Lock from "./lock.ts"
import { looseStruct, strings } from "./schema/looseStruct.ts"

const Events = Schema.Array(Event)
const Sessions = Schema.Array(AdkSession.Session)
/** A list, or the envelope of pages that JavaScript puts around it, of which there is always one. */
const SessionList = Schema.Union([Sessions, looseStruct({ sessions: Sessions })])
const isList = (list: typeof SessionList.Type): list is typeof Sessions.Type => Array.isArray(list)

const encodeRun = Server.encode(AdkRun.RunRequest)
const encodeEvents = Server.encode(Events)
const encodeArtifact = Server.encode(AdkArtifact.SaveArtifact)

/** What fails holds nothing. */
const heldOnSuccess = <A, E>(self: Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A, E, Scope.Scope> =>
  Effect.flatMap(Effect.flatMap(Effect.scope, (outer) => Scope.fork(outer)), (scope) =>
    Scope.provide(self, scope).pipe(
      Effect.onExit((exit) => exit._tag === "Failure" ? Scope.close(scope, exit) : Effect.void)
    ))

export const make = (
  server: HttpExchange.Server,
  { appName, flavour: configured, serialize = true }: Options
): Client => {
  const { accepted, answer, failing, head, read, refusal, within } = Server.make(server)
  const lock = Lock.make()

  const readEvents = read(Events, [])
  const readSession = read(AdkSession.Session)
  const readSessions = read(SessionList, [])
  const readNames = read(strings, [])
  const readVersions = read(Schema.Array(Schema.Finite), [])
  const readPart = read(AdkContent.Part)
  const readSaved = read(AdkArtifact.ArtifactVersion)
  const readObject = read(Schema.JsonObject)

  /** With the client's application where the call names none. */
  const placed = <K extends AdkSession.Owner>(key: K): K => appName === undefined ? key : { appName, ...key }

  // ---------------------------------------------------------------------------
  // runs
  // ---------------------------------------------------------------------------

  const prepare = (operation: string, path: string) =>
    Effect.fnUntraced(function*(given: AdkRun.RunRequest) {
      const request = placed(given)
      yield* Server.check(AdkRun.violations(request))
      const ask: Server.Ask = {
        operation,
        method: "POST",
        path: [path],
        body: yield* encodeRun(request),
        place: request,
        isRun: true
      }
      return ask
    })
  const prepareRun = prepare("run", "run")
  const prepareStream = prepare("runSse", "run_sse")

  const turn = ({ appName, sessionId, userId }: AdkRun.RunRequest) =>
    serialize ? lock(JSON.stringify([appName, userId, sessionId])) : Effect.void

  const run: Client["run"] = (request) =>
    Effect.andThen(turn(placed(request)), Effect.flatMap(prepareRun(request), readEvents).pipe(within("run"))).pipe(
      Effect.scoped
    )

  const prepareOpen = Effect.fnUntraced(function*(request: AdkRun.RunRequest) {
    const ask = yield* prepareStream(request)
    const { maxEventSize } = yield* HttpBinding.CurrentLimits
    yield* turn(placed(request))
    return { ask, maxEventSize }
  })

  /** The events, once the server has taken the run on. */
  const begin = Effect.fnUntraced(function*({ ask, maxEventSize }: Effect.Success<ReturnType<typeof prepareOpen>>) {
    const response = yield* head(ask, "text/event-stream")
    if (response.status < 400 && HttpExchange.mediaType(response) === "text/event-stream") {
      return Frames.events({ maxEventSize })(HttpExchange.bytes(response))
    }
    const given = yield* HttpExchange.read(response, server.maxResponseSize)
    return yield* Effect.fail(
      response.status < 400 ? Frames.notAStream(HttpExchange.mediaType(response)) : yield* refusal(ask, given)
    )
  })

  const runSse: Client["runSse"] = (request) =>
    Stream.unwrap(
      Effect.map(prepareOpen(request), (prepared) => HttpExchange.withinStream(Stream.unwrap(begin(prepared))))
    ).pipe(Stream.mapError(failing("runSse")))

  const openSse: Client["openSse"] = (request) =>
    prepareOpen(request).pipe(
      Effect.flatMap((prepared) => HttpExchange.within(begin(prepared))),
      Effect.map((events) => HttpExchange.withinStream(events).pipe(Stream.mapError(failing("openSse")))),
      Effect.mapError(failing("openSse")),
      heldOnSuccess
    )

  // ---------------------------------------------------------------------------
  // what server it is
  // ---------------------------------------------------------------------------

  const versionOf = (operation: string): Server.Ask => ({ operation, method: "GET", path: ["version"] })

  /** A refusal says as much as an answer: only Python has `{"detail":"Not Found"}`. */
  const recognise = (status: number, body: Result.Result<unknown, string>): Flavour => {
    const json = Result.getOrUndefined(body)
    if (!Predicate.isObject(json)) return "other"
    const { detail, language, version } = json as { readonly [name: string]: unknown }
    if (status === 404) return detail === "Not Found" ? "python-1" : "other"
    if (language === "python") return "python"
    return Predicate.isString(version) && (language === undefined || language === "javascript") ? "javascript" : "other"
  }

  let known = configured
  const detect = Effect.gen(function*() {
    if (known !== undefined) return known
    const ask = versionOf("flavour")
    const given = yield* answer(ask)
    const { status } = given.response
    if (status >= 400 && status !== 404) return yield* Effect.fail(yield* refusal(ask, given))
    known = recognise(status, given.body)
    return known
  })

  // ---------------------------------------------------------------------------
  // sessions
  // ---------------------------------------------------------------------------

  type Creation = Parameters<Client["createSession"]>[0]

  /** A request to make a session `at` a path; `place` is the session that is meant. */
  const creating = (at: Server.Place, body: unknown, place = at): Server.Ask => ({
    operation: "createSession",
    method: "POST",
    path: Server.sessions(at),
    body,
    place
  })

  const remove = (place: AdkSession.Key): Server.Ask => ({
    operation: "deleteSession",
    method: "DELETE",
    path: Server.sessions(place),
    place
  })

  /** Where nothing is known of the server: asks the new way, and the old way if the id was passed over. */
  const createUnknown = Effect.fnUntraced(function*(place: AdkSession.Key, content: object) {
    const { sessionId, ...owner } = place
    const session = yield* readSession(creating(owner, { sessionId, ...content }, place))
    if (session.id === sessionId) return session
    yield* Effect.ignore(accepted(remove({ ...owner, sessionId: session.id })))
    return yield* readSession(creating(place, content))
  })

  const create = Effect.fnUntraced(function*(given: Creation) {
    const { events, sessionId, state, ...rest } = placed(given)
    const owner = rest satisfies AdkSession.Owner
    const content = {
      ...(state !== undefined && { state }),
      ...(events !== undefined && { events: yield* encodeEvents(events) })
    }
    if (sessionId === undefined) return yield* readSession(creating(owner, content))
    const place = { ...owner, sessionId }
    yield* Server.check(Check.segment("sessionId", sessionId))
    switch (yield* detect) {
      case "python":
        return yield* readSession(creating(owner, { sessionId, ...content }, place))
      case "javascript":
        return yield* readSession(creating(place, content))
      case "python-1":
        return yield* readSession(creating(place, state ?? {}))
      case "other":
        return yield* createUnknown(place, content)
    }
  })

  const getSession: Client["getSession"] = (key) => {
    const place = placed(key)
    return readSession({ operation: "getSession", method: "GET", path: Server.sessions(place), place }).pipe(
      within("getSession")
    )
  }

  const listSessions: Client["listSessions"] = (owner) => {
    const { appName, userId } = placed(owner)
    const place = { appName, userId }
    return readSessions({ operation: "listSessions", method: "GET", path: Server.sessions(place), place }).pipe(
      Effect.map((list) => isList(list) ? list : list.sessions ?? []),
      within("listSessions")
    )
  }

  const deleteSession: Client["deleteSession"] = (key) =>
    accepted(remove(placed(key))).pipe(
      Effect.catchTag("SessionNotFoundError", () => Effect.void),
      Effect.asVoid,
      within("deleteSession")
    )

  const patchSession: Client["patchSession"] = ({ stateDelta, ...key }) => {
    const place = placed(key)
    return readSession({
      operation: "patchSession",
      method: "PATCH",
      path: Server.sessions(place),
      body: { stateDelta },
      place
    }).pipe(within("patchSession"))
  }

  const createSession: Client["createSession"] = (options) => within("createSession")(create(options))

  const ensureSession: Client["ensureSession"] = (options) =>
    create(options).pipe(
      Effect.as(true),
      Effect.catchTag("SessionExistsError", () => Effect.succeed(false)),
      within("ensureSession")
    )

  // ---------------------------------------------------------------------------
  // artifacts
  // ---------------------------------------------------------------------------

  /** `rest` is what comes behind `artifacts` in the path. */
  const artifacts = (
    operation: string,
    method: Server.Ask["method"],
    key: AdkSession.Key,
    ...rest: ReadonlyArray<string>
  ): Server.Ask => {
    const { appName, sessionId, userId } = placed(key)
    const place = { appName, sessionId, userId }
    return { operation, method, path: [...Server.sessions(place), "artifacts", ...rest], place }
  }

  /** A name may have slashes: they are encoded, and most servers take them. */
  const named = ({ filename }: Pick<ArtifactKey, "filename">): Effect.Effect<void, AgentError.InvalidRequestError> =>
    Server.check(Check.segment("filename", filename.replaceAll("/", "")))

  const loadArtifact: Client["loadArtifact"] = (key) => {
    const { filename, version = "latest" } = key
    const at = version === "latest" ? [] : ["versions", String(version)]
    return Effect.andThen(named(key), readPart(artifacts("loadArtifact", "GET", key, filename, ...at))).pipe(
      within("loadArtifact")
    )
  }

  const saveArtifact: Client["saveArtifact"] = (options) => {
    const { artifact, customMetadata, filename } = options
    const file = { filename, artifact, ...(customMetadata !== undefined && { customMetadata }) }
    return Effect.andThen(named(file), encodeArtifact(file)).pipe(
      Effect.flatMap((body) => readSaved({ ...artifacts("saveArtifact", "POST", options), body })),
      within("saveArtifact")
    )
  }

  return {
    target: server.target,
    appName,
    run,
    runSse,
    openSse,
    createSession,
    ensureSession,
    getSession,
    listSessions,
    deleteSession,
    patchSession,
    listApps: readNames({ operation: "listApps", method: "GET", path: ["list-apps"] }).pipe(within("listApps")),
    listArtifacts: (key) => readNames(artifacts("listArtifacts", "GET", key)).pipe(within("listArtifacts")),
    loadArtifact,
    artifactVersions: (key) =>
      Effect.andThen(named(key), readVersions(artifacts("artifactVersions", "GET", key, key.filename, "versions")))
        .pipe(
          within("artifactVersions")
        ),
    saveArtifact,
    deleteArtifact: (key) =>
      Effect.andThen(named(key), accepted(artifacts("deleteArtifact", "DELETE", key, key.filename))).pipe(
        Effect.asVoid,
        within("deleteArtifact")
      ),
    addSessionToMemory: (key) => {
      const { appName, sessionId, userId } = placed(key)
      const path = [...Server.sessions({ appName, userId }).slice(0, -1), "memory"]
      return accepted({
        operation: "addSessionToMemory",
        method: "PATCH",
        path,
        body: { sessionId },
        place: { appName, userId, sessionId }
      }).pipe(Effect.asVoid, within("addSessionToMemory"))
    },
    version: readObject(versionOf("version")).pipe(within("version")),
    health: accepted({ operation: "health", method: "GET", path: ["health"] }).pipe(Effect.asVoid, within("health")),
    flavour: detect.pipe(within("flavour")) satisfies Effect.Effect<Flavour, AdkError>
  }
}

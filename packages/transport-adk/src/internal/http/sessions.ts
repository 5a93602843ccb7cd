/** Sessions and memory of an ADK server. Tested in packages/transport-adk/test/client.test.ts. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { AdkError, AdkErrorReason } from "../../AdkError.ts"
import { Event } from "../../AdkEvent.ts"
import * as AdkSession from "../../AdkSession.ts"
import { looseStruct } from "../schema/looseStruct.ts"
import * as Http from "./http.ts"
import * as PathSegment from "./pathSegment.ts"

export interface Options {
  readonly http: Http.Http
  readonly withApp: <K extends AdkSession.Owner>(key: K) => K
  readonly flavour: Effect.Effect<AdkSession.Flavour, AdkErrorReason>
}

const Events = Schema.Array(Event)
const Sessions = Schema.Array(AdkSession.Session)

/** A list, or JavaScript's page around one, which is always the only page. */
const SessionList = Schema.Union([Sessions, looseStruct({ sessions: Sessions })])
const isList = (list: typeof SessionList.Type): list is typeof Sessions.Type => Array.isArray(list)

const encodeEvents = Http.makeEncoder(Events)

const createRequest = (at: Http.Subject, body: unknown, subject = at): Http.Request => ({
  operation: "createSession",
  method: "POST",
  path: Http.sessionPath(at),
  body,
  subject
})

const deleteRequest = (subject: AdkSession.Key): Http.Request => ({
  operation: "deleteSession",
  method: "DELETE",
  path: Http.sessionPath(subject),
  subject
})

/** Creates the effect behind `createSession` and `ensureSession`, which differ by server. */
const makeCreate = ({ flavour, http: { fetchAs, fetchOk }, withApp }: Options) => {
  const fetchSession = fetchAs(AdkSession.Session)

  /** Asks an unknown server with the id in the body, and with the id in the path if the body's was ignored. */
  const createOnUnknown = Effect.fnUntraced(function*(key: AdkSession.Key, content: object) {
    const { sessionId, ...owner } = key
    const session = yield* fetchSession(createRequest(owner, { sessionId, ...content }, key))
    if (session.id === sessionId) return session
    yield* Effect.ignore(fetchOk(deleteRequest({ ...owner, sessionId: session.id })))
    return yield* fetchSession(createRequest(key, content))
  })

  return Effect.fnUntraced(function*(options: AdkSession.CreateOptions) {
    const { events, sessionId, state, ...rest } = withApp(options)
    const owner = rest satisfies AdkSession.Owner
    const content = {
      ...(state !== undefined && { state }),
      ...(events !== undefined && { events: yield* encodeEvents(events) })
    }
    if (sessionId === undefined) return yield* fetchSession(createRequest(owner, content))
    const key = { ...owner, sessionId }
    yield* Http.check(PathSegment.violations("sessionId", sessionId))
    switch (yield* flavour) {
      case "python":
        return yield* fetchSession(createRequest(owner, { sessionId, ...content }, key))
      case "javascript":
        return yield* fetchSession(createRequest(key, content))
      case "python-1":
        return yield* fetchSession(createRequest(key, state ?? {}))
      case "other":
        return yield* createOnUnknown(key, content)
    }
  })
}

/** Creates the operations on sessions. */
export const make = (options: Options) => {
  const { http: { asOperation, fetchAs, fetchOk }, withApp } = options
  const create = makeCreate(options)
  const fetchSession = fetchAs(AdkSession.Session)
  const fetchSessions = fetchAs(SessionList, [])

  const createSession = (options: AdkSession.CreateOptions) => asOperation("createSession")(create(options))

  const ensureSession = (
    options: AdkSession.Key & { readonly state?: Schema.JsonObject }
  ): Effect.Effect<boolean, AdkError> =>
    create(options).pipe(
      Effect.as(true),
      Effect.catchTag("SessionExistsError", () => Effect.succeed(false)),
      asOperation("ensureSession")
    )

  const getSession = (key: AdkSession.Key) => {
    const subject = withApp(key)
    return fetchSession({ operation: "getSession", method: "GET", path: Http.sessionPath(subject), subject }).pipe(
      asOperation("getSession")
    )
  }

  const listSessions = (owner: AdkSession.Owner): Effect.Effect<ReadonlyArray<AdkSession.Session>, AdkError> => {
    const { appName, userId } = withApp(owner)
    const subject = { appName, userId }
    return fetchSessions({ operation: "listSessions", method: "GET", path: Http.sessionPath(subject), subject }).pipe(
      Effect.map((list) => isList(list) ? list : list.sessions ?? []),
      asOperation("listSessions")
    )
  }

  const deleteSession = (key: AdkSession.Key): Effect.Effect<void, AdkError> =>
    fetchOk(deleteRequest(withApp(key))).pipe(
      Effect.catchTag("SessionNotFoundError", () => Effect.void),
      Effect.asVoid,
      asOperation("deleteSession")
    )

  const patchSession = (
    { stateDelta, ...key }: AdkSession.Key & { readonly stateDelta: Schema.JsonObject }
  ): Effect.Effect<AdkSession.Session, AdkError> => {
    const subject = withApp(key)
    return fetchSession({
      operation: "patchSession",
      method: "PATCH",
      path: Http.sessionPath(subject),
      body: { stateDelta },
      subject
    }).pipe(asOperation("patchSession"))
  }

  const addSessionToMemory = (key: AdkSession.Key): Effect.Effect<void, AdkError> => {
    const { appName, sessionId, userId } = withApp(key)
    return fetchOk({
      operation: "addSessionToMemory",
      method: "PATCH",
      path: [...Http.sessionPath({ appName, userId }).slice(0, -1), "memory"],
      body: { sessionId },
      subject: { appName, userId, sessionId }
    }).pipe(Effect.asVoid, asOperation("addSessionToMemory"))
  }

  return { createSession, ensureSession, getSession, listSessions, deleteSession, patchSession, addSessionToMemory }
}

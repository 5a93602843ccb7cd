/** Routes of sessions and memory. Tested in packages/emulators/test/adk.test.ts. */
import type * as AdkEvent from "@effect-a2a/transport-adk/AdkEvent"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Requests from "./requests.ts"
import * as Server from "./server.ts"
import type * as Store from "./store.ts"

const create = Effect.fnUntraced(function*(
  server: Server.Server,
  place: Store.Place,
  state: Requests.Json | undefined,
  events: ReadonlyArray<AdkEvent.Event> = []
) {
  const { now, spelling, store } = server
  if (store.get(place) !== undefined) {
    return yield* Server.refuse(server, spelling.duplicate, `Session already exists: ${place.session}`)
  }
  return Server.json(Server.toJson(server, store.create(place, state, events, yield* now)))
})

/** Creates a session whose id, if any, is in the body; only Python reads it there. */
const createInList = (server: Server.Server): Server.Handler => ({ body, params }) => {
  const { isPython, next } = server
  const session = (isPython ? body.sessionId : undefined) ?? `session-${next("session")}`
  const events: ReadonlyArray<AdkEvent.Event> = isPython ? body.events ?? [] : []
  const wrong = events.findIndex(({ actions }) => actions !== undefined)
  return wrong >= 0
    ? Server.refuse(server, 400, `Session initialization event ${wrong} cannot include event actions.`)
    : create(server, Server.placeOf(server, { ...params, session }), body.state, events)
}

const createAtPath = (server: Server.Server): Server.Handler => ({ body, params }) =>
  create(server, Server.placeOf(server, params), server.isPython ? body : body.state)

const patch = (server: Server.Server): Server.Handler => ({ body, params }) =>
  Effect.gen(function*() {
    const { next, spelling, store } = server
    const session = yield* Server.find(server, Server.placeOf(server, params))
    const timestamp = spelling.time(yield* Clock.currentTimeMillis)
    const id = `p-${next("run")}`
    const actions = { ...spelling.defaults.actions, stateDelta: body.stateDelta ?? {} }
    store.append(session, { id, invocationId: id, author: "user", timestamp, actions }, timestamp)
    return Server.json(Server.toJson(server, session))
  })

const list = (server: Server.Server): Server.Handler => ({ params }) =>
  Effect.sync(() => {
    const { app, user } = Server.placeOf(server, params)
    const sessions = server.store.list(app, user)
    return Server.json(server.spelling.sessions(
      sessions.map((session) => ({ ...Server.toJson(server, session), state: {}, events: [] }))
    ))
  })

const remove = (server: Server.Server): Server.Handler => ({ params }) =>
  Effect.suspend(() =>
    server.store.remove(Server.placeOf(server, params)) || server.isPython
      ? Effect.succeed(server.spelling.deleted)
      : Server.refuse(server, 404, `Session not found: ${params.session}`)
  )

/** Returns the routes of sessions; changing a state and writing memory are Python's. */
export const make = (server: Server.Server): Server.Handlers => {
  const path = Server.sessionsPath
  return {
    [`GET ${path}`]: list(server),
    [`POST ${path}`]: createInList(server),
    [`POST ${path}/:session`]: createAtPath(server),
    [`GET ${path}/:session`]: ({ params }) =>
      Effect.map(
        Server.find(server, Server.placeOf(server, params)),
        (session) => Server.json(Server.toJson(server, session))
      ),
    [`DELETE ${path}/:session`]: remove(server),
    ...(server.isPython && {
      [`PATCH ${path}/:session`]: patch(server),
      "PATCH /apps/:app/users/:user/memory": ({ body, params }: Server.Ask) =>
        Effect.as(
          Server.find(server, Server.placeOf(server, { ...params, session: String(body.sessionId) })),
          Server.json(null)
        )
    })
  }
}

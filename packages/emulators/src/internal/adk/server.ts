/** The state of an emulated ADK server, and what all its routes share. Tested in packages/emulators/test/adk.test.ts. */
import type * as AdkEvent from "@effect-a2a/transport-adk/AdkEvent"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Flavour, Step, Turn } from "../../AdkScript.ts"
import { type Spelling, spellings } from "./dialect.ts"
import type * as Requests from "./requests.ts"
import * as RunScript from "./runScript.ts"
import * as Store from "./store.ts"

export type Response = HttpServerResponse.HttpServerResponse

/** A request to a route, with the segments of its path by name. */
export interface Ask {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly params: { readonly [name: string]: string | undefined }
  readonly body: Requests.Json
}

export type Handler = (ask: Ask) => Effect.Effect<Response, Response>

/** Handlers by method and path. */
export type Handlers = { readonly [route: string]: Handler }

export interface Options {
  readonly flavour: Flavour
  readonly apps: ReadonlyArray<string>
  readonly defaultApp: string | undefined
  readonly agent: (turn: Turn) => ReadonlyArray<Step>
}

/** An emulated server. */
export interface Server extends Options, RunScript.Served {
  readonly isPython: boolean
  readonly spelling: Spelling
  readonly store: Store.Store
  readonly write: (event: AdkEvent.Event) => unknown
  /** The time in the server's unit. */
  readonly now: Effect.Effect<number>
}

/** Creates a server without sessions. */
export const make = (options: Options): Server => {
  const spelling = spellings[options.flavour]
  const counts = { event: 0, run: 0, session: 0 }
  return {
    ...options,
    isPython: options.flavour === "python",
    spelling,
    store: Store.make(),
    next: (kind) => ++counts[kind],
    write: RunScript.write(spelling),
    now: Effect.map(Clock.currentTimeMillis, spelling.time)
  }
}

export const json = (body: unknown, status = 200): Response => HttpServerResponse.jsonUnsafe(body, { status })

/** Fails with a refusal as the server spells it. */
export const refuse = ({ spelling }: Server, status: number, message: string): Effect.Effect<never, Response> =>
  Effect.fail(spelling.refuse(status, message))

/** Returns the session that a path names. */
export const placeOf = (
  { defaultApp = "" }: Server,
  { app = defaultApp, session = "", user = "" }: Ask["params"]
): Store.Place => ({ app, user, session })

/** Returns a session, or fails with the server's refusal. */
export const find = (server: Server, place: Store.Place): Effect.Effect<Store.Session, Response> => {
  const session = server.store.get(place)
  return session === undefined ? refuse(server, 404, `Session not found: ${place.session}`) : Effect.succeed(session)
}

/** Converts a session to the server's JSON. */
export const toJson = ({ store, write }: Server, { events, lastUpdateTime, place }: Store.Session) => ({
  id: place.session,
  appName: place.app,
  userId: place.user,
  state: store.state(place),
  events: events.map(write),
  lastUpdateTime
})

export const sessionsPath = "/apps/:app/users/:user/sessions"

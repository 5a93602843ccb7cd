/** Sessions, their state in its three scopes, and files. */
import type * as AdkContent from "@effect-a2a/transport-adk/AdkContent"
import type * as AdkEvent from "@effect-a2a/transport-adk/AdkEvent"
import type * as Schema from "effect/Schema"

/** Identifies a session. */
export interface Place {
  readonly app: string
  readonly user: string
  readonly session: string
}

/** A stored session. */
export interface Session {
  readonly place: Place
  readonly events: Array<AdkEvent.Event>
  lastUpdateTime: number
}

type State = Map<string, Schema.Json>

const key = (...segments: ReadonlyArray<string>) => JSON.stringify(segments)

const getOrMake = <K, V>(map: Map<K, V>, key: K, make: () => V): V => {
  const value = map.get(key) ?? make()
  map.set(key, value)
  return value
}

/** Creates an empty store. */
export const make = () => {
  const sessions = new Map<string, Session>()
  const states = new Map<string, State>()
  const files = new Map<string, Map<string, Array<AdkContent.Part>>>()

  const scopes = ({ app, session, user }: Place) => ({
    own: key(app, user, session),
    user: key(app, user),
    app: key(app)
  })
  const state = (scope: string) => getOrMake(states, scope, () => new Map())

  /** Returns the scope of a name, or `undefined` for names that begin with `temp:`. */
  const scopeOf = (place: Place, name: string): string | undefined => {
    const { app, own, user } = scopes(place)
    if (name.startsWith("temp:")) return undefined
    return name.startsWith("app:") ? app : name.startsWith("user:") ? user : own
  }

  const filesOf = (place: Place, filename: string) => {
    const { own, user } = scopes(place)
    return getOrMake(files, filename.startsWith("user:") ? user : own, () => new Map())
  }

  const get = (place: Place): Session | undefined => sessions.get(scopes(place).own)

  const write = (place: Place, delta: Schema.JsonObject = {}): void => {
    for (const [name, value] of Object.entries(delta)) {
      const scope = scopeOf(place, name)
      if (scope !== undefined) state(scope).set(name, value)
    }
  }

  return {
    get,
    write,
    create: (
      place: Place,
      initial: Schema.JsonObject | undefined,
      events: ReadonlyArray<AdkEvent.Event>,
      at: number
    ) => {
      const session: Session = { place, events: [...events], lastUpdateTime: at }
      sessions.set(scopes(place).own, session)
      write(place, initial)
      return session
    },
    remove: (place: Place): boolean => {
      states.delete(scopes(place).own)
      return sessions.delete(scopes(place).own)
    },
    list: (app: string, user: string): ReadonlyArray<Session> =>
      Array.from(sessions.values()).filter(({ place }) => place.app === app && place.user === user),
    state: (place: Place): Schema.JsonObject => {
      const { app, own, user } = scopes(place)
      return Object.fromEntries([app, user, own].flatMap((scope) => Array.from(state(scope))))
    },
    /** Appends an event and applies its changes of state. */
    append: (session: Session, event: AdkEvent.Event, at: number): void => {
      session.events.push(event)
      session.lastUpdateTime = at
      write(session.place, event.actions?.stateDelta)
    },
    /** Saves a file and returns its new version. */
    save: (place: Place, filename: string, part: AdkContent.Part): number =>
      getOrMake(filesOf(place, filename), filename, (): Array<AdkContent.Part> => []).push(part) - 1,
    versions: (place: Place, filename: string): ReadonlyArray<AdkContent.Part> =>
      filesOf(place, filename).get(filename) ?? [],
    forget: (place: Place, filename: string): boolean => filesOf(place, filename).delete(filename),
    filenames: (place: Place): ReadonlyArray<string> => {
      const { own, user } = scopes(place)
      return [own, user].flatMap((scope) => Array.from(files.get(scope)?.keys() ?? [])).sort()
    }
  }
}

/** The sessions and files of a server. */
export type Store = ReturnType<typeof make>

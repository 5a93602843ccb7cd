/**
 * What conversations of one agent share: per context a lock, and what is known of the task that was left there. A room
 * that nobody uses and where nothing was left is forgotten.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { ContextId } from "../../Id.ts"
import type { Message } from "../../Message.ts"
import type { Task } from "../../Task.ts"
import * as TaskState from "../../TaskState.ts"

export interface Room {
  readonly lock: Semaphore.Semaphore
  /** Turns that are in it or wait for it. */
  users: number
  /** The task that was heard of last. */
  task: () => Task | undefined
  /** A message may have got to the agent, and nothing was heard of it. */
  isUncertain: boolean
}

export type Rooms = Map<ContextId, Room>

/** Contexts with something left in them, at most; those left longest ago are forgotten first. */
const maxLeft = 10_000

const byAgent = new WeakMap<object, Rooms>()

/** All rooms of an agent in this process. */
export const of = (agent: object): Rooms => {
  const known = byAgent.get(agent)
  if (known !== undefined) return known
  const rooms: Rooms = new Map()
  byAgent.set(agent, rooms)
  return rooms
}

const nothing = () => undefined

/** A room of its own, for a context whose id is not known yet. */
export const empty = (): Room => ({ lock: Semaphore.makeUnsafe(1), users: 0, task: nothing, isUncertain: false })

/** The task that runs or waits for its caller. */
export const pending = (room: Room): Task | undefined => {
  const task = room.task()
  return task === undefined || TaskState.isTerminal(task.status.state) ? undefined : task
}

/** Leaves a task behind; one that has ended leaves nothing. */
export const put = (room: Room, task: Task | undefined): void => {
  room.task = task === undefined || TaskState.isTerminal(task.status.state) ? nothing : () => task
}

/**
 * The room of a conversation that was left somewhere else; one that is in use here is better known. Where the last word
 * is the caller's and no task is known, the message may have got to the agent.
 */
export const left = (
  rooms: Rooms,
  contextId: ContextId | undefined,
  state: { readonly pending: Task | undefined; readonly transcript: ReadonlyArray<Message> }
): Room => {
  const known = contextId === undefined ? undefined : rooms.get(contextId)
  if (known !== undefined) return known
  const room = empty()
  put(room, state.pending)
  room.isUncertain = contextId !== undefined && state.pending === undefined && state.transcript.at(-1)?.role === "user"
  if (contextId !== undefined && (state.pending !== undefined || room.isUncertain)) rooms.set(contextId, room)
  return room
}

const leave = (rooms: Rooms, contextId: ContextId, room: Room): void => {
  if (--room.users > 0) return
  rooms.delete(contextId)
  if (pending(room) === undefined && !room.isUncertain) return
  rooms.set(contextId, room)
  if (rooms.size <= maxLeft) return
  for (const [id, { users }] of rooms) {
    if (users === 0) return void rooms.delete(id)
  }
}

const use = (rooms: Rooms, contextId: ContextId): Effect.Effect<Room, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const room = rooms.get(contextId) ?? empty()
      rooms.set(contextId, room)
      room.users++
      return room
    }),
    (room) => Effect.sync(() => leave(rooms, contextId, room))
  )

/** Waits for the room, and has it until the scope closes. */
export const enter = (rooms: Rooms, contextId: ContextId): Effect.Effect<Room, never, Scope.Scope> =>
  Effect.tap(use(rooms, contextId), ({ lock }) => lock.takeScoped(1))

/** Has the room of a context that has just come into being; where there is one already, it is only shared. */
export const adopt = (rooms: Rooms, contextId: ContextId): Effect.Effect<Room, never, Scope.Scope> =>
  Effect.suspend(() => rooms.has(contextId) ? use(rooms, contextId) : enter(rooms, contextId))

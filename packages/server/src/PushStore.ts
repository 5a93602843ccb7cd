/**
 * Keeps push configurations: the webhooks of tasks. A configuration belongs to an owner and a task.
 *
 * ```ts
 * import { Id } from "@effect-a2a/core"
 * import { PushStore } from "@effect-a2a/server"
 * import { Effect, Redacted } from "effect"
 *
 * const taskId = Id.TaskId.make("t-1")
 * const config = Redacted.make({ id: "hook", taskId, url: "https://app.test/hook" })
 * const program = Effect.gen(function*() {
 *   const store = yield* PushStore.PushStore
 *   yield* store.put({ caller: "ada" }, { id: "hook", taskId, version: "1.0", config })
 *   const [hers, his] = [yield* store.list({ caller: "ada" }, taskId), yield* store.list({ caller: "ben" }, taskId)]
 *   return [hers.length, his.length]
 * })
 * await Effect.runPromise(program.pipe(Effect.provide(PushStore.layerMemory()))) // => [1, 0]
 * ```
 *
 * @since 0.1.0
 */
import type { AgentErrorReason } from "@effect-a2a/core/AgentError"
import type * as Id from "@effect-a2a/core/Id"
import type * as PushNotification from "@effect-a2a/core/PushNotification"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { invalid } from "./internal/validation.ts"
import * as Owner from "./Owner.ts"

/** A configuration as it is kept. */
export interface Stored {
  readonly id: string
  readonly taskId: Id.TaskId
  /** The protocol version in which it was made, such as `0.3`: its notifications are written so. */
  readonly version: string
  /** Redacted for its token and credentials. */
  readonly config: Redacted.Redacted<PushNotification.TaskPushNotificationConfig>
}

/** The configurations of all owners. */
export class PushStore extends Context.Service<PushStore, {
  /** Adds a configuration, or replaces the one of the same id. Fails with `InvalidParamsError` if the task has too many. */
  readonly put: (owner: Owner.Owner, stored: Stored) => Effect.Effect<void, AgentErrorReason>
  /** Lists the configurations of a task, oldest first. */
  readonly list: (owner: Owner.Owner, taskId: Id.TaskId) => Effect.Effect<ReadonlyArray<Stored>>
  /** Removes a configuration, if it is there. */
  readonly remove: (owner: Owner.Owner, taskId: Id.TaskId, id: string) => Effect.Effect<void>
  /** Removes all configurations of a task. */
  readonly removeAll: (owner: Owner.Owner, taskId: Id.TaskId) => Effect.Effect<void>
}>()("@effect-a2a/server/PushStore") {}

/** The limits of a store in memory. */
export interface MemoryOptions {
  /** The most configurations of a task; a further one is refused. Default: 20. */
  readonly maxPerTask?: number | undefined
  /** The most tasks with configurations; beyond it, the oldest of the owner that has most are forgotten. Default: 10,000. */
  readonly maxTasks?: number | undefined
}

type Tasks = Map<Id.TaskId, Map<string, Stored>>

/** Returns the owner with the most tasks. */
const largest = (owners: ReadonlyMap<string, Tasks>): [key: string, tasks: Tasks] | undefined => {
  let found: [string, Tasks] | undefined
  for (const entry of owners) if (found === undefined || entry[1].size > found[1].size) found = entry
  return found
}

/** Keeps configurations in memory. */
export const layerMemory = ({ maxPerTask = 20, maxTasks = 10_000 }: MemoryOptions = {}): Layer.Layer<PushStore> =>
  Layer.sync(PushStore, () => {
    const owners = new Map<string, Tasks>()
    let count = 0
    const drop = (key: string, tasks: Tasks, taskId: Id.TaskId) => {
      if (tasks.delete(taskId)) count -= 1
      if (tasks.size === 0) owners.delete(key)
    }
    const evict = () => {
      while (count > maxTasks) {
        const [key, tasks] = largest(owners) ?? []
        const [oldest] = tasks?.keys() ?? []
        if (key === undefined || tasks === undefined || oldest === undefined) return
        drop(key, tasks, oldest)
      }
    }
    return {
      put: (owner, stored) =>
        Effect.suspend(() => {
          const key = Owner.toKey(owner)
          const tasks: Tasks = owners.get(key) ?? new Map()
          const configs = tasks.get(stored.taskId) ?? new Map<string, Stored>()
          if (!configs.has(stored.id) && configs.size >= maxPerTask) {
            return Effect.fail(invalid("taskId", `has ${maxPerTask} push configurations, the most: delete one`))
          }
          if (configs.size === 0) count += 1
          owners.set(key, tasks.set(stored.taskId, configs.set(stored.id, stored)))
          evict()
          return Effect.void
        }),
      list: (owner, taskId) => Effect.sync(() => [...owners.get(Owner.toKey(owner))?.get(taskId)?.values() ?? []]),
      remove: (owner, taskId, id) =>
        Effect.sync(() => {
          const key = Owner.toKey(owner)
          const tasks = owners.get(key)
          const configs = tasks?.get(taskId)
          if (tasks !== undefined && configs?.delete(id) === true && configs.size === 0) drop(key, tasks, taskId)
        }),
      removeAll: (owner, taskId) =>
        Effect.sync(() => {
          const key = Owner.toKey(owner)
          const tasks = owners.get(key)
          if (tasks !== undefined) drop(key, tasks, taskId)
        })
    }
  })

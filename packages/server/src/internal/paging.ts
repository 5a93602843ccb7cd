/** Page tokens: positions in a list of tasks, opaque to clients. */
import type { AgentErrorReason } from "@effect-a2a/core/AgentError"
import * as Id from "@effect-a2a/core/Id"
import type * as Task from "@effect-a2a/core/Task"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Result from "effect/Result"
import type { Cursor } from "../TaskStore.ts"
import { sizeOf } from "./size.ts"
import { invalid } from "./validation.ts"

/** Bytes of a page, about; one task is returned whatever its size. */
const maxPageSize = 4 * 1024 * 1024

/** Returns the first tasks of a page that is not too large. */
export const fit = (tasks: ReadonlyArray<Task.Task>): ReadonlyArray<Task.Task> => {
  let size = 0
  const end = tasks.findIndex((task) => (size += sizeOf(task)) > maxPageSize)
  return end === -1 ? tasks : tasks.slice(0, Math.max(end, 1))
}

/** Encodes a cursor; the empty token means that no page follows. */
export const toToken = (cursor: Cursor | undefined): string =>
  cursor === undefined ? "" : Base64Url.encode(`${cursor.at} ${cursor.id}`)

/** Decodes a token; fails if this server did not issue it. */
export const fromToken = (token: string): Effect.Effect<Cursor, AgentErrorReason> => {
  const text = Base64Url.decodeString(token)
  const [, at, id] = Result.isSuccess(text) ? /^(\d+) (.+)$/s.exec(text.success) ?? [] : []
  return at === undefined || id === undefined
    ? Effect.fail(invalid("pageToken", "was not issued by this server"))
    : Effect.succeed({ at: Number(at), id: Id.TaskId.make(id) })
}

/** Page tokens: positions in a list of tasks, opaque to clients. */
import type { AgentErrorReason } from "@effect-a2a/core/AgentError"
import * as Id from "@effect-a2a/core/Id"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Result from "effect/Result"
import type { Cursor } from "../TaskStore.ts"
import { invalid } from "./validation.ts"

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

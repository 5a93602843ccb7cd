/**
 * MemoryLake's extension for rating tasks: thumbs up or down, with a comment. {@link send} rates a task; Get and List
 * return ratings only within {@link withFeedback}.
 *
 * ```ts
 * import { Id } from "@effect-a2a/core"
 * import { TaskFeedback } from "@effect-a2a/memorylake"
 *
 * const task = {
 *   _tag: "Task" as const,
 *   id: Id.TaskId.make("run-1"),
 *   status: { state: "completed" as const },
 *   metadata: { "task-feedback/v1": { rating: "up", comment: "Just so." } }
 * }
 * TaskFeedback.fromTask(task) // => { rating: "up", comment: "Just so." }
 * ```
 *
 * @since 0.1.0
 */
import * as AgentError from "@effect-a2a/core/AgentError"
import * as ClientProtocol from "@effect-a2a/core/ClientProtocol"
import type { Credentials } from "@effect-a2a/core/Credentials"
import * as HttpTransport from "@effect-a2a/core/HttpTransport"
import type { TaskId } from "@effect-a2a/core/Id"
import { isObject } from "@effect-a2a/core/Metadata"
import * as ServiceParameters from "@effect-a2a/core/ServiceParameters"
import type { Task } from "@effect-a2a/core/Task"
import * as Effect from "effect/Effect"
import type { HttpClient } from "effect/http/HttpClient"
import * as MemoryLake from "./MemoryLake.ts"

/** The URI of the extension, on agent cards and in `A2A-Extensions`. */
export const uri = "extensions://task-feedback/v1"

/** The key of a rating in a task's metadata. */
export const metadataKey = "task-feedback/v1"

/** The maximum number of characters of a comment. */
export const maxComment = 2_000

/** A rating of a task. */
export interface Feedback {
  readonly rating: "up" | "down"
  readonly comment?: string
}

const operation = "TaskFeedback.send"

const tooLong = AgentError.make(operation, "InvalidRequestError", {
  message: `comment: at most ${maxComment} characters`,
  violations: [{ field: "comment", description: `at most ${maxComment} characters` }]
})

/** An agent: by its address, or by the URL of its A2A interface, for services at other paths. */
export type Place = MemoryLake.Address | { readonly url: string }

/** A rating of a task, the agent that it belongs to, and the protocol version: default 1.0. */
export type SendOptions = Place & Feedback & {
  readonly taskId: TaskId
  readonly protocol?: ClientProtocol.ClientProtocol | undefined
}

const urlOf = (place: Place): Effect.Effect<string, AgentError.AgentError> =>
  "url" in place ? Effect.succeed(place.url) : Effect.fromResult(MemoryLake.endpoint(place)).pipe(
    Effect.mapBoth({
      onSuccess: ({ url }) => url,
      onFailure: (reason) => new AgentError.AgentError({ operation, reason })
    })
  )

/**
 * Rates a task; a later rating replaces it. Fails before anything is sent if the comment is longer than
 * {@link maxComment} characters, if the URL is invalid, or if `MemoryLake.endpoint` fails.
 */
export const send = Effect.fnUntraced(function*(
  { comment, protocol: version = ClientProtocol.v1_0, rating, taskId, ...place }: SendOptions
): Effect.fn.Return<void, AgentError.AgentError, HttpClient | Credentials> {
  if (comment !== undefined && comment.length > maxComment) return yield* Effect.fail(tooLong)
  const url = yield* urlOf(place)
  const protocol = MemoryLake.protocol(version)
  const path = `${protocol.rest.prefix ?? ""}/tasks/${encodeURIComponent(taskId)}:feedback`
  yield* HttpTransport.request({
    url,
    protocol,
    operation,
    request: { method: "POST", path, query: [], body: { rating, ...(comment !== undefined && { comment }) } },
    extensions: [uri]
  })
})

/** Asks for ratings with the tasks that an effect reads. */
export const withFeedback: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = ServiceParameters
  .provide({
    extensions: [uri]
  })

/** Returns the rating of a task, if it has one and the task was read within {@link withFeedback}. */
export const fromTask = (task: Task): Feedback | undefined => {
  const feedback = task.metadata?.[metadataKey]
  if (!isObject(feedback) || (feedback.rating !== "up" && feedback.rating !== "down")) return undefined
  const { comment, rating } = feedback
  return { rating, ...(typeof comment === "string" && { comment }) }
}

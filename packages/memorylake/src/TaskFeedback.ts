/**
 * MemoryLake's extension for rating tasks: thumbs up or down, with a comment (ML-31).
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
 * `TaskFeedback.send({ workspaceId, agentId })({ taskId, rating: "up" })` rates; a rating is told back by Get and List
 * only within {@link withFeedback}.
 *
 * @since 0.1.0
 */
import * as AgentError from "@effect-a2a/core/AgentError"
import type { Credentials } from "@effect-a2a/core/Credentials"
import * as HttpTransport from "@effect-a2a/core/HttpTransport"
import type { TaskId } from "@effect-a2a/core/Id"
import * as Protocol from "@effect-a2a/core/Protocol"
import * as ServiceParameters from "@effect-a2a/core/ServiceParameters"
import type { Task } from "@effect-a2a/core/Task"
import * as Effect from "effect/Effect"
import type { HttpClient } from "effect/http/HttpClient"
import { isJsonObject } from "./internal/json.ts"
import * as MemoryLake from "./MemoryLake.ts"

/** The extension, as the card lists it and `A2A-Extensions` asks for it. */
export const uri = "extensions://task-feedback/v1"

/** Where a task's metadata holds its rating. */
export const metadataKey = "task-feedback/v1"

/** Characters of a comment, at most. */
export const maxComment = 2_000

/** What was thought of a task. */
export interface Feedback {
  readonly rating: "up" | "down"
  readonly comment?: string
}

const operation = "TaskFeedback.send"

const tooLong = AgentError.make(operation, "InvalidRequestError", {
  message: `comment: at most ${maxComment} characters`,
  violations: [{ field: "comment", description: `at most ${maxComment} characters` }]
})

/** Rates a task, again if need be. A comment of more than {@link maxComment} characters is refused before it is sent. */
export const send = (config: MemoryLake.Config) =>
  Effect.fnUntraced(function*(
    { taskId, ...feedback }: Feedback & { readonly taskId: TaskId }
  ): Effect.fn.Return<void, AgentError.AgentError, HttpClient | Credentials> {
    if ((feedback.comment ?? "").length > maxComment) return yield* Effect.fail(tooLong)
    const { url } = yield* Effect.fromResult(MemoryLake.endpoint(config)).pipe(
      Effect.mapError((reason) => new AgentError.AgentError({ operation, reason }))
    )
    const protocol = MemoryLake.protocol(config.protocol ?? Protocol.v1_0)
    const path = `${protocol.rest.prefix ?? ""}/tasks/${encodeURIComponent(taskId)}:feedback`
    yield* HttpTransport.request({
      url,
      protocol,
      operation,
      request: { method: "POST", path, query: [], body: { ...feedback } },
      extensions: [uri]
    })
  })

/** Asks for the ratings of the tasks that an effect reads. */
export const withFeedback: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = ServiceParameters
  .provide({
    extensions: [uri]
  })

/** The rating of a task, if it has one and it was asked for ({@link withFeedback}). */
export const fromTask = (task: Task): Feedback | undefined => {
  const feedback = task.metadata?.[metadataKey]
  if (!isJsonObject(feedback) || (feedback.rating !== "up" && feedback.rating !== "down")) return undefined
  const { comment, rating } = feedback
  return { rating, ...(typeof comment === "string" && { comment }) }
}

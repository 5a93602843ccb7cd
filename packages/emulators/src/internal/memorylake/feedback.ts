/** Feedback on tasks (ML-31): taken by a route of its own, told under the task's metadata to those who ask for it. */
import { AgentTransport } from "@effect-a2a/core/AgentTransport"
import * as Id from "@effect-a2a/core/Id"
import * as Operation from "@effect-a2a/core/Operation"
import * as ServiceParameters from "@effect-a2a/core/ServiceParameters"
import type * as Task from "@effect-a2a/core/Task"
import * as Transport from "@effect-a2a/core/Transport"
import * as TaskFeedback from "@effect-a2a/memorylake/TaskFeedback"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { refused } from "./auth.ts"

const Feedback = Schema.Struct({
  rating: Schema.Literals(["up", "down"]),
  comment: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(2000)))
})

/** Ratings by task. */
export class Ratings extends Context.Service<Ratings, Map<string, typeof Feedback.Type>>()(
  "@effect-a2a/testing/memorylake/Ratings"
) {}

export const layerRatings: Layer.Layer<Ratings> = Layer.sync(Ratings, () => new Map())

const path = /\/tasks\/([^/:]+):feedback$/

/** The task that a request rates, if it does that. */
export const ratedTask = (request: HttpServerRequest.HttpServerRequest): Id.TaskId | undefined => {
  const id = request.method === "POST" ? path.exec(new URL(request.url, "http://localhost").pathname)?.[1] : undefined
  return id === undefined ? undefined : Id.TaskId.make(decodeURIComponent(id))
}

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Feedback))

/** Takes a rating. */
export const rate = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest,
  taskId: Id.TaskId,
  agent: AgentTransport["Service"]
) {
  const ratings = yield* Ratings
  const feedback = yield* request.text.pipe(Effect.flatMap((text) => decode(text)), Effect.option)
  if (feedback._tag === "None" || request.headers["a2a-extensions"] !== TaskFeedback.uri) {
    return refused("INVALID_ARGUMENT")
  }
  const task = yield* Effect.option(agent.call(Operation.GetTask, { id: taskId }))
  if (task._tag === "None") return refused("NOT_FOUND")
  ratings.set(taskId, feedback.value)
  return HttpServerResponse.jsonUnsafe({ success: true })
})

/** Puts the rating into a task's metadata where the extension was asked for. */
export const withRatings = <E, R>(
  self: Layer.Layer<AgentTransport, E, R>
): Layer.Layer<AgentTransport, E, R | Ratings> =>
  Layer.effect(
    AgentTransport,
    Effect.gen(function*() {
      const agent = yield* AgentTransport
      const ratings = yield* Ratings
      const rated = (task: Task.Task): Task.Task => {
        const rating = ratings.get(task.id)
        return rating === undefined
          ? task
          : { ...task, metadata: { ...task.metadata, [TaskFeedback.metadataKey]: rating } }
      }
      const ifAsked = <A, E>(self: Effect.Effect<A, E>, rate: (value: A) => A) =>
        Effect.flatMap(ServiceParameters.Current, ({ extensions }) =>
          extensions.includes(TaskFeedback.uri) ? Effect.map(self, rate) : self)
      return Transport.intercept({
        GetTask: (request, next) =>
          ifAsked(next(request), rated),
        ListTasks: (request, next) => ifAsked(next(request), (page) => ({ ...page, tasks: page.tasks.map(rated) }))
      })(agent)
    })
  ).pipe(Layer.provide(self))

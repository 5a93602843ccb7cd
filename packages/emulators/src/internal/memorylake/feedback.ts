/**
 * Ratings of tasks: stored by a separate route, returned in the metadata of tasks if the extension is requested. Tested in
 * `packages/emulators/test/memorylake`.
 */
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
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { refuse } from "./auth.ts"

const Feedback = Schema.Struct({
  rating: Schema.Literals(["up", "down"]),
  comment: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(2000)))
})

/** Ratings by task. */
export class Ratings extends Context.Service<Ratings, Map<string, typeof Feedback.Type>>()(
  "@effect-a2a/emulators/memorylake/Ratings"
) {}

export const layerRatings: Layer.Layer<Ratings> = Layer.sync(Ratings, () => new Map())

const path = /\/tasks\/([^/:]+):feedback$/

/** Returns the task that a request rates, if it is a request to rate one. */
export const ratedTask = (request: HttpServerRequest.HttpServerRequest): Id.TaskId | undefined => {
  const { pathname = "" } = URL.parse(request.url, "http://localhost") ?? {}
  const id = request.method === "POST" ? path.exec(pathname)?.[1] : undefined
  // an id that cannot be decoded is that of no task
  return id === undefined
    ? undefined
    : Id.TaskId.make(Result.getOrElse(Result.try(() => decodeURIComponent(id)), () => id))
}

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Feedback))

/** Stores a rating. */
export const rate = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest,
  taskId: Id.TaskId,
  agent: AgentTransport["Service"]
) {
  const ratings = yield* Ratings
  const feedback = yield* request.text.pipe(Effect.flatMap((text) => decode(text)), Effect.option)
  if (feedback._tag === "None" || request.headers["a2a-extensions"] !== TaskFeedback.uri) {
    return refuse("INVALID_ARGUMENT")
  }
  const task = yield* Effect.option(agent.call(Operation.GetTask, { id: taskId }))
  if (task._tag === "None") return refuse("NOT_FOUND")
  ratings.set(taskId, feedback.value)
  return HttpServerResponse.jsonUnsafe({ success: true })
})

/** Adds ratings to the metadata of tasks if the extension is requested. */
export const withRatings = <E, R>(
  self: Layer.Layer<AgentTransport, E, R>
): Layer.Layer<AgentTransport, E, R | Ratings> =>
  Layer.effect(
    AgentTransport,
    Effect.gen(function*() {
      const agent = yield* AgentTransport
      const ratings = yield* Ratings
      const withRating = (task: Task.Task): Task.Task => {
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
          ifAsked(next(request), withRating),
        ListTasks: (request, next) => ifAsked(next(request), (page) => ({ ...page, tasks: page.tasks.map(withRating) }))
      })(agent)
    })
  ).pipe(Layer.provide(self))

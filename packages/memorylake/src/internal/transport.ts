/** What happens to a request on its way to MemoryLake, whatever carries it. */
import * as AgentError from "@effect-a2a/core/AgentError"
import { AgentTransport } from "@effect-a2a/core/AgentTransport"
import type { ContextId } from "@effect-a2a/core/Id"
import type * as Operation from "@effect-a2a/core/Operation"
import * as Part from "@effect-a2a/core/Part"
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as Transport from "@effect-a2a/core/Transport"
import * as Cache from "effect/Cache"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { metadata, type Options } from "../MemoryLakeOptions.ts"
import { isJsonObject, merge } from "./json.ts"

export const CurrentOptions = Context.Reference<Options>("@effect-a2a/memorylake/CurrentOptions", {
  defaultValue: () => ({})
})

/** The project of a conversation; `undefined`: it began without one. */
interface Binding {
  readonly projectId: string | undefined
}

/** Conversations whose project is remembered; the least used are forgotten first. */
const maxConversations = 10_000

const projectField = "metadata.memorylake.readWriteProjectId"

const refuse = (field: string, why: string) =>
  new AgentError.InvalidRequestError({
    message: `${field}: ${why}`,
    violations: [{ field, description: why }]
  })

const noPush = new AgentError.PushNotificationNotSupportedError({
  message: "MemoryLake sends no push notifications: stream, or subscribe to the task"
})

/** `metadata.memorylake`: the ambient options, and over them what the caller wrote there himself. */
const withMetadata = (options: Options, request: Operation.SendMessageRequest): Operation.SendMessageRequest => {
  const written = request.metadata?.memorylake
  const memorylake = isJsonObject(written) ? merge(metadata(options), written) : written ?? metadata(options)
  return { ...request, metadata: { ...request.metadata, memorylake } }
}

const projectOf = (request: Operation.SendMessageRequest): string | undefined => {
  const memorylake = request.metadata?.memorylake
  const projectId = isJsonObject(memorylake) ? memorylake.readWriteProjectId : undefined
  return typeof projectId === "string" && projectId !== "" ? projectId : undefined
}

const check = (
  request: Operation.SendMessageRequest,
  binding: Option.Option<Binding>
): Effect.Effect<void, AgentError.AgentErrorReason> => {
  if (request.configuration?.taskPushNotificationConfig !== undefined) return Effect.fail(noPush)
  const projectId = projectOf(request)
  if (projectId === undefined) {
    return request.message.parts.some(Part.isFile)
      ? Effect.fail(refuse(
        projectField,
        "required with files, which are imported into it; the conversation's project is not inherited for them"
      ))
      : Effect.void
  }
  if (Option.isNone(binding) || binding.value.projectId === projectId) return Effect.void
  const began = binding.value.projectId === undefined ? "without a project" : `with ${binding.value.projectId}`
  return Effect.fail(refuse(
    projectField,
    `the conversation ${request.message.contextId} began ${began}, which cannot change; start a new one`
  ))
}

const agentOf = (url: string) => /\/agents\/([^/]+)\/a2a/.exec(url)?.[1] ?? url

/** A conversation in use elsewhere is refused as a bad argument: say which conversation and which agent (ML-10). */
const naming = (url: string, request: Operation.SendMessageRequest) => (error: AgentError.AgentError) =>
  error.reason._tag === "InvalidArgumentError" && request.message.contextId !== undefined
    ? new AgentError.AgentError({
      ...error,
      reason: AgentError.reason("InvalidArgumentError", {
        ...error.reason,
        message: `${error.reason.message} (context ${request.message.contextId}, agent ${agentOf(url)})`
      })
    })
    : error

const make = Effect.gen(function*() {
  const transport = yield* AgentTransport
  const bindings = yield* Cache.make<ContextId, Binding>({
    capacity: maxConversations,
    lookup: () => Effect.succeed({ projectId: undefined })
  })

  const bindingOf = (contextId: ContextId | undefined) =>
    contextId === undefined ? Effect.succeedNone : Cache.getSuccess(bindings, contextId)

  /** An accepted message tells the project: of a new conversation in any case, of a known one if it named it. */
  const learn = (request: Operation.SendMessageRequest, event: StreamEvent.StreamEvent) => {
    const projectId = projectOf(request)
    return event.contextId !== undefined && (projectId !== undefined || request.message.contextId === undefined)
      ? Cache.set(bindings, event.contextId, { projectId })
      : Effect.void
  }

  const prepare = Effect.fnUntraced(function*(sent: Operation.SendMessageRequest) {
    const request = withMetadata(yield* CurrentOptions, sent)
    yield* check(request, yield* bindingOf(request.message.contextId))
    return request
  })

  return Transport.intercept({
    ...Transport.refusePush(noPush),
    SendMessage: (sent, next) =>
      Effect.flatMap(prepare(sent), (request) =>
        next(request).pipe(
          Effect.tap((answer) => learn(request, answer)),
          Effect.mapError(naming(transport.target.url, request))
        )),
    SendStreamingMessage: (sent, next) =>
      Stream.unwrap(Effect.map(prepare(sent), (request) =>
        next(request).pipe(
          Stream.onFirst((event) => learn(request, event)),
          Stream.mapError(naming(transport.target.url, request))
        )))
  })(transport)
})

export const withMemory = <E, R>(self: Layer.Layer<AgentTransport, E, R>): Layer.Layer<AgentTransport, E, R> =>
  Layer.effect(AgentTransport, make).pipe(Layer.provide(self))

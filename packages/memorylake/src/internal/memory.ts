/**
 * The decorator of transports that writes `metadata.memorylake` and remembers the project of each conversation. Tested in
 * `packages/memorylake/test/memoryLake.test.ts`.
 */
import * as AgentError from "@effect-a2a/core/AgentError"
import * as AgentTransport from "@effect-a2a/core/AgentTransport"
import type { ContextId } from "@effect-a2a/core/Id"
import { isObject } from "@effect-a2a/core/Metadata"
import type * as Operation from "@effect-a2a/core/Operation"
import * as Part from "@effect-a2a/core/Part"
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as Cache from "effect/Cache"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { CurrentOptions, encode, type Options } from "../MemoryLakeOptions.ts"
import { merge } from "./json.ts"

type SendMessageRequest = Operation.SendMessageRequest

/** A conversation's project; `undefined` if it began without one. */
interface Conversation {
  readonly projectId: string | undefined
}

/** Conversations whose project is remembered; the least used are forgotten first. */
const maxConversations = 10_000

const projectField = "metadata.memorylake.readWriteProjectId"

const invalidProject = (why: string) =>
  new AgentError.InvalidRequestError({
    message: `${projectField}: ${why}`,
    violations: [{ field: projectField, description: why }]
  })

const noPush = new AgentError.PushNotificationNotSupportedError({
  message: "MemoryLake sends no push notifications: stream, or subscribe to the task"
})

/** Adds the ambient options; members that the caller wrote into the request stay. */
const withMetadata = (options: Options, request: SendMessageRequest): SendMessageRequest => {
  const written = request.metadata?.memorylake
  const memorylake = isObject(written) ? merge(encode(options), written) : written ?? encode(options)
  return { ...request, metadata: { ...request.metadata, memorylake } }
}

const projectOf = (request: SendMessageRequest): string | undefined => {
  const memorylake = request.metadata?.memorylake
  const projectId = isObject(memorylake) ? memorylake.readWriteProjectId : undefined
  return typeof projectId === "string" && projectId !== "" ? projectId : undefined
}

const check = (
  request: SendMessageRequest,
  conversation: Option.Option<Conversation>
): Effect.Effect<void, AgentError.AgentErrorReason> => {
  if (request.configuration?.taskPushNotificationConfig !== undefined) return Effect.fail(noPush)
  const projectId = projectOf(request)
  if (projectId === undefined) {
    return request.message.parts.some(Part.isFile)
      ? Effect.fail(invalidProject(
        "required with files, which are imported into it; the conversation's project is not inherited for them"
      ))
      : Effect.void
  }
  if (Option.isNone(conversation) || conversation.value.projectId === projectId) return Effect.void
  const began = conversation.value.projectId === undefined
    ? "without a project"
    : `with ${conversation.value.projectId}`
  return Effect.fail(invalidProject(
    `the conversation ${request.message.contextId} began ${began}, which cannot change; start a new one`
  ))
}

const agentOf = (url: string) => /\/agents\/([^/]+)\/a2a/.exec(url)?.[1] ?? url

/** A busy conversation is refused as an invalid argument, without naming it: adds the context and the agent. */
const nameContext = (url: string, { message: { contextId } }: SendMessageRequest) =>
  AgentError.mapReason((reason) =>
    reason._tag === "InvalidArgumentError" && contextId !== undefined
      ? AgentError.withFields(reason, {
        message: `${reason.message} (context ${contextId}, agent ${agentOf(url)})`
      })
      : reason
  )

const makeConversations = Cache.make<ContextId, Conversation>({
  capacity: maxConversations,
  lookup: () => Effect.succeed({ projectId: undefined })
})

export const withMemory = AgentTransport.transform((transport) =>
  Effect.map(makeConversations, (conversations) => {
    /** Remembers the project of an accepted message: of a new conversation always, else if the message named one. */
    const remember = (request: SendMessageRequest, event: StreamEvent.StreamEvent) => {
      const projectId = projectOf(request)
      return event.contextId !== undefined && (projectId !== undefined || request.message.contextId === undefined)
        ? Cache.set(conversations, event.contextId, { projectId })
        : Effect.void
    }

    const prepare = Effect.fnUntraced(function*(sent: SendMessageRequest) {
      const request = withMetadata(yield* CurrentOptions, sent)
      const { contextId } = request.message
      const conversation = contextId === undefined
        ? Option.none()
        : yield* Cache.getSuccess(conversations, contextId)
      yield* check(request, conversation)
      return request
    })

    return AgentTransport.intercept({
      ...AgentTransport.refusePush(noPush),
      SendMessage: (sent, next) =>
        Effect.flatMap(prepare(sent), (request) =>
          next(request).pipe(
            Effect.tap((result) => remember(request, result)),
            Effect.mapError(nameContext(transport.target.url, request))
          )),
      SendStreamingMessage: (sent, next) =>
        Stream.unwrap(Effect.map(prepare(sent), (request) =>
          next(request).pipe(
            Stream.onFirst((event) => remember(request, event)),
            Stream.mapError(nameContext(transport.target.url, request))
          )))
    })(transport)
  })
)

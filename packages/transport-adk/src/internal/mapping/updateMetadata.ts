/** The `adk_*` metadata of an update, as ADK itself writes it. Tested in test/adk/mapping.test.ts. */
import type { Metadata } from "@effect-a2a/core/Metadata"
import * as Struct from "effect/Struct"
import * as AdkEvent from "../../AdkEvent.ts"

/** The session of a run. */
export interface SessionRef {
  readonly appName: string | undefined
  readonly userId: string
  readonly sessionId: string
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === "" ||
  (typeof value === "object" && Object.keys(value).length === 0)

const omitEmpty = (members: { readonly [name: string]: unknown }): Metadata =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => !isEmpty(value))) as Metadata

/** Returns the metadata that name a session. */
export const fromSession = ({ appName, sessionId, userId }: SessionRef): Metadata =>
  omitEmpty({ adk_app_name: appName, adk_user_id: userId, adk_session_id: sessionId })

/** The task's state reports requested credentials. */
const actionsOf = ({ actions = {} }: AdkEvent.Event) => omitEmpty(Struct.omit(actions, ["requestedAuthConfigs"]))

/** Returns the metadata of an event: everything but its content. */
export const fromEvent = (event: AdkEvent.Event): Metadata => {
  const failure = AdkEvent.failure(event)
  return omitEmpty({
    adk_invocation_id: event.invocationId,
    adk_author: event.author,
    adk_event_id: event.id,
    adk_branch: event.branch,
    adk_partial: AdkEvent.isPartial(event) ? true : undefined,
    adk_error_code: failure?.code,
    adk_error_message: failure && event.errorMessage,
    adk_finish_reason: event.finishReason,
    adk_usage_metadata: event.usageMetadata,
    adk_grounding_metadata: event.groundingMetadata,
    adk_citation_metadata: event.citationMetadata,
    adk_custom_metadata: event.customMetadata,
    adk_actions: actionsOf(event),
    adk_output: event.output
  })
}

/** Returns `true` if an event without content deserves an update for its metadata. */
export const hasNews = (metadata: Metadata): boolean => "adk_actions" in metadata || "adk_output" in metadata

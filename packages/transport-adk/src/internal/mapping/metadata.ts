/** What an update says of where it comes from: `adk_*` metadata, as ADK itself writes it. */
import type { Metadata } from "@effect-a2a/core/Metadata"
import * as Struct from "effect/Struct"
import * as AdkEvent from "../../AdkEvent.ts"

/** Whose session. */
export interface Place {
  readonly appName: string | undefined
  readonly userId: string
  readonly sessionId: string
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === "" ||
  (typeof value === "object" && Object.keys(value).length === 0)

/** Members that say something. */
const filled = (members: { readonly [name: string]: unknown }): Metadata =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => !isEmpty(value))) as Metadata

export const ofPlace = ({ appName, sessionId, userId }: Place): Metadata =>
  filled({ adk_app_name: appName, adk_user_id: userId, adk_session_id: sessionId })

/** Actions that say something; those that ask are told by the task's state. */
const actionsOf = (event: AdkEvent.Event) =>
  filled(Struct.omit(event.actions ?? {}, ["requestedAuthConfigs"]) as { readonly [name: string]: unknown })

/** What an event says besides its content. */
export const ofEvent = (event: AdkEvent.Event): Metadata => {
  const failure = AdkEvent.failure(event)
  return filled({
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

/** What is worth an update of its own where an event has no content. */
export const isTelling = (metadata: Metadata): boolean => "adk_actions" in metadata || "adk_output" in metadata

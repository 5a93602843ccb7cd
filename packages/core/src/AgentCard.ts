/**
 * What an agent says about itself: interfaces, capabilities, skills, security (specification §4.4).
 *
 * ```ts
 * import type { AgentCard } from "@effect-a2a/core"
 *
 * const preferred = (card: AgentCard.AgentCard) => card.supportedInterfaces[0]?.url
 * typeof preferred // => "function"
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Metadata } from "./Metadata.ts"
import * as SecurityScheme from "./SecurityScheme.ts"

const strings = Schema.Array(Schema.String)

/** One way to reach an agent: an absolute URL, a binding (`HTTP+JSON`, `JSONRPC`, or a URI) and a version. */
export const AgentInterface = Schema.Struct({
  url: Schema.String,
  protocolBinding: Schema.String,
  protocolVersion: Schema.String,
  tenant: Schema.optionalKey(Schema.String)
})
export type AgentInterface = typeof AgentInterface.Type

export const AgentExtension = Schema.Struct({
  uri: Schema.String,
  description: Schema.optionalKey(Schema.String),
  required: Schema.optionalKey(Schema.Boolean),
  params: Schema.optionalKey(Metadata)
})
export type AgentExtension = typeof AgentExtension.Type

/** An absent member means "does not say". */
export const AgentCapabilities = Schema.Struct({
  streaming: Schema.optionalKey(Schema.Boolean),
  pushNotifications: Schema.optionalKey(Schema.Boolean),
  extendedAgentCard: Schema.optionalKey(Schema.Boolean),
  extensions: Schema.optionalKey(Schema.Array(AgentExtension))
})
export type AgentCapabilities = typeof AgentCapabilities.Type

export const AgentSkill = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  description: Schema.String,
  tags: strings,
  examples: Schema.optionalKey(strings),
  inputModes: Schema.optionalKey(strings),
  outputModes: Schema.optionalKey(strings),
  securityRequirements: Schema.optionalKey(Schema.Array(SecurityScheme.SecurityRequirement))
})
export type AgentSkill = typeof AgentSkill.Type

/** A detached JWS over the canonical card (specification §8.4). */
export const AgentCardSignature = Schema.Struct({
  protected: Schema.String,
  signature: Schema.String,
  header: Schema.optionalKey(Metadata)
})
export type AgentCardSignature = typeof AgentCardSignature.Type

/** `supportedInterfaces` is in the agent's order of preference; requirements are alternatives. */
export const AgentCard = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  version: Schema.String,
  supportedInterfaces: Schema.Array(AgentInterface),
  provider: Schema.optionalKey(Schema.Struct({ url: Schema.String, organization: Schema.String })),
  documentationUrl: Schema.optionalKey(Schema.String),
  iconUrl: Schema.optionalKey(Schema.String),
  capabilities: AgentCapabilities,
  securitySchemes: Schema.optionalKey(Schema.Record(Schema.String, SecurityScheme.SecurityScheme)),
  securityRequirements: Schema.optionalKey(Schema.Array(SecurityScheme.SecurityRequirement)),
  defaultInputModes: strings,
  defaultOutputModes: strings,
  skills: Schema.Array(AgentSkill),
  signatures: Schema.optionalKey(Schema.Array(AgentCardSignature))
})
export type AgentCard = typeof AgentCard.Type

/**
 * An agent's description of itself: interfaces, capabilities, skills, security (A2A 1.0 §4.4).
 *
 * ```ts
 * import { AgentCard } from "@effect-a2a/core"
 *
 * const card: AgentCard.AgentCard = {
 *   name: "Echo",
 *   description: "Repeats the message",
 *   version: "1.0.0",
 *   supportedInterfaces: [{ url: "https://agent.test/a2a", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
 *   capabilities: { streaming: true },
 *   defaultInputModes: ["text/plain"],
 *   defaultOutputModes: ["text/plain"],
 *   skills: []
 * }
 * AgentCard.AgentCard.make(card).supportedInterfaces[0]?.url // => "https://agent.test/a2a"
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Metadata } from "./Metadata.ts"
import * as SecurityScheme from "./SecurityScheme.ts"

const strings = Schema.Array(Schema.String)

/** A way to reach an agent: an absolute URL, a binding (`HTTP+JSON`, `JSONRPC`, or a URI) and a protocol version. */
export class AgentInterface extends Schema.Opaque<AgentInterface>()(
  Schema.Struct({
    url: Schema.String,
    protocolBinding: Schema.String,
    protocolVersion: Schema.String,
    /** Addresses one of several agents behind the URL. */
    tenant: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "AgentInterface" })
) {}

/** An extension of the protocol that the agent supports. */
export class AgentExtension extends Schema.Opaque<AgentExtension>()(
  Schema.Struct({
    uri: Schema.String,
    description: Schema.optionalKey(Schema.String),
    required: Schema.optionalKey(Schema.Boolean),
    params: Schema.optionalKey(Metadata)
  }).annotate({ identifier: "AgentExtension" })
) {}

/** The optional abilities of an agent. An absent member means that the card does not say. */
export class AgentCapabilities extends Schema.Opaque<AgentCapabilities>()(
  Schema.Struct({
    streaming: Schema.optionalKey(Schema.Boolean),
    pushNotifications: Schema.optionalKey(Schema.Boolean),
    extendedAgentCard: Schema.optionalKey(Schema.Boolean),
    extensions: Schema.optionalKey(Schema.Array(AgentExtension))
  }).annotate({ identifier: "AgentCapabilities" })
) {}

/** An ability of the agent, described for people and for other agents. */
export class AgentSkill extends Schema.Opaque<AgentSkill>()(
  Schema.Struct({
    id: Schema.String,
    name: Schema.String,
    description: Schema.String,
    tags: strings,
    examples: Schema.optionalKey(strings),
    inputModes: Schema.optionalKey(strings),
    outputModes: Schema.optionalKey(strings),
    securityRequirements: Schema.optionalKey(Schema.Array(SecurityScheme.SecurityRequirement))
  }).annotate({ identifier: "AgentSkill" })
) {}

/** A detached JWS over the canonical card (A2A 1.0 §8.4). */
export class AgentCardSignature extends Schema.Opaque<AgentCardSignature>()(
  Schema.Struct({
    protected: Schema.String,
    signature: Schema.String,
    header: Schema.optionalKey(Metadata)
  }).annotate({ identifier: "AgentCardSignature" })
) {}

/** The organization that runs an agent. */
export class AgentProvider extends Schema.Opaque<AgentProvider>()(
  Schema.Struct({ url: Schema.String, organization: Schema.String }).annotate({ identifier: "AgentProvider" })
) {}

/**
 * An agent card. `supportedInterfaces` is in the agent's order of preference; the members of `securityRequirements`
 * are alternatives.
 */
export class AgentCard extends Schema.Opaque<AgentCard>()(
  Schema.Struct({
    name: Schema.String,
    description: Schema.String,
    version: Schema.String,
    supportedInterfaces: Schema.Array(AgentInterface),
    provider: Schema.optionalKey(AgentProvider),
    documentationUrl: Schema.optionalKey(Schema.String),
    iconUrl: Schema.optionalKey(Schema.String),
    capabilities: AgentCapabilities,
    securitySchemes: Schema.optionalKey(Schema.Record(Schema.String, SecurityScheme.SecurityScheme)),
    securityRequirements: Schema.optionalKey(Schema.Array(SecurityScheme.SecurityRequirement)),
    defaultInputModes: strings,
    defaultOutputModes: strings,
    skills: Schema.Array(AgentSkill),
    signatures: Schema.optionalKey(Schema.Array(AgentCardSignature))
  }).annotate({ identifier: "AgentCard" })
) {}

/** A card for an agent that has none: from its application's name and the abilities of this transport. */
import type * as AgentCard from "@effect-a2a/core/AgentCard"

/** Creates the card of an application. */
export const make = (target: AgentCard.AgentInterface, name: string): AgentCard.AgentCard => ({
  name,
  description: `The application ${name} of an ADK server`,
  version: target.protocolVersion,
  supportedInterfaces: [target],
  capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
  defaultInputModes: ["text/plain", "application/json", "application/octet-stream"],
  defaultOutputModes: ["text/plain", "application/json", "application/octet-stream"],
  skills: [{ id: name, name, description: `The abilities of the agent ${name}`, tags: ["adk"] }]
})

/** A card for an agent that has none: what its server tells, and what this transport can do. */
import type * as AgentCard from "@effect-a2a/core/AgentCard"

export const make = (target: AgentCard.AgentInterface, name: string): AgentCard.AgentCard => ({
  name,
  description: `The application ${name} of an ADK server`,
  version: target.protocolVersion,
  supportedInterfaces: [target],
  capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
  defaultInputModes: ["text/plain", "application/json", "application/octet-stream"],
  defaultOutputModes: ["text/plain", "application/json", "application/octet-stream"],
  skills: [{ id: name, name, description: `What the agent ${name} does`, tags: ["adk"] }]
})

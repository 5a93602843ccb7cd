/** The card of 1.0 (specification §4.4); with an interface of 0.3 in it, it can be read by 0.3 clients too. */
import type * as AgentCard from "../../../AgentCard.ts"
import type * as Protocol from "../../../Dialect.ts"
import { is03, reading, writeCapabilities, writeCommon, writeInterfaces03, writeSkills } from "../card.ts"
import { codec } from "../codec.ts"
import { writeRequirement, writeScheme } from "../security.ts"
import * as Wire from "../wireSchema.ts"

/** What a 0.3 client looks for beside the members that both editions share. */
const hybrid = (card: AgentCard.AgentCard, of03: ReadonlyArray<AgentCard.AgentInterface>) => ({
  ...writeInterfaces03(of03),
  ...Wire.compact({
    supportsAuthenticatedExtendedCard: card.capabilities.extendedAgentCard,
    security: card.securityRequirements
  })
})

const write = (card: AgentCard.AgentCard): Wire.JsonObject => {
  const of03 = card.supportedInterfaces.filter(is03)
  const mapValues = Object.entries(card.securitySchemes ?? {}).map(([name, scheme]) => [name, writeScheme(scheme)])
  return {
    ...(of03.length > 0 ? hybrid(card, of03) : undefined),
    ...writeCommon(card),
    supportedInterfaces: card.supportedInterfaces.map((one) => Wire.compact(one)),
    capabilities: writeCapabilities(card.capabilities),
    ...writeSkills(card, (requirements) => ({
      securityRequirements: requirements.map(writeRequirement),
      ...(of03.length > 0 ? { security: requirements } : undefined)
    })),
    ...Wire.compact({
      securitySchemes: Object.fromEntries(mapValues),
      securityRequirements: card.securityRequirements?.map(writeRequirement)
    })
  }
}

export const agentCard: Protocol.Codec<AgentCard.AgentCard> = codec({ ...reading, write })

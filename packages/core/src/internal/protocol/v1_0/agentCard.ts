/** The card of 1.0 (A2A 1.0 §4.4); one that lists an interface of 0.3 can be read by 0.3 clients too. */
import type * as AgentCard from "../../../AgentCard.ts"
import type * as Dialect from "../../../Dialect.ts"
import { cardDecoder, is03, writeCapabilities, writeCommon, writeInterfaces03, writeSkills } from "../card.ts"
import { makeCodec } from "../codec.ts"
import { writeRequirement, writeScheme } from "../security.ts"
import * as Wire from "../wireSchema.ts"

/** Writes the members that only 0.3 clients read. */
const writeMembers03 = (card: AgentCard.AgentCard, of03: ReadonlyArray<AgentCard.AgentInterface>) => ({
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
    ...(of03.length > 0 ? writeMembers03(card, of03) : undefined),
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

export const agentCard: Dialect.Codec<AgentCard.AgentCard> = makeCodec(cardDecoder, write)

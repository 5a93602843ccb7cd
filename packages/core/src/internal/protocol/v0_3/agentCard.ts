/** The card of 0.3, which lists the interfaces of 0.3, or all if the card has none of 0.3. */
import type * as AgentCard from "../../../AgentCard.ts"
import type * as Dialect from "../../../Dialect.ts"
import { cardDecoder, is03, writeCapabilities, writeCommon, writeInterfaces03, writeSkills } from "../card.ts"
import { makeCodec } from "../codec.ts"
import { writeTypedScheme } from "../security.ts"
import * as Wire from "../wireSchema.ts"

const write = (card: AgentCard.AgentCard): Wire.JsonObject => {
  const of03 = card.supportedInterfaces.filter(is03)
  const { extendedAgentCard, ...capabilities } = card.capabilities
  const schemes = Object.entries(card.securitySchemes ?? {}).map(([name, scheme]) => [name, writeTypedScheme(scheme)])
  return {
    ...writeInterfaces03(of03.length > 0 ? of03 : card.supportedInterfaces),
    ...writeCommon(card),
    capabilities: writeCapabilities(capabilities),
    ...writeSkills(card, (security) => ({ security })),
    ...Wire.compact({
      supportsAuthenticatedExtendedCard: extendedAgentCard,
      securitySchemes: Object.fromEntries(schemes),
      security: card.securityRequirements
    })
  }
}

export const agentCard: Dialect.Codec<AgentCard.AgentCard> = makeCodec(cardDecoder, write)

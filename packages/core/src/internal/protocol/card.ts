/** Agent cards: one reader for 1.0, 0.3 and hybrids (1.0 members win), and the shared part of the writers. */
import * as Schema from "effect/Schema"
import type * as AgentCard from "../../AgentCard.ts"
import type { Metadata } from "../../Metadata.ts"
import { makeDecoder, type Variant, variant } from "./codec.ts"
import { readRequirements, readSchemes } from "./security.ts"
import * as Wire from "./wireSchema.ts"

const json = Wire.optional(Schema.Unknown)
const version = Wire.optional(Schema.Union([Schema.String, Schema.Finite]))

const schema = () =>
  Wire.struct({
    name: Wire.id,
    description: Wire.text,
    version: Wire.text,
    supportedInterfaces: Wire.optional(Schema.Array(Wire.struct({
      url: Wire.text,
      protocolBinding: Wire.text,
      protocolVersion: version,
      tenant: Wire.text
    }))),
    provider: Wire.optional(Wire.struct({ url: Wire.text, organization: Wire.text })),
    documentationUrl: Wire.text,
    iconUrl: Wire.text,
    capabilities: Wire.optional(Wire.struct({
      streaming: Wire.flag,
      pushNotifications: Wire.flag,
      extendedAgentCard: Wire.flag,
      extensions: Wire.optional(Schema.Array(Wire.struct({
        uri: Schema.String,
        description: Wire.text,
        required: Wire.flag,
        params: Wire.metadata
      })))
    })),
    securitySchemes: json,
    securityRequirements: json,
    defaultInputModes: Wire.texts,
    defaultOutputModes: Wire.texts,
    skills: Wire.optional(Schema.Array(Wire.struct({
      id: Schema.String,
      name: Wire.text,
      description: Wire.text,
      tags: Wire.texts,
      examples: Wire.texts,
      inputModes: Wire.texts,
      outputModes: Wire.texts,
      securityRequirements: json,
      security: json
    }))),
    signatures: Wire.optional(Schema.Array(Wire.struct({
      protected: Schema.String,
      signature: Schema.String,
      header: Wire.metadata
    }))),
    // of 0.3
    protocolVersion: version,
    url: Wire.text,
    preferredTransport: Wire.text,
    additionalInterfaces: Wire.optional(Schema.Array(Wire.struct({ url: Wire.text, transport: Wire.text }))),
    supportsAuthenticatedExtendedCard: Wire.flag,
    security: json
  })

type WireCard = ReturnType<typeof schema>["Type"]

/** Returns a version as `major.minor`: peers write `1`, `v1.0` and `1.0.1` too. Other words are returned as they are. */
export const minor = (version: string | number): string => {
  const [, major, minor = "0"] =
    /^\s*v?(\d{1,3})(?:\.(\d{1,3}))?(?:\.\d+)*(?:[-+][\w.+-]*)?\s*$/i.exec(String(version)) ?? []
  return major === undefined ? String(version) : `${Number(major)}.${Number(minor)}`
}

/** The main interface may be repeated among the others. */
const interfacesOf03 = (card: WireCard): ReadonlyArray<AgentCard.AgentInterface> => {
  const protocolVersion = minor(card.protocolVersion || "0.3")
  const all = [{ url: card.url, transport: card.preferredTransport }, ...card.additionalInterfaces ?? []]
    .flatMap(({ transport, url }) => url ? [{ url, protocolBinding: transport || "JSONRPC", protocolVersion }] : [])
  return [...new Map(all.map((one) => [JSON.stringify([one.url, one.protocolBinding]), one])).values()]
}

const interfaces = (card: WireCard): ReadonlyArray<AgentCard.AgentInterface> => {
  const own = (card.supportedInterfaces ?? []).flatMap(({ protocolBinding, protocolVersion, tenant, url }) =>
    url && protocolBinding
      ? [Wire.compact({ url, protocolBinding, protocolVersion: minor(protocolVersion || "1.0"), tenant })]
      : []
  )
  return own.length > 0 ? own : interfacesOf03(card)
}

const readCapabilities = (card: WireCard): AgentCard.AgentCapabilities =>
  Wire.compact({
    streaming: card.capabilities?.streaming,
    pushNotifications: card.capabilities?.pushNotifications,
    extendedAgentCard: card.capabilities?.extendedAgentCard ?? card.supportsAuthenticatedExtendedCard,
    extensions: card.capabilities?.extensions?.map(({ description, params, required, uri }) => ({
      uri,
      ...Wire.compact({ description, required, params: params as Metadata | undefined })
    }))
  })

const readSkill = (skill: NonNullable<WireCard["skills"]>[number]): AgentCard.AgentSkill => ({
  id: skill.id,
  name: skill.name ?? skill.id,
  description: skill.description ?? "",
  tags: skill.tags ?? [],
  ...Wire.compact({
    examples: skill.examples,
    inputModes: skill.inputModes,
    outputModes: skill.outputModes,
    securityRequirements: readRequirements(skill.securityRequirements ?? skill.security)
  })
})

const read = (card: WireCard): AgentCard.AgentCard | undefined => {
  const supportedInterfaces = interfaces(card)
  return supportedInterfaces.length === 0 ? undefined : {
    name: card.name,
    description: card.description ?? "",
    version: card.version ?? "",
    supportedInterfaces,
    capabilities: readCapabilities(card),
    defaultInputModes: card.defaultInputModes ?? [],
    defaultOutputModes: card.defaultOutputModes ?? [],
    skills: (card.skills ?? []).map(readSkill),
    ...Wire.compact({
      provider: card.provider && { url: card.provider.url ?? "", organization: card.provider.organization ?? "" },
      documentationUrl: card.documentationUrl,
      iconUrl: card.iconUrl,
      securitySchemes: readSchemes(card.securitySchemes),
      securityRequirements: readRequirements(card.securityRequirements ?? card.security),
      signatures: card.signatures?.map(({ header, protected: payload, signature }) => ({
        protected: payload,
        signature,
        ...Wire.compact({ header: header as Metadata | undefined })
      }))
    })
  }
}

const variants = (): ReadonlyArray<Variant<AgentCard.AgentCard>> => [variant(schema(), read)]

/** The decoder of cards, the same in all versions. */
export const cardDecoder = makeDecoder({
  message: "must be an agent card",
  variants,
  missingField: { field: "supportedInterfaces", description: "must have an interface with a URL and a binding" }
})

/** Returns true if the interface speaks 0.3. */
export const is03 = ({ protocolVersion }: AgentCard.AgentInterface): boolean => minor(protocolVersion) === "0.3"

/** Writes interfaces as 0.3 lists them: the main one apart from the others. */
export const writeInterfaces03 = (all: ReadonlyArray<AgentCard.AgentInterface>): Wire.JsonObject => {
  const [main, ...others] = all
  return {
    protocolVersion: "0.3.0",
    url: main?.url ?? "",
    preferredTransport: main?.protocolBinding ?? "JSONRPC",
    ...Wire.compact({
      additionalInterfaces: others.map(({ protocolBinding, url }) => ({ url, transport: protocolBinding }))
    })
  }
}

/** Writes the members that both versions share. REQUIRED members are written even if they are empty. */
export const writeCommon = (card: AgentCard.AgentCard): Wire.JsonObject => ({
  name: card.name,
  description: card.description,
  version: card.version,
  defaultInputModes: card.defaultInputModes,
  defaultOutputModes: card.defaultOutputModes,
  ...Wire.compact({
    provider: card.provider && { ...card.provider },
    documentationUrl: card.documentationUrl,
    iconUrl: card.iconUrl,
    signatures: card.signatures?.map((signature) => ({ ...signature }))
  })
})

export const writeCapabilities = ({ extensions, ...capabilities }: AgentCard.AgentCapabilities): Wire.JsonObject =>
  Wire.compact({
    ...capabilities,
    extensions: extensions?.map(({ required, uri, ...rest }) => ({
      uri,
      ...Wire.compact({ ...rest, required: required || undefined })
    }))
  })

/** Writes skills. `writeSecurity` returns the members that name a skill's requirements. */
export const writeSkills = (
  card: AgentCard.AgentCard,
  writeSecurity: (requirements: NonNullable<AgentCard.AgentSkill["securityRequirements"]>) => Wire.JsonObject
): Wire.JsonObject => ({
  skills: card.skills.map(({ description, id, name, securityRequirements, tags, ...rest }) => ({
    id,
    name,
    description,
    tags,
    ...Wire.compact(rest),
    ...(securityRequirements === undefined ? undefined : writeSecurity(securityRequirements))
  }))
})

/** Which interface of a card to speak to, of those that can be spoken to. */
import * as Arr from "effect/Array"
import * as Result from "effect/Result"
import type * as AgentCard from "../../AgentCard.ts"
import * as AgentError from "../../AgentError.ts"
import type * as Protocol from "../../Dialect.ts"
import type { HttpBinding } from "../binding.ts"
import { minor } from "../protocol/card.ts"

export interface Installed {
  readonly bindings: Arr.NonEmptyReadonlyArray<HttpBinding>
  readonly protocols: Arr.NonEmptyReadonlyArray<Protocol.Protocol>
}

export interface Choice {
  readonly target: AgentCard.AgentInterface
  readonly binding: HttpBinding
  readonly protocol: Protocol.Protocol
}

const versions = (all: ReadonlyArray<string>) => [...new Set(all)].join(" and ")

const incompatible = (card: AgentCard.AgentCard, { bindings, protocols }: Installed) => {
  const spoken = versions(protocols.map(({ version }) => version))
  const written = versions(card.supportedInterfaces.map(({ protocolVersion }) => minor(protocolVersion)))
  const offered = card.supportedInterfaces.map((one) => `${one.protocolBinding} ${minor(one.protocolVersion)}`)
  const installed = protocols.flatMap(({ version }) => bindings.map((one) => `${one.protocolBinding} ${version}`))
  const isOfOther = !card.supportedInterfaces.some((one) =>
    protocols.some(({ version }) => version === minor(one.protocolVersion))
  )
  const why = isOfOther
    ? `the card is A2A ${written}, this client speaks ${spoken}`
    : "no interface of the card can be spoken to"
  return new AgentError.NoCompatibleInterfaceError({
    message: `${why}: offered are ${offered.join(", ") || "none"}; installed are ${installed.join(", ")}`,
    offered,
    installed
  })
}

/** All that fit, in the card's order, which is the agent's preference. Bindings are named without regard to case. */
export const choices = (
  card: AgentCard.AgentCard,
  installed: Installed
): Result.Result<Arr.NonEmptyReadonlyArray<Choice>, AgentError.NoCompatibleInterfaceError> => {
  const all = card.supportedInterfaces.flatMap((target): ReadonlyArray<Choice> => {
    const name = target.protocolBinding.toLowerCase()
    const binding = installed.bindings.find((one) => one.protocolBinding.toLowerCase() === name)
    const protocol = installed.protocols.find(({ version }) => version === minor(target.protocolVersion))
    return binding === undefined || protocol === undefined ? [] : [{ target, binding, protocol }]
  })
  return Arr.isReadonlyArrayNonEmpty(all) ? Result.succeed(all) : Result.fail(incompatible(card, installed))
}

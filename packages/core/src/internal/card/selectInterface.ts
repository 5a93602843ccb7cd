/** Selects the interfaces of a card that the installed bindings and protocol versions can use. */
import * as Arr from "effect/Array"
import * as Result from "effect/Result"
import type * as AgentCard from "../../AgentCard.ts"
import * as AgentError from "../../AgentError.ts"
import type * as ClientProtocol from "../../ClientProtocol.ts"
import type { HttpBinding } from "../../HttpBinding.ts"
import { cut } from "../errors/excerpt.ts"
import { minor } from "../protocol/card.ts"

/** The bindings and protocol versions of this client. */
export interface Installed {
  readonly bindings: Arr.NonEmptyReadonlyArray<HttpBinding>
  readonly protocols: Arr.NonEmptyReadonlyArray<ClientProtocol.ClientProtocol>
}

/** An interface with the binding and the protocol version that it needs. */
export interface Compatible {
  readonly target: AgentCard.AgentInterface
  readonly binding: HttpBinding
  readonly protocol: ClientProtocol.ClientProtocol
}

const maxName = 100

/** A card may list any number of interfaces; an error names the first ones. */
const maxNamed = 20

const versions = (all: ReadonlyArray<string>) => [...new Set(all)].join(" and ")

const incompatible = (card: AgentCard.AgentCard, { bindings, protocols }: Installed) => {
  const first = card.supportedInterfaces.slice(0, maxNamed)
  const ours = versions(protocols.map(({ version }) => version))
  const theirs = versions(first.map(({ protocolVersion }) => cut(minor(protocolVersion), maxName)))
  const offered = first.map((one) => cut(`${one.protocolBinding} ${minor(one.protocolVersion)}`, maxName))
  const installed = protocols.flatMap(({ version }) => bindings.map((one) => `${one.protocolBinding} ${version}`))
  const sharesVersion = card.supportedInterfaces.some((one) =>
    protocols.some(({ version }) => version === minor(one.protocolVersion))
  )
  const why = sharesVersion
    ? "no compatible interface on the card"
    : `the card is for A2A ${theirs}, this client for ${ours}`
  return new AgentError.NoCompatibleInterfaceError({
    message: `${why}: offered are ${offered.join(", ") || "none"}; installed are ${installed.join(", ")}`,
    offered,
    installed
  })
}

/** Returns all that are compatible, in the order of the card, which the agent prefers. Names ignore case. */
export const compatibleInterfaces = (
  card: AgentCard.AgentCard,
  installed: Installed
): Result.Result<Arr.NonEmptyReadonlyArray<Compatible>, AgentError.NoCompatibleInterfaceError> => {
  const all = card.supportedInterfaces.flatMap((target): ReadonlyArray<Compatible> => {
    const name = target.protocolBinding.toLowerCase()
    const binding = installed.bindings.find((one) => one.protocolBinding.toLowerCase() === name)
    const protocol = installed.protocols.find(({ version }) => version === minor(target.protocolVersion))
    return binding === undefined || protocol === undefined ? [] : [{ target, binding, protocol }]
  })
  return Arr.isReadonlyArrayNonEmpty(all) ? Result.succeed(all) : Result.fail(incompatible(card, installed))
}

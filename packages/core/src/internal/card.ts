/** The public agent card: where it is looked for, and how it is read. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as AgentCard from "../AgentCard.ts"
import * as AgentError from "../AgentError.ts"
import type * as Protocol from "./protocol/contract.ts"
import * as Exchange from "./exchange.ts"
import * as Request from "./request.ts"

const wellKnown = ["/.well-known/agent-card.json", "/.well-known/agent.json"]

/** Below the agent's own URL first, then below the origin; the older name last. */
const places = (base: URL): ReadonlyArray<URL> => {
  const hrefs = wellKnown.flatMap((path) => [
    Request.join(base, { path, query: [] }).href,
    new URL(path, base.origin).href
  ])
  return [...new Set(hrefs)].map((href) => new URL(href))
}

const malformed = (protocol: Protocol.Protocol, message: string, issue: string) =>
  new AgentError.MalformedResponseError({ message, dialect: `A2A ${protocol.version} card`, issue })

const decode = (protocol: Protocol.Protocol, answer: Exchange.Answer): Result.Result<
  AgentCard.AgentCard,
  AgentError.AgentErrorReason
> => {
  if (Result.isFailure(answer.body)) {
    return Result.fail(malformed(protocol, "the agent card is not JSON", answer.body.failure))
  }
  return Result.mapError(protocol.agentCard.decode(answer.body.success), (violations) => {
    const issue = AgentError.describe(violations)
    return malformed(protocol, `the agent card cannot be read: ${issue}`, issue)
  })
}

/** Fetches the card from `url`, or else from the well-known places; a place that answers 404 is passed over. */
export const get = Effect.fnUntraced(function*(peer: Exchange.Peer, url: string | undefined) {
  const [first, ...others] = url === undefined ? places(peer.base) : [new URL(url, peer.base)]
  const ask = Effect.fnUntraced(function*(place: URL) {
    const frame = { method: "GET", path: "", query: [], body: undefined } as const
    const response = yield* Exchange.execute({ ...peer, base: place }, frame, "application/json")
    return { place, answer: yield* Exchange.read(response, peer.maxResponseSize) }
  })
  let found = yield* ask(first!)
  for (const place of others) {
    if (found.answer.response.status !== 404) break
    found = yield* ask(place)
  }
  const { answer, place } = found
  return answer.response.status >= 400
    ? yield* Effect.fail(
      yield* Exchange.refusal({ message: `no agent card at ${Request.publicUrl(place)}` }, answer.response, false)
    )
    : yield* Effect.fromResult(decode(peer.protocol, answer))
})

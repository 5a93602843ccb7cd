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

const isMissing = ({ answer }: Found) => [404, 405, 410].includes(answer.response.status)

interface Found {
  readonly place: URL
  readonly answer: Exchange.Answer
}

const describe = ({ answer, place }: Found) => `${Request.publicUrl(place)} (${answer.response.status})`

/** Fetches the card from `url`, or else from the well-known places; one that has none is passed over. */
export const get = Effect.fnUntraced(function*(peer: Exchange.Peer, url: string | undefined) {
  const found: Array<Found> = []
  for (const place of url === undefined ? places(peer.base) : [new URL(url, peer.base)]) {
    const frame = { method: "GET", path: "", query: [], body: undefined } as const
    const response = yield* Exchange.execute({ ...peer, base: place }, frame, "application/json")
    found.push({ place, answer: yield* Exchange.read(response, peer.maxResponseSize) })
    if (!isMissing(found.at(-1)!)) break
  }
  const last = found.at(-1)!
  const { body, response } = last.answer
  if (response.status < 400) return yield* Effect.fromResult(decode(peer.protocol, last.answer))
  const said = Result.isSuccess(body) ? peer.protocol.rest.failure.decode(body.success) : undefined
  const failure = isMissing(last)
    ? { message: `no agent card at ${found.map(describe).join(", ")}` }
    : said ?? { message: `the agent card is refused at ${describe(last)}` }
  return yield* Effect.fail(yield* Exchange.refusal(failure, response, false))
})

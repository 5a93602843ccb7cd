/** Fetches the public agent card and keeps it as long as HTTP allows. Tested in `test/discovery`. */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type * as AgentCard from "../../AgentCard.ts"
import * as AgentError from "../../AgentError.ts"
import type { CardVerifier } from "../../CardVerifier.ts"
import type * as ClientProtocol from "../../ClientProtocol.ts"
import * as HttpPeer from "../../HttpPeer.ts"
import * as ServiceParameters from "../../ServiceParameters.ts"
import { publicUrl } from "../errors/publicUrl.ts"
import * as Refusal from "../http/refusal.ts"
import * as Request from "../http/request.ts"
import * as Unexpected from "../http/unexpected.ts"
import * as Cache from "./httpCache.ts"
import * as Origins from "./origins.ts"

const wellKnown = ["/.well-known/agent-card.json", "/.well-known/agent.json"] as const

/**
 * Returns where to look for a card: below the URL first, then below its origin, the older name last. A URL that ends like
 * a card's is the only place, and so is `path` below the URL; an empty path stands for the URL.
 */
export const places = (base: URL, path?: string | undefined): Places => {
  if (path !== undefined) return [Request.join(base, { path: path.replace(/^(?=[^/])/, "/"), query: [] })]
  if (wellKnown.some((path) => base.pathname.endsWith(path))) return [base]
  const hrefs = Arr.flatMap(wellKnown, (path) =>
    [
      Request.join(base, { path, query: [] }).href,
      new URL(path, base.origin).href
    ] as const)
  return Arr.map(Arr.dedupe(hrefs), (href) => new URL(href))
}

const decode = (
  protocol: ClientProtocol.ClientProtocol,
  { answer: { body, text }, received }: Found
): Result.Result<AgentCard.AgentCard, AgentError.AgentErrorReason> => {
  const dialect = `A2A ${protocol.version} card`
  if (Result.isFailure(body)) {
    const expected = "an agent card"
    return Result.fail(Unexpected.make({ received, text, expected, dialect, issue: body.failure }))
  }
  return Result.mapError(protocol.agentCard.decode(body.success), (violations) => {
    const issue = AgentError.describe(violations)
    const message = `invalid agent card: ${issue}`
    return Unexpected.locate(received)(new AgentError.MalformedResponseError({ message, dialect, issue }))
  })
}

/** Reads a card, with a verifier from what it trusts of the document. */
const readCard = (
  { protocol }: HttpPeer.A2aPeer,
  found: Found,
  verifier: CardVerifier | undefined
): Effect.Effect<AgentCard.AgentCard, AgentError.AgentErrorReason> => {
  const read = (body: HttpPeer.JsonResponse["body"]) =>
    Effect.fromResult(decode(protocol, { ...found, answer: { ...found.answer, body } }))
  const { body } = found.answer
  // another document is reported as such
  return verifier === undefined || Result.isFailure(body) ? read(body) : read(body).pipe(
    Effect.andThen(
      verifier.verify(body.success, { url: publicUrl(found.place) }).pipe(Effect.mapError(found.received.redact))
    ),
    Effect.flatMap((trusted) => read(Result.succeed(trusted)))
  )
}

/** True for a page in place of a card: servers of web applications respond so at any path. */
const isPage = ({ answer, received }: Found) =>
  answer.response.status < 400 && Result.isFailure(answer.body) && HttpPeer.mediaType(received.response) === "text/html"

const isMissing = ({ answer }: Found) => [404, 405, 410].includes(answer.response.status)

type Places = Arr.NonEmptyReadonlyArray<URL>

interface Found {
  readonly place: URL
  readonly received: HttpPeer.Received
  readonly answer: HttpPeer.JsonResponse
}

const describe = ({ answer, place }: Found) => `${publicUrl(place)} (HTTP ${answer.response.status})`

/** A card that may be kept. */
interface Kept {
  readonly place: URL
  readonly card: AgentCard.AgentCard
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly until: number
}

/** Makes URLs of interfaces absolute, since a card may name them by path alone. They are in errors, hence without secrets. */
const resolveUrls = (card: AgentCard.AgentCard, { place, received }: Found): AgentCard.AgentCard => ({
  ...card,
  supportedInterfaces: received.redact(
    card.supportedInterfaces.map((one) =>
      /^\.{0,2}\//.test(one.url) ? { ...one, url: URL.parse(one.url, place)?.href ?? one.url } : one
    )
  )
})

/** Moves a peer to another place; credentials are for the agent's origin only. */
const peerAt = (peer: HttpPeer.A2aPeer, base: URL): HttpPeer.A2aPeer =>
  base.origin === peer.base.origin ? { ...peer, base } : { ...peer, base, credentials: anonymous }

const anonymous: HttpPeer.A2aPeer["credentials"] = {
  get: () => Effect.succeed([]),
  renew: () => Effect.succeed(false)
}

/** Tries one place after the other until one has a card. */
const fetch = Effect.fnUntraced(
  function*(
    peer: HttpPeer.A2aPeer,
    places: Places,
    verifier: CardVerifier | undefined,
    kept: Kept | undefined
  ): Effect.fn.Return<
    { readonly card: AgentCard.AgentCard; readonly kept: Kept | undefined },
    AgentError.AgentErrorReason
  > {
    const found: Array<Found> = []
    for (const place of kept === undefined ? places : [kept.place, ...places.filter((place) => place !== kept.place)]) {
      const frame = { method: "GET", path: "", query: [], body: undefined } as const
      const headers = place === kept?.place ? Cache.conditions(kept.headers) : {}
      const received = yield* HttpPeer.exchange(peerAt(peer, place), frame, "application/json").pipe(
        ServiceParameters.provide({ headers })
      )
      found.push({ place, received, answer: yield* HttpPeer.read(received.response, peer.maxResponseSize) })
      if (!isMissing(found.at(-1)!) && !isPage(found.at(-1)!)) break
    }
    const end = found.at(-1)!
    const last = isMissing(end) || isPage(end) ? found.find(isPage) ?? end : end
    const { body, response } = last.answer
    if (response.status < 400) {
      const card = response.status === 304 && kept !== undefined
        ? kept.card
        : Origins.addSource(
          resolveUrls(yield* readCard(peer, last, verifier), last),
          peer.base.origin
        )
      const until = Cache.freshUntil(response.headers, yield* Clock.currentTimeMillis)
      const headers = { ...kept?.headers, ...response.headers }
      return { card, kept: until === undefined ? undefined : { place: last.place, card, headers, until } }
    }
    const said = Result.isSuccess(body) ? peer.protocol.http.failure.decode(body.success) : undefined
    const failure = isMissing(last)
      ? { message: `no agent card at ${found.map(describe).join(", ")}` }
      : said ?? { message: `the agent refused its card at ${describe(last)}` }
    return yield* Effect.fail(
      yield* Refusal.fromResponse(failure, last.received, { ofTask: false, dialect: "agent card" })
    )
  }
)

/** Fetches the card from the first place that has it. A single request serves all waiting calls. */
export const from = (
  peer: HttpPeer.A2aPeer,
  places: Places,
  verifier: CardVerifier | undefined
): Effect.Effect<AgentCard.AgentCard, AgentError.AgentErrorReason> => {
  const lock = Semaphore.makeUnsafe(1)
  let kept: Kept | undefined
  return lock.withPermits(1)(
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      kept !== undefined && now < kept.until ?
        Effect.succeed(kept.card) :
        Effect.map(fetch(peer, places, verifier, kept), (fetched) => {
          kept = fetched.kept
          return fetched.card
        }))
  )
}

/** Fetches the card from `url`, or without one from the well-known places. */
export const get = (peer: HttpPeer.A2aPeer, url: string | undefined, verifier: CardVerifier | undefined) => {
  const place = url === undefined ? undefined : URL.parse(url, peer.base)
  if (place === null) {
    return Effect.fail(
      new AgentError.InvalidRequestError({
        message: `invalid agent card URL: ${publicUrl(String(url))}`,
        violations: [{ field: "agentCardUrl", description: "a URL" }]
      })
    )
  }
  return from(peer, place === undefined ? places(peer.base) : [place], verifier)
}

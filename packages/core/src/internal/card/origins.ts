/**
 * The origins that a card may lead to. Whoever writes a card, a public document, would otherwise choose where the caller's
 * credentials go. Tested in `test/discovery/origins.test.ts`.
 */
import * as Arr from "effect/Array"
import * as Result from "effect/Result"
import type * as AgentCard from "../../AgentCard.ts"
import * as AgentError from "../../AgentError.ts"
import { publicUrl } from "../errors/publicUrl.ts"
import type { Compatible } from "./selectInterface.ts"

/** The origin that a received card came from, by its interfaces: a copy of a card still has them. */
const sources = /*#__PURE__*/ new WeakMap<AgentCard.AgentInterface, string>()

/** Notes the origin that a card came from. */
export const receivedFrom = (card: AgentCard.AgentCard, origin: string): AgentCard.AgentCard => {
  for (const one of card.supportedInterfaces) sources.set(one, origin)
  return card
}

const originOf = (url: string): string => {
  const origin = URL.parse(url)?.origin ?? "null"
  return origin === "null" ? publicUrl(url) : origin
}

/** Returns the origin of an interface if it is neither that of the card nor allowed. A program's own card is trusted. */
export const foreign = (target: AgentCard.AgentInterface, allow: ReadonlyArray<string> = []): string | undefined => {
  const source = sources.get(target)
  const origin = originOf(target.url)
  return source === undefined || source === origin || allow.some((one) => originOf(one) === origin) ? undefined : origin
}

/** Returns the interfaces that may be used. Fails if there is none, with the origins of the first. */
export const permitted = (
  all: Arr.NonEmptyReadonlyArray<Compatible>,
  allow: ReadonlyArray<string>
): Result.Result<Arr.NonEmptyReadonlyArray<Compatible>, AgentError.InvalidRequestError> => {
  const own = all.filter(({ target }) => foreign(target, allow) === undefined)
  if (Arr.isReadonlyArrayNonEmpty(own)) return Result.succeed(own)
  const [first] = all
  const origin = originOf(first.target.url)
  return Result.fail(
    new AgentError.InvalidRequestError({
      message: `the card of ${sources.get(first.target)} names an interface on another origin, ${origin}: ` +
        "allow that origin if your credentials may be sent there",
      violations: [{ field: "allow", description: `must contain "${origin}"` }]
    })
  )
}

/**
 * The origins that a card may lead to. Whoever writes a card, a public document, would otherwise choose where the caller's
 * credentials go. Tested in `test/discovery/origins.test.ts`.
 */
import * as Arr from "effect/Array"
import * as Result from "effect/Result"
import type * as AgentCard from "../../AgentCard.ts"
import * as AgentError from "../../AgentError.ts"
import { cut } from "../errors/excerpt.ts"
import { publicUrl } from "../errors/publicUrl.ts"
import type { Compatible } from "./selectInterface.ts"

/** The member of a received interface that holds the origin it came from: a copy of the card still has the interface. */
const Source = Symbol("@effect-a2a/core/AgentInterface/source")

interface Received extends AgentCard.AgentInterface {
  readonly [Source]?: string
}

/** Notes the origin that a card came from, where no copy to JSON and no comparison finds it. */
export const addSource = (card: AgentCard.AgentCard, origin: string): AgentCard.AgentCard => {
  for (const one of card.supportedInterfaces) Object.defineProperty(one, Source, { value: origin })
  return card
}

const originOf = (url: string): string => {
  const origin = URL.parse(url)?.origin ?? "null"
  return origin === "null" ? publicUrl(url) : origin
}

/** Returns the origin of an interface if it is neither that of the card nor allowed. A program's own card is trusted. */
export const foreign = (target: Received, allow: ReadonlyArray<string> = []): string | undefined => {
  const source = target[Source]
  const origin = originOf(target.url)
  return source === undefined || source === origin || allow.some((one) => originOf(one) === origin) ? undefined : origin
}

/** The characters of an origin in an error: names of hosts have no more. */
const maxOrigin = 255

/** Returns the interfaces that may be used. Without one it fails, with the origins of the first. */
export const choose = (
  all: Arr.NonEmptyReadonlyArray<Compatible>,
  allow: ReadonlyArray<string>
): Result.Result<Arr.NonEmptyReadonlyArray<Compatible>, AgentError.InvalidRequestError> => {
  const own = all.filter(({ target }) => foreign(target, allow) === undefined)
  if (Arr.isReadonlyArrayNonEmpty(own)) return Result.succeed(own)
  const target: Received = all[0].target
  const origin = cut(originOf(target.url), maxOrigin)
  return Result.fail(
    new AgentError.InvalidRequestError({
      message: `the card of ${target[Source]} names an interface on another origin, ${origin}: ` +
        "allow that origin if your credentials may be sent there",
      violations: [{ field: "allow", description: `must contain "${origin}"` }]
    })
  )
}

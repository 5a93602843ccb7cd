/** The origins that credentials may be sent to: that of the card, and those that the user allows. */
import type * as AgentCard from "@effect-a2a/core/AgentCard"
import * as AgentError from "@effect-a2a/core/AgentError"
import * as Effect from "effect/Effect"
import { UsageError } from "./exit.ts"
import type { Place } from "./target.ts"

const originOf = (url: string): string | undefined => /^https?:/i.test(url) ? URL.parse(url)?.origin : undefined

/** Reads the origins of `--allow-origin`. Fails with a `UsageError` if one is invalid. */
export const read = (texts: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>, UsageError> =>
  Effect.forEach(texts, (text) => {
    const origin = originOf(text)
    return origin === undefined
      ? new UsageError({ message: `invalid --allow-origin ${text}: expected an origin such as https://agent.example` })
      : Effect.succeed(origin)
  })

/** Returns the origin of an interface that a card names and the user did not allow. */
export const foreign = (
  place: Place,
  allowed: ReadonlyArray<string>,
  { url }: AgentCard.AgentInterface
): string | undefined => {
  if (place._tag !== "Card") return undefined
  const origin = originOf(url) ?? url
  return origin === originOf(place.url) || allowed.includes(origin) ? undefined : origin
}

/** Fails with `InvalidRequestError` for such an interface, before anything is sent there. */
export const check = (
  place: Place,
  allowed: ReadonlyArray<string>,
  target: AgentCard.AgentInterface
): Effect.Effect<void, AgentError.AgentError> => {
  const origin = foreign(place, allowed, target)
  return origin === undefined || place._tag !== "Card" ? Effect.void : Effect.fail(
    AgentError.make("discover", "InvalidRequestError", {
      message: `the card at ${originOf(place.url) ?? "this URL"} names an interface on another origin, ${origin}: ` +
        `add --allow-origin ${origin} if your credentials may be sent there`,
      violations: [{ field: "url", description: "the origin of the card, or an allowed one" }]
    })
  )
}

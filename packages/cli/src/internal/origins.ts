/** Further origins that credentials may be sent to. */
import * as AgentError from "@effect-a2a/core/AgentError"
import * as Effect from "effect/Effect"
import { UsageError } from "./exit.ts"

const originOf = (url: string): string | undefined => /^https?:/i.test(url) ? URL.parse(url)?.origin : undefined

/** Reads the origins of `--allow-origin`. Fails with a `UsageError` if one is invalid. */
export const read = (texts: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>, UsageError> =>
  Effect.forEach(texts, (text) => {
    const origin = originOf(text)
    return origin === undefined
      ? new UsageError({ message: `invalid --allow-origin ${text}: expected an origin such as https://agent.example` })
      : Effect.succeed(origin)
  })

/** Names the flag in the refusal of an interface on an origin that is not allowed. */
export const explain = (error: AgentError.AgentError): AgentError.AgentError =>
  AgentError.mapReason(error, (reason) => {
    const [violation] = reason._tag === "InvalidRequestError" ? reason.violations ?? [] : []
    const [, origin] = violation?.field === "allow" ? /"(.*)"/.exec(violation.description) ?? [] : []
    return origin === undefined
      ? reason
      : AgentError.withFields(reason, { message: `${reason.message}: --allow-origin ${origin}` })
  })

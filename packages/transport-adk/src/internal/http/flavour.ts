/** Detects the kind of an ADK server. Tested in packages/transport-adk/test/client.test.ts. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { AdkErrorReason } from "../../AdkError.ts"
import type { Flavour } from "../../AdkSession.ts"
import type * as Http from "./http.ts"

/** The request for the server's version. */
export const versionRequest = (operation: string): Http.Request => ({ operation, method: "GET", path: ["version"] })

/** A refusal identifies a server too: only Python answers `{"detail":"Not Found"}`. */
const fromVersion = (status: number, body: Result.Result<unknown, string>): Flavour => {
  const json = Result.getOrUndefined(body)
  if (!Predicate.isReadonlyObject(json)) return "other"
  const { detail, language, version } = json
  if (status === 404) return detail === "Not Found" ? "python-1" : "other"
  if (language === "python") return "python"
  return Predicate.isString(version) && (language === undefined || language === "javascript") ? "javascript" : "other"
}

/** Creates an effect that returns the configured flavour, or asks the server and remembers the first response. */
export const make = (http: Http.Http, configured: Flavour | undefined): Effect.Effect<Flavour, AdkErrorReason> => {
  const request = versionRequest("flavour")
  let known = configured
  return Effect.gen(function*() {
    if (known !== undefined) return known
    const answer = yield* http.fetch(request)
    const { status } = answer.response
    if (status >= 400 && status !== 404) return yield* Effect.fail(yield* http.toRefusal(request, answer))
    known = fromVersion(status, answer.body)
    return known
  })
}

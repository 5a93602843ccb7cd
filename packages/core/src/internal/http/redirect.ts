/** Follows redirects within an origin and refuses them beyond it, since credentials belong to one origin. */
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Result from "effect/Result"
import * as AgentError from "../../AgentError.ts"
import type { HttpRequest } from "../../HttpBinding.ts"
import { publicUrl } from "../errors/publicUrl.ts"
import * as Json from "./json.ts"

const max = 5

/** A request on its way through redirects. */
export interface Place {
  readonly base: URL
  readonly request: HttpRequest
  readonly redirects: number
}

const keepsMethod = (status: number) => status === 307 || status === 308
const isRedirect = (status: number) => keepsMethod(status) || (status >= 301 && status <= 303)

const refuse = (status: number, message: string) =>
  Result.fail(new AgentError.ConnectionError({ message, status, isRetryable: false }))

/** Returns the place that a response redirects to; `undefined` if it does not redirect. */
export const next = (
  response: HttpClientResponse.HttpClientResponse,
  from: URL,
  { redirects, request }: Place
): Result.Result<Place | undefined, AgentError.ConnectionError> => {
  const { status } = response
  // a browser reports a redirect that it must not follow as status 0
  if (status === 0) return refuse(status, "the agent redirects, and the browser hides the target: use the final URL")
  const location = response.headers.location
  if (!isRedirect(status) || location === undefined) return Result.succeed(undefined)
  const to = URL.parse(location, from)
  if (to === null || !/^https?:$/.test(to.protocol)) {
    return refuse(status, `the agent redirects to an invalid URL: ${Json.snippet(publicUrl(location), 100)}`)
  }
  to.username = to.password = ""
  if (to.origin !== from.origin) {
    return refuse(
      status,
      `${from.origin} redirects to another origin, ${to.origin}, and credentials are not sent there: use that URL if you trust it`
    )
  }
  if (redirects >= max) return refuse(status, `more than ${max} redirects`)
  if (!keepsMethod(status) && request.method !== "GET") {
    return refuse(
      status,
      `the agent redirects a ${request.method} with HTTP ${status}, which would lose its body: use the final URL`
    )
  }
  return Result.succeed({ base: to, request: { ...request, path: "", query: [] }, redirects: redirects + 1 })
}

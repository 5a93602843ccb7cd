/** Redirects: followed within an origin, refused beyond it, since credentials are meant for one origin. */
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Result from "effect/Result"
import * as AgentError from "../../AgentError.ts"
import type { Frame } from "../binding.ts"

const max = 5

export interface Place {
  readonly base: URL
  readonly frame: Frame
  readonly redirects: number
}

const keepsMethod = (status: number) => status === 307 || status === 308
const isRedirect = (status: number) => keepsMethod(status) || (status >= 301 && status <= 303)

const refuse = (status: number, message: string) =>
  Result.fail(new AgentError.ConnectionError({ message, status, isRetryable: false }))

/** Where an answer sends the request; `undefined` where it is no redirect. */
export const next = (
  response: HttpClientResponse.HttpClientResponse,
  from: URL,
  { frame, redirects }: Place
): Result.Result<Place | undefined, AgentError.ConnectionError> => {
  const { status } = response
  // what a browser makes of a redirect that it must not follow
  if (status === 0) return refuse(status, "the agent redirects, and the browser does not say where: give the final URL")
  const location = response.headers.location
  if (!isRedirect(status) || location === undefined) return Result.succeed(undefined)
  const to = URL.parse(location, from)
  if (to === null) return refuse(status, "the agent redirects to what is no URL")
  to.username = to.password = ""
  if (to.origin !== from.origin) {
    return refuse(
      status,
      `the agent redirects to another origin, ${to.origin}, where credentials do not follow: give that URL if you trust it`
    )
  }
  if (redirects >= max) return refuse(status, `more than ${max} redirects`)
  if (!keepsMethod(status) && frame.method !== "GET") {
    return refuse(
      status,
      `the agent redirects a ${frame.method} in a way that would lose its body (HTTP ${status}): give the final URL`
    )
  }
  return Result.succeed({ base: to, frame: { ...frame, path: "", query: [] }, redirects: redirects + 1 })
}

/** From a frame to an HTTP request: URL, protocol headers, credentials. */
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as AgentError from "../../AgentError.ts"
import type { Credential } from "../../Credential.ts"
import type * as Protocol from "../../Dialect.ts"
import * as ServiceParameters from "../../ServiceParameters.ts"
import type { Frame } from "../binding.ts"
import { toPlacement } from "../credentials/placement.ts"

const suggestion = (url: string) => {
  const candidate = url.replace(/^(?:https?:|[a-z][a-z\d+.-]*:(?=\/\/))\/*/i, "")
  return /^(localhost|127\.|\[::1\])/.test(candidate) ? `http://${candidate}` : `https://${candidate}`
}

const invalid = (message: string, description: string) =>
  Result.fail(new AgentError.InvalidRequestError({ message, violations: [{ field: "url", description }] }))

/** An absolute HTTP URL, or why it is none. What may be secret in it is not shown. */
export const parseUrl = (url: string): Result.Result<URL, AgentError.InvalidRequestError> => {
  const parsed = /^https?:\/\//i.test(url) ? URL.parse(url) : null
  if (parsed === null) {
    const shown = url.replace(/[?#].*$/s, "").replace(/[^/]*@/, "")
    return invalid(
      `"${shown}" is not an absolute http(s) URL; did you mean "${suggestion(shown)}"?`,
      "an absolute http or https URL"
    )
  }
  return parsed.username === "" && parsed.password === ""
    ? Result.succeed(parsed)
    : invalid(`the URL of ${parsed.host} holds a user name or a password: give them as Credentials`, "no user info")
}

/** A URL without what may be secret in it: user info, query, fragment. */
export const publicUrl = (url: URL): string => `${url.origin}${url.pathname}`

/** The interface's URL with a frame's path and query behind its own. An empty path leaves it exactly as written. */
export const join = (base: URL, frame: Pick<Frame, "path" | "query">, prefix = ""): URL => {
  const url = new URL(base)
  if (frame.path !== "") {
    const own = url.pathname.replace(/\/+$/, "")
    url.pathname = (prefix !== "" && own.endsWith(prefix) ? own.slice(0, -prefix.length) : own) + frame.path
  }
  for (const [name, value] of frame.query) url.searchParams.append(name, value)
  return url
}

const isHeaderValue = (value: string) => /^[\x20-\x7e]+$/.test(value)

/** Browsers leave the header out without a word. */
const dropsCookies = () => !new Request("https://agent.invalid", { headers: { cookie: "a=b" } }).headers.has("cookie")

const present = (
  request: HttpClientRequest.HttpClientRequest,
  credential: Credential
): Result.Result<HttpClientRequest.HttpClientRequest, AgentError.CredentialsUnavailableError> => {
  const { in: place, name, value } = toPlacement(credential)
  if (place === "query") return Result.succeed(HttpClientRequest.setUrlParam(request, name, Redacted.make(value)))
  if (!isHeaderValue(value)) {
    return Result.fail(
      new AgentError.CredentialsUnavailableError({
        message: `the ${credential._tag} credential for ${name} has a character that no header may hold, or is empty`
      })
    )
  }
  if (place === "header") return Result.succeed(HttpClientRequest.setHeader(request, name, value))
  if (dropsCookies()) {
    return Result.fail(
      new AgentError.CredentialsUnavailableError({
        message: `the cookie ${name} cannot be sent: browsers set cookies themselves and let no program do it`
      })
    )
  }
  const cookie = request.headers.cookie
  const pair = `${name}=${encodeURIComponent(value)}`
  return Result.succeed(
    HttpClientRequest.setHeader(request, "cookie", cookie === undefined ? pair : `${cookie}; ${pair}`)
  )
}

const isHeader = ([name, value]: readonly [string, string]) =>
  /^[\w!#$%&'*+.^`|~-]+$/.test(name) && (value === "" || isHeaderValue(value))

/** The value is not shown: it may be secret. */
const illegal = ([name]: readonly [string, string]) =>
  new AgentError.InvalidRequestError({
    message: `the header "${name}" has a character that no header may hold`,
    violations: [{ field: `headers.${name}`, description: "printable ASCII" }]
  })

/** An id or a tenant that would lead out of its place: URLs have no way to write these two as names. */
const leadsElsewhere = (path: string) => path.split("/").some((segment) => segment === "." || segment === "..")

/**
 * The protocol's own headers win over the caller's, which cannot replace the version.
 */
export const make = Effect.fnUntraced(function*(options: {
  readonly base: URL
  readonly frame: Frame
  readonly accept: string
  readonly protocol: Protocol.Protocol | undefined
  readonly extensions?: ReadonlyArray<string> | undefined
  readonly lastEventId?: string | undefined
  readonly credentials: ReadonlyArray<Credential>
}) {
  const parameters = yield* ServiceParameters.Current
  const { frame, protocol } = options
  const wrong = Object.entries(parameters.headers).find((header) => !isHeader(header))
  if (wrong !== undefined) return yield* illegal(wrong)
  if (leadsElsewhere(frame.path)) {
    return yield* new AgentError.InvalidRequestError({
      message: "\".\" and \"..\" can be neither an id nor a tenant here",
      violations: [{ field: "", description: "a name that a path can hold" }]
    })
  }
  const extensions = [...new Set([...parameters.extensions, ...options.extensions ?? []])]
  let request = HttpClientRequest.make(frame.method)(join(options.base, frame, protocol?.rest.prefix)).pipe(
    HttpClientRequest.setHeaders(parameters.headers),
    HttpClientRequest.accept(options.accept)
  )
  if (protocol !== undefined) request = HttpClientRequest.setHeader(request, "a2a-version", protocol.version)
  if (protocol !== undefined && extensions.length > 0) {
    request = HttpClientRequest.setHeader(request, protocol.extensionsHeader, extensions.join(", "))
  }
  if (options.lastEventId !== undefined && isHeaderValue(options.lastEventId)) {
    request = HttpClientRequest.setHeader(request, "last-event-id", options.lastEventId)
  }
  if (frame.body !== undefined) {
    request = HttpClientRequest.bodyText(request, JSON.stringify(frame.body), "application/json")
  }
  for (const credential of options.credentials) request = yield* Effect.fromResult(present(request, credential))
  return request
})

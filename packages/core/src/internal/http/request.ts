/** Builds HTTP requests: URL, protocol headers, credentials. Tested in `test/engine/requests.test.ts`. */
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as AgentError from "../../AgentError.ts"
import type * as ClientProtocol from "../../ClientProtocol.ts"
import type { Credential } from "../../Credential.ts"
import type { HttpRequest } from "../../HttpBinding.ts"
import * as ServiceParameters from "../../ServiceParameters.ts"
import { toPlacement } from "../credentials/placement.ts"
import { operationPath } from "../protocol/routes.ts"

const suggestion = (url: string) => {
  const candidate = url.replace(/^(?:https?:|[a-z][a-z\d+.-]*:(?=\/\/))?[/\\]*/i, "")
  return /^(localhost|127\.|\[::1\])/.test(candidate) ? `http://${candidate}` : `https://${candidate}`
}

const invalid = (message: string, description: string) =>
  Result.fail(new AgentError.InvalidRequestError({ message, violations: [{ field: "url", description }] }))

/** Parses an absolute HTTP URL. The error shows nothing of it that may be secret. */
export const parseUrl = (url: string): Result.Result<URL, AgentError.InvalidRequestError> => {
  const parsed = /^https?:\/\//i.test(url) ? URL.parse(url) : null
  if (parsed === null) {
    const shown = url.replace(/[?#].*$/s, "").replace(/[^/]*@/, "")
    const hint = /^\/(?![/\\])/.test(shown)
      ? "a path is completed by BrowserAgent only, in a page"
      : `did you mean "${suggestion(shown)}"?`
    return invalid(`"${shown}" is not an absolute http(s) URL; ${hint}`, "an absolute http or https URL")
  }
  return parsed.username === "" && parsed.password === ""
    ? Result.succeed(parsed)
    : invalid(`the URL of ${parsed.host} contains a user name or a password: pass them as Credentials`, "no user info")
}

/** Parses the URL of an agent's interface. Refuses that of an operation: nothing could be joined to it. */
export const parseBase = (text: string): Result.Result<URL, AgentError.InvalidRequestError> =>
  Result.flatMap(parseUrl(text), (url) => {
    const [end, path] = operationPath.exec(url.pathname) ?? []
    if (end === undefined) return Result.succeed(url)
    const base = url.origin + url.pathname.slice(0, -end.length)
    return invalid(
      `${url.origin}${url.pathname} looks like an operation path (${path?.replace(/%3a/i, ":")}); ` +
        `expected the interface's base URL: ${base}`,
      "the base URL of an interface"
    )
  })

/** Appends a request's path and query to the interface's URL. An empty path leaves the URL exactly as it is. */
export const join = (base: URL, { path, prefix = "", query }: Pick<HttpRequest, "path" | "prefix" | "query">): URL => {
  const url = new URL(base)
  if (path !== "") {
    const own = url.pathname.replace(/\/+$/, "")
    url.pathname = (prefix !== "" && own.endsWith(prefix) ? own.slice(0, -prefix.length) : own) + path
  }
  for (const [name, value] of query) url.searchParams.append(name, value)
  return url
}

const isHeaderValue = (value: string) => /^[\x20-\x7e]+$/.test(value)

const isToken = (name: string) => /^[\w!#$%&'*+.^`|~-]+$/.test(name)

/** The headers of HTTP, of browsers and of A2A: a credential would replace them, or be dropped. */
const reserved =
  /^(?:(?:access-control|content|proxy|sec)-.*|a2a-(?:extensions|version)|accept(?:-.*)?|connection|cookie|date|expect|host|keep-alive|origin|__proto__|referer|te|trailer|transfer-encoding|upgrade|via)$/i

/** True in browsers, which drop the header silently. */
const dropsCookies = () => !new Request("https://agent.invalid", { headers: { cookie: "a=b" } }).headers.has("cookie")

/** Adds a credential, whose name may come from a card, or fails before anything is sent. */
const addCredential = (
  request: HttpClientRequest.HttpClientRequest,
  credential: Credential
): Result.Result<HttpClientRequest.HttpClientRequest, AgentError.CredentialsUnavailableError> => {
  const { in: place, name, value } = toPlacement(credential)
  const fail = (why: string) =>
    Result.fail(
      new AgentError.CredentialsUnavailableError({
        message: `cannot send the ${credential._tag} credential as ${place} ${
          JSON.stringify(name.slice(0, 50))
        }: ${why}`
      })
    )
  const isQuery = place === "query"
  if (isQuery ? name === "" : !isToken(name) || (place === "header" && reserved.test(name))) {
    return fail("the name is not allowed there")
  }
  if (isQuery) return Result.succeed(HttpClientRequest.setUrlParam(request, name, Redacted.make(value)))
  if (!isHeaderValue(value)) return fail("it is empty or has a character that is not allowed in a header")
  if (place === "header") return Result.succeed(HttpClientRequest.setHeader(request, name, value))
  if (dropsCookies()) return fail("browsers do not let programs set cookies")
  const cookie = request.headers.cookie
  const pair = `${name}=${encodeURIComponent(value)}`
  return Result.succeed(
    HttpClientRequest.setHeader(request, "cookie", cookie === undefined ? pair : `${cookie}; ${pair}`)
  )
}

const isHeader = ([name, value]: readonly [string, string]) => isToken(name) && (value === "" || isHeaderValue(value))

/** The names of the header that lists extensions, in all versions: a caller's is merged with what the SDK adds. */
const isExtensions = ([name]: readonly [string, string]) => /^(?:x-)?a2a-extensions$/i.test(name)

/** The message leaves out the value, which may be secret. */
const illegal = ([name]: readonly [string, string]) =>
  new AgentError.InvalidRequestError({
    message: `the header "${name}" has a character that is not allowed in a header`,
    violations: [{ field: `headers.${name}`, description: "printable ASCII" }]
  })

/** True for an id or a tenant that a URL resolves to another path: "." and ".." cannot be escaped. */
const hasDotSegment = (path: string) => path.split("/").some((segment) => segment === "." || segment === "..")

/** Makes a request. The protocol's headers replace the caller's, so that the version cannot be overwritten. */
export const make = Effect.fnUntraced(function*(options: {
  readonly base: URL
  readonly request: HttpRequest
  readonly accept: string
  readonly protocol: ClientProtocol.ClientProtocol | undefined
  readonly extensions?: ReadonlyArray<string> | undefined
  readonly lastEventId?: string | undefined
  readonly credentials: ReadonlyArray<Credential>
}) {
  const parameters = yield* ServiceParameters.Current
  const { protocol, request: { body, method } } = options
  const headers = Object.entries(parameters.headers)
  const wrong = headers.find((header) => !isHeader(header))
  if (wrong !== undefined) return yield* illegal(wrong)
  if (hasDotSegment(options.request.path)) {
    return yield* new AgentError.InvalidRequestError({
      message: "\".\" and \"..\" cannot be used as an id or a tenant over REST",
      violations: [{ field: "", description: "a name that can be a path segment" }]
    })
  }
  const listed = headers.filter(isExtensions).flatMap(([, value]) => value.split(",")).map((one) => one.trim())
  const extensions = new Set([...parameters.extensions, ...options.extensions ?? [], ...listed])
  extensions.delete("")
  let request = HttpClientRequest.make(method)(join(options.base, options.request)).pipe(
    HttpClientRequest.setHeaders(protocol === undefined ? headers : headers.filter((one) => !isExtensions(one))),
    HttpClientRequest.accept(options.accept)
  )
  if (protocol !== undefined) request = HttpClientRequest.setHeader(request, "a2a-version", protocol.version)
  if (protocol !== undefined && extensions.size > 0) {
    request = HttpClientRequest.setHeader(request, protocol.extensionsHeader, [...extensions].join(", "))
  }
  if (options.lastEventId !== undefined && isHeaderValue(options.lastEventId)) {
    request = HttpClientRequest.setHeader(request, "last-event-id", options.lastEventId)
  }
  if (body !== undefined) {
    request = HttpClientRequest.bodyText(request, JSON.stringify(body), "application/json")
  }
  for (const credential of options.credentials) request = yield* Effect.fromResult(addCredential(request, credential))
  return request
})

/** The credential that a request presents for a security scheme. Tested in `packages/server/test/authentication.test.ts`. */
import type { Presented } from "@effect-a2a/core/Authenticator"
import * as Credential from "@effect-a2a/core/Credential"
import type * as SecurityScheme from "@effect-a2a/core/SecurityScheme"
import * as Base64 from "effect/encoding/Base64"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

/** `absent`: nothing is presented for the scheme. `invalid`: something is that cannot be read. */
type Unread = "absent" | "invalid"

const toText = (bytes: Uint8Array) =>
  Result.try({ try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes), catch: (): Unread => "invalid" })

const readBasic = (encoded: string): Result.Result<Presented, Unread> =>
  Base64.decode(encoded).pipe(
    Result.mapError((): Unread => "invalid"),
    Result.flatMap(toText),
    Result.flatMap((pair) => {
      const end = pair.indexOf(":")
      return end === -1
        ? Result.fail<Unread>("invalid")
        : Result.succeed(
          Credential.basic({ username: pair.slice(0, end), password: Redacted.make(pair.slice(end + 1)) })
        )
    })
  )

/** Reads the header `Authorization`. A scheme that is neither Bearer nor Basic is presented as a key of that header. */
const readAuthorization = (name: string, { headers }: HttpServerRequest): Result.Result<Presented, Unread> => {
  const [, scheme = "", value = ""] = /^([^ ]+) +([^ ].*)$/.exec((headers.authorization ?? "").trim()) ?? []
  const wanted = name.toLowerCase()
  if (scheme.toLowerCase() !== wanted) return Result.fail("absent")
  if (wanted === "basic") return readBasic(value)
  return Result.succeed(
    wanted === "bearer"
      ? Credential.bearer(Redacted.make(value))
      : Credential.apiKey({ name: "authorization", value: Redacted.make(value) })
  )
}

/** Returns the values under the name of a key: several in a query are ambiguous. */
const valuesOf = (
  { location, name }: SecurityScheme.ApiKey,
  request: HttpServerRequest
): ReadonlyArray<string | undefined> => {
  switch (location) {
    case "header":
      return [request.headers[name.toLowerCase()]]
    case "cookie":
      return [new Map(Object.entries(request.cookies)).get(name)]
    case "query":
      return URL.parse(request.url, "http://localhost")?.searchParams.getAll(name) ?? []
  }
}

const readKey = (scheme: SecurityScheme.ApiKey, request: HttpServerRequest): Result.Result<Presented, Unread> => {
  const [value = "", ...others] = valuesOf(scheme, request)
  if (others.length > 0) return Result.fail("invalid")
  return value === ""
    ? Result.fail("absent")
    : Result.succeed(Credential.apiKey({ in: scheme.location, name: scheme.name, value: Redacted.make(value) }))
}

/** Reads what a request presents for a scheme. */
export const read = (
  scheme: SecurityScheme.SecurityScheme,
  request: HttpServerRequest
): Result.Result<Presented, Unread> => {
  switch (scheme._tag) {
    case "ApiKey":
      return readKey(scheme, request)
    case "HttpAuth":
      return readAuthorization(scheme.scheme, request)
    case "OAuth2":
    case "OpenIdConnect":
      return readAuthorization("bearer", request)
    case "MutualTls":
      return Result.succeed({ _tag: "Certificate" })
  }
}

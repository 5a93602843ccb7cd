/** API keys of MemoryLake, and those that trigger refusals. Tested in `packages/emulators/test/memorylake`. */
import * as Duration from "effect/Duration"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { type Code, retryAfter } from "./refusals.ts"

/** Keys that are always refused. Any other `sk_…` is valid. */
const keys: Readonly<Record<string, Code>> = {
  sk_invalid: "UNAUTHENTICATED",
  sk_quota: "QUOTA_EXCEEDED",
  sk_denied: "ACCESS_DENIED",
  sk_limited: "RATE_LIMIT_EXCEEDED"
}

const statuses: Partial<Record<Code, number>> = {
  UNAUTHENTICATED: 401,
  QUOTA_EXCEEDED: 402,
  ACCESS_DENIED: 403,
  NOT_FOUND: 404,
  RATE_LIMIT_EXCEEDED: 429
}

const messages: Partial<Record<Code, string>> = {
  UNAUTHENTICATED: "the API key is missing or wrong",
  QUOTA_EXCEEDED: "the quota is used up",
  ACCESS_DENIED: "workspace_agent:a2a is missing",
  NOT_FOUND: "there is no such agent",
  RATE_LIMIT_EXCEEDED: "too many requests"
}

const headers: Partial<Record<Code, Record<string, string>>> = {
  UNAUTHENTICATED: { "www-authenticate": "Bearer realm=\"memorylake\"" },
  RATE_LIMIT_EXCEEDED: { "retry-after": String(Duration.toSeconds(retryAfter)) }
}

/** Returns the service's refusal of a whole request. */
export const refuse = (code: Code): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe({ success: false, message: messages[code] ?? code, error_code: code }, {
    status: statuses[code] ?? 400,
    headers: headers[code] ?? {}
  })

/** Returns the key of a request, or the code of its refusal. */
export const authenticate = (
  request: HttpServerRequest.HttpServerRequest
): { readonly key: string; readonly refusal?: undefined } | { readonly refusal: Code } => {
  const key = /^Bearer (sk_\w+)$/.exec(request.headers.authorization ?? "")?.[1]
  if (key === undefined) return { refusal: "UNAUTHENTICATED" }
  const refusal = Object.hasOwn(keys, key) ? keys[key] : undefined
  return refusal === undefined ? { key } : { refusal }
}

/** The rules of HTTP caching for cards (RFC 9111). */
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"

type Headers = Readonly<Record<string, string | undefined>>

/** Returns until when a card may be used without a request, in ms since 1970, or `undefined` if it may not be kept. */
export const freshUntil = (headers: Headers, now: number): number | undefined => {
  const control = headers["cache-control"]?.toLowerCase() ?? ""
  if (/\bno-store\b/.test(control)) return undefined
  if (/\bno-cache\b/.test(control)) return now
  const maxAge = /(?:^|[\s,])max-age="?(\d+)/.exec(control)?.[1]
  if (maxAge !== undefined) return now + (Number(maxAge) - (Number(headers.age) || 0)) * 1000
  const expires = headers.expires === undefined ? Option.none() : DateTime.make(headers.expires)
  return Option.isSome(expires) ? DateTime.toEpochMillis(expires.value) : now
}

const isHeaderValue = (value: string | undefined): value is string =>
  value !== undefined && /^[\x20-\x7e]+$/.test(value)

/** Returns the headers that ask if a kept card still holds. */
export const conditions = ({ etag, "last-modified": modified }: Headers): Readonly<Record<string, string>> => ({
  ...(isHeaderValue(etag) && { "if-none-match": etag }),
  ...(isHeaderValue(modified) && { "if-modified-since": modified })
})

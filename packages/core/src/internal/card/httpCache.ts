/** How long a card may be kept, and how it is asked for again (RFC 9111; CARD-11). */
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"

type Headers = Readonly<Record<string, string | undefined>>

/** Milliseconds since 1970 until which it may be used without asking; `undefined`: it may not be kept at all. */
export const until = (headers: Headers, now: number): number | undefined => {
  const control = headers["cache-control"]?.toLowerCase() ?? ""
  if (/\bno-store\b/.test(control)) return undefined
  if (/\bno-cache\b/.test(control)) return now
  const maxAge = /(?:^|[\s,])max-age="?(\d+)/.exec(control)?.[1]
  if (maxAge !== undefined) return now + (Number(maxAge) - (Number(headers.age) || 0)) * 1000
  const expires = headers.expires === undefined ? Option.none() : DateTime.make(headers.expires)
  return Option.isSome(expires) ? DateTime.toEpochMillis(expires.value) : now
}

const isSendable = (value: string | undefined): value is string => value !== undefined && /^[\x20-\x7e]+$/.test(value)

/** The headers that ask whether what is kept still holds. */
export const conditions = ({ etag, "last-modified": modified }: Headers): Readonly<Record<string, string>> => ({
  ...(isSendable(etag) && { "if-none-match": etag }),
  ...(isSendable(modified) && { "if-modified-since": modified })
})

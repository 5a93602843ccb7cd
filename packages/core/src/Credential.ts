/** A credential and its place in a request. */
import * as Redacted from "effect/Redacted"

/** One credential, as data: whichever binding sends it knows where it goes. */
export type Credential =
  | { readonly _tag: "Bearer"; readonly token: Redacted.Redacted }
  | { readonly _tag: "Basic"; readonly username: string; readonly password: Redacted.Redacted }
  | {
    readonly _tag: "ApiKey"
    readonly in: "header" | "query" | "cookie"
    readonly name: string
    readonly value: Redacted.Redacted
  }

/** The header of HTTP Basic, in UTF-8. */
export const basic = (username: string, password: string): string =>
  `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${username}:${password}`)))}`

/** Where a credential goes, in clear. */
export const placed = (credential: Credential) => {
  switch (credential._tag) {
    case "Bearer":
      return { in: "header", name: "authorization", value: `Bearer ${Redacted.value(credential.token)}` } as const
    case "Basic":
      return {
        in: "header",
        name: "authorization",
        value: basic(credential.username, Redacted.value(credential.password))
      } as const
    case "ApiKey":
      return { in: credential.in, name: credential.name, value: Redacted.value(credential.value) } as const
  }
}

/**
 * How a credential's secret may turn up in a text, in clear or as JSON has it. What is shorter than four characters is
 * no secret, and would be found anywhere.
 */
export const secrets = (credential: Credential): ReadonlyArray<string> => {
  const { value } = placed(credential)
  const all = credential._tag === "Basic"
    ? [Redacted.value(credential.password), value.slice("Basic ".length)]
    : [credential._tag === "Bearer" ? Redacted.value(credential.token) : value]
  return all.filter(({ length }) => length >= 4).flatMap((one) => [one, JSON.stringify(one).slice(1, -1)])
}

/** Whether one of `all` says the same in the same place. */
export const isAmong = (all: ReadonlyArray<Credential>) => {
  const keys = new Set(all.map((one) => JSON.stringify(placed(one))))
  return (credential: Credential): boolean => keys.has(JSON.stringify(placed(credential)))
}

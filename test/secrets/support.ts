/** Planted secrets, the forms in which peers repeat a text, and the ways in which an error, a span or a log line is shown. */
import * as Credential from "@effect-a2a/core/Credential"
import * as Credentials from "@effect-a2a/core/Credentials"
import * as ServiceParameters from "@effect-a2a/core/ServiceParameters"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import { inspect } from "node:util"
import { makeTracer } from "../support/spans.ts"

const toHtml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\"", "&quot;")
    .replaceAll("'", "&#39;")
const toJson = (text: string) => JSON.stringify(text).slice(1, -1)
const toHex = (code: number, digits: number) => code.toString(16).padStart(digits, "0")
const bytesOf = (text: string) => [...Buffer.from(text)]

type Encode = (text: string) => string

/** The forms in which a text travels, and in which a peer may repeat it. */
export const encodings: Readonly<Record<string, Encode>> = {
  "as it is": (text) => text,
  "in upper case": (text) => text.toUpperCase(),
  "in a URL": encodeURIComponent,
  "in a URL, hex in lower case": (text) => encodeURIComponent(text).replace(/%../g, (hex) => hex.toLowerCase()),
  "in a URL, partly": encodeURI,
  "in a URL, every byte": (text) => bytesOf(text).map((byte) => `%${toHex(byte, 2)}`).join(""),
  "in a form": (text) => new URLSearchParams({ "": text }).toString().slice(1),
  "in a URL within a URL": (text) => encodeURIComponent(encodeURIComponent(text)),
  "in JSON": toJson,
  "in JSON, slashes escaped": (text) => toJson(text).replaceAll("/", "\\/"),
  "in JSON, all but letters escaped": (text) =>
    text.replace(/[^a-z\d]/gi, (char) => `\\u${toHex(char.charCodeAt(0), 4)}`),
  "in JSON within JSON": (text) => toJson(toJson(text)),
  "in HTML": toHtml,
  "in HTML, by hexadecimal number": (text) =>
    Array.from(text, (char) => `&#x${toHex(char.codePointAt(0)!, 1)};`).join(""),
  "in HTML, by decimal number": (text) => Array.from(text, (char) => `&#${char.codePointAt(0)};`).join(""),
  "in HTML within HTML": (text) => toHtml(toHtml(text)),
  "in HTML within a URL": (text) => encodeURIComponent(toHtml(text)),
  "in HTML within JSON": (text) => toJson(toHtml(text)),
  "in JSON within a URL": (text) => encodeURIComponent(toJson(text)),
  "in JSON within HTML": (text) => toHtml(toJson(text)),
  "in a URL within JSON": (text) => toJson(encodeURIComponent(text)),
  "in Base64": (text) => Buffer.from(text).toString("base64"),
  "in Base64 for URLs": (text) => Buffer.from(text).toString("base64url"),
  "in Base64 within a URL": (text) => encodeURIComponent(Buffer.from(text).toString("base64")),
  "behind a user's name, in Base64": (text) => Buffer.from(`ada:${text}`).toString("base64"),
  "behind a scheme, in Base64 for URLs": (text) => Buffer.from(`Bearer ${text}\n`).toString("base64url")
}

/** What must not be found: in a text without Base64's characters at the edges, which other bytes share. */
const isBase64 = (name: string) => name.includes("Base64")

/** Returns the names of the forms in which a text contains a secret. */
export const formsIn = (shown: string, secret: string): ReadonlyArray<string> => {
  const text = shown.toLowerCase()
  return Object.entries(encodings).flatMap(([name, encode]) => {
    const form = encode(secret).toLowerCase()
    return text.includes(isBase64(name) ? form.slice(12, -4) : form) ? [name] : []
  })
}

/** Returns what of the secrets is in a text, by name and form. */
export const found = (shown: string, secrets: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(secrets).flatMap(([name, secret]) => [
    ...formsIn(shown, secret).map((form) => `${name} ${form}`),
    // the first half, which a cut leaves behind
    ...(shown.toLowerCase().includes(secret.slice(0, 12).toLowerCase()) ? [`${name}, its beginning`] : [])
  ])

/** One secret of each kind that a request has. */
export const planted = {
  bearer: "Bearer5ecret/+=~0123456789abcdef",
  "key in a header": "HeaderKey5ecret/+=&0123456789ab",
  "key in the query": "QueryKey5ecret/+=& é0123456789a",
  "key in a cookie": "CookieKey5ecret/+=&\"0123456789",
  "header given by hand": "Hand5ecretGiven/+=&<0123456789>",
  "query of the agent's URL": "UrlQuery5ecret/+=&'0123456789ab",
  "token of a webhook": "Webhook5ecretToken/+=&0123456789",
  "credentials of a webhook": "Webhook5ecretCredential\\/+=&0123"
}

const password = "Passw0rd5ecret: with spaces/+=&é0123"

/** Every secret that a request of these tests has; one without a webhook does not know its token. */
export const secrets: Readonly<Record<string, string>> = { ...planted, password }

const keys = [
  Credential.apiKey({ name: "x-gateway", value: Redacted.make(planted["key in a header"]) }),
  Credential.apiKey({ name: "k", in: "query", value: Redacted.make(planted["key in the query"]) }),
  Credential.apiKey({ name: "c", in: "cookie", value: Redacted.make(planted["key in a cookie"]) })
]
const basic = Credential.basic({ username: "ada", password: Redacted.make(password) })
const bearer = Credential.bearer(Redacted.make(planted.bearer))

const layerOf = (...credentials: ReadonlyArray<Credential.Credential>): Layer.Layer<Credentials.Credentials> =>
  Layer.succeed(Credentials.Credentials, {
    get: () => Effect.succeed([...keys, ...credentials]),
    renew: () => Effect.succeed(false)
  })

/** All credentials that a request can have at once; of the two that share a header, the last is sent. */
export const layerPlanted = layerOf(bearer, basic)
export const layerBearer = layerOf(bearer)

/** Adds the secrets that a program gives a call: a header, and a webhook with a token. */
export const withSecrets = ServiceParameters.provide({
  headers: { "x-session": planted["header given by hand"] }
})

export const webhook = {
  url: "https://app.test/hook",
  token: planted["token of a webhook"],
  authentication: { scheme: "Bearer", credentials: planted["credentials of a webhook"] }
}

/** The URL of an agent, with a secret in its query. */
export const withQuery = (url: string): string =>
  `${url}?route=${encodeURIComponent(planted["query of the agent's URL"])}`

const isOfWebhook = (name: string) => name.includes("webhook")

/** A text that repeats every secret in every form; `first` is the index of the one that it begins with. */
export const repeated = (first = 0, withWebhook = true): string => {
  const all = Object.entries(secrets).flatMap(([name, secret]) =>
    isOfWebhook(name) && !withWebhook ? [] : Object.values(encodings).map((encode) => encode(secret))
  )
  return [...all.slice(first), ...all.slice(0, first)].join(" ")
}

/** The usual ways to print an error. */
export const printed = (error: unknown): string =>
  [
    String(error),
    error instanceof Error ? error.stack : "",
    JSON.stringify(error),
    JSON.stringify(Exit.fail(error)),
    inspect(error, { depth: 30, showHidden: true, getters: true }),
    Cause.pretty(Cause.fail(error)),
    inspect(Cause.fail(error), { depth: 30, showHidden: true })
  ].join("\n")

/** Runs an effect; its exit, and all that was shown: the error in every way, log lines of all levels, spans. */
export const observed = <A, E, R>(self: Effect.Effect<A, E, R>) => {
  const { spans, tracer } = makeTracer()
  const logs: Array<string> = []
  return self.pipe(
    Effect.tapCause((cause) => Effect.logError("failed", cause)),
    Effect.exit,
    Effect.withTracer(tracer),
    Effect.provide(Logger.layer([
      Logger.make((entry) =>
        logs.push(
          String(Logger.formatJson.log(entry)),
          String(Logger.formatLogFmt.log(entry)),
          inspect(entry.message, { depth: 20 })
        )
      )
    ])),
    Effect.provideService(References.MinimumLogLevel, "All"),
    Effect.map((exit) => ({
      exit,
      error: Exit.isFailure(exit) ? printed(Cause.squash(exit.cause)) : "",
      logs: logs.join("\n"),
      spans: inspect(
        spans.map(({ attributes, events, name, status }) => [
          name,
          [...attributes],
          events,
          status._tag === "Ended" && Exit.isFailure(status.exit) ? status : ""
        ]),
        { depth: 30, showHidden: true }
      )
    }))
  )
}

/**
 * Keeps declared API keys out of logs and spans of the server. Effect knows `authorization`, `cookie` and `x-api-key`;
 * other names are in a card. Tested in `packages/node/test/serverSecrets.test.ts`.
 */
import type * as SecurityScheme from "@effect-a2a/core/SecurityScheme"
import * as ServerHandler from "@effect-a2a/core/ServerHandler"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Headers from "effect/http/Headers"
import * as HttpRouter from "effect/http/HttpRouter"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as UrlParams from "effect/http/UrlParams"
import type * as Layer from "effect/Layer"
import * as Tracer from "effect/Tracer"

/** Names of headers and of parameters in a query. */
export interface SecretNames {
  readonly headers: ReadonlyArray<string>
  readonly query: ReadonlyArray<string>
}

/** Returns the names under which schemes accept keys. */
export const of = (schemes: ReadonlyArray<SecurityScheme.SecurityScheme>): SecretNames => {
  const namesIn = (place: "header" | "query") =>
    schemes.flatMap((scheme) => scheme._tag === "ApiKey" && scheme.location === place ? [scheme.name] : [])
  return {
    headers: ["proxy-authorization", ...namesIn("header").map((name) => name.toLowerCase())],
    query: namesIn("query")
  }
}

/**
 * Returns the headers that an executor sees, and the references by which Effect redacts inspected headers and queries,
 * without the names.
 */
export const toServices = (
  { headers, query }: SecretNames,
  request: HttpServerRequest
): Effect.Effect<Context.Context<never>> =>
  Effect.gen(function*() {
    return Context.mergeAll(
      Context.make(ServerHandler.CurrentHeaders, ServerHandler.readHeaders(request, headers)),
      Context.make(Headers.CurrentRedactedNames, [...yield* Headers.CurrentRedactedNames, ...headers]),
      Context.make(UrlParams.CurrentRedactedNames, [...yield* UrlParams.CurrentRedactedNames, ...query])
    )
  })

const header = "http.request.header."

const changeAttribute = ({ headers, query }: SecretNames, key: string, value: unknown): unknown => {
  if (key.startsWith(header)) return headers.includes(key.slice(header.length)) ? "<redacted>" : value
  if (typeof value !== "string") return value
  if (key === "url.full") return UrlParams.redactUrl(value, query)
  return key === "url.query" ? UrlParams.redactUrl(`?${value}`, query).slice(1) : value
}

/** Keeps an error's name, message and stack: others of its members may hold the whole request. */
const changeError = (error: unknown): unknown =>
  error instanceof Error
    ? Object.assign(new Error(error.message), { name: error.name, stack: error.stack })
    : error

/** Changes a span in place, since tracers recognize their own spans. */
const changeSpan = (span: Tracer.Span, names: SecretNames) => {
  const { attribute, end } = span
  Object.assign(span, {
    attribute: (key: string, value: unknown) => attribute.call(span, key, changeAttribute(names, key, value)),
    end: (time: bigint, exit: Exit.Exit<unknown, unknown>) =>
      end.call(span, time, Exit.isFailure(exit) ? Exit.failCause(Cause.map(exit.cause, changeError)) : exit)
  })
}

const spanOf = (context: Context.Context<never>): Tracer.Span | undefined => {
  let span: Tracer.AnySpan | undefined = Context.getOrUndefined(context, Tracer.ParentSpan)
  while (span?._tag === "Span" && span.kind !== "server") {
    span = span.parent._tag === "None" ? undefined : span.parent.value
  }
  return span?._tag === "Span" ? span : undefined
}

/**
 * Redacts the spans of all requests to the router, refused ones too. Effect begins them before any route and completes
 * them after it, hence the change in place.
 */
export const layer = (names: SecretNames): Layer.Layer<never, never, HttpRouter.HttpRouter> => {
  // a request may call this server again, inside the same span
  const changed = new WeakSet<Tracer.Span>()
  return HttpRouter.middleware(
    (respond) =>
      Effect.withFiber((fiber) => {
        const span = fiber.getRef(Tracer.Tracer) === Tracer.nativeTracer ? undefined : spanOf(fiber.context)
        if (span !== undefined && !changed.has(span)) {
          changed.add(span)
          changeSpan(span, names)
        }
        return respond
      }),
    { global: true }
  )
}

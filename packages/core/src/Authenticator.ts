/**
 * Authentication as the bindings run it: an {@link Authenticator} sees the head of each request before its body is read,
 * and the operation before it is called. `Authentication.layer` of the package `server` makes one from an agent card.
 *
 * ```ts
 * import { AgentError, Authenticator } from "@effect-a2a/core"
 * import { RestServer } from "@effect-a2a/transport-rest"
 * import { AgentTest, Script, Wire } from "@effect-a2a/testing"
 * import { Effect, Layer } from "effect"
 * import { HttpClient } from "effect/http"
 *
 * const closed = Authenticator.layer(() =>
 *   Effect.fail(AgentError.reason("UnauthenticatedError", { message: "nobody may call", challenge: "Bearer" }))
 * )
 * const routes = RestServer.routes().pipe(
 *   Layer.provide(closed),
 *   Layer.provide(AgentTest.layer),
 *   Layer.provide(Script.layer(Script.say("Hi")))
 * )
 * const response = HttpClient.get("http://agent.test/v1/tasks/t-1").pipe(
 *   Effect.map(({ headers, status }) => [status, headers["www-authenticate"]])
 * )
 * await Effect.runPromise(Effect.provide(response, Wire.layerHttp(routes))) // => [401, "Bearer"]
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import type { AgentErrorReason } from "./AgentError.ts"
import { AgentTransport } from "./AgentTransport.ts"
import type { Credential } from "./Credential.ts"
import type * as Operation from "./Operation.ts"

/** An authenticated principal. */
export interface Caller {
  /** Unique among callers: tasks belong to it. */
  readonly id: string
  /** The scopes that were granted. Absent: none. */
  readonly scopes?: ReadonlyArray<string> | undefined
  /** What else the credential says, such as the claims of a token. */
  readonly claims?: Readonly<Record<string, Schema.Json>> | undefined
}

/** The certificate of a connection, which a verifier reads from the request's `source`. */
export interface Certificate {
  readonly _tag: "Certificate"
}

/** What a request presents for one security scheme. */
export type Presented = Credential | Certificate

/**
 * Returns the caller that presents a credential, and `undefined` if the credential is not valid. A failure with
 * `UnauthenticatedError` says so with a message for the caller; other failures, such as `ServiceUnavailableError` if keys
 * cannot be fetched, are sent as they are.
 */
export type Verifier = (
  presented: Presented,
  request: HttpServerRequest
) => Effect.Effect<Caller | undefined, AgentErrorReason>

/** The permission of one request to go on. */
export interface Admission {
  /** Fails if the request may not run the operation. */
  readonly authorize: (operation: Operation.Any) => Effect.Effect<void, AgentErrorReason>
  /** Services for the operation, such as its caller. */
  readonly services: Context.Context<never>
}

/** Admits a request by its head. A failure is written as the binding writes failures, with its challenge. */
export type Authenticator = (request: HttpServerRequest) => Effect.Effect<Admission, AgentErrorReason>

const open: Effect.Effect<Admission> = Effect.succeed({
  authorize: () => Effect.void,
  services: Context.empty()
})

const admitAll: Authenticator = () => open

/** The authenticator that is provided to a binding itself. */
const Provided = Context.Reference<Authenticator | undefined>("@effect-a2a/core/Authenticator/Provided", {
  defaultValue: () => undefined
})

/** The authenticators of one application, by agent. */
export class Registry extends Context.Service<Registry, {
  /** Adds the authenticator of an agent. */
  readonly add: (transport: AgentTransport["Service"], authenticator: Authenticator) => void
  /** Returns the authenticator of an agent. */
  readonly of: (transport: AgentTransport["Service"]) => Authenticator | undefined
}>()("@effect-a2a/core/Authenticator/Registry") {}

/** Keeps the authenticators in memory. Layers that are built together share them. */
export const layerRegistry: Layer.Layer<Registry> = Layer.sync(Registry, () => {
  const all = new Map<AgentTransport["Service"], Authenticator>()
  return {
    add: (transport, authenticator) => void all.set(transport, authenticator),
    of: (transport) => all.get(transport)
  }
})

const make = (authenticator: Authenticator) =>
  Layer.effect(
    Provided,
    Effect.gen(function*() {
      const all = yield* Registry
      all.add(yield* AgentTransport, authenticator)
      return authenticator
    })
  ).pipe(Layer.provide(layerRegistry))

/**
 * Authenticates the requests of an agent: those of all its bindings in the application, whether this layer is provided to
 * them or merged with them, so that none is left open by mistake. Other agents are not concerned. Not memoised, so that
 * one layer can be given to several agents.
 */
export const layer = (authenticator: Authenticator): Layer.Layer<never, never, AgentTransport> =>
  Layer.fromBuild((memoMap, scope) => Layer.buildWithMemoMap(make(authenticator), memoMap, scope))

/**
 * Returns the authenticator of a binding of the agent; it admits all requests unless a layer of the application has added
 * another. Bindings are built with it and {@link layerRegistry}.
 */
export const forBinding = (transport: AgentTransport["Service"]): Effect.Effect<Authenticator, never, Registry> =>
  Effect.gen(function*() {
    const provided = yield* Provided
    const all = yield* Registry
    // looked up for each request, since layers are built in any order
    return (request) => (provided ?? all.of(transport) ?? admitAll)(request)
  })

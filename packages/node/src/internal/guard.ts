/**
 * The part of `AddressGuard` that sees addresses: names are judged where a connection is made, by what it connects to.
 * Tested in `packages/node/test/addressGuard.test.ts`.
 */
import * as AddressGuard from "@effect-a2a/core/AddressGuard"
import type * as Undici from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type { HttpClientRequest } from "effect/http/HttpClientRequest"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as dns from "node:dns"
import type { LookupFunction } from "node:net"

/** The reason for a connection that was not made. */
class RefusedConnection extends Error {}

/** Returns the refusal of a list of addresses with one that is not public. */
const refusal = (addresses: ReadonlyArray<string>): RefusedConnection | undefined => {
  for (const address of addresses) {
    const kind = AddressGuard.kindOf(address)
    if (kind !== undefined) return new RefusedConnection(`resolves to ${address}, ${kind} address`)
  }
  return undefined
}

/** Resolves as the system does, and fails if one of the addresses is not public. */
const lookup: LookupFunction = (host, options, callback) =>
  dns.lookup(host, options, (error, address, family) => {
    const all = typeof address === "string" ? [address] : address?.map((one) => one.address) ?? []
    callback(error ?? refusal(all) ?? null, address, family)
  })

/** Makes the connections of a dispatcher. Sockets do not look up what is an address. */
export const connect = ({ buildConnector }: typeof Undici): Undici.buildConnector.connector => {
  const connector = buildConnector({ lookup })
  return (options, callback) => {
    const refused = refusal([options.hostname.replace(/^\[|\]$/g, "")])
    return refused === undefined ? connector(options, callback) : callback(refused, null)
  }
}

const throughProxy = new RefusedConnection("a proxy would connect, to an address that is not known here")

/** Makes connections to a proxy, all of which fail. */
export const refuseProxy = ({ Pool }: typeof Undici) => (origin: URL): Undici.Dispatcher =>
  new Pool(origin, { connect: (_, callback) => callback(throughProxy, null) })

const toRefusal =
  (request: HttpClientRequest, refuse: AddressGuard.Refuse) => (error: HttpClientError.HttpClientError) => {
    const cause = error.reason._tag === "TransportError" ? error.reason.cause : undefined
    return cause instanceof RefusedConnection
      ? new HttpClientError.HttpClientError({
        reason: new HttpClientError.InvalidUrlError({ request, cause: refuse(request.url, cause.message) })
      })
      : error
  }

type Send = Effect.Effect<HttpClientResponse, HttpClientError.HttpClientError>

/** Changes how guarded requests are sent. */
const changeGuarded = (
  client: HttpClient.HttpClient,
  change: (send: Send, request: HttpClientRequest) => Send
): HttpClient.HttpClient =>
  HttpClient.transform(
    client,
    (send, request) =>
      Effect.flatMap(AddressGuard.Current, (refuse) =>
        refuse === undefined ? send : Effect.mapError(change(send, request), toRefusal(request, refuse)))
  )

/** Sends guarded requests by another client, so that no connection which other requests made serves them. */
export const withGuarded = (client: HttpClient.HttpClient, guarded: HttpClient.HttpClient): HttpClient.HttpClient =>
  changeGuarded(client, (_, request) => guarded.execute(request))

const resolve = (request: HttpClientRequest) =>
  Effect.callback<void, HttpClientError.HttpClientError>((resume) =>
    lookup(new URL(request.url).hostname, { all: true }, (cause) =>
      resume(
        cause === null
          ? Effect.void
          : Effect.fail(
            new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })
          )
      ))
  )

/** Judges names before the requests of a client that connects on its own: the best there is, as it resolves them again. */
export const resolveFirst = (client: HttpClient.HttpClient): HttpClient.HttpClient =>
  changeGuarded(client, (send, request) => Effect.andThen(resolve(request), send))

/**
 * Protocol versions as clients need them: they write requests, and read results and refusals. {@link Protocol} adds the
 * serving half to each; a client accepts both, and a program in a page stays smaller with these.
 *
 * ```ts
 * import { ClientProtocol, Protocol } from "@effect-a2a/core"
 *
 * const { routes } = ClientProtocol.v1_0.rest
 * routes.GetTask?.[0].path // => "/tasks/{id}"
 * routes.GetTask === Protocol.v1_0.rest.routes.GetTask // => true
 * ```
 *
 * @since 0.1.0
 * @stability unstable
 */
import type * as Arr from "effect/Array"
import type * as AgentCard from "./AgentCard.ts"
import type { ClientDialect, Decoder, Route, WireFailure } from "./Dialect.ts"
import { client as client0_3 } from "./internal/protocol/v0_3/client.ts"
import { client as client1_0 } from "./internal/protocol/v1_0/client.ts"
import type * as Operation from "./Operation.ts"
import type { Recognizer } from "./Recognizer.ts"

/** Reads errors of whatever stands before an agent: gateways, proxies, the REST binding itself. */
export interface FailureDecoder {
  /** Returns `undefined` if the document is not an error. Called for every status of 400 or above, and for events. */
  readonly decode: (body: unknown) => WireFailure | undefined
}

/** A protocol version in the REST binding. */
export interface Rest {
  readonly dialect: ClientDialect
  /** In order of preference. A client tries the next one if a peer responds with a bare 404 or 405. */
  readonly routes: { readonly [K in Operation.Tag]?: Arr.NonEmptyReadonlyArray<Route> }
  /** The segment that begins every route; it is not repeated if the interface's URL already ends in it. */
  readonly prefix?: string
  /** True if a tenant is a leading path segment (A2A 1.0 §11.3); otherwise it is a member of the request. */
  readonly tenantSegment?: boolean
  /** The media type of responses; a client accepts `application/json` too. */
  readonly contentType: string
}

/** Reads the `error` member of a JSON-RPC response. */
export interface ErrorDecoder {
  /** Reads any value; one that is not an object becomes the message. */
  readonly decode: (error: unknown) => WireFailure
}

/** A protocol version in the JSON-RPC binding. */
export interface JsonRpc {
  readonly dialect: ClientDialect
  /** Method names by operation. Absent: the version lacks the operation. */
  readonly methods: { readonly [K in Operation.Tag]?: string }
  readonly failure: ErrorDecoder
}

/** Habits of a peer beyond its protocol version, which a vendor's patch names. */
export interface Traits {
  /**
   * False if `GetTask` returns a completed task by its status alone: its answer comes with a subscription only. Default:
   * true, so that a task without artifacts, history and message is an empty answer.
   */
  readonly getReturnsAnswer?: boolean | undefined
  /** True if a subscription always replays the task from its first event. Default: false. */
  readonly subscriptionReplays?: boolean | undefined
  /** The body of a push notification is the task after the event, not the event. */
  readonly pushesTask?: boolean | undefined
}

/** A protocol version: everything that a client's binding needs to write and read it. */
export interface ClientProtocol<out Version extends string = string> {
  /** The number of the version, such as `1.0`. */
  readonly version: Version
  /** The name of the header that lists extensions. */
  readonly extensionsHeader: string
  /** Reads agent cards. */
  readonly agentCard: Decoder<AgentCard.AgentCard>
  /** Read the meaning of parts that this peer writes beside them. Default: none. */
  readonly recognizers: ReadonlyArray<Recognizer>
  /** The habits of the peer. Default: those of the protocol version. */
  readonly traits?: Traits | undefined
  /** The errors that both bindings share. */
  readonly http: { readonly failure: FailureDecoder }
  /** The REST binding. */
  readonly rest: Rest
  /** The JSON-RPC binding. */
  readonly jsonRpc: JsonRpc
}

/** Protocol 1.0, with one dialect in both bindings. */
export const v1_0: ClientProtocol<"1.0"> = client1_0

/** Protocol 0.3: proto-JSON below `/v1` over REST, objects with a `kind` over JSON-RPC; without tenants. */
export const v0_3: ClientProtocol<"0.3"> = client0_3

/**
 * MemoryLake's departures from the protocol versions as clients see them, from its documentation and from bodies seen in
 * production; `servedPatch.ts` adds the service's side. Tested in `packages/memorylake/test/patch.test.ts`.
 */
import * as ClientProtocol from "@effect-a2a/core/ClientProtocol"
import type { WireFailure } from "@effect-a2a/core/Dialect"
import * as HttpPeer from "@effect-a2a/core/HttpPeer"
import { MessageId } from "@effect-a2a/core/Id"
import { isObject } from "@effect-a2a/core/Metadata"
import * as Result from "effect/Result"
import { recognizer } from "./recognizer.ts"

export const defaultHost = "https://app.memorylake.cn"

export const agentPath = (workspaceId: string, agentId: string) =>
  `/openapi/memorylake/api/v3/workspaces/${workspaceId}/agents/${agentId}`

export const missingMessageId = MessageId.make("memorylake-missing-message-id")

/** Decodes an A2A error that is a string of JSON in the message. */
const inner = (message: unknown): WireFailure | undefined => {
  const document = typeof message === "string" && message.startsWith("{")
    ? Result.getOrUndefined(HttpPeer.parseJson(message))
    : undefined
  return isObject(document) ? ClientProtocol.v1_0.http.failure.decode(document) : undefined
}

const decodeEnvelope = (body: unknown): WireFailure | undefined => {
  if (!isObject(body) || (body.success !== false && typeof body.error_code !== "string")) return undefined
  const { error_code: code, message } = body
  const reason = typeof code === "string" ? code : undefined
  return {
    message: typeof message === "string" ? message : reason ?? "refused",
    reason,
    ...inner(message),
    details: body
  }
}

/** Subscribes by GET first, then by POST. */
const getFirst = (routes: ClientProtocol.Rest["routes"]): ClientProtocol.Rest["routes"] => {
  const known = routes.SubscribeToTask
  return known === undefined
    ? routes
    : {
      ...routes,
      SubscribeToTask: [{ ...known[0], method: "GET" }, ...known.filter(({ method }) => method !== "GET")]
    }
}

/** Patches the calling half of a protocol version. */
export const patch = <V extends string>(
  self: ClientProtocol.ClientProtocol<V>
): ClientProtocol.ClientProtocol<V> => ({
  ...self,
  recognizers: [recognizer, ...self.recognizers],
  extensionsHeader: "A2A-Extensions",
  traits: { ...self.traits, getReturnsAnswer: false, subscriptionReplays: true },
  rest: { ...self.rest, contentType: "application/json", tenantSegment: false, routes: getFirst(self.rest.routes) },
  http: { failure: { decode: (body) => decodeEnvelope(body) ?? self.http.failure.decode(body) } },
  jsonRpc: {
    ...self.jsonRpc,
    failure: {
      decode: (error) => {
        const decoded = self.jsonRpc.failure.decode(error)
        return { ...decoded, ...inner(decoded.message) }
      }
    }
  }
})

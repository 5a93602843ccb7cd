/** The clients to compare. Each reads one stream to its end and returns the number of its events. */
import type { AgentCard } from "@a2a-js/sdk"
import { ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from "@a2a-js/sdk/client"
import * as Agent from "@effect-a2a/core/Agent"
import * as Credentials from "@effect-a2a/core/Credentials"
import * as Protocol from "@effect-a2a/core/Protocol"
import * as JsonRpc from "@effect-a2a/transport-jsonrpc/JsonRpc"
import * as Rest from "@effect-a2a/transport-rest/Rest"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { basePath, type Combination, isRpc, requestBody, streamPath, version } from "./wire.ts"

export type Client = (combination: Combination, origin: string, load: string) => Effect.Effect<number>

/** The simplest reader: no validation, no types, LF only. */
export const raw: Client = (combination, origin, load) =>
  Effect.promise(async () => {
    const response = await fetch(origin + streamPath(combination, load), {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream", "a2a-version": version(combination) },
      body: JSON.stringify(requestBody(combination))
    })
    const decoder = new TextDecoder()
    let rest = ""
    let count = 0
    for await (const bytes of response.body!) {
      const text = decoder.decode(bytes, { stream: true })
      rest += text
      // JSON contains no raw line end, so a large event is joined once and not searched again with each chunk
      if (!text.includes("\n")) continue
      const frames = rest.split("\n\n")
      rest = frames.pop()!
      for (const frame of frames) {
        if (JSON.parse(frame.slice("data: ".length)) !== undefined) count++
      }
    }
    return count
  })

const protocols = { "1.0": Protocol.v1_0, "0.3": Protocol.v0_3 }

const ours = (http: Layer.Layer<HttpClient.HttpClient>): Client => (combination, origin, load) =>
  Effect.suspend(() => {
    let count = 0
    const transport = (isRpc(combination) ? JsonRpc : Rest).layer({
      url: origin + basePath(combination, load),
      protocol: protocols[version(combination)]
    })
    return Agent.stream("go").pipe(
      Stream.runForEachArray((events) => Effect.sync(() => count += events.length)),
      Effect.map(() => count),
      Effect.provide(Agent.layer.pipe(Layer.provide(transport), Layer.provide([Credentials.layerNone, http]))),
      Effect.orDie
    )
  })

export const oursFetch: Client = ours(FetchHttpClient.layer)
export const oursUndici: Client = ours(NodeHttpClient.layerUndici)

const legacyCompat = { enabled: true }
const factory = new ClientFactory({
  transports: [new JsonRpcTransportFactory({ legacyCompat }), new RestTransportFactory({ legacyCompat })]
})

export const jsSdk: Client = (combination, origin, load) =>
  Effect.promise(async () => {
    const client = await factory.createFromAgentCard({
      supportedInterfaces: [{
        url: origin + basePath(combination, load),
        protocolBinding: isRpc(combination) ? "JSONRPC" : "HTTP+JSON",
        protocolVersion: version(combination),
        tenant: ""
      }],
      capabilities: { streaming: true }
    } as AgentCard)
    let count = 0
    const message = {
      messageId: "m",
      contextId: "",
      taskId: "",
      role: 1,
      parts: [{ content: { $case: "text", value: "go" } as const, metadata: undefined, filename: "", mediaType: "" }],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: []
    }
    for await (
      const _ of client.sendMessageStream({ tenant: "", message, configuration: undefined, metadata: undefined })
    ) {
      count++
    }
    return count
  })

export const clients: { readonly [name: string]: Client } = {
  "raw fetch": raw,
  "effect-a2a (fetch)": oursFetch,
  "effect-a2a (undici)": oursUndici,
  "@a2a-js/sdk": jsSdk
}

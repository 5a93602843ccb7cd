/** The authentication handler of the official JavaScript SDK against our server: challenges, renewal, refusals. */
import { type SendMessageRequest, TaskState } from "@a2a-js/sdk"
import {
  type AuthenticationHandler,
  ClientFactory,
  createAuthenticatingFetchWithRetry,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory
} from "@a2a-js/sdk/client"
import { NodeAgentServer } from "@effect-a2a/node"
import { AgentExecutor, AgentServer, Authentication, CardServer } from "@effect-a2a/server"
import { JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Stream } from "effect"
import { type Combination, combinations } from "./combinations.ts"

const legacyCompat = { enabled: true }

const card = {
  name: "Who",
  description: "Says who you are",
  securitySchemes: {
    token: { _tag: "HttpAuth", scheme: "Bearer" },
    key: { _tag: "ApiKey", location: "header", name: "X-Key" }
  },
  securityRequirements: [{ token: [] }, { key: [] }]
} as const

const ana = { id: "ana", secret: Redacted.make("secret-of-ana") }

const server = NodeAgentServer.layer({
  port: 0,
  routes: Layer.merge(RestServer.routes({ path: "/rest" }), JsonRpcServer.routes({ path: "/rpc" })).pipe(
    Layer.provide(Authentication.layer({
      schemes: { token: Authentication.bearer([ana]), key: Authentication.apiKey([ana]) }
    })),
    Layer.merge(CardServer.routes()),
    Layer.provide(AgentServer.layerMemory({ card })),
    Layer.provide(AgentExecutor.layer(({ caller }) => Stream.make(`You are ${caller?.id}`)))
  )
})

/** A client whose requests are authenticated by the handler; the card needs none. */
const connect = ({ binding, protocol }: Combination, handler: AuthenticationHandler) =>
  Effect.flatMap(NodeAgentServer.url, (url) =>
    Effect.promise(() => {
      const fetchImpl = createAuthenticatingFetchWithRetry(fetch, handler)
      return new ClientFactory({
        transports: [
          new JsonRpcTransportFactory({ legacyCompat, fetchImpl }),
          new RestTransportFactory({ legacyCompat, fetchImpl })
        ],
        preferredTransports: [binding],
        cardResolver: new DefaultAgentCardResolver({
          legacyCompat,
          fetchImpl: (url) => fetch(url, { headers: { "a2a-version": protocol.version } })
        })
      }).createFromUrl(url)
    }))

const request: SendMessageRequest = {
  tenant: "",
  message: {
    messageId: "m-1",
    contextId: "",
    taskId: "",
    role: 1,
    parts: [{
      content: { $case: "text", value: "Who am I?" },
      metadata: undefined,
      filename: "",
      mediaType: ""
    }],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: []
  },
  configuration: { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: false },
  metadata: undefined
}

const authorization = (token: string) => ({ Authorization: `Bearer ${token}` })

/** Presents an expired token, and another one if the server challenges for it. */
const renewing = () => {
  const challenges: Array<string | null> = []
  let token = "expired"
  const handler: AuthenticationHandler = {
    headers: async () => authorization(token),
    shouldRetryWithHeaders: async (_, response) => {
      if (response.status !== 401) return undefined
      challenges.push(response.headers.get("www-authenticate"))
      return authorization("secret-of-ana")
    },
    onSuccessfulRetry: async () => {
      token = "secret-of-ana"
    }
  }
  return { challenges, handler }
}

const fixed = (headers: Record<string, string>): AuthenticationHandler => ({
  headers: async () => headers,
  shouldRetryWithHeaders: async () => undefined
})

describe("@a2a-js/sdk with an authentication handler", () => {
  for (const combination of combinations) {
    it.live(`renews a token that our server refuses over ${combination.name}`, () =>
      Effect.gen(function*() {
        const { challenges, handler } = renewing()
        const client = yield* connect(combination, handler)
        const task = yield* Effect.promise(() => client.sendMessage(request))
        assert.isTrue("status" in task && task.status?.state === TaskState.TASK_STATE_COMPLETED)
        assert.include(JSON.stringify(task), "You are ana")
        assert.deepStrictEqual(challenges, [
          `Bearer realm="Who", error="invalid_token", ApiKey realm="Who", in="header", name="X-Key"`
        ])
        const events = yield* Stream.runCollect(
          Stream.fromAsyncIterable(client.sendMessageStream(request), (error) => error as Error)
        )
        assert.include(JSON.stringify(events), "You are ana")
        assert.strictEqual(challenges.length, 1)
      }).pipe(Effect.provide(server)))

    it.live(`presents a key to our server over ${combination.name}, and reports the refusal of a wrong one`, () =>
      Effect.gen(function*() {
        const known = yield* connect(combination, fixed({ "x-key": "secret-of-ana" }))
        assert.include(JSON.stringify(yield* Effect.promise(() => known.sendMessage(request))), "You are ana")
        for (const headers of [{ "x-key": "guessed" }, {}] as ReadonlyArray<Record<string, string>>) {
          const unknown = yield* connect(combination, fixed(headers))
          const refusal = yield* Effect.promise(() => unknown.sendMessage(request).then(() => "served", String))
          assert.match(refusal, /credential/)
        }
      }).pipe(Effect.provide(server)))
  }
})

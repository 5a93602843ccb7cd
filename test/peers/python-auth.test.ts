/** The Python SDK's client, with its interceptor for credentials, against our server. */
import { NodeAgentServer } from "@effect-a2a/node"
import { AgentExecutor, AgentServer, Authentication, CardServer } from "@effect-a2a/server"
import { JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { RestServer } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Stream } from "effect"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { file } from "./child.ts"
import * as PythonAgent from "./pythonAgent.ts"

const card = {
  name: "Who",
  description: "Says who you are",
  securitySchemes: {
    token: { _tag: "HttpAuth", scheme: "Bearer" },
    key: { _tag: "ApiKey", location: "header", name: "X-Key" }
  },
  securityRequirements: [{ token: [] }, { key: [] }]
} as const

const keys = [{ id: "ana", secret: Redacted.make("secret-of-ana") }]

const server = NodeAgentServer.layer({
  port: 0,
  routes: Layer.merge(RestServer.routes({ path: "/rest" }), JsonRpcServer.routes({ path: "/rpc" })).pipe(
    Layer.provide(Authentication.layer({
      schemes: { token: Authentication.bearer(keys), key: Authentication.apiKey(keys) }
    })),
    Layer.merge(CardServer.routes()),
    Layer.provide(AgentServer.layerMemory({ card })),
    Layer.provide(AgentExecutor.layer(({ caller }) => Stream.make(`You are ${caller?.id}`)))
  )
})

const python = file("../../.tmp/python-peer/bin/python")

const ask = (...args: ReadonlyArray<string>) =>
  Effect.flatMap(
    NodeAgentServer.url,
    (url) =>
      Effect.promise(() =>
        promisify(execFile)(python, [file("python/auth_client.py"), url, ...args]).then(({ stdout }) => stdout.trim())
      )
  )

describe.skipIf(!PythonAgent.isInstalled)("a2a-sdk (Python) with its interceptor for credentials", () => {
  for (const binding of ["HTTP+JSON", "JSONRPC"]) {
    it.live(`is known to our server by what the card requires, over ${binding}`, () =>
      Effect.gen(function*() {
        assert.strictEqual(yield* ask(binding, "token", "secret-of-ana"), "You are ana")
        assert.strictEqual(yield* ask(binding, "key", "secret-of-ana"), "You are ana")
        const refusal = yield* ask(binding, "key", "guessed")
        assert.match(refusal, /401|credential for key is not valid/)
        assert.notInclude(refusal, "You are")
      }).pipe(Effect.provide(server)), 20_000)
  }
})

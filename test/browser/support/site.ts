/** The site of the page, whose policy allows only its own scripts; and agents on other origins. */
import * as Message from "@effect-a2a/core/Message"
import * as Protocol from "@effect-a2a/core/Protocol"
import * as MemoryLakeEmulator from "@effect-a2a/emulators/MemoryLakeEmulator"
import * as NodeAgentServer from "@effect-a2a/node/NodeAgentServer"
import * as AgentServer from "@effect-a2a/server/AgentServer"
import * as CardServer from "@effect-a2a/server/CardServer"
import * as Cors from "@effect-a2a/server/Cors"
import * as Script from "@effect-a2a/testing/Script"
import * as JsonRpcServer from "@effect-a2a/transport-jsonrpc/JsonRpcServer"
import * as RestServer from "@effect-a2a/transport-rest/RestServer"
import * as Effect from "effect/Effect"
import type * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as HttpServer from "../../support/httpServer.ts"
import type { Bundle } from "./bundle.ts"

const policy = "default-src 'none'; script-src 'self'; connect-src *; worker-src 'self'"

const html = `<!doctype html><title>a page</title><script type="module" src="/page.js"></script>`

/** An agent on the origin of the page. */
const ownCard = {
  name: "own",
  supportedInterfaces: [{ url: "/api/a2a", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }]
}
const ownAnswer = { message: { messageId: "m-1", role: "ROLE_AGENT", parts: [{ text: "Here" }] } }

export const site = Effect.fnUntraced(function*(bundle: () => Promise<Bundle>) {
  const built = yield* Effect.promise(bundle)
  /** Number of tokens, by the test that requests them. */
  const tokens = new Map<string, number>()
  const server = yield* HttpServer.make(({ line }, response) => {
    const path = line.slice(line.indexOf(" ") + 1)
    const answer = (type: string, body: string) =>
      response.writeHead(200, { "content-type": type, "content-security-policy": policy, "cache-control": "no-store" })
        .end(body)
    if (path === "/") return answer("text/html", html)
    const file = built.files.get(path.slice(1))
    if (file !== undefined) return answer("text/javascript", file)
    if (path === "/api/.well-known/agent-card.json") return answer("application/json", JSON.stringify(ownCard))
    if (path === "/api/a2a/message:send") return answer("application/json", JSON.stringify(ownAnswer))
    if (path.startsWith("/token/")) {
      const nth = (tokens.get(path) ?? 0) + 1
      tokens.set(path, nth)
      // the first token is revoked
      return answer("text/plain", nth === 1 ? "sk_invalid" : "sk_demo")
    }
    response.writeHead(404).end()
  })
  return { url: server.url, built, tokens }
})

const served = (routes: Layer.Layer<never, never, HttpRouter.HttpRouter>) =>
  Effect.flatMap(
    Layer.build(NodeAgentServer.layer({ routes, port: 0, shutdown: "100 millis" })),
    (context) => Effect.provideContext(NodeAgentServer.url, context)
  )

/** Serves the emulator, as `a2a emulator` does. */
export const lake = Effect.map(served(MemoryLakeEmulator.routes), (host) => MemoryLakeEmulator.address(host))

const protocols = [Protocol.v1_0, Protocol.v0_3] as const

/** Counts slowly, or repeats the message. */
const script = Script.layer(({ message }) =>
  Message.text(message) === "count"
    ? ["one", " two", " three", " four", " five"].flatMap((word) => [Script.say(word), Script.wait("300 millis")])
    : message.parts.map(Script.reply)
)

/** Serves an agent with a card. */
export const counter = served(
  Layer.mergeAll(
    RestServer.routes({ path: "/rest", protocols }),
    JsonRpcServer.routes({ path: "/rpc", protocols }),
    CardServer.routes({ protocols }),
    Cors.layer()
  ).pipe(
    Layer.provide(AgentServer.layerMemory({
      card: {
        name: "counter",
        description: "Counts",
        version: "1.0.0",
        supportedInterfaces: [{ url: "/rest", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }],
        capabilities: { streaming: true },
        defaultInputModes: ["text/plain"],
        defaultOutputModes: ["text/plain"],
        skills: []
      }
    })),
    Layer.provide(script)
  )
)

const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "*", "access-control-max-age": "60" }

/** Starts a server that responds byte by byte and allows other origins. */
export const raw = (answer: HttpServer.Answer) =>
  HttpServer.make((asked, response) => {
    for (const [name, value] of Object.entries(cors)) response.setHeader(name, value)
    if (asked.line.startsWith("OPTIONS")) return void response.writeHead(204).end()
    answer(asked, response)
  })

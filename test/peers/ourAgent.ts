/** Our agent on a socket, over both bindings and both protocol versions. */
import { ContentTypeNotSupportedError } from "@effect-a2a/core/AgentError"
import * as Message from "@effect-a2a/core/Message"
import * as Part from "@effect-a2a/core/Part"
import * as Protocol from "@effect-a2a/core/Protocol"
import * as AgentExecutor from "@effect-a2a/server/AgentExecutor"
import * as AgentServer from "@effect-a2a/server/AgentServer"
import * as CardServer from "@effect-a2a/server/CardServer"
import * as Reply from "@effect-a2a/server/Reply"
import * as AgentTest from "@effect-a2a/testing/AgentTest"
import * as JsonRpcServer from "@effect-a2a/transport-jsonrpc/JsonRpcServer"
import * as RestServer from "@effect-a2a/transport-rest/RestServer"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as http from "node:http"
import { combinations } from "./combinations.ts"

/** The running agent. `finish` completes a slow task. */
export class OurAgent extends Context.Service<OurAgent, {
  readonly origin: string
  readonly finish: (taskId: string) => Effect.Effect<void>
}>()("test/OurAgent") {}

const waiting = new Map<string, Deferred.Deferred<void>>()

const slow = (taskId: string) =>
  Stream.fromEffectDrain(Effect.suspend(() => {
    const done = Deferred.makeUnsafe<void>()
    waiting.set(taskId, done)
    return Deferred.await(done)
  }))

/**
 * Reacts to the first word of the message: `echo …`, `chunks`, `files`, `ask` (and any later message of its task), `slow`,
 * `fail`, `die`, `refuse` (an error in the stream), `hello` (a message, no task).
 */
const executor = AgentExecutor.layer(({ message, task, taskId }) => {
  const text = Message.text(message)
  const [word] = text.split(" ")
  const working = Stream.make(Reply.progress("On it"))
  if (word === "hello") return Effect.succeed("Hello yourself")
  if (task !== undefined) return Stream.make(`You answered ${text}`)
  switch (word) {
    case "echo":
      return Stream.make(text.slice("echo ".length))
    case "chunks":
      return Stream.make("One, ", "two, ", "three").pipe(Stream.rechunk(1))
    case "files":
      return Stream.make(
        Part.raw(new TextEncoder().encode("hello"), { mediaType: "text/plain" }),
        Part.url("https://files.test/a.png", { mediaType: "image/png" }),
        Part.data({ answer: 42, list: [1, null] })
      )
    case "ask":
      return Stream.make(Reply.status("input-required", "Which city?"))
    case "fail":
      return Stream.make(Reply.status("failed", "The oven is cold"))
    case "die":
      return Stream.die(new Error("no model"))
    case "refuse":
      return Stream.concat(working, Stream.fail(new ContentTypeNotSupportedError({ message: "No cats" })))
    default:
      return Stream.concat(working, Stream.concat(slow(taskId), Stream.make("At last")))
  }
})

const protocols = [Protocol.v1_0, Protocol.v0_3] as const

const app = Layer.unwrap(Effect.map(HttpServer.addressFormattedWith(Effect.succeed), (origin) => {
  const supportedInterfaces = combinations.map(({ binding, path, protocol }) => ({
    url: origin + path,
    protocolBinding: binding,
    protocolVersion: protocol.version
  }))
  const agent = AgentServer.layerMemory({
    card: {
      ...AgentTest.card,
      supportedInterfaces,
      securitySchemes: { key: { _tag: "ApiKey", location: "header", name: "x-key" } }
    }
  }).pipe(Layer.provide(executor))
  const routes = Layer.mergeAll(
    RestServer.routes({ path: "/rest", protocols }),
    JsonRpcServer.routes({ path: "/rpc", protocols }),
    CardServer.routes({ protocols })
  ).pipe(Layer.provide(agent))
  return HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
    Layer.merge(Layer.succeed(OurAgent, {
      origin,
      finish: (taskId) => Effect.sync(() => Deferred.doneUnsafe(waiting.get(taskId)!, Effect.void))
    }))
  )
}))

export const layer = Layer.unwrap(Effect.sync(() => {
  const server = http.createServer()
  // clients keep their connections for seconds, and the server would wait for them
  const cut = Layer.effectDiscard(Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections())))
  return Layer.merge(app, cut).pipe(
    Layer.provide(NodeHttpServer.layer(() => server, { port: 0, host: "127.0.0.1" }))
  )
}))

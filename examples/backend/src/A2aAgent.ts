/** The orchestrator as an A2A agent: each agent's words become an artifact. */
import { AgentError, Message } from "@effect-a2a/core"
import { AgentExecutor, AgentServer, CardServer, Reply } from "@effect-a2a/server"
import { JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { RestServer } from "@effect-a2a/transport-rest"
import { Effect, Layer, Stream } from "effect"
import { type Chunk, Orchestrator } from "./Orchestrator.ts"

const card: AgentServer.Card = {
  name: "Orchestrator",
  description: "Asks the lake, a travel agent and the weather",
  skills: [
    {
      id: "ask",
      name: "Ask everyone",
      description: "Asks all agents at once",
      tags: ["search", "travel", "weather"]
    }
  ]
}

/** One artifact for each agent; how each ended is reported as progress. */
const toReply = (started: ReadonlySet<string>, chunk: Chunk): Reply.Reply => {
  switch (chunk._tag) {
    case "Delta":
      return Reply.artifact(
        { artifactId: chunk.source, name: chunk.source, parts: chunk.text },
        { append: started.has(chunk.source) }
      )
    case "Done":
      return Reply.progress(`${chunk.source}: ${chunk.state}`)
    case "Failed":
      return Reply.progress(`${chunk.source}: ${chunk.refusal.message}`)
  }
}

const nobody = Stream.fail(AgentError.reason("ServiceUnavailableError", { message: "nobody answers" }))

const executor = AgentExecutor.layer((turn) => {
  const started = new Set<string>()
  // the user is the authenticated caller, never what the message says of itself
  const user = turn.caller?.id ?? turn.contextId
  return Stream.unwrap(Effect.map(Orchestrator, ({ stream }) => stream(user, Message.text(turn.message)))).pipe(
    Stream.map((chunk) => {
      const reply = toReply(started, chunk)
      if (chunk._tag === "Delta") started.add(chunk.source)
      return reply
    }),
    Stream.concat(Stream.suspend(() => started.size > 0 ? Stream.empty : nobody))
  )
})

/** The agent in this process. */
export const agent = AgentServer.layerMemory({ card }).pipe(Layer.provide(executor))

/** The agent over REST and JSON-RPC, and its card. */
export const routes = Layer.mergeAll(
  RestServer.routes({ path: "/a2a" }),
  JsonRpcServer.routes({ path: "/a2a/rpc" }),
  CardServer.routes()
).pipe(Layer.provide(agent))

/**
 * One program over four transports: an agent in this process, the REST and the JSON-RPC binding of A2A, and the HTTP API
 * of ADK. Only the layer differs. Run it with `node examples/one-program.ts`.
 */
import { Agent, AgentStream, type AgentTransport, Conversation, Credentials, Message, Protocol } from "@effect-a2a/core"
import { AdkEmulator, AdkScript } from "@effect-a2a/emulators"
import { AgentTest, Script, Wire } from "@effect-a2a/testing"
import { Adk } from "@effect-a2a/transport-adk"
import { JsonRpc, JsonRpcServer } from "@effect-a2a/transport-jsonrpc"
import { Rest, RestServer } from "@effect-a2a/transport-rest"
import { Console, Effect, Layer, Stream } from "effect"

// -----------------------------------------------------------------------------
// the program
// -----------------------------------------------------------------------------

/** Asks, reads the steps of a stream and its tool calls, and replies to a question of the agent. */
export const program = Effect.gen(function*() {
  const question = "What is the weather in Lisbon?"
  const { state, text } = yield* Agent.ask(question)
  const steps = yield* Stream.runCollect(AgentStream.steps(Agent.stream(question)))
  const deltas = steps.flatMap((step) => step._tag === "Text" ? [step.text] : [])
  const toolCalls = steps.flatMap((step) => step._tag === "Answer" ? step.answer.toolCalls : [])
  const conversation = yield* Conversation.make()
  const asked = yield* conversation.ask("Plan a weekend")
  const plan = yield* conversation.ask("Porto")
  return {
    answer: [state, text],
    toolCalls,
    deltas,
    conversation: [asked.state, asked.question, plan.state, plan.text],
    isOneTask: asked.taskId === plan.taskId
  }
})

// -----------------------------------------------------------------------------
// the agent: a script for an A2A server, and one for an ADK server
// -----------------------------------------------------------------------------

const tool = { id: "call-1", name: "forecast", args: { city: "Lisbon" } }
const forecast = { id: tool.id, name: tool.name, response: { sky: "clear", celsius: 24 } }

const script = Script.layer(({ message, task }) => {
  if (task !== undefined) return [Script.say(`A weekend in ${Message.text(message)}.`)]
  return Message.text(message).startsWith("Plan")
    ? [Script.askForInput("Which city?")]
    : [
      Script.think("Let me look."),
      Script.callTool(tool),
      Script.toolResult(forecast),
      Script.say("Clear, "),
      Script.say("24 °C.")
    ]
})

const adkScript = ({ responses: [response], text }: AdkScript.Turn): ReadonlyArray<AdkScript.Step> => {
  if (response !== undefined) return [AdkScript.say(`A weekend in ${response.response?.result}.`)]
  return text.startsWith("Plan")
    ? [
      AdkScript.call({ id: "ask-1", name: "adk_request_input", args: { message: "Which city?" } }, {
        longRunning: true
      })
    ]
    : [
      AdkScript.think("Let me look."),
      AdkScript.call(tool),
      AdkScript.respond(forecast),
      AdkScript.say("Clear, ", "24 °C.")
    ]
}

// -----------------------------------------------------------------------------
// the layers. For a remote agent, set `url` and use the HTTP client of `node` or `browser`
// -----------------------------------------------------------------------------

const url = "http://agent.test"

const inProcess = AgentTest.layer.pipe(Layer.provide(script))

const rest = Rest.layer({ url }).pipe(
  Layer.provide(
    Wire.layerHttp(RestServer.routes({ path: "/", protocols: [Protocol.v1_0] }).pipe(Layer.provide(inProcess)))
  )
)
const jsonRpc = JsonRpc.layer({ url: `${url}/rpc` }).pipe(
  Layer.provide(
    Wire.layerHttp(JsonRpcServer.routes({ path: "/rpc", protocols: [Protocol.v1_0] }).pipe(Layer.provide(inProcess)))
  )
)
const adk = Adk.layer({ url, appName: "demo" }).pipe(
  Layer.provide(Wire.layerHttp(AdkEmulator.routes({ agent: adkScript })))
)

/** The transports by name. */
export const transports = { inProcess, rest, jsonRpc, adk }

/** Runs the program over a transport. */
export const over = <E>(
  transport: Layer.Layer<AgentTransport.AgentTransport, E, Credentials.Credentials>
) => program.pipe(Effect.provide(Agent.layer.pipe(Layer.provide(transport), Layer.provide(Credentials.layerNone))))

if (import.meta.main) {
  const main = Effect.forEach(
    Object.entries(transports),
    ([name, transport]) => Effect.flatMap(over(transport), (result) => Console.log(name, result))
  )
  await Effect.runPromise(main)
}

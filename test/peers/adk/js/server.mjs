/**
 * The API server of ADK for JavaScript. Prints its port as its first line, and ends when its standard input does. The
 * agents are those of `../python/agents`; packages come from the folder that is named by the argument.
 */
import * as fs from "node:fs"
import { pathToFileURL } from "node:url"

const load = (name) => import(pathToFileURL(`${process.argv[2]}/node_modules/${name}`).href)
const adk = await load("@google/adk/dist/esm/index.js")
const { AdkApiServer } = await load("@google/adk-devtools/dist/esm/index.js")
const { z } = await load("zod/index.js")

const words = JSON.parse(fs.readFileSync(new URL("../script.json", import.meta.url), "utf8"))

const answers = (content) => (content?.parts ?? []).flatMap(({ functionResponse }) => functionResponse ?? [])
const textOf = (content) => (content?.parts ?? []).map(({ text = "" }) => text).join("")
const says = (text) => ({ content: { role: "model", parts: [{ text }] } })

/** Says `text`, in two pieces and as a whole where pieces are wanted. */
const spoken = (text, isStreaming) => [
  ...(isStreaming
    ? [text.slice(0, 4), text.slice(4)].map((piece) => ({ ...says(piece), partial: true }))
    : []),
  says(text)
]

class Scripted extends adk.BaseAgent {
  async *runAsyncImpl(context) {
    const { artifactService, invocationId, runConfig, session, userContent } = context
    const event = (given) => adk.createEvent({ author: this.name, invocationId, branch: context.branch, ...given })
    const [answer] = answers(userContent)
    if (answer !== undefined) {
      yield event(says(`${answer.name} says ${JSON.stringify(answer.response)}`))
      return
    }
    const [word] = textOf(userContent).split(" ")
    if (word === "echo") {
      yield event(says(JSON.stringify({ parts: userContent.parts, state: session.state })))
      return
    }
    for (const step of words[word] ?? []) {
      if (step.throw !== undefined) throw new Error(step.throw)
      if (step.wait !== undefined) await new Promise((resolve) => setTimeout(resolve, step.wait))
      if (step.save !== undefined) {
        const version = await artifactService.saveArtifact({
          appName: session.appName,
          userId: session.userId,
          sessionId: session.id,
          filename: step.save,
          artifact: step.part
        })
        const actions = adk.createEventActions({ artifactDelta: { [step.save]: version } })
        yield event({ ...says(step.text), actions })
      }
      if (step.event === undefined) continue
      if (step.event.partial && runConfig?.streamingMode !== adk.StreamingMode.SSE) continue
      yield event({ ...step.event, actions: adk.createEventActions(step.event.actions) })
    }
  }

  async *runLiveImpl() {}
}

const authConfig = {
  credentialKey: "mail",
  authScheme: {
    type: "oauth2",
    flows: {
      authorizationCode: {
        authorizationUrl: "http://127.0.0.1:9/authorize",
        tokenUrl: "http://127.0.0.1:9/token",
        scopes: { read: "read" }
      }
    }
  },
  rawAuthCredential: { authType: "oauth2", oauth2: { clientId: "demo", clientSecret: "shh" } }
}

const calls = {
  search: { query: "cats" },
  pay: { euro: 9 },
  ask_boss: { what: "a rise" },
  adk_request_input: { message: "Which city?" },
  mail: {}
}

/** A model that calls the tool that it is told to, and says what the tool gave. */
class Model extends adk.BaseLlm {
  async *generateContentAsync({ contents }, isStreaming) {
    const content = contents.at(-1)
    const [answer] = answers(content)
    const [word] = textOf(content).split(" ")
    if (answer !== undefined) yield* this.#say(`${answer.name} gave ${JSON.stringify(answer.response)}`, isStreaming)
    else if (word in calls) {
      yield { content: { role: "model", parts: [{ functionCall: { name: word, args: calls[word] } }] } }
    } else yield* this.#say(`You said ${word}`, isStreaming)
  }

  *#say(text, isStreaming) {
    yield* spoken(text, isStreaming)
  }

  connect() {
    throw new Error("not live")
  }
}

const tools = [
  new adk.FunctionTool({
    name: "search",
    description: "Searches",
    parameters: z.object({ query: z.string() }),
    execute: ({ query }) => ({ found: query })
  }),
  new adk.FunctionTool({
    name: "pay",
    description: "Pays",
    parameters: z.object({ euro: z.number() }),
    execute: ({ euro }) => ({ paid: euro }),
    requireConfirmation: true
  }),
  new adk.LongRunningFunctionTool({
    name: "ask_boss",
    description: "Asks",
    parameters: z.object({ what: z.string() }),
    execute: () => ({ status: "pending" })
  }),
  adk.requestInputTool,
  new adk.FunctionTool({
    name: "mail",
    description: "Reads mail",
    parameters: z.object({}),
    execute: (_, context) => {
      const credential = context.getAuthResponse(authConfig)
      if (credential !== undefined) return { signedIn: credential.oauth2?.authResponseUri ?? true }
      context.requestCredential(authConfig)
      return { status: "waiting" }
    }
  })
]

const agents = {
  llm: new adk.LlmAgent({ name: "llm", model: new Model({ model: "none" }), tools }),
  scripted: new Scripted({ name: "scripted" })
}

const quiet = { setLogLevel: () => {}, log: () => {}, debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
adk.setLogLevel?.(adk.LogLevel.ERROR)
const server = new AdkApiServer({
  host: "127.0.0.1",
  port: 0,
  logger: quiet,
  agentLoader: {
    listAgents: async () => Object.keys(agents),
    getAgentFile: async (name) => {
      if (!Object.hasOwn(agents, name)) throw new Error(`Agent '${name}' not found`)
      return { load: async () => agents[name], [Symbol.asyncDispose]: async () => {} }
    },
    disposeAll: async () => {}
  }
})
await server.start()
console.log(new URL(server.url).port)
process.stdin.on("end", () => process.exit()).resume()

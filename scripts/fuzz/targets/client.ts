// Clients whose peer answers with anything: a value or an AgentError, without the credentials in it.
import * as Agent from "@effect-a2a/core/Agent"
import { AgentError } from "@effect-a2a/core/AgentError"
import * as AgentStream from "@effect-a2a/core/AgentStream"
import * as AgentTransport from "@effect-a2a/core/AgentTransport"
import * as Credential from "@effect-a2a/core/Credential"
import * as Credentials from "@effect-a2a/core/Credentials"
import * as Discovery from "@effect-a2a/core/Discovery"
import * as Id from "@effect-a2a/core/Id"
import * as Operation from "@effect-a2a/core/Operation"
import * as MemoryLake from "@effect-a2a/memorylake/MemoryLake"
import * as Adk from "@effect-a2a/transport-adk/Adk"
import * as JsonRpc from "@effect-a2a/transport-jsonrpc/JsonRpc"
import * as Rest from "@effect-a2a/transport-rest/Rest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { inspect } from "node:util"
import { combinations } from "../../../test/peers/combinations.ts"
import { mutate } from "../mutate.ts"
import type { Random } from "../random.ts"
import * as Seeds from "../seeds.ts"
import { finding, type Outcome, refusal, type Target, value } from "../target.ts"

const token = "planted-token-0123456789"
const key = "planted+key/0123456789=="
const planted = [token, key, encodeURIComponent(key), key.slice(0, 15)]

const credentials = Layer.succeed(Credentials.Credentials, {
  get: () =>
    Effect.succeed([
      Credential.bearer(Redacted.make(token)),
      Credential.apiKey({ name: "key", in: "query", value: Redacted.make(key) })
    ]),
  renew: () => Effect.succeed(false)
})

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const session = `{"id":"s-1","appName":"app","userId":"ana","state":{},"events":[],"lastUpdateTime":1}`

const card = {
  name: "Agent",
  description: "",
  version: "1",
  supportedInterfaces: [{ url: "https://agent.test/a2a", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }],
  capabilities: { streaming: true },
  defaultInputModes: [],
  defaultOutputModes: [],
  skills: []
}

/** Always answers the same, except for a fitting session of ADK or a card; `ID` in a body is that of the request. */
const peer = ({ body, headers, status }: Answer, isFitting: boolean) =>
  Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request) =>
      Effect.sync(() => {
        if (isFitting && /\/sessions(?:\/[^/]*)?$/.test(request.url)) {
          return HttpClientResponse.fromWeb(request, Response.json(JSON.parse(session)))
        }
        if (isFitting && !body.includes("supportedInterfaces") && request.url.endsWith("agent-card.json")) {
          return HttpClientResponse.fromWeb(request, Response.json(card))
        }
        const isEmpty = [204, 205, 304].includes(status)
        const response = new Response(isEmpty ? null : body.replaceAll("\"ID\"", "\"req-1\""), { status, headers })
        return HttpClientResponse.fromWeb(request, response)
      })
    )
  )

const taskId = Id.TaskId.make("t-1")

const uses = {
  get: Agent.getTask(taskId),
  send: Agent.send("hi"),
  ask: Agent.ask("hi"),
  cancel: Agent.cancel(taskId),
  card: Agent.card,
  extended: Effect.flatMap(AgentTransport.AgentTransport, (one) => one.call(Operation.GetExtendedAgentCard, {})),
  stream: Agent.stream("hi").pipe(AgentStream.steps, Stream.take(5000), Stream.runDrain),
  snapshots: Agent.subscribe(taskId).pipe(AgentStream.snapshots, Stream.take(5000), Stream.runDrain)
} as const

const clients = {
  ...Object.fromEntries(
    combinations.map(({ client, name, protocol }) =>
      [name, client({ url: "https://agent.test/a2a", protocol })] as const
    )
  ),
  discovered: Discovery.layer({ agent: "https://agent.test", bindings: [Rest.binding, JsonRpc.binding] }),
  MemoryLake: MemoryLake.layer({ host: "https://lake.test", workspaceId: "w", agentId: "a", binding: Rest.binding }),
  ADK: Adk.layer({ url: "https://adk.test", appName: "app", userId: "ana" })
}

const adkEvent = (members: object) =>
  JSON.stringify({ invocationId: "i-1", author: "app", id: "e-1", timestamp: 1700000000.5, ...members })
const part = (...parts: ReadonlyArray<object>) => ({ content: { role: "model", parts } })

const adkSeeds = [
  adkEvent({
    ...part({ text: "Hi" }, { functionCall: { id: "c-1", name: "look", args: { a: 1 } } }),
    partial: true,
    actions: { stateDelta: { a: 1 }, artifactDelta: { f: 1 } }
  }),
  adkEvent(part({ text: "Thinking", thought: true }, { text: "Hello" })),
  adkEvent(part({ functionResponse: { id: "c-1", name: "look", response: { result: [1, "x", null] } } })),
  adkEvent({
    ...part({
      functionCall: { id: "c-2", name: "adk_request_confirmation", args: { toolConfirmation: { hint: "Pay?" } } }
    }),
    longRunningToolIds: ["c-2"]
  }),
  adkEvent(part({ inlineData: { mimeType: "image/png", data: "aGk=" } }, { fileData: { fileUri: "gs://x/y" } })),
  adkEvent(part({ executableCode: { language: "PYTHON", code: "1" } }, { codeExecutionResult: { output: "1" } })),
  adkEvent({ errorCode: "SAFETY", errorMessage: "no", finishReason: "SAFETY" }),
  adkEvent({
    turnComplete: true,
    interrupted: false,
    usageMetadata: { totalTokenCount: 7 },
    actions: { escalate: true }
  }),
  session,
  `{"error":"boom"}`
]

const types = [
  "application/json",
  "text/event-stream",
  "text/html",
  "application/a2a+json",
  "",
  "text/plain; x=\"",
  "image/png"
]

/** The operation whose result a use reads. */
const operations: Readonly<Record<string, string>> = {
  get: "GetTask",
  send: "SendMessage",
  ask: "SendMessage",
  cancel: "CancelTask",
  card: "card",
  extended: "GetExtendedAgentCard",
  stream: "SendStreamingMessage",
  snapshots: "SubscribeToTask"
}

const documents = (random: Random, client: string, use: string): string => {
  if (client === "ADK") return mutate(random.pick(adkSeeds), random.pick(adkSeeds), random)
  const dialect = client === "0.3 JSONRPC" ? "0.3 JSON-RPC" : client === "0.3 HTTP+JSON" ? "0.3 REST" : "1.0"
  const fitting = Seeds.all.find(({ name }) =>
    name.startsWith(dialect) && name.endsWith(` ${operations[use]}`) && !name.includes("request")
  )
  const { documents } = fitting !== undefined && random.chance(0.9) ? fitting : random.pick(Seeds.all)
  return mutate(random.pick(documents), random.pick(random.pick(Seeds.all).documents), random)
}

const streams = ["stream", "snapshots"]

const body = (random: Random, client: string, use: string, isFitting: boolean): string => {
  const one = () => {
    const document = documents(random, client, use)
    return client.includes("JSONRPC") && random.chance(0.8)
      ? `{"jsonrpc":"2.0","id":"ID",${random.chance(0.1) ? "\"error\"" : "\"result\""}:${document}}`
      : document
  }
  const isStream = streams.includes(use) || (client === "ADK" && use !== "card")
  if (isFitting ? !isStream : random.chance(0.5)) return one()
  if (!isFitting && random.chance(0.2)) return `<html>${random.pick(planted)} ${one()}`
  return Array.from({ length: 1 + random.below(6) }, () => `data: ${one()}${random.pick(["\n\n", "\r\n\r\n", "\n"])}`)
    .join("")
}

const generate = (random: Random) => {
  const client = random.pick(Object.keys(clients))
  const use = random.pick(Object.keys(uses))
  const isFitting = random.chance(0.7)
  const text = body(random, client, use, isFitting)
  const fitting = text.startsWith("data:") ? types[1]! : types[0]!
  const headers: Record<string, string> = { "content-type": isFitting ? fitting : random.pick([fitting, ...types]) }
  if (random.chance(isFitting ? 0.02 : 0.1)) {
    headers[random.pick(["retry-after", "www-authenticate", "location", "etag", "cache-control"])] = random.pick([
      "9".repeat(400),
      "-1",
      "Wed, 31 Feb 2099 99:99:99 GMT",
      "Bearer realm=\"x",
      "https://evil.test",
      "//x",
      token
    ])
  }
  const status = isFitting || random.chance(0.4)
    ? 200
    : random.pick([201, 204, 302, 304, 400, 401, 404, 405, 429, 500, 503])
  return { variant: JSON.stringify({ client, use, headers, status, isFitting }), text }
}

const judge = (exit: Exit.Exit<unknown, unknown>): Outcome => {
  if (Exit.isSuccess(exit)) return value
  const error = Cause.findErrorOption(exit.cause)
  if (error._tag === "None") return finding(`a defect: ${Cause.pretty(exit.cause).slice(0, 1500)}`)
  if (!(error.value instanceof AgentError)) return finding(`not an AgentError: ${inspect(error.value).slice(0, 500)}`)
  const words = inspect(error.value, { depth: 8 }) + JSON.stringify(error.value)
  const secret = planted.find((one) => words.includes(one))
  return secret === undefined ? refusal : finding(`${secret} is in ${error.value.message.slice(0, 500)}`)
}

// a client waits for a task at work; work itself is not interrupted, and shows as time
const patience = "200 millis"

export const client: Target = {
  name: "clients",
  generate,
  run: async ({ text, variant }) => {
    const { client, headers, isFitting, status, use } = JSON.parse(variant)
    const transport: Layer.Layer<
      AgentTransport.AgentTransport,
      AgentError,
      HttpClient.HttpClient | Credentials.Credentials
    > = Reflect.get(clients, client)
    const layer = Layer.fresh(Agent.layer).pipe(
      Layer.provideMerge(Layer.fresh(transport)),
      Layer.provide([peer({ status, headers, body: text }, isFitting), credentials])
    )
    const effect: Effect.Effect<unknown, unknown, Agent.Agent | AgentTransport.AgentTransport> = Reflect.get(uses, use)
    return judge(
      await Effect.runPromiseExit(Effect.timeoutOption(Effect.provide(effect, layer), patience))
    )
  }
}

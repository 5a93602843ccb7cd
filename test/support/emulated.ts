/** The emulated MemoryLake, through bytes, in each of the four combinations. */
import * as Agent from "@effect-a2a/core/Agent"
import type * as AgentError from "@effect-a2a/core/AgentError"
import type { AgentTransport } from "@effect-a2a/core/AgentTransport"
import * as Credentials from "@effect-a2a/core/Credentials"
import * as Id from "@effect-a2a/core/Id"
import type * as Message from "@effect-a2a/core/Message"
import type * as Task from "@effect-a2a/core/Task"
import * as MemoryLakeEmulator from "@effect-a2a/emulators/MemoryLakeEmulator"
import * as MemoryLake from "@effect-a2a/memorylake/MemoryLake"
import * as Wire from "@effect-a2a/testing/Wire"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import type { TestOptions } from "vitest"
import { type Combination, combinations } from "../peers/combinations.ts"

export { type Combination, combinations }

export const host = "http://lake.test"

/** The service, and what crosses its wire. */
export const layerService = Wire.layerHttp(MemoryLakeEmulator.routes)

/** The URL that speaks A2A. */
export const url = `${host}/openapi/memorylake/api/v3/workspaces/${MemoryLakeEmulator.workspaceId}/agents/${
  MemoryLakeEmulator.agentIds[0]
}/a2a`

interface Options {
  readonly key?: string
  readonly agentId?: typeof MemoryLakeEmulator.agentIds[number]
}

const clientOf = (
  transport: Layer.Layer<AgentTransport, AgentError.AgentError, HttpClient.HttpClient | Credentials.Credentials>,
  key: string = MemoryLakeEmulator.apiKey
) =>
  Agent.layer.pipe(
    Layer.provideMerge(transport),
    Layer.provideMerge(Credentials.layerBearer(Redacted.make(key)))
  )

/** The client as users have it. */
export const layerClient = ({ http, protocol }: Combination, { agentId, key }: Options = {}) =>
  clientOf(MemoryLake.layer({ ...MemoryLakeEmulator.address(host, agentId), binding: http, protocol }), key)

/** A client without what `MemoryLake.layer` sees to: requests go out as they are. */
export const layerBare = ({ client, protocol }: Combination) =>
  clientOf(client({ url, protocol: MemoryLake.protocol(protocol) }))

/** A new service and a client of it. */
export const layer = (combination: Combination, options?: Options) =>
  layerClient(combination, options).pipe(Layer.provideMerge(layerService))

export const exchanges = Effect.flatMap(Wire.Tape, (tape) => tape.exchanges)

export const refusal = <A, R>(effect: Effect.Effect<A, AgentError.AgentError, R>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason)

const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** Runs while the clock runs too, a second each time that the wire is silent, or at each turn without one. */
export const fastForward = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.serviceOption(Wire.Tape), (tape) => {
    const settled = Option.match(tape, { onNone: () => turn, onSome: ({ settled }) => settled })
    return Effect.raceFirst(effect, Effect.forever(Effect.andThen(settled, TestClock.adjust("1 second"))))
  })

/** A message in the words of the combination, without what may be left out. */
export const message = ({ binding, protocol }: Combination, text: string): Record<string, unknown> =>
  protocol.version === "1.0"
    ? { role: "ROLE_USER", parts: [{ text }] }
    : binding === "HTTP+JSON"
    ? { role: "ROLE_USER", content: [{ text }] }
    : { role: "user", parts: [{ kind: "text", text }] }

const words = {
  "1.0": { send: "SendMessage", stream: "SendStreamingMessage", prefix: "" },
  "0.3": { send: "message/send", stream: "message/stream", prefix: "/v1" }
}

/** Posts a body as it is: neither version header nor anything else that our client would add. */
export const post = Effect.fnUntraced(
  function*(combination: Combination, params: unknown, mode: "send" | "stream" = "send") {
    const { prefix, ...methods } = words[combination.protocol.version as "1.0" | "0.3"]
    const isRest = combination.binding === "HTTP+JSON"
    const body = isRest ? params : { jsonrpc: "2.0", id: 1, method: methods[mode], params }
    const response = yield* HttpClientRequest.post(isRest ? `${url}${prefix}/message:${mode}` : url).pipe(
      HttpClientRequest.bearerToken(MemoryLakeEmulator.apiKey),
      HttpClientRequest.bodyText(JSON.stringify(body), "application/json"),
      HttpClient.execute
    )
    return { status: response.status, type: response.headers["content-type"] ?? "", text: yield* response.text }
  }
)

/** The task in an answer to {@link post}. */
export const taskIn = (combination: Combination, text: string): any => {
  const json = JSON.parse(text)
  const result = combination.binding === "HTTP+JSON" ? json : json.result
  return result?.task ?? (result?.kind === "task" ? result : undefined)
}

// what tests say over and over

export const example = "What is the capital of France?"
export const contextId = Id.ContextId.make("ctx-demo-1")

export const taskOf = (answer: Task.Task | Message.Message): Task.Task => {
  if (answer._tag !== "Task") return assert.fail("expected a task")
  return answer
}
export const send = (input: Message.Input, options?: Agent.Options) => Effect.map(Agent.send(input, options), taskOf)
export const getTask = (id: Id.TaskId) => Effect.flatMap(Agent.Agent, (agent) => agent.getTask(id))
export const cancel = (id: Id.TaskId) => Effect.flatMap(Agent.Agent, (agent) => agent.cancel(id))

/** The task that a reason carries. */
export const refusedTask = (reason: AgentError.AgentErrorReason): Task.Task => {
  if (!("task" in reason)) return assert.fail(`expected a failed task, not ${reason._tag}`)
  return reason.task
}

/** Defines a test with a new service and a new client. Options name the client's key and agent, or are vitest's. */
export const test = (combination: Combination) =>
<E>(
  title: string,
  program: () => Effect.Effect<void, E, Layer.Success<ReturnType<typeof layer>>>,
  { agentId, key, ...options }: Options & TestOptions = {}
) =>
  it.effect(
    title,
    () =>
      Effect.provide(program(), layer(combination, { ...(agentId && { agentId }), ...(key !== undefined && { key }) })),
    options
  )

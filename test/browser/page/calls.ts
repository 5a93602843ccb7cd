/** The functions that tests call in a page or a worker. Arguments and results are plain values, since they are copied. */
import * as BrowserAgent from "@effect-a2a/browser/BrowserAgent"
import * as BrowserConversation from "@effect-a2a/browser/BrowserConversation"
import * as BrowserCredentials from "@effect-a2a/browser/BrowserCredentials"
import * as ConversationStore from "@effect-a2a/browser/ConversationStore"
import * as Agent from "@effect-a2a/core/Agent"
import type * as AgentError from "@effect-a2a/core/AgentError"
import * as AgentStream from "@effect-a2a/core/AgentStream"
import * as Credentials from "@effect-a2a/core/Credentials"
import * as HttpBinding from "@effect-a2a/core/HttpBinding"
import * as Message from "@effect-a2a/core/Message"
import * as Part from "@effect-a2a/core/Part"
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as MemoryLake from "@effect-a2a/memorylake/MemoryLake"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

const stores = {
  session: ConversationStore.layerSessionStorage,
  indexedDb: ConversationStore.layerIndexedDb
}

export interface Target {
  /** The address of a MemoryLake agent; or the URL of an interface, or of an agent to discover. */
  readonly lake?: MemoryLake.Address
  readonly url?: string
  readonly agent?: string
  readonly binding?: BrowserAgent.Binding
  readonly protocol?: BrowserAgent.Version
  /** A bearer token; or the endpoint of the site that returns one. */
  readonly token?: string
  readonly tokenUrl?: string
  /** Keeps the token for the next visit. */
  readonly isKept?: boolean
  readonly store?: keyof typeof stores
  readonly limits?: Partial<HttpBinding.Limits>
}

/** Shared credentials of the page, as in an app. */
const shared = new Map<string, ManagedRuntime.ManagedRuntime<Credentials.Credentials, never>>()

const sharedBy = (tokenUrl: string, layer: typeof BrowserCredentials.layerShared) => {
  const runtime = shared.get(tokenUrl) ?? ManagedRuntime.make(layer({
    name: tokenUrl,
    read: Effect.promise(() => fetch(tokenUrl).then((response) => response.text())).pipe(Effect.map(Redacted.make))
  }))
  shared.set(tokenUrl, runtime)
  return Layer.effectContext(runtime.contextEffect)
}

const credentials = ({ isKept, token, tokenUrl }: Target): Layer.Layer<Credentials.Credentials> => {
  if (tokenUrl !== undefined) {
    return sharedBy(tokenUrl, isKept ? BrowserCredentials.layerLocalStorage : BrowserCredentials.layerShared)
  }
  return token === undefined ? Credentials.layerNone : Credentials.layerBearer(Redacted.make(token))
}

const client = ({ agent, binding, lake, protocol, url }: Target) => {
  if (agent !== undefined) return BrowserAgent.layer({ agent })
  if (lake === undefined) return BrowserAgent.layer({ url: url!, binding, protocol })
  return BrowserAgent.layerOver(BrowserAgent.dropOnHide(MemoryLake.layer({
    ...lake,
    binding: BrowserAgent.bindings[binding ?? "rest"],
    protocol: BrowserAgent.protocols[protocol ?? "1.0"]
  })))
}

type Needs = Agent.Agent | ConversationStore.ConversationStore | Scope.Scope

const run = <A>(target: Target, effect: Effect.Effect<A, AgentError.AgentError, Needs>) =>
  Effect.runPromise(
    effect.pipe(
      Effect.scoped,
      Effect.provide(Layer.merge(
        stores[target.store ?? "session"],
        Layer.provide(client(target), credentials(target))
      )),
      Effect.updateService(HttpBinding.CurrentLimits, (limits) => ({ ...limits, ...target.limits })),
      Effect.catchTag("AgentError", ({ message, reason }) => Effect.succeed({ error: reason._tag, message }))
    )
  )

/** The events received so far, for a test to look at. */
export const seen: Array<string> = []

const watch = <E, R>(events: Stream.Stream<StreamEvent.StreamEvent, E, R>) =>
  events.pipe(
    Stream.tap((event) => Effect.sync(() => void seen.push(event._tag))),
    AgentStream.answer,
    Effect.map(({ state, text, toolCalls }) => ({ state, text, toolCalls: toolCalls.length }))
  )

export const ask = (target: Target, text: string) =>
  run(target, Effect.map(Agent.ask(text), ({ state, text }) => ({ state, text })))

export const stream = (target: Target, text: string) => run(target, watch(Agent.stream(text)))

/** Sends parts of every kind and returns those that the agent repeats. */
export const parts = (target: Target) =>
  run(
    target,
    Effect.gen(function*() {
      const message = yield* Message.user([
        Part.text("echo"),
        Part.data({ answer: 42, list: [1, null] }),
        Part.raw(Uint8Array.from({ length: 256 }, (_, n) => n), { mediaType: "application/octet-stream" })
      ])
      const { artifacts } = yield* Agent.ask(message)
      return artifacts.flatMap(({ parts }) => parts).map((part) =>
        part._tag === "Raw" ? [...part.raw] : part._tag === "Data" ? part.data : part._tag
      )
    })
  )

/** Starts or continues the conversation of this tab. */
export const chat = (target: Target, text: string | undefined) =>
  run(
    target,
    Effect.gen(function*() {
      const chat = yield* BrowserConversation.make({ name: "chat" })
      const answer = yield* watch(text === undefined ? chat.resume : chat.stream(text))
      const { pending, transcript } = yield* chat.state
      return { answer: answer.text, pending: pending?.id, transcript: transcript.map(Message.text) }
    })
  )

/** Cancels the task after its first event. */
export const cancel = (target: Target, text: string) =>
  run(
    target,
    Effect.gen(function*() {
      const chat = yield* BrowserConversation.make({ name: "canceled" })
      const running = yield* Effect.forkScoped(Effect.result(watch(chat.stream(text))))
      yield* Effect.promise(function wait(): Promise<void> {
        return new Promise((resolve) => setTimeout(resolve, 20)).then(() => seen.length === 0 ? wait() : undefined)
      })
      const canceled = yield* chat.cancel
      const result = yield* Fiber.join(running)
      return {
        state: canceled?.status.state,
        ended: result._tag === "Failure" ? result.failure.reason._tag : "answered"
      }
    })
  )

/** Interrupts a stream after its first event. */
export const leave = (target: Target, text: string) => run(target, Stream.runHead(Agent.stream(text)))

/** Generates code, which the policy of the page forbids. */
export const generateCode = () =>
  Effect.runPromise(
    Effect.sync(() => new Function("return true")()).pipe(Effect.catchDefect(() => Effect.succeed("refused")))
  )

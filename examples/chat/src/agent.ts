// The agent of the settings, and the conversation with it, which survives a reload.
import * as BrowserAgent from "@effect-a2a/browser/BrowserAgent"
import * as BrowserConversation from "@effect-a2a/browser/BrowserConversation"
import * as ConversationStore from "@effect-a2a/browser/ConversationStore"
import type { Agent } from "@effect-a2a/core/Agent"
import type { AgentError } from "@effect-a2a/core/AgentError"
import type * as Conversation from "@effect-a2a/core/Conversation"
import * as Credentials from "@effect-a2a/core/Credentials"
import * as MemoryLake from "@effect-a2a/memorylake/MemoryLake"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { Settings } from "./settings.ts"

/** Returns the URL of the card: MemoryLake's stands beside the interface, all others below it or at its origin. */
const cardOf = (url: string) => url.replace(/(\/agents\/[^/]+)\/a2a\/?$/, "$1")

const transport = ({ binding, url, version }: Settings) => {
  const protocol = MemoryLake.protocol(BrowserAgent.protocols[version])
  return BrowserAgent.layerTransport(
    binding === "card" ? { agent: cardOf(url), protocols: [protocol] } : { url, binding, protocol }
  )
}

/** Creates the client. Messages carry MemoryLake's metadata, which other agents ignore. */
const layerAgent = (settings: Settings, key: string): Layer.Layer<Agent, AgentError> =>
  transport(settings).pipe(
    MemoryLake.withMemory,
    BrowserAgent.dropOnHide,
    BrowserAgent.layerOver,
    Layer.provide(key === "" ? Credentials.layerNone : Credentials.layerBearer(Redacted.make(key)))
  )

export class Session extends Context.Service<Session, Conversation.Service>()("example-chat/Session") {}

/** Restores the conversation of that name with the agent of the settings. */
export const layer = (name: string, settings: Settings, key: string): Layer.Layer<Session, AgentError> =>
  Layer.effect(Session, BrowserConversation.make({ name })).pipe(
    Layer.provide([layerAgent(settings, key), ConversationStore.layerSessionStorage])
  )

/** Removes the stored conversation. */
export const forget = (name: string): Effect.Effect<void> =>
  Effect.provide(BrowserConversation.forget(name), ConversationStore.layerSessionStorage)

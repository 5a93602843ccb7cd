// The settings: the agent, its version and its binding. The key is not stored: a reload forgets it.
import * as Schema from "effect/Schema"

export const Settings = Schema.Struct({
  url: Schema.String,
  version: Schema.Literals(["1.0", "0.3"]),
  /** `card`: the binding that the agent's card prefers. */
  binding: Schema.Literals(["card", "rest", "jsonrpc"])
})
export type Settings = typeof Settings.Type

/** The demo that the server of this page may offer: an agent and a public key. */
export const Demo = Schema.Struct({ url: Schema.String, key: Schema.String })
export type Demo = typeof Demo.Type

export const initial = (demo: Demo | undefined): Settings => ({ url: demo?.url ?? "", version: "1.0", binding: "card" })

export const bindings: Readonly<Record<Settings["binding"], string>> = {
  card: "By card",
  rest: "REST",
  jsonrpc: "JSON-RPC"
}

// Which agent, and how it is spoken to. The key is not among what is stored: a reload forgets it.
import * as Schema from "effect/Schema"

export const Settings = Schema.Struct({
  url: Schema.String,
  version: Schema.Literals(["1.0", "0.3"]),
  /** `card`: whichever the agent's card names first. */
  binding: Schema.Literals(["card", "rest", "jsonrpc"])
})
export type Settings = typeof Settings.Type

/** What the server of this page may offer to try: an agent, and a key that is no secret. */
export const Demo = Schema.Struct({ url: Schema.String, key: Schema.String })
export type Demo = typeof Demo.Type

export const initial = (demo: Demo | undefined): Settings => ({ url: demo?.url ?? "", version: "1.0", binding: "card" })

export const bindings: Readonly<Record<Settings["binding"], string>> = {
  card: "By card",
  rest: "REST",
  jsonrpc: "JSON-RPC"
}

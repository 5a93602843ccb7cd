// The stored state of this tab: settings and turns, without the key.
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Settings } from "./settings.ts"
import type { Turn } from "./turn.ts"

export interface Saved {
  /** The name of the conversation, which stores its own state. */
  readonly name: string
  readonly settings: Settings
  readonly turns: ReadonlyArray<Turn>
}

const place = "a2a-chat"

const Document = Schema.fromJsonString(
  Schema.Struct({ name: Schema.String, settings: Settings, turns: Schema.Array(Schema.Unknown) })
)

export const load = (): Saved | undefined =>
  // turns are not checked: only this page writes them
  Schema.decodeUnknownOption(Document)(sessionStorage.getItem(place)).pipe(Option.getOrUndefined) as Saved | undefined

export const save = (saved: Saved): void => sessionStorage.setItem(place, JSON.stringify(saved))

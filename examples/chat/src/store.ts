// The stored state of this tab: settings and turns, without the key.
import type { StreamEvent } from "@effect-a2a/core/StreamEvent"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Events from "./events.ts"
import { Settings } from "./settings.ts"
import type { Turn } from "./turn.ts"

export interface Saved {
  /** The name of the conversation, which stores its own state. */
  readonly name: string
  readonly settings: Settings
  readonly turns: ReadonlyArray<Turn>
  /** The events of the last turn's task. */
  readonly events: ReadonlyArray<StreamEvent>
}

const place = "a2a-chat"

const Document = Schema.fromJsonString(
  Schema.Struct({
    name: Schema.String,
    settings: Settings,
    turns: Schema.Array(Schema.Unknown),
    events: Schema.Unknown
  })
)

export const load = (): Saved | undefined =>
  Schema.decodeUnknownOption(Document)(sessionStorage.getItem(place)).pipe(
    Option.map((saved) => ({
      ...saved,
      // turns are not checked: only this page writes them
      turns: saved.turns as ReadonlyArray<Turn>,
      events: Option.getOrElse(Events.decode(saved.events), () => [])
    })),
    Option.getOrUndefined
  )

// each event is encoded once
const encoded = new WeakMap<StreamEvent, Schema.Json>()

const encode = (event: StreamEvent): Schema.Json => {
  const json = encoded.get(event) ?? Events.encode(event)
  encoded.set(event, json)
  return json
}

/** Saves the state; without the events if they are too many for the store. */
export const save = ({ events, ...saved }: Saved): void => {
  const write = (events: ReadonlyArray<Schema.Json>) =>
    Result.try(() => sessionStorage.setItem(place, JSON.stringify({ ...saved, events })))
  if (Result.isFailure(write(events.map(encode)))) write([])
}

/** What a scripted agent of ADK does, step by step. Ids, times, authors and the rest of an event are the server's. */
import type * as AdkContent from "@effect-a2a/transport-adk/AdkContent"
import type * as AdkEvent from "@effect-a2a/transport-adk/AdkEvent"
import * as Duration from "effect/Duration"
import type * as Schema from "effect/Schema"
import type { Flavour } from "./dialect.ts"

/** What the agent is told in a run. */
export interface Turn {
  readonly flavour: Flavour
  /** All text of the message. */
  readonly text: string
  readonly parts: ReadonlyArray<AdkContent.Part>
  /** The answers to calls in it. */
  readonly responses: ReadonlyArray<AdkContent.FunctionResponse>
  readonly state: Schema.JsonObject
  /** Of the session, before this run. */
  readonly events: ReadonlyArray<AdkEvent.Event>
  readonly customMetadata: Schema.JsonObject
  readonly invocationId: string | undefined
}

export type Step =
  | { readonly _tag: "Event"; readonly event: AdkEvent.Event }
  /** Text in pieces, told one by one where streaming is asked for, and then as a whole. */
  | { readonly _tag: "Say"; readonly pieces: ReadonlyArray<string>; readonly thought: boolean }
  /** A file is saved; `text` is said in the same event. */
  | {
    readonly _tag: "Save"
    readonly filename: string
    readonly part: AdkContent.Part
    readonly text: string | undefined
  }
  | { readonly _tag: "Wait"; readonly duration: Duration.Duration }
  /** The agent throws; without a message, something that is no error. */
  | { readonly _tag: "Throw"; readonly message: string | undefined }

/** Any event. */
export const event = (event: AdkEvent.Event): Step => ({ _tag: "Event", event })

/** The agent says something, in pieces. */
export const say = (...pieces: ReadonlyArray<string>): Step => ({ _tag: "Say", pieces, thought: false })

/** The agent thinks aloud. */
export const think = (...pieces: ReadonlyArray<string>): Step => ({ _tag: "Say", pieces, thought: true })

/** A tool is called. `longRunning`: the run ends without its result, which somebody has to give. */
export const call = (
  call: { readonly id: string; readonly name: string; readonly args?: Schema.JsonObject },
  options: { readonly longRunning?: boolean } & AdkEvent.Event = {}
): Step => {
  const { longRunning = false, ...rest } = options
  return event({
    content: { role: "model", parts: [{ functionCall: { args: {}, ...call } }] },
    ...(longRunning && { longRunningToolIds: [call.id] }),
    ...rest
  })
}

/** A tool has answered. */
export const respond = (
  { id, name, response }: { readonly id: string; readonly name: string; readonly response: Schema.JsonObject }
): Step => event({ content: { role: "user", parts: [{ functionResponse: { id, name, response } }] } })

/** The agent saves a file, and may say something in the same event. */
export const save = (filename: string, part: AdkContent.Part, text?: string): Step => ({
  _tag: "Save",
  filename,
  part,
  text
})

export const wait = (duration: Duration.Input): Step => ({
  _tag: "Wait",
  duration: Duration.fromInputUnsafe(duration)
})

/** The agent throws; without a message, something that is no error. */
export const fail = (message?: string): Step => ({ _tag: "Throw", message })

/**
 * Steps of the scripts that `AdkEmulator` follows. The server adds ids, times, authors and the other members of an
 * event.
 *
 * ```ts
 * import { Agent } from "@effect-a2a/core"
 * import { AdkEmulator, AdkScript } from "@effect-a2a/emulators"
 * import { Effect } from "effect"
 *
 * const agent = ({ text }: AdkScript.Turn) => [
 *   AdkScript.call({ id: "c-1", name: "search", args: { q: text } }),
 *   AdkScript.respond({ id: "c-1", name: "search", response: { hits: 2 } }),
 *   AdkScript.say("Two", " hits.")
 * ]
 * const answer = await Effect.runPromise(Agent.ask("effect").pipe(Effect.provide(AdkEmulator.layer({ agent }))))
 * answer.text // => "Two hits."
 * answer.toolCalls.map(({ name }) => name) // => ["search"]
 * ```
 *
 * @since 0.1.0
 */
import type * as AdkContent from "@effect-a2a/transport-adk/AdkContent"
import type * as AdkEvent from "@effect-a2a/transport-adk/AdkEvent"
import * as Duration from "effect/Duration"
import type * as Schema from "effect/Schema"

/** The kind of an emulated server: Python 2.x or JavaScript. */
export type Flavour = "python" | "javascript"

/** The input of the agent in a run. */
export interface Turn {
  readonly flavour: Flavour
  /** The text of the message. */
  readonly text: string
  readonly parts: ReadonlyArray<AdkContent.Part>
  /** The answers to calls in the message. */
  readonly responses: ReadonlyArray<AdkContent.FunctionResponse>
  readonly state: Schema.JsonObject
  /** The session's events before this run. */
  readonly events: ReadonlyArray<AdkEvent.Event>
  readonly customMetadata: Schema.JsonObject
  readonly invocationId: string | undefined
}

/** A step of a script. */
export type Step =
  | { readonly _tag: "Event"; readonly event: AdkEvent.Event }
  /** Text: its pieces if the run streams, then the full text. */
  | { readonly _tag: "Say"; readonly pieces: ReadonlyArray<string>; readonly thought: boolean }
  /** A file is saved; `text` is in the same event. */
  | {
    readonly _tag: "Save"
    readonly filename: string
    readonly part: AdkContent.Part
    readonly text: string | undefined
  }
  | { readonly _tag: "Wait"; readonly duration: Duration.Duration }
  /** The agent throws. Without a message it throws a value that is not an error. */
  | { readonly _tag: "Throw"; readonly message: string | undefined }

/** Emits any event. */
export const event = (event: AdkEvent.Event): Step => ({ _tag: "Event", event })

/** Emits text in pieces. */
export const say = (...pieces: ReadonlyArray<string>): Step => ({ _tag: "Say", pieces, thought: false })

/** Emits a thought in pieces. */
export const think = (...pieces: ReadonlyArray<string>): Step => ({ _tag: "Say", pieces, thought: true })

/**
 * Calls a tool. `longRunning` (default: `false`): the run ends without its result and waits for an answer, which requires
 * an id. Other options are members of the event.
 */
export const call = (
  call: { readonly id?: string; readonly name: string; readonly args?: Schema.JsonObject },
  options: { readonly longRunning?: boolean } & AdkEvent.Event = {}
): Step => {
  const { longRunning = false, ...rest } = options
  return event({
    content: { role: "model", parts: [{ functionCall: { args: {}, ...call } }] },
    ...(longRunning && call.id !== undefined && { longRunningToolIds: [call.id] }),
    ...rest
  })
}

/**
 * Emits the result of a tool. `skipSummarization` (default: `false`): the result is the agent's answer. Other options are
 * members of the event.
 */
export const respond = (
  result: { readonly id?: string; readonly name: string; readonly response: Schema.JsonObject },
  options: { readonly skipSummarization?: boolean } & AdkEvent.Event = {}
): Step => {
  const { skipSummarization = false, ...rest } = options
  return event({
    content: { role: "user", parts: [{ functionResponse: result }] },
    ...(skipSummarization && { actions: { skipSummarization } }),
    ...rest
  })
}

/** Saves a file, with optional text in the same event. */
export const save = (filename: string, part: AdkContent.Part, text?: string): Step => ({
  _tag: "Save",
  filename,
  part,
  text
})

/** Waits. */
export const wait = (duration: Duration.Input): Step => ({
  _tag: "Wait",
  duration: Duration.fromInputUnsafe(duration)
})

/** Throws. Without a message, throws a value that is not an error. */
export const fail = (message?: string): Step => ({ _tag: "Throw", message })

/** Calls that wait for somebody: what they ask, and what is said of them. */
import * as Part from "@effect-a2a/core/Part"
import type { Interrupted } from "@effect-a2a/core/TaskState"
import type * as Schema from "effect/Schema"
import type * as AdkContent from "../../AdkContent.ts"
import * as AdkEvent from "../../AdkEvent.ts"
import * as Names from "./functionNames.ts"
import * as Parts from "./parts.ts"

/** A call, the run that made it, and what the tool gave for the time being. */
export interface Call {
  readonly call: AdkContent.FunctionCall & { readonly id: string }
  readonly invocationId: string | undefined
  readonly placeholder?: AdkContent.FunctionResponse
}

export type Calls = ReadonlyArray<Call>

const isNamed = (call: AdkContent.FunctionCall): call is Call["call"] => call.id !== undefined

/** With what an event asks, and with the placeholders in it. */
export const add = (calls: Calls, event: AdkEvent.Event): Calls => {
  const asked = AdkEvent.pending(event).filter(isNamed)
  const responses = AdkEvent.isPartial(event) ? [] : AdkEvent.responses(event)
  if (asked.length === 0 && responses.length === 0) return calls
  return [
    ...calls.filter(({ call }) => !asked.some(({ id }) => id === call.id)),
    ...asked.map((call) => ({ call, invocationId: event.invocationId }))
  ].map((one): Call => {
    const placeholder = responses.find(({ id }) => id === one.call.id)
    return placeholder === undefined ? one : { ...one, placeholder }
  })
}

/** Without those that are answered. */
export const without = (calls: Calls, answered: ReadonlyArray<AdkContent.FunctionResponse>): Calls =>
  calls.filter(({ call }) => !answered.some(({ id }) => id === call.id))

export const stateOf = (calls: Calls): Interrupted =>
  calls.some(({ call }) => call.name === Names.credential) ? "auth-required" : "input-required"

const member = (json: Schema.Json | undefined, name: string): Schema.Json | undefined =>
  (json as Schema.JsonObject | undefined)?.[name]

/** What a person is asked, where the call says it in words. */
export const question = ({ args, name }: Pick<AdkContent.FunctionCall, "args" | "name">): string | undefined => {
  const words = name === Names.input
    ? args?.message
    : name === Names.confirmation
    ? member(args?.toolConfirmation ?? args?.tool_confirmation, "hint")
    : undefined
  return typeof words === "string" && words !== "" ? words : undefined
}

/** The questions in words, and the calls with their placeholders. */
export const parts = (calls: Calls): ReadonlyArray<Part.Part> => {
  const words = calls.flatMap(({ call }) => question(call) ?? [])
  const told = calls.flatMap(({ call, placeholder }): ReadonlyArray<AdkContent.Part> => [
    { functionCall: call },
    ...(placeholder === undefined ? [] : [{ functionResponse: placeholder }])
  ])
  return [
    ...(words.length === 0 ? [] : [Part.text(words.join("\n"))]),
    ...told.flatMap((part) => Parts.toPart(part, () => true) ?? [])
  ]
}

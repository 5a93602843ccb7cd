/** Calls that wait for an answer, and the questions they ask. Tested in test/adk/questions.test.ts. */
import * as Part from "@effect-a2a/core/Part"
import type { Interrupted } from "@effect-a2a/core/TaskState"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import type * as AdkContent from "../../AdkContent.ts"
import * as AdkEvent from "../../AdkEvent.ts"
import * as FunctionNames from "./functionNames.ts"
import * as Parts from "./parts.ts"

/** A call, the invocation that made it, and the tool's provisional result. */
export interface PendingCall {
  readonly call: AdkContent.FunctionCall & { readonly id: string }
  readonly invocationId: string | undefined
  readonly placeholder?: AdkContent.FunctionResponse
}

/** Calls in the order in which they were made. */
export type PendingCalls = ReadonlyArray<PendingCall>

const hasId = (call: AdkContent.FunctionCall): call is PendingCall["call"] => call.id !== undefined

/** Adds the calls of an event that wait for an answer, and its provisional results. */
export const add = (calls: PendingCalls, event: AdkEvent.Event): PendingCalls => {
  const added = AdkEvent.pending(event).filter(hasId)
  const responses = AdkEvent.isPartial(event) ? [] : AdkEvent.responses(event)
  if (added.length === 0 && responses.length === 0) return calls
  return [
    ...calls.filter(({ call }) => !added.some(({ id }) => id === call.id)),
    ...added.map((call) => ({ call, invocationId: event.invocationId }))
  ].map((pending): PendingCall => {
    const placeholder = responses.find(({ id }) => id === pending.call.id)
    return placeholder === undefined ? pending : { ...pending, placeholder }
  })
}

/** Removes the calls that a message answers. */
export const remove = (calls: PendingCalls, responses: ReadonlyArray<AdkContent.FunctionResponse>): PendingCalls =>
  calls.filter(({ call }) => !responses.some(({ id }) => id === call.id))

/** Returns the state of a task that waits for these calls. */
export const toState = (calls: PendingCalls): Interrupted =>
  calls.some(({ call }) => call.name === FunctionNames.credential) ? "auth-required" : "input-required"

const member = (json: Schema.Json | undefined, name: string): unknown =>
  Predicate.isReadonlyObject(json) ? json[name] : undefined

/** Returns the question in words, if the call has one. */
export const question = ({ args, name }: Pick<AdkContent.FunctionCall, "args" | "name">): string | undefined => {
  const text = name === FunctionNames.input
    ? args?.message
    : name === FunctionNames.confirmation
    ? member(args?.toolConfirmation ?? args?.tool_confirmation, "hint")
    : undefined
  return typeof text === "string" && text !== "" ? text : undefined
}

/** Returns the parts of a status message: the questions in words, then the calls with their provisional results. */
export const toParts = (calls: PendingCalls): ReadonlyArray<Part.Part> => {
  const texts = calls.flatMap(({ call }) => question(call) ?? [])
  const parts = calls.flatMap(({ call, placeholder }): ReadonlyArray<AdkContent.Part> => [
    { functionCall: call },
    ...(placeholder === undefined ? [] : [{ functionResponse: placeholder }])
  ])
  return [
    ...(texts.length === 0 ? [] : [Part.text(texts.join("\n"))]),
    ...parts.flatMap((part) => Parts.toPart(part, () => true) ?? [])
  ]
}

/**
 * Questions of an agent to a person, and the answers: an ADK run that pauses is a task in `input-required` or
 * `auth-required`, whose message holds the calls; the answer is a message on the same task with one part per call. What
 * `AdkReply` makes is plain A2A, so it does for agents that ADK itself serves over A2A too.
 *
 * ```ts
 * import { AdkReply } from "@effect-a2a/transport-adk"
 * import { Id, Message, Part, type Task } from "@effect-a2a/core"
 *
 * const call = {
 *   id: "adk-1",
 *   name: "adk_request_confirmation",
 *   args: { originalFunctionCall: { id: "c-1", name: "pay", args: { euro: 9 } }, toolConfirmation: { hint: "Pay 9 €?" } }
 * }
 * const task: Task.Task = {
 *   _tag: "Task",
 *   id: Id.TaskId.make("t-1"),
 *   status: {
 *     state: "input-required",
 *     message: {
 *       _tag: "Message", messageId: Id.MessageId.make("m-1"), role: "agent",
 *       parts: [Part.data(call, { metadata: { adk_type: "function_call", adk_is_long_running: true } })]
 *     }
 *   }
 * }
 * const [question] = AdkReply.questions(task)
 * question?.kind // => "confirmation"
 * question?.text // => "Pay 9 €?"
 * AdkReply.confirm(question!, { confirmed: true }).data
 * // => { id: "adk-1", name: "adk_request_confirmation", response: { confirmed: true } }
 * ```
 *
 * @since 0.1.0
 */
import type { Metadata } from "@effect-a2a/core/Metadata"
import * as Part from "@effect-a2a/core/Part"
import * as Recognizer from "@effect-a2a/core/Recognizer"
import type * as Task from "@effect-a2a/core/Task"
import * as ToolCall from "@effect-a2a/core/ToolCall"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as AdkRecognizer from "./AdkRecognizer.ts"
import * as Names from "./internal/mapping/functionNames.ts"
import { toResponse } from "./internal/mapping/parts.ts"
import * as Pending from "./internal/mapping/pendingCalls.ts"

/** What is asked for: a yes or no, a value, a credential, or the result of a tool that takes its time. */
export type Kind = "confirmation" | "input" | "credential" | "tool"

/** A call that waits for an answer; `text` is the question in words, where the agent has some. */
export interface Question extends ToolCall.Call {
  readonly kind: Kind
  readonly text?: string
}

/** What identifies a call. */
export type Call = Pick<ToolCall.Call, "id" | "name">

const kinds: { readonly [name: string]: Kind } = {
  [Names.confirmation]: "confirmation",
  [Names.credential]: "credential",
  [Names.input]: "input"
}

/** What a task waits for; all of it is to be answered in one message. */
export const questions = ({ status }: Pick<Task.Task, "status">): ReadonlyArray<Question> =>
  (status.message?.parts ?? []).flatMap((part) => {
    const call = part.metadata?.adk_is_long_running === true
      ? ToolCall.call(Recognizer.mark([AdkRecognizer.recognizer], part))
      : undefined
    if (call === undefined) return []
    const text = Pending.question(call)
    return [{
      ...call,
      kind: Object.hasOwn(kinds, call.name) ? kinds[call.name]! : "tool",
      ...(text !== undefined && { text })
    }]
  })

/** The result of a call: an object, or a value that becomes the `result` in one. */
export const result = ({ id, name }: Call, response: Schema.Json): Part.Data =>
  Part.data({ id, name, response: toResponse(response) }, { metadata: { adk_type: "function_response" } })

/** Says yes or no to a call that wants confirmation, with what it may want besides. */
export const confirm = (
  call: Call,
  answer: { readonly confirmed: boolean; readonly payload?: Schema.Json }
): Part.Data => result(call, answer)

/** The value that a call asks for. */
export const input = (call: Call, value: Schema.Json): Part.Data => result(call, value)

const object = (json: Schema.Json | undefined): Metadata =>
  Predicate.isObject(json) && !Array.isArray(json) ? json as Metadata : {}

/**
 * Where a person was sent to with the credential that a call asks for: the URL that they came back to, with all that is in
 * it, and the redirect URL that was given to the authorization server. Everything else of the configuration goes back as
 * it came.
 */
export const credential = (
  { args, ...call }: Call & Pick<ToolCall.Call, "args">,
  { authResponseUri, redirectUri }: { readonly authResponseUri: string; readonly redirectUri: string }
): Part.Data => {
  const config = object(args.authConfig ?? args.auth_config)
  const exchanged = object(config.exchangedAuthCredential)
  const oauth2 = { ...object(exchanged.oauth2), authResponseUri, redirectUri }
  return result(call, { ...config, exchangedAuthCredential: { ...exchanged, oauth2 } })
}

/** Where to send a person for the credential that a call asks for. */
export const authUri = ({ args }: Pick<ToolCall.Call, "args">): string | undefined => {
  const { authUri } = object(object(object(args.authConfig ?? args.auth_config).exchangedAuthCredential).oauth2)
  return typeof authUri === "string" ? authUri : undefined
}

/**
 * Questions that an agent asks a person, and the answers to them. A run that pauses is a task in `input-required` or
 * `auth-required` whose status message holds the calls; the answer is a message to the same task with one part per call.
 * Both are plain A2A, so they work with agents that ADK itself serves over A2A.
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
import * as FunctionNames from "./internal/mapping/functionNames.ts"
import * as PendingCalls from "./internal/mapping/pendingCalls.ts"
import { toResponse } from "./internal/schema/functionResponse.ts"

/** The kind of a question: a yes or no, a value, a credential, or the result of a long-running tool. */
export type Kind = "confirmation" | "input" | "credential" | "tool"

/** A call that waits for an answer. */
export interface Question extends ToolCall.Call {
  readonly kind: Kind
  /** The question in words, if the agent gives any. */
  readonly text?: string
}

/** Identifies a call. */
export type Call = Pick<ToolCall.Call, "id" | "name">

const kinds: { readonly [name: string]: Kind } = {
  [FunctionNames.confirmation]: "confirmation",
  [FunctionNames.credential]: "credential",
  [FunctionNames.input]: "input"
}

const recognizers = [AdkRecognizer.recognizer]

/** Returns the questions that a task waits for. Answer all of them in one message. */
export const questions = ({ status }: Pick<Task.Task, "status">): ReadonlyArray<Question> =>
  (status.message?.parts ?? []).flatMap((part) => {
    const call = part.metadata?.adk_is_long_running === true
      ? ToolCall.call(Recognizer.mark(recognizers, part))
      : undefined
    if (call === undefined) return []
    const text = PendingCalls.question(call)
    return [{
      ...call,
      kind: Object.hasOwn(kinds, call.name) ? kinds[call.name]! : "tool",
      ...(text !== undefined && { text })
    }]
  })

/** Creates the part that answers a call. A response that is not an object becomes `{ result: response }`. */
export const result = ({ id, name }: Call, response: Schema.Json): Part.Data =>
  Part.data({ id, name, response: toResponse(response) }, { metadata: { adk_type: "function_response" } })

/** Confirms or rejects a call. `payload` is additional data that the tool may request. */
export const confirm = (
  call: Call,
  answer: { readonly confirmed: boolean; readonly payload?: Schema.Json }
): Part.Data => result(call, answer)

/** Answers a call with the value that it requests. */
export const input = (call: Call, value: Schema.Json): Part.Data => result(call, value)

const toObject = (json: Schema.Json | undefined): Metadata => Predicate.isReadonlyObject(json) ? json as Metadata : {}

/**
 * Answers a call with a credential: `authResponseUri` is the URL to which the authorization server sent the person back,
 * query included, and `redirectUri` the one that it was given. The rest of the configuration returns unchanged.
 */
export const credential = (
  { args, ...call }: Call & Pick<ToolCall.Call, "args">,
  { authResponseUri, redirectUri }: { readonly authResponseUri: string; readonly redirectUri: string }
): Part.Data => {
  const config = toObject(args.authConfig ?? args.auth_config)
  const exchanged = toObject(config.exchangedAuthCredential)
  const oauth2 = { ...toObject(exchanged.oauth2), authResponseUri, redirectUri }
  return result(call, { ...config, exchangedAuthCredential: { ...exchanged, oauth2 } })
}

/** Returns the URL at which a person grants the credential that a call requests. */
export const authUri = ({ args }: Pick<ToolCall.Call, "args">): string | undefined => {
  const { authUri } = toObject(toObject(toObject(args.authConfig ?? args.auth_config).exchangedAuthCredential).oauth2)
  return typeof authUri === "string" ? authUri : undefined
}

/** A chat of `effect/ai` with its toolkit, served as an A2A agent. */
import { AgentError, Message, Part, Recognizer } from "@effect-a2a/core"
import { AgentExecutor, Reply } from "@effect-a2a/server"
import { AdkRecognizer } from "@effect-a2a/transport-adk"
import { Effect, RcMap, type Schema, Stream } from "effect"
import { type AiError, Chat, type LanguageModel, type Response, type Tool, type Toolkit } from "effect/ai"

/** Reports a part with the marks that most clients know. */
const marked = (part: Part.Part) => Reply.progress(Recognizer.mark([AdkRecognizer.recognizer], part))
const thought = (text: string) => marked(Part.text(text, { metadata: { adk_thought: true } }))
const typed = (type: "function_call" | "function_response", data: Schema.Json) =>
  marked(Part.data(data, { metadata: { adk_type: type } }))

const toReplies = (part: Response.AnyPart): ReadonlyArray<Reply.Reply> => {
  switch (part.type) {
    case "text-delta":
      return [part.delta]
    case "reasoning-delta":
      return [thought(part.delta)]
    case "tool-call":
      return [typed("function_call", { id: part.id, name: part.name, args: part.params as Schema.Json })]
    case "tool-result":
      return part.preliminary
        ? []
        : [typed("function_response", { id: part.id, name: part.name, response: part.encodedResult as Schema.Json })]
    default:
      return []
  }
}

const toReason = ({ message, reason }: AiError.AiError): AgentError.AgentErrorReason => {
  switch (reason._tag) {
    case "RateLimitError":
      return AgentError.reason("RateLimitError", {
        message,
        ...(reason.retryAfter && { retryAfter: reason.retryAfter })
      })
    case "QuotaExhaustedError":
      return AgentError.reason("QuotaExceededError", { message })
    default:
      return AgentError.reason("InternalError", { message })
  }
}

/** One chat for each context, kept for an hour after its last turn. */
export const layer = <Tools extends Record<string, Tool.Any>>(toolkit: Toolkit.WithHandler<Tools>, system: string) =>
  Effect.gen(function*() {
    const chats = yield* RcMap.make({
      lookup: (_contextId: string) => Chat.fromPrompt([{ role: "system", content: system }]),
      idleTimeToLive: "1 hour"
    })
    return AgentExecutor.layer<LanguageModel.LanguageModel>((turn) =>
      Stream.unwrap(
        Effect.map(RcMap.get(chats, turn.contextId), (chat) =>
          chat.streamText({ prompt: Message.text(turn.message), toolkit }).pipe(
            Stream.flatMap((part) =>
              Stream.fromIterable(toReplies(part as Response.AnyPart))
            ),
            Stream.mapError((error) => toReason(error as AiError.AiError))
          )) as never
      )
    )
  })

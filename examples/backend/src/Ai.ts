/** Remote agents for `effect/ai`, by hand: as tools, as a language model, as an MCP server. */
import type { AgentError } from "@effect-a2a/core"
import { Agent, AgentStream, Conversation, Id } from "@effect-a2a/core"
import { Effect, Layer, Match, Schema, Stream } from "effect"
import { AiError, LanguageModel, McpServer, Model, type Prompt, type Response, Tool, Toolkit } from "effect/ai"

// -----------------------------------------------------------------------------
// an agent as one tool, or as a tool for each of its skills
// -----------------------------------------------------------------------------

/** The part of an answer that a model reads. */
export const Summary = Schema.Struct({ state: Schema.String, text: Schema.String })
const parameters = Schema.Struct({
  message: Schema.String.annotate({ description: "What to say to the agent, in full sentences" })
})

export class AgentToolError extends Schema.TaggedError<AgentToolError>()("AgentToolError", {
  code: Schema.String,
  message: Schema.String,
  isRetryable: Schema.Boolean
}) {}

const toolError = (error: AgentError.AgentError) =>
  new AgentToolError({ code: error.code, message: error.reason.message, isRetryable: error.isRetryable })

/** Statically named: fully typed. */
export const tool = <const Name extends string>(name: Name, description: string) =>
  Tool.make(name, { description, parameters, success: Summary, failure: AgentToolError, failureMode: "return" })

/**
 * One conversation for as long as the handler lives, so that the agent's questions are answered on their task. What the
 * agent says meanwhile are preliminary results. Over a transport with `AgentTransport.cancelOnInterrupt`, a tool call that
 * is interrupted cancels the task.
 */
export const handler = Effect.gen(function*() {
  const conversation = yield* Conversation.make()
  return Effect.fnUntraced(function*(
    { message }: typeof parameters.Type,
    { preliminary }: { readonly preliminary: (result: typeof Summary.Type) => Effect.Effect<void> }
  ) {
    let summary = { state: "working", text: "" }
    yield* conversation.stream(message).pipe(
      AgentStream.steps,
      Stream.runForEach((step) => {
        switch (step._tag) {
          case "Text":
            return preliminary(summary = { state: "working", text: summary.text + step.text })
          case "Answer":
            summary = { state: step.answer.state, text: step.answer.text }
            return Effect.void
          default:
            return Effect.void
        }
      })
    )
    return summary
  }, Effect.mapError(toolError))
})

/** A toolkit of what a card says at run time: names are strings, hence no types to lose. */
export const fromCard = Effect.gen(function*() {
  const card = yield* Agent.card
  const slug = (text: string) => text.toLowerCase().replace(/[^a-z0-9_-]+/g, "_").slice(0, 64)
  const tools = card.skills.map((skill) =>
    tool(
      slug(`${card.name}_${skill.id}`),
      [`${card.name}: ${skill.name}. ${skill.description}`, ...(skill.examples ?? []).map((one) => `Example: ${one}`)]
        .join("\n")
    )
  )
  const toolkit = Toolkit.make(...tools)
  const handle = yield* handler
  return { toolkit, layer: toolkit.toLayer(Object.fromEntries(tools.map(({ name }) => [name, handle])) as never) }
})

// -----------------------------------------------------------------------------
// an agent as a language model
// -----------------------------------------------------------------------------

const aiReason = Match.type<AgentError.AgentErrorReason>().pipe(
  Match.withReturnType<AiError.AiErrorReason>(),
  Match.tag(
    "RateLimitError",
    "ServiceUnavailableError",
    ({ retryAfter }) => new AiError.RateLimitError({ retryAfter })
  ),
  Match.tag("QuotaExceededError", () => new AiError.QuotaExhaustedError({})),
  Match.tag("UnauthenticatedError", () => new AiError.AuthenticationError({ kind: "InvalidKey" })),
  Match.tag("AccessDeniedError", () => new AiError.AuthenticationError({ kind: "InsufficientPermissions" })),
  Match.orElse(({ message }) => new AiError.UnknownError({ description: message }))
)

const aiError = (method: string) => (error: AgentError.AgentError) =>
  AiError.make({ module: "AgentLanguageModel", method, reason: aiReason(error.reason) })

/** The agent keeps the conversation: only what it has not heard is sent, in the context that the last answer named. */
const heard = (options: LanguageModel.ProviderOptions) => {
  const { content } = options.incrementalPrompt ?? options.prompt
  const message = content.findLast((one) => one.role === "user")
  const text = (message?.content as ReadonlyArray<Prompt.UserMessagePart> ?? []).flatMap((part) =>
    part.type === "text" ? [part.text] : []
  ).join("\n")
  return {
    text,
    options: options.previousResponseId === undefined
      ? {}
      : { contextId: Id.ContextId.make(options.previousResponseId) }
  }
}

const usage = { inputTokens: { total: undefined }, outputTokens: { total: undefined } } as never
const finish = { type: "finish", reason: "stop", usage } as const

export const model = Effect.gen(function*() {
  const agent = yield* Agent.Agent
  return yield* LanguageModel.make({
    generateText: (options) => {
      const { options: sent, text } = heard(options)
      return agent.ask(text, sent).pipe(
        Effect.map(({ contextId, text }): Array<Response.PartEncoded> => [
          { type: "response-metadata", id: contextId } as never,
          { type: "text", text },
          finish
        ]),
        Effect.mapError(aiError("generateText"))
      )
    },
    streamText: (options) => {
      const { options: sent, text } = heard(options)
      const parts = AgentStream.text(agent.stream(text, sent)).pipe(
        Stream.map((delta): Response.StreamPartEncoded => ({ type: "text-delta", id: "0", delta }))
      )
      return Stream.make<[Response.StreamPartEncoded]>({ type: "text-start", id: "0" }).pipe(
        Stream.concat(parts),
        Stream.concat(Stream.make<Array<Response.StreamPartEncoded>>({ type: "text-end", id: "0" }, finish)),
        Stream.mapError(aiError("streamText"))
      )
    }
  })
})

export const layer = (name: string) => Model.make("a2a", name, Layer.effect(LanguageModel.LanguageModel, model))

// -----------------------------------------------------------------------------
// agents as an MCP server
// -----------------------------------------------------------------------------

export const mcp = Layer.unwrap(
  Effect.map(fromCard, ({ layer, toolkit }) => McpServer.toolkit(toolkit).pipe(Layer.provide(layer)))
)

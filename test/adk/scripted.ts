/** Scripts of ADK events as another server would write them, and the answers that they make. */
import { Agent, AgentStream, type ToolCall } from "@effect-a2a/core"
import { AdkScript } from "@effect-a2a/emulators"
import type { AdkContent, AdkEvent } from "@effect-a2a/transport-adk"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Adk from "./support.ts"

/** A part as another server would write it, nulls included. */
export const part = (member: string, value: object): AdkContent.Part => JSON.parse(JSON.stringify({ [member]: value }))

/** An event as another server would write it. */
export const event = (parts: ReadonlyArray<AdkContent.Part>, rest: AdkEvent.Event = {}) =>
  AdkScript.event({ content: { role: "model", parts }, ...rest })

/** Returns the name, arguments and response of each call. */
export const view = (toolCalls: ReadonlyArray<ToolCall.ToolCall>) =>
  toolCalls.map(({ args, name, outcome }) => [name, args, outcome?._tag === "Success" ? outcome.response : undefined])

/** Returns the answer of a call and of a stream, which must not differ. */
export const answer = Effect.gen(function*() {
  const asked = yield* Agent.ask("go")
  const streamed = yield* AgentStream.answer(Agent.stream("go"))
  assert.deepStrictEqual([streamed.text, view(streamed.toolCalls)], [asked.text, view(asked.toolCalls)])
  return asked
})

export const onScript = (...steps: ReadonlyArray<AdkScript.Step>) => Effect.provide(Adk.layer({ agent: () => steps }))

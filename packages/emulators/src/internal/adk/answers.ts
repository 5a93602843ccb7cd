/** The default script of the emulated agent, by the first word of a message (docs/adk.md). */
import type * as AdkContent from "@effect-a2a/transport-adk/AdkContent"
import * as AdkEvent from "@effect-a2a/transport-adk/AdkEvent"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import type * as AdkScript from "../../AdkScript.ts"
import { call, event, fail, respond, save, say, think, wait } from "../../AdkScript.ts"

type Script = (rest: string, turn: AdkScript.Turn) => ReadonlyArray<AdkScript.Step>

const toNumber = (text: string, ifInvalid: number) => Number.parseInt(text, 10) || ifInvalid

const pay = { id: "adk-pay", name: "pay", args: { euro: 9 } }

const authConfig = {
  authScheme: { type: "oauth2", flows: {} },
  exchangedAuthCredential: {
    authType: "oauth2",
    oauth2: { authUri: "https://login.example/authorize?client_id=demo", state: "s-1" }
  },
  credentialKey: "demo"
}

const words: { readonly [word: string]: Script } = {
  hello: () => [say("Hello", ", ", "world")],
  thought: () => [
    event({ partial: true, content: { role: "model", parts: [{ text: "Six by ", thought: true }] } }),
    event({ partial: true, content: { role: "model", parts: [{ text: "seven.", thought: true }] } }),
    event({ partial: true, content: { role: "model", parts: [{ text: "42" }] } }),
    event({ content: { role: "model", parts: [{ text: "Six by seven.", thought: true }, { text: "42" }] } })
  ],
  think: () => [think("Hm, ", "well."), say("Yes.")],
  tool: (rest) => [
    call({ id: "adk-search", name: "search", args: { query: rest } }),
    respond({ id: "adk-search", name: "search", response: { hits: [rest], total: 1 } }),
    say("One", " hit.")
  ],
  weather: () => [
    event({
      content: {
        role: "model",
        parts: ["Lisbon", "Porto"].map((city) => ({ functionCall: { name: "weather", args: { city } } }))
      }
    }),
    event({
      content: {
        role: "user",
        parts: [24, 19].map((result) => ({ functionResponse: { name: "weather", response: { result } } }))
      }
    }),
    say("24 and 19 °C.")
  ],
  lookup: (rest) => [
    call({ id: "adk-lookup", name: "lookup", args: { query: rest } }),
    respond({ id: "adk-lookup", name: "lookup", response: { result: `All about ${rest || "nothing"}.` } }, {
      skipSummarization: true
    })
  ],
  preview: () => [
    event({
      partial: true,
      content: { role: "model", parts: [{ functionCall: { id: "adk-other", name: "search" } }] }
    }),
    call({ id: "adk-search", name: "search" }),
    respond({ id: "adk-search", name: "search", response: { try: 1 } }),
    respond({ id: "adk-search", name: "search", response: { try: 2 } }),
    say("Found.")
  ],
  longrun: () => [
    call({ id: "adk-boss", name: "ask_boss", args: { what: "a rise" } }, { longRunning: true }),
    respond({ id: "adk-boss", name: "ask_boss", response: { status: "pending" } }),
    say("I have", " asked.")
  ],
  confirm: () => [
    call(pay),
    call({
      id: "adk-confirm",
      name: "adk_request_confirmation",
      args: { originalFunctionCall: pay, toolConfirmation: { hint: "Pay 9 euro?", confirmed: false } }
    }, {
      longRunning: true,
      actions: {
        skipSummarization: true,
        requestedToolConfirmations: { [pay.id]: { hint: "Pay 9 euro?", confirmed: false } }
      }
    })
  ],
  input: () => [
    call({
      id: "adk-input",
      name: "adk_request_input",
      args: { interruptId: "adk-input", message: "Which city?", payload: null, response_schema: { type: "string" } }
    }, { longRunning: true })
  ],
  auth: (_, { flavour }) => {
    const args = flavour === "python"
      ? { functionCallId: "adk-mail", authConfig }
      : { function_call_id: "adk-mail", auth_config: authConfig }
    const actions = { requestedAuthConfigs: { "adk-mail": authConfig } }
    return [call({ id: "adk-auth", name: "adk_request_credential", args }, { longRunning: true, actions })]
  },
  state: () => [
    event({ actions: { stateDelta: { topic: "lisbon", "user:name": "Ana", "temp:draft": 1, gone: null } } }),
    say("Noted.")
  ],
  artifact: (
    rest
  ) => [save(rest || "report.txt", { inlineData: { data: "cmVwb3J0", mimeType: "text/plain" } }, "Saved.")],
  inline: () => [
    event({
      content: {
        role: "model",
        parts: [
          { inlineData: { data: "+++/AA==", mimeType: "image/png", displayName: "dot.png" } },
          { fileData: { fileUri: "gs://bucket/a.pdf", mimeType: "application/pdf" } }
        ]
      }
    })
  ],
  code: () => [
    event({ content: { role: "model", parts: [{ executableCode: { code: "print(6*7)", language: "PYTHON" } }] } }),
    event({ content: { role: "model", parts: [{ codeExecutionResult: { outcome: "OUTCOME_OK", output: "42" } }] } }),
    say("42")
  ],
  meta: () => [
    event({
      content: { role: "model", parts: [{ text: "Cited." }] },
      finishReason: "STOP",
      usageMetadata: { promptTokenCount: 3, totalTokenCount: 5 },
      citationMetadata: { citations: [{ uri: "https://example.com/", title: "Example" }] },
      customMetadata: { keep_this: { as_it: "is" } },
      cacheMetadata: { fingerprint: "f", contents_count: 1 },
      turnId: "t-1"
    })
  ],
  workflow: () => [event({ output: { city: "Lisbon", nights: 2 }, nodeInfo: { path: "plan/1" } })],
  parallel: () => [
    event({ author: "left", branch: "a.left", partial: true, content: { parts: [{ text: "L" }] } }),
    event({ author: "right", branch: "a.right", partial: true, content: { parts: [{ text: "R" }] } }),
    event({ author: "left", branch: "a.left", partial: true, content: { parts: [{ text: "eft." }] } }),
    event({ author: "right", branch: "a.right", content: { parts: [{ text: "Right." }] } }),
    event({ author: "left", branch: "a.left", content: { parts: [{ text: "Left." }] } })
  ],
  unfinished: () => [
    event({ partial: true, content: { parts: [{ text: "Half " }] } }),
    event({ partial: true, content: { parts: [{ text: "of it" }] } })
  ],
  error: () => [
    event({ partial: true, content: { parts: [{ text: "Well" }] } }),
    event({ errorCode: "RESOURCE_EXHAUSTED", errorMessage: "The model is busy." })
  ],
  truncated:
    () => [event({ content: { parts: [{ text: "Once upon" }] }, errorCode: "MAX_TOKENS", finishReason: "MAX_TOKENS" })],
  stop: () => [event({ content: { parts: [{ text: "Done." }] }, errorCode: "STOP" })],
  throw: () => [
    event({ partial: true, content: { parts: [{ text: "Well" }] } }),
    event({ content: { parts: [{ text: "Well, no." }] } }),
    fail("the tool \"x\" broke")
  ],
  throwfirst: () => [fail("nothing works")],
  throwstring: () => [fail()],
  slow: (rest) =>
    Array.from({ length: toNumber(rest, 3) }, (_, i) => [wait("1 second"), say(`Tick ${i + 1}. `)]).flat(),
  silent: (rest) => [wait(`${toNumber(rest, 60)} seconds`), say("Here I am.")],
  unicode: () => [say("Ünï\u2028cöde ", "🦊 \u0000 ", "漢字")],
  big: (rest) => [say("x".repeat(toNumber(rest, 100_000)))],
  nothing: () => [],
  echo: (_, { customMetadata, invocationId, parts, state }) => [
    say(JSON.stringify({ parts, state, customMetadata, ...(invocationId !== undefined && { invocationId }) }))
  ]
}

const member = (json: Schema.Json | undefined, name: string): Schema.Json | undefined =>
  Predicate.isReadonlyObject(json) ? (json as Schema.JsonObject)[name] : undefined

/** Returns the steps that follow an answer. */
const resume = ({ name, response }: AdkContent.FunctionResponse): ReadonlyArray<AdkScript.Step> => {
  switch (name) {
    case "adk_request_confirmation": {
      const isConfirmed = member(response, "confirmed") === true
      return [
        respond({
          id: pay.id,
          name: pay.name,
          response: isConfirmed ? { paid: true } : { error: "This tool call is rejected." }
        }),
        say(isConfirmed ? "Paid." : "Not paid.")
      ]
    }
    case "adk_request_input":
      return [say(`A weekend in ${String(member(response, "result") ?? JSON.stringify(response))}.`)]
    case "adk_request_credential": {
      const oauth2 = member(member(response, "exchangedAuthCredential"), "oauth2")
      return [say(typeof member(oauth2, "authResponseUri") === "string" ? "Signed in." : "Not signed in.")]
    }
    default:
      return [say(`The answer is ${JSON.stringify(response ?? {})}.`)]
  }
}

const hasCall = (events: ReadonlyArray<AdkEvent.Event>, { id }: AdkContent.FunctionResponse) =>
  events.some((event) => AdkEvent.calls(event).some((call) => call.id === id))

/** Returns the steps of a turn. */
export const answer = (turn: AdkScript.Turn): ReadonlyArray<AdkScript.Step> => {
  const { events, responses, text } = turn
  if (responses.length > 0) {
    const unknown = responses.filter((response) => !hasCall(events, response)).map(({ id }) => id)
    return unknown.length > 0
      ? [fail(`No function call event found for function responses ids: ${unknown.join(", ")}`)]
      : responses.flatMap(resume)
  }
  const [word = "", ...rest] = text.trim().split(/\s+/)
  const script = Object.hasOwn(words, word.toLowerCase()) ? words[word.toLowerCase()] : undefined
  return script?.(rest.join(" "), turn) ?? [say("You said: ", text)]
}

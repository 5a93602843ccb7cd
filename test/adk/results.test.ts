/** Results of an ADK agent's calls as its answer. */
import { Agent, AgentStream, Part } from "@effect-a2a/core"
import { AdkScript } from "@effect-a2a/emulators"
import { assert, describe, it } from "@effect/vitest"
import type { Schema } from "effect"
import { Effect, Stream } from "effect"
import { covers } from "../support/covers.ts"
import { answer, event, onScript, part, view } from "./scripted.ts"
import * as Adk from "./support.ts"

type Json = Schema.Json

describe("a result that is the answer", () => {
  const final = { actions: { skipSummarization: true } }
  const result = (response: Json, more: object = {}) =>
    part("functionResponse", { id: "c-1", name: "search", response, ...more })
  const call = AdkScript.call({ id: "c-1", name: "search" })

  const cases: ReadonlyArray<readonly [string, Json, string, ReadonlyArray<Json>]> = [
    ["a text", { result: "Sunny." }, "Sunny.", []],
    ["a text that is JSON", { result: "{\"a\":1}" }, "{\"a\":1}", []],
    ["a text that is not wrapped", "Sunny.", "Sunny.", []],
    ["an object", { hits: 2, top: ["x"] }, "", [{ hits: 2, top: ["x"] }]],
    ["an object beside a member named result", { result: "x", more: 1 }, "", [{ result: "x", more: 1 }]],
    ["a wrapped object", { result: { hits: 2 } }, "", [{ hits: 2 }]],
    ["a wrapped list", { result: [1, "two"] }, "", [[1, "two"]]],
    ["a list that is not wrapped", [1, "two"], "", [[1, "two"]]],
    ["a number", { result: 24 }, "", [24]],
    ["an error", { error: "no such city" }, "", [{ error: "no such city" }]],
    ["nothing", { result: null }, "", []]
  ]

  for (const [kind, response, text, data] of cases) {
    it.effect(`is text or data of the answer: ${kind}`, () =>
      Effect.gen(function*() {
        const { artifacts, state, text: given, toolCalls } = yield* answer
        const parts = artifacts.flatMap(({ parts }) => parts).filter(({ mark }) => mark === undefined)
        assert.deepStrictEqual([state, given], ["completed", text])
        assert.deepStrictEqual(parts.flatMap((part) => part._tag === "Data" ? [part.data] : []), data)
        assert.deepStrictEqual(toolCalls.map(({ id, outcome }) => [id, outcome !== undefined]), [["c-1", true]])
        const deltas = yield* Agent.stream("go").pipe(AgentStream.text, Stream.mkString)
        assert.strictEqual(deltas, text)
      }).pipe(onScript(call, event([result(response)], final))), covers("field:N2-49"))
  }

  it.effect.each(Adk.flavours)(
    "follows what the agent wrote, and comes with its files (%s)",
    (flavour) =>
      Effect.gen(function*() {
        const { artifacts, text } = yield* Agent.ask("go")
        assert.include(text, "Let me look.")
        assert.include(text, "See the map.")
        const files = artifacts.flatMap(({ parts }) => parts).filter((part) =>
          part._tag === "Raw" || part._tag === "Url"
        )
        assert.deepStrictEqual(files, [
          Part.raw(new Uint8Array([1, 2]), { mediaType: "image/png" }),
          Part.url("gs://maps/1.pdf", { mediaType: "application/pdf" })
        ])
      }).pipe(Effect.provide(Adk.layer({
        flavour,
        agent: () => [
          AdkScript.say("Let me look."),
          call,
          event([
            result({ result: "See the map." }, {
              parts: [
                { inlineData: { data: "AQI=", mimeType: "image/png" } },
                { fileData: { fileUri: "gs://maps/1.pdf", mimeType: "application/pdf" } }
              ]
            })
          ], final)
        ]
      }))),
    covers("field:N2-49")
  )

  it.effect(
    "is each result of tools that run at the same time, and once if it is repeated",
    () =>
      Effect.gen(function*() {
        const { artifacts } = yield* answer
        const texts = artifacts.flatMap(({ parts }) => parts).flatMap((part) => part._tag === "Text" ? [part.text] : [])
        assert.deepStrictEqual(texts, ["one, again", "two"])
      }).pipe(onScript(
        event([
          part("functionCall", { id: "c-1", name: "search" }),
          part("functionCall", { id: "c-2", name: "search" })
        ]),
        event([result({ result: "one" }), result({ result: "two" }, { id: "c-2" })], final),
        event([result({ result: "one, again" })], final)
      )),
    covers("field:N2-49")
  )

  it.effect("is not the result of a call that waits for a person", () =>
    Effect.gen(function*() {
      const task = yield* Adk.send("go")
      assert.strictEqual(task.status.state, "input-required")
      const parts = (task.artifacts ?? []).flatMap(({ parts }) => parts)
      assert.deepStrictEqual(parts.filter(({ mark }) => mark === undefined), [])
    }).pipe(onScript(
      call,
      AdkScript.call({
        id: "adk-1",
        name: "adk_request_confirmation",
        args: { originalFunctionCall: { id: "c-1", name: "search", args: {} }, toolConfirmation: { hint: "Search?" } }
      }, { longRunning: true, actions: { skipSummarization: true } }),
      event([result({ error: "This tool call requires confirmation, please approve or reject." })], {
        actions: {
          skipSummarization: true,
          requestedToolConfirmations: { "c-1": { hint: "Search?", confirmed: false } }
        }
      })
    )), covers("field:N2-49"))

  it.effect("is only one whose event says so", () =>
    Effect.gen(function*() {
      const { artifacts, text } = yield* answer
      assert.deepStrictEqual([text, artifacts.length], ["Two hits.", 3])
    }).pipe(onScript(call, event([result({ result: "raw" })]), AdkScript.say("Two hits."))), covers("field:N2-49"))

  it.effect.each(Adk.flavours)("is that of the emulator's word too (%s)", (flavour) =>
    Effect.gen(function*() {
      const looked = yield* Agent.ask("lookup ports")
      assert.deepStrictEqual([looked.text, view(looked.toolCalls)], [
        "All about ports.",
        [["lookup", { query: "ports" }, { result: "All about ports." }]]
      ])
      const weather = yield* Agent.ask("weather")
      assert.deepStrictEqual([weather.text, view(weather.toolCalls)], ["24 and 19 °C.", [
        ["weather", { city: "Lisbon" }, { result: 24 }],
        ["weather", { city: "Porto" }, { result: 19 }]
      ]])
    }).pipe(Effect.provide(Adk.layer({ flavour }))), covers("field:N2-27", "field:N2-49"))
})

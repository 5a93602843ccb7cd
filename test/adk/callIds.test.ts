/** Calls of an ADK agent without ids. */
import { Agent, AgentStream } from "@effect-a2a/core"
import { AdkScript } from "@effect-a2a/emulators"
import { AdkContent } from "@effect-a2a/transport-adk"
import { assert, describe, it } from "@effect/vitest"
import type { Schema } from "effect"
import { Effect, Stream } from "effect"
import { covers } from "../support/covers.ts"
import { answer, event, onScript, part, view } from "./scripted.ts"

type Json = Schema.Json

describe("calls without ids", () => {
  const ids = { "absent": {}, "null": { id: null }, "empty": { id: "" } }

  for (const [kind, id] of Object.entries(ids)) {
    const call = (name: string, args: object) => part("functionCall", { ...id, name, args })
    const result = (name: string, value: Json) => part("functionResponse", { ...id, name, response: { result: value } })
    const lisbon = call("weather", { city: "Lisbon" })
    const porto = call("weather", { city: "Porto" })
    const time = call("time", {})
    const expected = [
      ["weather", { city: "Lisbon" }, { result: 24 }],
      ["weather", { city: "Porto" }, { result: 19 }],
      ["time", {}, { result: 12 }]
    ]

    it.effect(`are paired with their results by name and order (${kind})`, () =>
      Effect.gen(function*() {
        const { text, toolCalls } = yield* answer
        assert.deepStrictEqual([text, view(toolCalls)], ["Done.", expected])
      }).pipe(onScript(
        event([lisbon, porto, time]),
        event([result("weather", 24), result("weather", 19), result("time", 12)]),
        AdkScript.say("Done.")
      )), covers("field:N2-27", "field:N2-28"))

    it.effect(
      `are paired if the names come in another order, and text is in the same event (${kind})`,
      () =>
        Effect.gen(function*() {
          const { text, toolCalls } = yield* answer
          assert.deepStrictEqual([text, view(toolCalls)], ["Done.", expected])
        }).pipe(onScript(
          event([lisbon, porto, time]),
          event([result("time", 12), result("weather", 24)]),
          event([result("weather", 19), AdkContent.text("Done.")])
        )),
      covers("field:N2-27", "field:N2-28")
    )

    it.effect(`are paired round by round, and beside calls with ids (${kind})`, () =>
      Effect.gen(function*() {
        const { toolCalls } = yield* answer
        assert.deepStrictEqual(view(toolCalls), [
          ["weather", { city: "Lisbon" }, { result: 24 }],
          ["weather", { city: "Faro" }, { result: 30 }],
          ["weather", { city: "Lisbon" }, { result: 25 }],
          ["time", {}, { result: 12 }]
        ])
      }).pipe(onScript(
        event([lisbon, part("functionCall", { id: "c-1", name: "weather", args: { city: "Faro" } })]),
        event([
          part("functionResponse", { id: "c-1", name: "weather", response: { result: 30 } }),
          result("weather", 24)
        ]),
        event([lisbon]),
        event([result("weather", 25)]),
        event([time]),
        event([result("time", 12)]),
        AdkScript.say("Done.")
      )), covers("field:N2-27"))

    it.effect(
      `emit each call and each result of a stream (${kind})`,
      () =>
        Effect.gen(function*() {
          const steps = yield* Agent.stream("go").pipe(AgentStream.toolCalls, Stream.runCollect)
          assert.deepStrictEqual(steps.map(({ _tag, name }) => `${_tag} ${name}`), [
            "Call weather",
            "Call weather",
            "Result weather",
            "Result weather"
          ])
        }).pipe(onScript(event([lisbon, porto]), event([result("weather", 1), result("weather", 2)]))),
      covers("field:N2-27")
    )
  }

  it.effect("write no id into the parts", () =>
    Effect.gen(function*() {
      const { artifacts } = yield* Agent.ask("go")
      const data = artifacts.flatMap(({ parts }) => parts).flatMap((part) => part._tag === "Data" ? [part.data] : [])
      assert.deepStrictEqual(data, [{ name: "weather", args: {} }, { name: "weather", response: {} }])
    }).pipe(onScript(
      event([part("functionCall", { id: "", name: "weather", args: {} })], { longRunningToolIds: [""] }),
      event([part("functionResponse", { id: "", name: "weather", response: {} })])
    )), covers("field:N2-28"))
})

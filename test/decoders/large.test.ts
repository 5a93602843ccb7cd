/** The largest documents that limits of size allow, once for each way of reading. */
import * as AdkEvent from "@effect-a2a/transport-adk/AdkEvent"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { covers } from "../support/covers.ts"
import { chunks, type Combination, combination, frame } from "../support/peer.ts"
import { json } from "../support/respond.ts"
import * as Client from "./client.ts"
import { plant } from "./documents.ts"
import { assertLinear, outcome } from "./support.ts"

const million = 1_000_000

const fill = (count: number, item: string) => `[${`${item},`.repeat(count - 1)}${item}]`

const rpc = combination("1.0 JSONRPC")
const kinds = combination("0.3 JSONRPC")

const sampleOf = (one: Combination) => Client.resultsOf(one, "GetTask")[0]

/** A task with something in place of its artifacts, or of the parts of one. */
const taskWith = (one: Combination, text: string, ...path: ReadonlyArray<string | number>) =>
  plant(sampleOf(one), path, text)

/** Results of a call, each wrong or large in another way. */
const results: Readonly<Record<string, (one: Combination) => string>> = {
  "10⁷ numbers in place of a task": () => fill(10 * million, "1"),
  "10⁶ levels": () => `${"[".repeat(million)}${"]".repeat(million)}`,
  "10⁶ parts of wrong types": (one) => taskWith(one, fill(million, "{\"text\":1}"), "artifacts", 0, "parts"),
  "10⁶ parts without content": (one) => taskWith(one, fill(million, "{}"), "artifacts", 0, "parts"),
  "10⁶ messages without a role": (one) => taskWith(one, fill(million, "{}"), "history"),
  "a text of 3·10⁷ characters in place of a list": (one) => taskWith(one, `"${"x".repeat(30 * million)}"`, "artifacts"),
  "a name of 3·10⁷ characters": (one) => taskWith(one, `{"${"x".repeat(30 * million)}":1e400}`, "metadata"),
  "10⁵ names in metadata, the last one wrong": (one) =>
    taskWith(one, `{${Array.from({ length: million / 10 }, (_, n) => `"${n}a":1`).join(",")},"z":1e400}`, "metadata")
}

describe("a result of", covers("attack:S2-30", "attack:S2-38"), () => {
  it.live.each(Object.entries(results))(
    "%s is an error of few words, or a value",
    ([name, make]) =>
      Effect.scoped(Effect.gen(function*() {
        // the versions read the rest alike
        for (const one of /parts|metadata/.test(name) ? [rpc, kinds] : [rpc]) {
          const call = yield* Effect.orDie(Client.make(one))
          yield* outcome(call("GetTask", Client.withResult(one, make(one), false)), name)
        }
      }))
  )

  it.live("3·10⁵ wrong parts takes ten times as long as one of 3·10⁴, called and streamed", () =>
    Effect.scoped(Effect.gen(function*() {
      const call = yield* Effect.orDie(Client.make(rpc))
      const make = (count: number) => taskWith(rpc, fill(count, "{\"text\":\"x\",\"url\":1}"), "artifacts", 0, "parts")
      yield* assertLinear(
        (n) => outcome(call("GetTask", Client.withResult(rpc, make(n), false)), "call"),
        "call",
        30_000
      )
      const event = (count: number) => `{"task":${make(count)}}`
      yield* assertLinear(
        (n) => outcome(call("SendStreamingMessage", Client.withResult(rpc, event(n), true)), "stream"),
        "stream",
        30_000
      )
    })))
})

describe("a refusal of", covers("attack:S2-30", "attack:S2-38"), () => {
  it.live("10⁶ violations, or a message of 3·10⁷ characters, is an error of few words", () =>
    Effect.scoped(Effect.gen(function*() {
      const call = yield* Effect.orDie(Client.make(rpc))
      const violation = "{\"field\":\"a\",\"description\":\"b\"}"
      const bodies = [
        `{"code":-32602,"message":"m","data":[{"@type":"x.BadRequest","fieldViolations":${fill(million, violation)}}]}`,
        `{"code":-32602,"message":"m","data":${fill(million, "{\"@type\":\"x.BadRequest\"}")}}`,
        `{"code":-32602,"message":"${"x".repeat(30 * million)}"}`
      ]
      for (const body of bodies) {
        yield* outcome(call("GetTask", (asked) => json(Client.enveloped(rpc, asked, "error", body))), "called")
        const stream: Client.Answer = (asked) => chunks([frame(Client.enveloped(rpc, asked, "error", body))])
        yield* outcome(call("SendStreamingMessage", stream), "streamed")
      }
    })))
})

describe("an event stream of", covers("attack:S2-38", "attack:S2-39"), () => {
  const streams: Readonly<Record<string, (count: number) => string>> = {
    "comments": (count) => ":\n".repeat(count),
    "empty lines": (count) => "\n".repeat(count),
    "line ends of two characters": (count) => "\r\n".repeat(count),
    "fields without a name": (count) => `${":".repeat(count)}\n`,
    "unknown fields": (count) => "x: y\n".repeat(count),
    "ids": (count) => "id: 1\n".repeat(count),
    "retries": (count) => "retry: 1\n".repeat(count),
    "lines of one event": (count) => "data: 1\n".repeat(count),
    "events that are empty": (count) => "data:\n\n".repeat(count),
    "events of a later version": (count) =>
      "data: {\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{\"later\":1}}\n\n".repeat(count),
    "names of events": (count) => `event: ${"x".repeat(count)}\n`.repeat(10)
  }

  it.live.each(Object.entries(streams))(
    "%s costs the same for each",
    ([name, make]) =>
      Effect.scoped(Effect.gen(function*() {
        const call = yield* Effect.orDie(Client.make(rpc))
        yield* assertLinear(
          (count) => outcome(call("SendStreamingMessage", () => chunks([make(count)])), name),
          name,
          20_000
        )
      }))
  )
})

describe("10⁶ events of an ADK server", () => {
  it("are refused at the first wrong one", () => {
    const decode = Schema.decodeUnknownResult(Schema.Array(AdkEvent.Event))
    for (const item of ["1", "{\"content\":[]}"]) {
      const result = decode(JSON.parse(fill(million, item)))
      assert.isTrue(result._tag === "Failure" && result.failure.message.length < 1000)
    }
  })
})

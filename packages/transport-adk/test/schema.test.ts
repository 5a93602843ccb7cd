import { AdkActions, AdkContent, AdkEvent, AdkMetadata, AdkSession } from "@effect-a2a/transport-adk"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as fs from "node:fs"
import { covers } from "../../../test/support/covers.ts"

const sample = JSON.parse(fs.readFileSync(new URL("fixtures/run.json", import.meta.url), "utf8"))

const Events = Schema.Array(AdkEvent.Event)
const decode = Schema.decodeUnknownSync(AdkEvent.Event)
const roundTrip = (json: unknown) => Schema.encodeSync(AdkEvent.Event)(decode(json))

/** Every place of a JSON value that a member can be added to or taken from. */
const objects = (json: unknown): ReadonlyArray<Record<string, unknown>> =>
  typeof json !== "object" || json === null
    ? []
    : [...(Array.isArray(json) ? [] : [json as Record<string, unknown>]), ...Object.values(json).flatMap(objects)]

describe("AdkEvent", () => {
  it("the documented sample with every member decodes and encodes to the same JSON", covers("ADK-04"), () => {
    assert.deepStrictEqual(Schema.encodeSync(Events)(Schema.decodeUnknownSync(Events)(sample)), sample)
    const [event] = Schema.decodeUnknownSync(Events)(sample)
    assert.strictEqual(event?.cacheMetadata?.contents_count, sample[0].cacheMetadata.contents_count)
    assert.strictEqual(event?.content?.parts?.[0]?.functionCall?.partialArgs?.[0]?.nullValue, "NULL_VALUE")
  })

  it.prop("an unknown member at any depth is kept both ways", {
    at: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))),
    name: Arbitrary.schema(Schema.String),
    value: Arbitrary.schema(Schema.Json)
  }, ({ at, name, value }) => {
    const json = structuredClone(sample[0])
    const places = objects(json)
    places[at % places.length]![`x-${name}`] = value
    // a map to numbers or objects takes no other values
    if (Result.isFailure(Schema.decodeUnknownResult(AdkEvent.Event)(json))) {
      assert.include([
        json.actions.artifactDelta,
        json.actions.requestedAuthConfigs,
        json.actions.requestedToolConfirmations
      ], places[at % places.length])
      return
    }
    assert.deepStrictEqual(roundTrip(json), json)
  }, covers("ADK-04"))

  it.prop("an event without any one of its members is still an event", {
    at: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })))
  }, ({ at }) => {
    const json = structuredClone(sample[0])
    const places = objects(json).filter((object) => Object.keys(object).length > 0)
    const place = places[at % places.length]!
    const names = Object.keys(place)
    delete place[names[at % names.length]!]
    assert.deepStrictEqual(roundTrip(json), json)
  }, covers("ADK-05"))

  it("null counts as absent in every member that is not any JSON", covers("ADK-05"), () => {
    for (const name of Object.keys(sample[0]).filter((name) => name !== "output")) {
      assert.deepStrictEqual(
        roundTrip({ ...sample[0], [name]: null }),
        Struct.omit(sample[0], [name]),
        name
      )
    }
    assert.deepStrictEqual(roundTrip({ id: "1", output: null, actions: { setModelResponse: null } }), {
      id: "1",
      output: null,
      actions: { setModelResponse: null }
    })
    assert.deepStrictEqual(decode({ content: { role: null, parts: null } }), { content: {} })
  })

  it("nulls and keys in users' data are kept", covers("ADK-04"), () => {
    const actions = {
      stateDelta: { my_key: null, "user:a_b": { c_d: null } },
      agentState: { long_running_tool_ids: null }
    }
    assert.deepStrictEqual(roundTrip({ id: "1", actions }), { id: "1", actions })
  })

  it("unknown words of enumerations are kept", covers("ADK-05"), () => {
    const json = {
      id: "1",
      finishReason: "REASON_OF_2030",
      turnCompleteReason: "WHY",
      usageMetadata: { trafficType: "X" }
    }
    assert.deepStrictEqual(roundTrip(json), json)
    assert.strictEqual(Schema.decodeUnknownSync(AdkMetadata.FinishReason)("MAX_TOKENS"), "MAX_TOKENS")
  })

  it("camelCase and snake_case are decoded", covers("ADK-04", "field:ADK-07"), () => {
    const event = decode({
      id: "1",
      invocation_id: "e-1",
      long_running_tool_ids: ["c"],
      content: { parts: [{ function_call: { id: "c", name: "f", args: { snake_case: 1 } } }] }
    })
    assert.strictEqual(event.invocationId, "e-1")
    assert.deepStrictEqual(AdkEvent.pending(event), [{ id: "c", name: "f", args: { snake_case: 1 } }])
  })

  it("seconds and milliseconds are the same time, and the number is encoded unchanged", covers("ADK-04"), () => {
    for (const timestamp of [1_767_225_600.25, 1_767_225_600_250]) {
      assert.strictEqual(AdkEvent.timeMillis(decode({ id: "1", timestamp })), 1_767_225_600_250)
      assert.deepStrictEqual(roundTrip({ id: "1", timestamp }), { id: "1", timestamp })
    }
    const session = { id: "s", lastUpdateTime: 1_767_225_600_250 }
    assert.strictEqual(AdkSession.timeMillis(Schema.decodeUnknownSync(AdkSession.Session)(session)), 1_767_225_600_250)
  })

  it("the route is read from the event or from its actions", covers("ADK-04"), () => {
    assert.strictEqual(AdkEvent.route(decode({ id: "1", route: "a" })), "a")
    assert.deepStrictEqual(AdkEvent.route(decode({ id: "1", actions: { route: [true, 2, "b"] } })), [true, 2, "b"])
  })

  it("a member of another type is refused with its path", () => {
    const wrong = Schema.decodeUnknownResult(AdkEvent.Event)({ content: { parts: [{ text: 1 }] } })
    assert.match(
      Result.getOrThrow(Result.flip(wrong)).message,
      /Expected string\s+at \["content"\]\["parts"\]\[0\]\["text"\]/
    )
    for (const json of [null, "x", 1, []]) {
      assert.isTrue(Result.isFailure(Schema.decodeUnknownResult(AdkEvent.Event)(json)))
    }
    assert.isTrue(Result.isFailure(Schema.decodeUnknownResult(AdkSession.Session)({ userId: "u" })))
  })

  it("an error with content is truncated, and STOP is not an error", covers("ADK-04"), () => {
    assert.deepStrictEqual(AdkEvent.failure(decode({ errorCode: "MAX_TOKENS", content: { parts: [{ text: "a" }] } })), {
      code: "MAX_TOKENS",
      message: "MAX_TOKENS",
      truncated: true
    })
    assert.strictEqual(AdkEvent.failure(decode({ errorCode: "STOP" })), undefined)
    assert.deepStrictEqual(AdkEvent.failure(decode({ errorMessage: "no" })), { message: "no", truncated: false })
  })
})

describe("AdkContent", () => {
  it(
    "base64 is decoded in both alphabets, with or without padding, and encoded in the standard one",
    covers("ADK-04"),
    () => {
      for (const data of ["+/8=", "-_8=", "-_8"]) {
        const part = Schema.decodeUnknownSync(AdkContent.Part)({ inlineData: { data, mimeType: "image/png" } })
        assert.deepStrictEqual(AdkContent.bytes(part.inlineData!), new Uint8Array([251, 255]))
        assert.deepStrictEqual(Schema.encodeSync(AdkContent.Part)(part), {
          inlineData: { data: "+/8=", mimeType: "image/png" }
        })
      }
      const signed = { text: "a", thoughtSignature: "-_8=" }
      assert.deepStrictEqual(Schema.decodeUnknownSync(AdkContent.Part)(signed), signed)
      assert.strictEqual(AdkContent.bytes({ data: "no base64!" }), undefined)
    }
  )

  it("thoughts are left out of the text", covers("ADK-04"), () => {
    const content = { parts: [{ text: "hm", thought: true }, { text: "Yes." }, { text: "" }] }
    assert.deepStrictEqual([AdkContent.textOf(content), AdkContent.thoughtOf(content)], ["Yes.", "hm"])
  })

  it("a request for a credential is kept in full", covers("ADK-04"), () => {
    const config = {
      authScheme: { type: "oauth2", x_y: null },
      exchangedAuthCredential: { oauth2: { clientSecret: "<redacted>" } }
    }
    assert.deepStrictEqual(Schema.decodeUnknownSync(AdkActions.AuthConfig)(config), config)
  })
})

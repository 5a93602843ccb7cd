/** Whatever a decoder accepts can be written again, and is read alike: values of the model with one wrong or odd place. */
import type { Protocol } from "@effect-a2a/core"
import * as Arbitraries from "@effect-a2a/testing/Arbitrary"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { dialects } from "../../packages/core/test/protocol/support.ts"
import { places, plant } from "./documents.ts"
import { assertWritable } from "./support.ts"

/** JSON that numbers, texts, names and levels make hard to write again. */
const odd: ReadonlyArray<string> = [
  "-0",
  "1e308",
  "5e-324",
  "9007199254740993",
  "1.0",
  "1E+2",
  "\"\\ud800\"",
  "\"\\udc00\\ud800\"",
  "\"\\u0000\\u2028\"",
  "\"a\\ud83d\"",
  "{\"\\ud800\":1}",
  "{\"__proto__\":{\"a\":1}}",
  "{\"constructor\":null}",
  "{\"\":{\"\":[]}}",
  "{\"data\":{\"data\":{\"data\":1}}}",
  "{\"data_part_compat\":true,\"value\":1}",
  "{\"value\":[]}",
  "[[],{},null,\"\",0,false]",
  `${"[".repeat(150)}${"]".repeat(150)}`,
  `${"{\"value\":".repeat(149)}[]${"}".repeat(149)}`,
  "\"2026-02-30T25:61:61Z\"",
  "\"2026-01-01T00:00:00.123456789+23:59\"",
  "\"+275760-09-13T00:00:00.000Z\"",
  "\"=\"",
  "\"_-8=\"",
  "\"TASK_STATE_LATER\"",
  "\"https://[\"",
  "null",
  "[]",
  "{}"
]

/** A value, a place among its places, and what to put there. */
const cases = (
  values: Arbitrary.Arbitrary<any>
): [Arbitrary.Arbitrary<any>, Arbitrary.Arbitrary<number>, Arbitrary.Arbitrary<string>] => [
  values,
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))),
  Arbitrary.schema(Schema.Literals(odd))
]

/** `others` are the codecs of other versions: a gateway writes in one what it has read in another. */
const law = (
  title: string,
  codec: Protocol.Codec<any>,
  others: ReadonlyArray<Protocol.Codec<any>>,
  values: Arbitrary.Arbitrary<any>
) =>
  it.prop(title, cases(values), ([value, index, json]) => {
    const encoded = codec.encode(value)
    // some values cannot be expressed in a version
    if (Result.isFailure(encoded) || encoded.success === undefined) return
    const document = encoded.success
    const all = places(document)
    const path = all[index % all.length]!
    const read = codec.decode(JSON.parse(plant(document, path, json)))
    if (Result.isFailure(read)) return
    assertWritable(codec, read.success, `${json} at ${path.join(".")}`)
    for (const other of others) {
      if (Result.isSuccess(other.encode(read.success))) {
        assertWritable(other, read.success, `${json} at ${path.join(".")}, in another version`)
      }
    }
  }, { arbitrary: { runs: 40, seed: 11 } })

const names = Object.keys(dialects) as Array<keyof typeof dialects>

describe.each(names)("%s writes what it reads, with one place of", (name) => {
  const requests = Arbitraries.requests(name)
  const successes = Arbitraries.successes(name)
  for (const tag of Object.keys(requests) as Array<keyof Arbitraries.Requests>) {
    const asked = dialects[name].request[tag]
    const answered = dialects[name].success[tag]
    if (asked === undefined || answered === undefined) continue
    const of = (side: "request" | "success") =>
      names.flatMap((other) => other === name ? [] : dialects[other][side][tag] as Protocol.Codec<any> ?? [])
    law(`the request of ${tag}`, asked as Protocol.Codec<any>, of("request"), requests[tag])
    if (tag !== "DeleteTaskPushNotificationConfig") {
      law(`the result of ${tag}`, answered as Protocol.Codec<any>, of("success"), successes[tag])
    }
  }
})

describe("data of 150 levels", () => {
  const chains = {
    lists: JSON.parse(`${"[".repeat(150)}${"]".repeat(150)}`),
    objects: JSON.parse(`${"{\"data\":".repeat(149)}{}${"}".repeat(149)}`),
    "objects named as a wrapper is": JSON.parse(`${"{\"value\":".repeat(149)}[]${"}".repeat(149)}`)
  }

  it.each(Object.entries(chains))("as %s are written and read in every version, and more are refused", (_, data) => {
    for (const name of names) {
      const { request, success } = dialects[name]
      const message = (data: unknown) => ({
        _tag: "Message",
        messageId: "m-1",
        role: "user",
        parts: [{ _tag: "Data", data }]
      })
      assertWritable(request.SendMessage as Protocol.Codec<any>, { message: message(data) }, name)
      assertWritable(success.SendMessage as Protocol.Codec<any>, message(data), name)
      assert.isTrue(Result.isFailure(request.SendMessage!.encode({ message: message([data]) } as any)), name)
    }
  })
})

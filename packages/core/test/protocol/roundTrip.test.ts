import * as Protocol from "@effect-a2a/core/Protocol"
import { assert, describe, it } from "@effect/vitest"
import type * as EffectArbitrary from "effect/Arbitrary"
import * as Arbitrary from "../../../testing/src/Arbitrary.ts"
import { dialects, read, write } from "./support.ts"

const law = (title: string, codec: Protocol.Codec<any>, values: EffectArbitrary.Arbitrary<any>) =>
  it.prop(title, [values], ([value]) => {
    assert.deepStrictEqual(read(codec, write(codec, value)), value)
  }, { arbitrary: { runs: 60, seed: 7 } })

const names = Object.keys(dialects) as Array<keyof typeof dialects>

describe.each(names)("%s reads what it writes", (name) => {
  const requests = Arbitrary.requests(name)
  const successes = Arbitrary.successes(name)
  for (const tag of Object.keys(requests) as Array<keyof Arbitrary.Requests>) {
    const asked = dialects[name].request[tag]
    const answered = dialects[name].success[tag]
    if (asked === undefined || answered === undefined) {
      it(`${tag} exists in both directions or in neither`, () => {
        assert.isTrue(asked === undefined && answered === undefined)
        assert.deepStrictEqual([name, tag], ["0.3 JSON-RPC", "ListTasks"])
      })
      continue
    }
    law(`${tag}: request`, asked as Protocol.Codec<any>, requests[tag])
    law(`${tag}: result`, answered as Protocol.Codec<any>, successes[tag])
  }
})

describe("agent cards are read as they were written", () => {
  law("1.0", Protocol.v1_0.agentCard, Arbitrary.agentCard("1.0"))
  law("0.3", Protocol.v0_3.agentCard, Arbitrary.agentCard("0.3 REST"))
})

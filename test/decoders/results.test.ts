/** Results and events that are wrong everywhere, in all combinations, through the client. */
import { Operation } from "@effect-a2a/core"
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Combination, combinations } from "../support/peer.ts"
import * as Client from "./client.ts"
import { few, kindsAt, nameOf, places, plant } from "./documents.ts"
import { assertWritable, outcome } from "./support.ts"

/** True for a decoder that an earlier operation or combination shares. */
const isRepeated = (one: Combination, tag: Client.Tag): boolean => {
  const codec = Client.dialectOf(one).success[tag]
  const all = combinations.flatMap((other) => Client.operationsOf(other).map((tag) => ({ other, tag })))
  const first = all.find(({ other, tag }) => Client.dialectOf(other).success[tag] === codec)
  return first?.tag !== tag || first.other !== one
}

describe.each(combinations)("$name", (one) => {
  it.live.each(Client.operationsOf(one))(
    "a wrong result of %s is an error of few words, or can be written again",
    (tag) =>
      Effect.scoped(Effect.gen(function*() {
        const call = yield* Effect.orDie(Client.make(one))
        const codec: any = Client.dialectOf(one).success[tag]
        const isStream = Operation.all[tag].mode === "streaming"
        const isKnown = isRepeated(one, tag)
        for (const sample of Client.resultsOf(one, tag)) {
          for (const path of isKnown ? [[]] : places(sample)) {
            for (const [kind, make] of Object.entries(isKnown ? few : kindsAt(sample, path))) {
              const name = `${kind} at ${nameOf(path)}`
              const text = plant(sample, path, make(300))
              const value = yield* outcome(call(tag, Client.withResult(one, text, isStream)), name)
              if (value === undefined || tag.startsWith("Delete")) continue
              for (const accepted of isStream ? value as ReadonlyArray<unknown> : [value]) {
                assertWritable(codec, accepted, name)
              }
            }
          }
        }
      }))
  )
})

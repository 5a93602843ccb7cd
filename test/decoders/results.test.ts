/** Results and events that are wrong everywhere, in all combinations, through the client. */
import { Agent, Operation } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { covers } from "../support/covers.ts"
import { type Combination, combinations, talkTo } from "../support/peer.ts"
import { json } from "../support/respond.ts"
import * as Client from "./client.ts"
import { few, kindsAt, nameOf, places, plant } from "./documents.ts"
import { assertWritable, outcome } from "./support.ts"

/** True for a decoder that an earlier operation or combination shares; the versions read cards alike. */
const isRepeated = (one: Combination, tag: Client.Tag): boolean => {
  const codec = Client.dialectOf(one).success[tag]
  const all = combinations.flatMap((other) => Client.operationsOf(other).map((tag) => ({ other, tag })))
  const first = all.find(({ other, tag }) => Client.dialectOf(other).success[tag] === codec)
  const isCard = tag === "GetExtendedAgentCard" && one.protocol.version === "0.3"
  return isCard || first?.tag !== tag || first.other !== one
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
        for (const [index, sample] of Client.resultsOf(one, tag).entries()) {
          // the parts of a page, of events and of the task of a send are those of a task and a message
          const isPart = isStream || tag === "ListTasks" || (tag === "SendMessage" && index === 0)
          for (const path of isKnown ? [[]] : places(sample)) {
            for (const [kind, make] of Object.entries(isKnown || isPart ? few : kindsAt(sample, path))) {
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

describe("a failed task of any size", covers("attack:S2-38"), () => {
  const one = combinations.find(({ name }) => name === "1.0 HTTP+JSON")!
  const text = (size: number) => `{"text":"${"x".repeat(size)}"}`
  const statuses: Readonly<Record<string, string>> = {
    "a long text": `{"role":"agent","parts":[${text(1_000_000)}]}`,
    "long texts": `{"role":"agent","parts":[${Array(20).fill(text(100_000)).join(",")}]}`,
    "short texts": `{"role":"agent","parts":[${Array(100_000).fill(text(10)).join(",")}]}`,
    "data": `{"role":"agent","parts":[{"data":{"a":"${"x".repeat(300_000)}","b":{"c":1}}},{"data":[1]},${text(1)}]}`,
    "a long id": `{"messageId":"${"x".repeat(300_000)}","role":"agent","parts":[${text(1)}]}`,
    "long metadata": `{"role":"agent","metadata":{"a":"${"x".repeat(300_000)}"},"parts":[${text(1)}]}`
  }

  it.live.each(Object.entries(statuses))(
    "with %s is the error of its task",
    ([name, message]) =>
      Effect.scoped(Effect.gen(function*() {
        const { layer } = talkTo(
          one,
          () =>
            json(`{"task":{"id":"t-1","contextId":"c-1","status":{"state":"TASK_STATE_FAILED","message":${message}}}}`)
        )
        const error = yield* Effect.flip(Agent.send("hi")).pipe(
          Effect.provide(Agent.layer.pipe(Layer.provide(layer)))
        )
        assert.strictEqual(error.reason._tag, "TaskFailedError", name)
        assert.isBelow(error.message.length, 5000)
      }))
  )
})

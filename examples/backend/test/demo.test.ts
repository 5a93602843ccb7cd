import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { demo } from "../src/demo.ts"

it.live("all agents answer a browser and an A2A client over sockets, the spare instead of the lake", () =>
  Effect.gen(function*() {
    const { artifacts, page } = yield* demo
    const chunks = page.split("\n\n").filter((frame) => frame.startsWith("data: ")).map((frame) =>
      JSON.parse(frame.slice("data: ".length))
    )
    const done = chunks.flatMap(({ _tag, source, text }) => _tag === "Done" ? [[source, text]] : []).toSorted()
    assert.deepStrictEqual(done, [
      ["lake", "Paris is the capital of France."],
      ["travel", "Take the train."],
      ["weather", "You said: What is the capital of France?"]
    ])
    assert.sameMembers([...artifacts], ["lake", "travel", "weather"])
  }))

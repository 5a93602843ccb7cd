// The views of a stream, over events of any kind in any order.
import * as AgentStream from "@effect-a2a/core/AgentStream"
import * as Answer from "@effect-a2a/core/Answer"
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as TaskProgress from "@effect-a2a/core/TaskProgress"
import * as MemoryLakeAnswer from "@effect-a2a/memorylake/MemoryLakeAnswer"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { mutateTree } from "../mutate.ts"
import * as Seeds from "../seeds.ts"
import { parse, refusal, type Target, value } from "../target.ts"

const seeds = Seeds.all.find(({ name }) => name === "1.0 success SendStreamingMessage")!

const ids = /"(taskId|artifactId|messageId|id)":"(?:[^"\\]|\\.)*"/g

export const views: Target = {
  name: "views of streams",
  generate: (random) => ({
    variant: "events",
    text: `[${
      Array.from({ length: 1 + random.below(12) }, () => {
        const document = mutateTree(random.pick(seeds.documents), random.pick(seeds.documents), random)
        // few ids, so that events belong together
        return document.replace(ids, (_, name: string) => `"${name}":"${random.pick(["a", "a", "a", "b"])}"`)
      }).join()
    }]`
  }),
  run: async ({ text }) => {
    const parsed = parse(text)
    if (Result.isFailure(parsed) || !Array.isArray(parsed.success)) return refusal
    const events = parsed.success.flatMap((one) => {
      const read = seeds.codec.decode(one)
      return Result.isSuccess(read) ? [read.success as StreamEvent.StreamEvent] : []
    })
    const stream = Stream.fromIterable(events)
    const { answer, artifacts, snapshots, steps, text: texts, thoughts, toolCalls } = AgentStream
    const all: ReadonlyArray<Stream.Stream<unknown, unknown>> = [
      steps(stream),
      texts(stream),
      snapshots(stream),
      thoughts(stream),
      toolCalls(stream),
      artifacts(stream)
    ]
    for (const view of all) await Effect.runPromise(Effect.ignore(Stream.runDrain(view)))
    await Effect.runPromise(Effect.ignore(answer(stream)))
    const task = TaskProgress.applyAll(undefined, events)
    if (task === undefined) return refusal
    MemoryLakeAnswer.fromAnswer(Answer.fromTask(task))
    return value
  }
}

/** Snapshots of long streams: each as it was, and all together in time that grows with the stream. */
import { AgentStream, Artifact, Id, StreamEvent, type Task, TaskProgress } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { covers } from "../../../test/support/covers.ts"

const taskId = Id.TaskId.make("t")

const chunk = (id: string, text: string, append: boolean) =>
  StreamEvent.artifactUpdate({
    taskId,
    append,
    artifact: Artifact.make(Id.ArtifactId.make(id), [{ _tag: "Text", text }], { metadata: { last: text } })
  })

/** One artifact of many chunks, many artifacts, and some of both with replacements. */
const streams = {
  chunks: (n: number) => chunk("a", String(n), n > 0),
  artifacts: (n: number) => chunk(`a-${n}`, String(n), false),
  replaced: (n: number) => chunk(`a-${n % 7}`, String(n), n % 50 !== 0)
}

const events = (name: keyof typeof streams, count: number) => Array.from({ length: count }, (_, n) => streams[name](n))

describe("snapshots of a long stream", covers("attack:S2-33"), () => {
  for (const name of ["chunks", "artifacts", "replaced"] as const) {
    it.effect(`stay as they were when they are read later (${name})`, () =>
      Effect.gen(function*() {
        const all = events(name, 700)
        const snapshots = yield* Stream.runCollect(AgentStream.snapshots(Stream.fromIterable(all)))
        const artifacts = yield* Stream.runCollect(AgentStream.artifacts(Stream.fromIterable(all)))
        assert.lengthOf(snapshots, 700)
        let expected: Task.Task | undefined
        for (const [index, event] of all.entries()) {
          expected = TaskProgress.apply(expected, event)
          if (index % 23 !== 0 && index < 690) continue
          assert.deepStrictEqual(JSON.parse(JSON.stringify(snapshots[index])), JSON.parse(JSON.stringify(expected)))
          assert.deepStrictEqual({ ...snapshots[index] }, { ...expected } as Task.Task)
          const changed = expected?.artifacts?.find(({ artifactId }) => artifactId === event.artifact.artifactId)
          assert.deepStrictEqual({ ...artifacts[index] }, { ...changed } as Artifact.Artifact)
        }
      }))

    it.effect(`take time in proportion to the stream (${name})`, () =>
      Effect.gen(function*() {
        const measure = Effect.fnUntraced(function*(count: number) {
          const all = events(name, count)
          const begun = performance.now()
          yield* Stream.runDrain(AgentStream.snapshots(Stream.fromIterable(all)))
          yield* Stream.runDrain(AgentStream.artifacts(Stream.fromIterable(all)))
          return performance.now() - begun
        })
        yield* measure(4000)
        const short = Math.min(yield* measure(4000), yield* measure(4000))
        const long = Math.min(yield* measure(32_000), yield* measure(32_000))
        // eight times the events: quadratic work would take 64 times as long
        assert.isBelow(long / Math.max(short, 2), 32)
      }))
  }
})

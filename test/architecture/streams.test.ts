/** One folder folds events, one module decides what ends a stream. */
import { assert, describe, it } from "@effect/vitest"
import { read } from "../../scripts/workspace.ts"
import { all } from "./support.ts"

/** The sources that contain a pattern, comments aside. */
const containing = (pattern: RegExp): ReadonlyArray<string> =>
  all.filter(({ text }) => pattern.test(text.replaceAll(/^ *(\*|\/\*\*|\/\/).*$/gm, ""))).map(({ file }) => file)

describe("streams", () => {
  it("are folded in one folder: nothing else appends chunks, or keeps a task by its events", () => {
    const appends = containing(/Artifact\.append\(|\.\.\.\w*\.?parts, \.\.\.\w*\.?(artifact\.)?parts/)
      // joins the messages of a history, as the service does
      .filter((file) => file !== "packages/emulators/src/internal/memorylake/rules.ts")
    assert.deepStrictEqual(appends, ["packages/core/src/Artifact.ts", "packages/core/src/internal/turn/taskFold.ts"])
  })

  it("are looked into by few modules beside the reducer, each for another purpose", () => {
    const others = containing(/"ArtifactUpdate"/).filter((file) => !file.includes("/internal/turn/"))
    assert.deepStrictEqual(others, [
      // names the artifacts that an event changes
      "packages/core/src/AgentStream.ts",
      "packages/core/src/StreamEvent.ts",
      // decides when the state of a conversation follows
      "packages/core/src/internal/conversation/turnEvents.ts",
      // notes tool calls in spans
      "packages/core/src/internal/http/observation.ts",
      "packages/core/src/internal/protocol/modelReaders.ts",
      "packages/core/src/internal/protocol/resultWriters.ts",
      // repeats nothing after a drop
      "packages/core/src/internal/transport/delivery.ts",
      "packages/core/src/internal/transport/sources.ts",
      // checks and measures events
      "packages/server/src/internal/relay.ts",
      "packages/server/src/internal/sendable.ts",
      "packages/server/src/internal/size.ts",
      "packages/testing/src/Arbitrary.ts"
    ])
  })

  it("end where one module says", () => {
    const clients = (files: ReadonlyArray<string>) =>
      files.filter((file) => !/packages\/(server|emulators|testing)\//.test(file))
    assert.deepStrictEqual(clients(containing(/endsStream/)), [
      "packages/core/src/TaskState.ts",
      // writes the end mark
      "packages/core/src/internal/protocol/v0_3/kindJson.ts",
      "packages/core/src/internal/protocol/v0_3/protoJson.ts",
      // knows the last snapshot of a replay
      "packages/core/src/internal/transport/delivery.ts"
    ])
    const cutting = clients(containing(/Stream\.takeUntil/))
    for (const file of cutting) assert.include(read(file), "streamEnd.ts\"", file)
  })
})

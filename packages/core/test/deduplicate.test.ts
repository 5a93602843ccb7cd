import * as Artifact from "@effect-a2a/core/Artifact"
import * as Id from "@effect-a2a/core/Id"
import * as Part from "@effect-a2a/core/Part"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import { assert, describe, it } from "@effect/vitest"
import * as Delivered from "../src/internal/transport/deduplicate.ts"

const taskId = Id.TaskId.make("t-1")

const chunk = (...parts: ReadonlyArray<Part.Part>) =>
  StreamEvent.artifactUpdate({ taskId, artifact: Artifact.make(Id.ArtifactId.make("a"), parts), append: true })

/** What a second connection emits after the first has delivered `first`. */
const emitted = (first: ReadonlyArray<StreamEvent.StreamEvent>, second: ReadonlyArray<StreamEvent.StreamEvent>) => {
  const delivered = Delivered.make(taskId)
  Delivered.deduplicate(delivered)(first)
  return Delivered.deduplicate(delivered)(second)
}

describe("events after a drop", () => {
  it("are dropped if they equal what was delivered, whatever the order of members", () => {
    const first = chunk(Part.data({ city: "Lisbon", days: [1, 2] }))
    assert.deepStrictEqual(emitted([first], [chunk(Part.data({ days: [1, 2], city: "Lisbon" }))]), [])
  })

  it("are emitted if data has the same members and other values", () => {
    const second = [chunk(Part.data({ city: "Porto", days: { first: 1 } }))]
    assert.deepStrictEqual(emitted([chunk(Part.data({ city: "Lisbon", days: { first: 1 } }))], second), second)
    const nested = [chunk(Part.data({ city: "Lisbon", days: { first: 2 } }))]
    assert.deepStrictEqual(emitted([chunk(Part.data({ city: "Lisbon", days: { first: 1 } }))], nested), nested)
  })

  it("are emitted if bytes have the same length and other values", () => {
    const second = [chunk(Part.raw(Uint8Array.of(1, 2, 4)))]
    assert.deepStrictEqual(emitted([chunk(Part.raw(Uint8Array.of(1, 2, 3)))], second), second)
    assert.deepStrictEqual(emitted([chunk(Part.raw(Uint8Array.of(1, 2, 4)))], second), [])
  })
})

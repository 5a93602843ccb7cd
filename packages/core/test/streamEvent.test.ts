import type { Message } from "@effect-a2a/core"
import { Id, Part, StreamEvent } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { art, snapshot, status, taskId } from "./events.ts"

const message: Message.Message = {
  _tag: "Message",
  messageId: Id.MessageId.make("m"),
  role: "agent",
  parts: [Part.text("x")]
}

describe("StreamEvent", () => {
  it("settled states and messages settle", () => {
    const settling = (["submitted", "working", "unspecified", "auth-required"] as const).map((state) =>
      StreamEvent.isSettling(status(state))
    )
    assert.deepStrictEqual(settling, [false, false, false, true])
    for (const state of ["completed", "failed", "canceled", "rejected", "input-required"] as const) {
      assert.isTrue(StreamEvent.isSettling(status(state)) && StreamEvent.isSettling(snapshot(state)))
    }
    assert.isTrue(StreamEvent.isSettling(message))
    assert.isFalse(StreamEvent.isSettling(art("a", false, "x", true)))
  })

  it("events report their state and task", () => {
    assert.deepStrictEqual(
      [status("working"), snapshot("failed"), art("a", false, "x"), message].map(StreamEvent.state),
      [
        "working",
        "failed",
        undefined,
        undefined
      ]
    )
    assert.deepStrictEqual([status("working"), snapshot("failed"), message].map(StreamEvent.taskId), [
      taskId,
      taskId,
      undefined
    ])
  })
})

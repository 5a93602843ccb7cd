/** Saved conversations that are wrong everywhere. */
import { Agent, Conversation, Conversations, Id } from "@effect-a2a/core"
import { AgentTest, Script } from "@effect-a2a/testing"
import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Persistence from "effect/persistence/Persistence"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { all, costly, few, nameOf, places, plant, repeated } from "./documents.ts"
import { assertLinear } from "./support.ts"

const message = {
  _tag: "Message" as const,
  messageId: Id.MessageId.make("m-1"),
  role: "agent" as const,
  parts: [
    { _tag: "Text" as const, text: "hi", metadata: { a: 1 } },
    { _tag: "Raw" as const, raw: new Uint8Array([1]) },
    { _tag: "Data" as const, data: [1] }
  ]
}

const state: Conversation.State = {
  contextId: Id.ContextId.make("c-1"),
  pending: {
    _tag: "Task",
    id: Id.TaskId.make("t-1"),
    status: { state: "input-required", message, timestamp: DateTime.makeUnsafe(0) }
  },
  unanswered: Id.MessageId.make("m-2"),
  transcript: [message]
}

const codec = Schema.toCodecJson(Conversation.State)
const decode = Schema.decodeUnknownResult(codec)
const encode = Schema.encodeResult(codec)
const sample = Result.getOrThrow(encode(state))

const read = (text: string, name: string): void => {
  const result = decode(JSON.parse(text))
  if (Result.isFailure(result)) return assert.isBelow(String(result.failure).length, 4000, name)
  const written = Result.getOrThrow(encode(result.success))
  assert.strictEqual(
    JSON.stringify(Result.getOrThrow(encode(Result.getOrThrow(decode(written))))),
    JSON.stringify(written),
    name
  )
}

describe("a saved conversation", () => {
  it("is refused in few words or can be saved again, whatever it is made of", () => {
    for (const path of places(sample)) {
      for (const [kind, make] of Object.entries(all)) read(plant(sample, path, make(300)), `${kind} at ${nameOf(path)}`)
    }
    for (const wrong of ["{}", "1e400", "null"]) {
      for (const text of repeated(sample, wrong, 300)) read(text, `many ${wrong}`)
    }
  })

  it.live("costs the same for each member", () =>
    Effect.gen(function*() {
      for (const path of places(sample)) {
        for (const [kind, make] of Object.entries(costly)) {
          const name = `${kind} at ${nameOf(path)}`
          yield* assertLinear((count) => Effect.sync(() => decode(JSON.parse(plant(sample, path, make(count))))), name)
        }
      }
    }))

  it.live("that cannot be read is an error of its store", () =>
    Effect.scoped(Effect.gen(function*() {
      const store = yield* (yield* Persistence.BackingPersistence).make("a2a_conversations")
      const conversations = yield* Conversations.make(yield* Agent.make)
      for (const [kind, make] of Object.entries(few)) {
        yield* store.set("ana", { transcript: JSON.parse(make(300)) }, undefined)
        const got = yield* Effect.result(Effect.scoped(conversations.get("ana")))
        if (Result.isSuccess(got)) continue
        assert.strictEqual(got.failure._tag, "PersistenceError", kind)
        assert.isBelow(got.failure.message.length, 2000, kind)
      }
    })).pipe(
      Effect.provide([
        Persistence.layerBackingMemory,
        AgentTest.layer.pipe(Layer.provide(Script.layer(Script.say("hi"))))
      ])
    ))
})

import { BrowserConversation, ConversationStore, Page } from "@effect-a2a/browser"
import { Agent, AgentStream, type Conversation, Message, Part } from "@effect-a2a/core"
import { AgentTest, Script } from "@effect-a2a/testing"
import { assert, describe, it } from "@effect/vitest"
import { Context, type Duration, Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { covers } from "../../../test/support/covers.ts"
import * as FakePage from "./support/page.ts"

const steps = ["one", " two", " three"].flatMap((word) => [Script.say(word), Script.wait("1 minute")])
const script = Script.layer(({ message }) =>
  Message.text(message) === "count"
    ? steps
    : [Script.file(Part.raw(new Uint8Array([1, 2, 255]))), Script.say("Hello")]
)

/** A server and a store that outlive pages. */
const world = Effect.gen(function*() {
  const context = yield* Layer.build(
    Layer.merge(AgentTest.layer.pipe(Layer.provide(script)), ConversationStore.layerMemory)
  )
  const fake = yield* FakePage.make
  const load = Context.get(context, ConversationStore.ConversationStore).load("chat")
  /** Opens a page with a new client, and leaves it when the effect ends. */
  const page = <A, E>(f: (chat: Conversation.Service) => Effect.Effect<A, E>) =>
    BrowserConversation.make({ name: "chat" }).pipe(
      Effect.flatMap(f),
      Effect.scoped,
      Effect.provide(Layer.fresh(Agent.layer)),
      Effect.provideContext(context),
      Effect.provideService(Page.CurrentPage, fake.page)
    )
  return { ...fake, page, load, context }
})

/** Streams for a while. */
const count = Effect.fnUntraced(function*(chat: Conversation.Service, time: Duration.Input) {
  const running = yield* Effect.forkChild(Stream.runDrain(chat.stream("count")))
  yield* TestClock.adjust(time)
  yield* Fiber.interrupt(running)
})

const said = (transcript: ReadonlyArray<Message.Message>) => transcript.map(Message.text)

describe("BrowserConversation", () => {
  it.effect("restores the transcript after a reload, bytes included, and continues the context", () =>
    Effect.gen(function*() {
      const { load, page } = yield* world
      const first = yield* page((chat) => Effect.andThen(chat.ask("hi"), chat.state))
      assert.deepStrictEqual(JSON.parse(JSON.stringify(yield* load)), yield* load)
      const restored = yield* page((chat) => chat.state)
      assert.deepStrictEqual(restored, first)
      const after = yield* page((chat) => Effect.andThen(chat.ask("again"), chat.state))
      assert.deepStrictEqual([after.contextId, after.transcript.length], [first.contextId, 4])
    }))

  it.effect("follows a running task to its end after a reload, from a snapshot", () =>
    Effect.gen(function*() {
      const { page } = yield* world
      const left = yield* page((chat) =>
        Effect.gen(function*() {
          yield* count(chat, "90 seconds")
          return yield* chat.state
        })
      )
      assert.isDefined(left.pending)
      yield* page((chat) =>
        Effect.gen(function*() {
          assert.strictEqual((yield* chat.state).pending?.id, left.pending?.id)
          const running = yield* Effect.forkChild(AgentStream.answer(chat.resume))
          yield* TestClock.adjust("5 minutes")
          assert.strictEqual((yield* Fiber.join(running)).text, "one two three")
        })
      )
      const { pending, transcript } = yield* page((chat) => chat.state)
      assert.deepStrictEqual([pending, said(transcript)], [undefined, ["count", "one two three"]])
    }), covers("ML-28"))

  it.effect("emits a task in full that ended while the page was closed", () =>
    Effect.gen(function*() {
      const { page } = yield* world
      yield* page((chat) => count(chat, "1 second"))
      yield* TestClock.adjust("5 minutes")
      const answer = yield* page((chat) => AgentStream.answer(chat.resume))
      assert.strictEqual(answer.text, "one two three")
    }), covers("ML-27"))

  for (const signal of ["hide", "hidden"] as const) {
    it.effect(`is saved on the signal ${signal}, before the next event`, () =>
      Effect.gen(function*() {
        const { load, page, signal: give } = yield* world
        yield* page((chat) =>
          Effect.gen(function*() {
            yield* Effect.forkChild(Stream.runDrain(chat.stream("count")))
            yield* TestClock.adjust("1 millis")
            const before = JSON.stringify(yield* load)
            yield* TestClock.adjust("61 seconds")
            yield* give(signal)
            yield* TestClock.adjust("1 millis")
            assert.notStrictEqual(JSON.stringify(yield* load), before)
            assert.include(JSON.stringify(yield* load), "two")
          })
        )
      }))
  }

  it.effect("starts anew if the store has no valid state, and after forget", () =>
    Effect.gen(function*() {
      const { context, load, page } = yield* world
      const store = Context.get(context, ConversationStore.ConversationStore)
      for (const json of [{ transcript: "no" }, null, { transcript: [{ bad: 1 }], pending: 3, contextId: 4 }]) {
        yield* store.save("chat", json)
        assert.deepStrictEqual(yield* page((chat) => chat.state), { transcript: [] })
      }
      yield* page((chat) => chat.ask("hi"))
      assert.isDefined(yield* load)
      yield* Effect.provideContext(BrowserConversation.forget("chat"), context)
      assert.isUndefined(yield* load)
    }))

  it.effect("stores save nothing and do not fail if the browser lacks them", () =>
    Effect.gen(function*() {
      for (const layer of [ConversationStore.layerSessionStorage, ConversationStore.layerIndexedDb]) {
        const store = Context.get(yield* Layer.build(layer), ConversationStore.ConversationStore)
        yield* store.save("chat", { a: 1 })
        yield* store.save("chat", undefined)
      }
      const store = Context.get(
        yield* Layer.build(ConversationStore.layerIndexedDb),
        ConversationStore.ConversationStore
      )
      assert.isUndefined(yield* store.load("chat"))
    }))
})

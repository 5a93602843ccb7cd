/** Conversations by key, over stores in memory, against servers in the process and peers made of bytes. */
import type { Conversation } from "@effect-a2a/core"
import { Agent, AgentStream, Conversations, Message } from "@effect-a2a/core"
import { AgentTest, Script } from "@effect-a2a/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { Persistence } from "effect/persistence"
import { TestClock } from "effect/testing"
import { covers } from "./support/covers.ts"

const script = Script.layer(({ message, task }) => {
  const text = Message.text(message)
  if (text === "slow") return [Script.say("one"), Script.wait("1 minute"), Script.say(" two")]
  return task === undefined && text === "plan" ? [Script.askForInput("Which city?")] : [Script.say(`you said ${text}`)]
})

const server = AgentTest.layer.pipe(Layer.provide(script))
const client = Layer.fresh(Agent.layer)

/** A server and a store that outlive the programs which use them. */
const world = Effect.map(
  Layer.build(Layer.merge(server, Persistence.layerBackingMemory)),
  (context) => ({
    context,
    /** Another process: a new client, and nothing in memory. */
    process: <A, E>(program: Effect.Effect<A, E, Conversations.Conversations>, options?: Conversations.Options) =>
      program.pipe(
        Effect.provide(Layer.provide(Layer.fresh(Conversations.layer(options)), client)),
        Effect.provideContext(context)
      )
  })
)

const withKey = <A, E>(key: string, use: (conversation: Conversation.Service) => Effect.Effect<A, E>) =>
  Effect.scoped(Effect.flatMap(Conversations.get(key), use))

const ask = (key: string, text: string) => withKey(key, (conversation) => conversation.ask(text))

const transcript = (key: string) =>
  withKey(key, (conversation) => Effect.map(conversation.state, ({ transcript }) => transcript.map(Message.text)))

const left = <A, E>(self: Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(self)
    yield* TestClock.adjust("1 second")
    yield* Fiber.interrupt(fiber)
  })

describe("conversations by key", () => {
  it.effect("are apart from each other, and continue in another process", () =>
    Effect.gen(function*() {
      const { process } = yield* world
      const [ana, bo] = yield* process(Effect.all([ask("ana", "hi"), ask("bo", "ho")]))
      assert.notStrictEqual(ana.contextId, bo.contextId)
      const again = yield* process(ask("ana", "again"))
      assert.strictEqual(again.contextId, ana.contextId)
      assert.deepStrictEqual(yield* process(transcript("ana")), ["hi", "you said hi", "again", "you said again"])
      assert.deepStrictEqual(yield* process(transcript("bo")), ["ho", "you said ho"])
    }))

  it.effect(
    "keep the question of a task, which the next message answers in another process",
    () =>
      Effect.gen(function*() {
        const { process } = yield* world
        const question = yield* process(ask("ana", "plan"))
        const answer = yield* process(withKey("ana", (conversation) =>
          Effect.gen(function*() {
            const state = yield* conversation.state
            assert.strictEqual(Message.text(state.question!), "Which city?")
            return yield* conversation.ask("Lisbon")
          })))
        assert.deepStrictEqual([answer.taskId, answer.text], [question.taskId, "you said Lisbon"])
      }),
    covers("field:HIST-05")
  )

  it.effect(
    "are one conversation for all who use the key at the same time: messages wait for each other",
    () =>
      Effect.gen(function*() {
        const { process } = yield* world
        yield* process(Effect.gen(function*() {
          const asks = yield* Effect.forkChild(Effect.all([ask("ana", "slow"), ask("ana", "next")], { concurrency: 2 }))
          yield* TestClock.adjust("2 minutes")
          const [first, second] = yield* Fiber.join(asks)
          assert.strictEqual(first.contextId, second.contextId)
          assert.deepStrictEqual(yield* transcript("ana"), ["slow", "one two", "next", "you said next"])
        }))
      }),
    covers("ML-09")
  )

  it.effect(
    "are saved while a stream runs, so that another process picks up the task of one that died",
    () =>
      Effect.gen(function*() {
        const { context, process } = yield* world
        const store = yield* Effect.provideContext(
          Effect.flatMap(Persistence.BackingPersistence, (persistence) => persistence.make("a2a_conversations")),
          context
        )
        // the first process never comes to an end
        const first = yield* Layer.build(Layer.provide(Layer.fresh(Conversations.layer()), client)).pipe(
          Effect.provideContext(context)
        )
        const conversation = yield* Effect.provideContext(Conversations.get("ana"), first)
        const running = yield* Effect.forkChild(Stream.runDrain(conversation.stream("slow")))
        yield* TestClock.adjust("2 seconds")
        const saved = JSON.stringify(yield* store.get("ana"))
        assert.include(saved, "working")
        const answer = yield* process(Effect.gen(function*() {
          const running = yield* Effect.forkChild(
            withKey("ana", (conversation) => AgentStream.answer(conversation.resume))
          )
          yield* TestClock.adjust("2 minutes")
          return yield* Fiber.join(running)
        }))
        assert.strictEqual(answer.text, "one two")
        yield* Fiber.interrupt(running)
      }),
    covers("ML-28")
  )

  it.effect("are saved by the time their last user is done, however it ends", () =>
    Effect.gen(function*() {
      const { process } = yield* world
      const use = withKey("ana", (conversation) => left(Stream.runDrain(conversation.stream("slow"))))
      const state = yield* process(Effect.andThen(use, withKey("ana", (conversation) => conversation.state)))
      assert.strictEqual(state.pending?.status.state, "working")
      assert.deepStrictEqual(yield* process(withKey("ana", (conversation) => conversation.state)), state)
    }))

  it.effect("are forgotten after the time to live, which begins with the last change", () =>
    Effect.gen(function*() {
      const { process } = yield* world
      const options = { timeToLive: "1 hour" } as const
      yield* process(ask("ana", "hi"), options)
      yield* TestClock.adjust("50 minutes")
      yield* process(ask("ana", "again"), options)
      yield* TestClock.adjust("50 minutes")
      assert.lengthOf(yield* process(transcript("ana"), options), 4)
      yield* TestClock.adjust("11 minutes")
      assert.lengthOf(yield* process(transcript("ana"), options), 0)
    }))

  it.effect("begin anew after they were removed, also while they are in use", () =>
    Effect.gen(function*() {
      const { process } = yield* world
      yield* process(Effect.scoped(Effect.gen(function*() {
        const before = yield* Conversations.get("ana")
        yield* before.ask("hi")
        yield* Conversations.remove("ana")
        const after = yield* Conversations.get("ana")
        assert.deepStrictEqual(yield* after.state, { transcript: [] })
        yield* before.ask("who am I")
        yield* after.ask("new")
      })))
      assert.deepStrictEqual(yield* process(transcript("ana")), ["new", "you said new"])
      yield* process(Conversations.remove("nobody"))
    }))

  it.effect("fail to be read if the store holds something else, until they are removed", () =>
    Effect.gen(function*() {
      const { context, process } = yield* world
      const store = yield* Effect.provideContext(
        Effect.flatMap(Persistence.BackingPersistence, (persistence) => persistence.make("a2a_conversations")),
        context
      )
      yield* store.set("ana", { transcript: "none" }, undefined)
      yield* process(Effect.scoped(Effect.gen(function*() {
        for (const _ of [1, 2]) {
          const error = yield* Effect.flip(Conversations.get("ana"))
          assert.strictEqual(error.message, "the saved conversation of ana cannot be read")
        }
        yield* Conversations.remove("ana")
        assert.deepStrictEqual(yield* (yield* Conversations.get("ana")).state, { transcript: [] })
      })))
    }))

  it.effect("go on if the store fails to save, and are saved with the next change", () =>
    Effect.gen(function*() {
      const memory = yield* Effect.provide(Persistence.BackingPersistence, Layer.fresh(Persistence.layerBackingMemory))
      let isDown = true
      const flaky = Layer.succeed(Persistence.BackingPersistence, {
        make: (storeId) =>
          Effect.map(memory.make(storeId), (store) => ({
            ...store,
            set: (...entry) =>
              Effect.suspend(() =>
                isDown ? Effect.fail(new Persistence.PersistenceError({ message: "down" })) : store.set(...entry)
              )
          }))
      })
      const conversations = Conversations.layer().pipe(Layer.provide([flaky, Layer.provide(client, server)]))
      yield* Effect.provide(
        Effect.gen(function*() {
          yield* withKey("ana", (conversation) =>
            Effect.gen(function*() {
              yield* conversation.ask("hi")
              isDown = false
              yield* conversation.ask("again")
            }))
          assert.lengthOf(yield* transcript("ana"), 4)
        }),
        conversations
      )
    }))

  it.effect("are bounded in memory: those that changed longest ago are forgotten first", () =>
    Effect.gen(function*() {
      yield* ask("one", "hi")
      yield* ask("two", "hi")
      yield* ask("one", "again")
      yield* ask("three", "hi")
      assert.deepStrictEqual(
        yield* Effect.forEach(["one", "two", "three"], (key) => Effect.map(transcript(key), ({ length }) => length)),
        [4, 0, 2]
      )
    }).pipe(Effect.provide(Layer.provide(Conversations.layerMemory({ capacity: 2 }), Layer.provide(client, server)))))

  it.effect("with several agents have a store each", () => {
    class Lake extends Agent.Tag<Lake>()("test/Lake") {}
    class Travel extends Agent.Tag<Travel>()("test/Travel") {}
    const say = (text: string) => AgentTest.layer.pipe(Layer.provide(Script.layer(Script.say(text))))
    return Effect.gen(function*() {
      const lake = yield* Conversations.make(Lake, { storeId: "lake" })
      const travel = yield* Conversations.make(Travel, { storeId: "travel" })
      const texts = yield* Effect.forEach(
        [lake, travel, lake],
        (conversations) =>
          Effect.scoped(Effect.gen(function*() {
            const conversation = yield* conversations.get("ana")
            yield* conversation.ask("hi")
            return (yield* conversation.state).transcript.map(Message.text)
          }))
      )
      assert.deepStrictEqual(texts, [["hi", "lake"], ["hi", "travel"], ["hi", "lake", "hi", "lake"]])
    }).pipe(
      Effect.scoped,
      Effect.provide([
        Lake.layer.pipe(Layer.provide(Layer.fresh(say("lake")))),
        Travel.layer.pipe(Layer.provide(Layer.fresh(say("travel")))),
        Persistence.layerBackingMemory
      ])
    )
  })
})

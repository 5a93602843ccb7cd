/** Conversations: against the emulated MemoryLake, which refuses a second message at once, through bytes. */
import { Agent, AgentStream, Artifact, Conversation, Id, Message, Part, StreamEvent, type Task } from "@effect-a2a/core"
import { MemoryLake, MemoryLakeOptions } from "@effect-a2a/memorylake"
import { AgentTest, Script } from "@effect-a2a/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { covers } from "./support/covers.ts"
import * as Emulated from "./support/emulated.ts"
import { type Asked, chunks, combination, event as encode, frame, result, talkTo } from "./support/peer.ts"

const { contextId, fastForward, refusal } = Emulated
/** A turn of the event loop, on which bytes move. */
const tick = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

const atOnce = { returnImmediately: true } as const

const texts = (conversation: Conversation.Service) =>
  Effect.map(conversation.state, ({ transcript }) => transcript.map((one) => `${one.role}: ${Message.text(one)}`))

/** Operations that crossed the wire, in the words of their method or path. */
const operations = Effect.map(
  Emulated.exchanges,
  (all) =>
    all.map(({ body, method, url }) => {
      const rpc = body.startsWith("{") ? JSON.parse(body).method : undefined
      const word = `${rpc ?? `${method} ${new URL(url).pathname.replace(/^.*\/a2a(\/main)?/, "")}`}`
      return /subscribe/i.test(word) ? "subscribe" : /cancel/i.test(word) ? "cancel" : /list|GET \/tasks$/i.test(word)
        ? "list"
        : /stream/i.test(word)
        ? "stream"
        : /send/i.test(word)
        ? "send"
        : "get"
    })
)

/** The combination that the scenarios run in. Agents of 0.3 list no tasks. */
const main = combination("1.0 HTTP+JSON")
const withoutLists = combination("0.3 JSONRPC")

describe("a conversation with MemoryLake", () => {
  const effect = Emulated.test(main)
  effect(
    "sends the messages of one context one at a time, while other contexts run in parallel",
    () =>
      Effect.gen(function*() {
        const one = yield* Conversation.make()
        const other = yield* Conversation.make()
        yield* fastForward(Effect.all([one.ask("hello"), other.ask("hello")], { concurrency: 2 }))
        const answers = yield* fastForward(Effect.all([
          one.ask("a slow one"),
          one.ask("then"),
          one.stream("and then").pipe(Stream.runCollect, Effect.as({ state: "completed" })),
          other.ask("meanwhile")
        ], { concurrency: "unbounded" }))
        assert.deepStrictEqual(answers.map(({ state }) => state), Array.from(answers, () => "completed"))
        const said = (yield* texts(one)).filter((text) => text.startsWith("user"))
        assert.deepStrictEqual(said, ["user: hello", "user: a slow one", "user: then", "user: and then"])
        const bodies = (yield* Emulated.exchanges).map(({ body }) => body)
        const at = (text: string) => bodies.findIndex((body) => body.includes(`"${text}"`))
        assert.isBelow(at("meanwhile"), at("then"))
      }),
    covers("ML-09")
  )

  effect(
    "waits for other conversations in its context, and for tasks that they left running",
    () =>
      Effect.gen(function*() {
        const [one, two] = [yield* Conversation.make({ contextId }), yield* Conversation.make({ contextId })]
        yield* fastForward(Effect.all([one.ask("a slow one"), two.ask("another slow one")], { concurrency: 2 }))
        yield* fastForward(Stream.runDrain(Stream.take(one.stream("a slow stream"), 2)))
        assert.strictEqual((yield* two.state).pending?.status.state, "working")
        yield* fastForward(two.ask("what now"))
        const third = yield* Conversation.make({ contextId })
        yield* third.ask("and now")
      }),
    covers("ML-09")
  )

  effect(
    "holds the context of its first message before that is answered",
    () =>
      Effect.gen(function*() {
        const one = yield* Conversation.make()
        const first = yield* Effect.forkChild(Stream.runDrain(one.stream("a slow stream")))
        yield* fastForward(Effect.repeat(Effect.tap(one.state, () => Effect.yieldNow), {
          until: ({ contextId }) => contextId !== undefined
        }))
        const { contextId } = yield* one.state
        const two = yield* Conversation.make({ contextId: contextId! })
        assert.isDefined((yield* two.state).pending)
        yield* fastForward(two.ask("at the same time"))
        assert.isDefined(first.pollUnsafe())
      }),
    covers("ML-09")
  )

  effect(
    "waits for a task that was sent with an immediate return, and records its answer",
    () =>
      Effect.gen(function*() {
        const conversation = yield* Conversation.make()
        const { id } = (yield* conversation.send("a slow one", atOnce)) as Task.Task
        assert.strictEqual((yield* conversation.state).pending?.id, id)
        yield* fastForward(conversation.ask("next"))
        assert.deepStrictEqual((yield* texts(conversation)).map((text) => text.replace(/: .*/, "")), [
          "user",
          "agent",
          "user",
          "agent"
        ])
        assert.include((yield* texts(conversation))[1], "a slow one")
        assert.deepStrictEqual((yield* operations).slice(0, 2), ["send", "subscribe"])
        assert.strictEqual((yield* operations).at(-1), "send")
        assert.isUndefined((yield* conversation.state).pending)
      }),
    covers("ML-20", "ML-27")
  )

  effect("cancels a running task before the next message if that is the policy", () =>
    Effect.gen(function*() {
      const conversation = yield* Conversation.make({ pending: "cancel" })
      yield* conversation.send("a slow one", atOnce)
      yield* conversation.ask("next")
      assert.deepStrictEqual(yield* operations, ["send", "cancel", "send"])
      assert.strictEqual((yield* conversation.state).transcript.length, 3)
      // a task that has ended meanwhile is not canceled
      const { id } = (yield* conversation.send("quick", atOnce)) as Task.Task
      yield* fastForward(Agent.waitFor(id))
      yield* conversation.ask("next")
    }), covers("ML-09", "ML-30"))

  effect("cancels a task that is being streamed, and one that was left running", () =>
    Effect.gen(function*() {
      const conversation = yield* Conversation.make()
      assert.isUndefined(yield* conversation.cancel)
      yield* conversation.send("a slow one", atOnce)
      assert.strictEqual((yield* conversation.cancel)?.status.state, "canceled")
      assert.isUndefined((yield* conversation.state).pending)
      const fiber = yield* Effect.forkChild(refusal(Stream.runDrain(conversation.stream("a slow stream"))))
      yield* fastForward(Effect.repeat(Effect.tap(conversation.state, () => Effect.yieldNow), {
        until: ({ pending }) => pending !== undefined
      }))
      yield* conversation.cancel
      assert.strictEqual((yield* fastForward(Fiber.join(fiber)))._tag, "TaskCanceledError")
      assert.strictEqual((yield* conversation.ask("next")).state, "completed")
    }), covers("ML-30"))

  effect(
    "keeps no trace of a message that is refused, and goes on",
    () =>
      Effect.gen(function*() {
        const foreign = yield* Conversation.make({ contextId: Id.ContextId.make("ctx-of-another-agent") })
        const refused = yield* refusal(foreign.ask("hello"))
        assert.strictEqual(refused._tag, "InvalidArgumentError")
        assert.match(refused.message, /ctx-of-another-agent.*agent-demo/)
        assert.deepStrictEqual(yield* texts(foreign), [])

        const conversation = yield* Conversation.make()
        const project = (digit: string) =>
          MemoryLake.withOptions({ readWriteProjectId: MemoryLakeOptions.projectId(`proj-${digit.repeat(32)}`) })
        yield* conversation.ask("hello").pipe(project("1"))
        const { length } = yield* Emulated.exchanges
        const { _tag, message } = yield* refusal(conversation.ask("there").pipe(project("2")))
        assert.strictEqual(_tag, "InvalidRequestError")
        assert.match(message, /began with proj-1/)
        assert.strictEqual((yield* Emulated.exchanges).length, length)
        assert.strictEqual((yield* conversation.ask("again").pipe(project("1"))).state, "completed")
        assert.strictEqual((yield* texts(conversation)).length, 4)
      }),
    covers("ML-10", "ML-18")
  )

  effect("answers a question on its task, and sends the next message without one", () =>
    Effect.gen(function*() {
      const conversation = yield* Conversation.make()
      const question = yield* conversation.ask("ask me")
      assert.strictEqual((yield* conversation.state).pending?.id, question.taskId)
      const [other] = [yield* Conversation.make({ contextId: question.contextId! })]
      const answer = yield* Stream.runCollect(other.stream("the second")).pipe(Effect.andThen(other.state))
      assert.isUndefined(answer.pending)
      assert.strictEqual(answer.transcript[0]?.taskId, question.taskId)
      const next = yield* conversation.ask("next")
      assert.notStrictEqual(next.taskId, question.taskId)
      assert.strictEqual(next.contextId, question.contextId)
      assert.strictEqual((yield* texts(conversation))[1], "agent: Which one do you mean?")
    }), covers("field:HIST-05"))

  effect("records a failed turn in the transcript, and goes on", () =>
    Effect.gen(function*() {
      const conversation = yield* Conversation.make()
      assert.strictEqual((yield* refusal(conversation.ask("please fail")))._tag, "TaskFailedError")
      assert.strictEqual(
        (yield* refusal(Stream.runDrain(conversation.stream("please fail"))))._tag,
        "TaskFailedError"
      )
      assert.strictEqual((yield* refusal(conversation.ask("refuse with QUOTA_EXCEEDED")))._tag, "QuotaExceededError")
      assert.strictEqual((yield* conversation.ask("next")).state, "completed")
      const [asked, reason] = yield* texts(conversation)
      assert.deepStrictEqual([asked, reason], ["user: please fail", "agent: The agent gave up."])
      assert.strictEqual((yield* texts(conversation)).length, 6)
    }))

  for (const one of [main, withoutLists]) {
    const lists = one === main
    Emulated.test(one)(
      `waits for the task of a message that was interrupted before the response, ${one.name}`,
      () =>
        Effect.gen(function*() {
          const conversation = yield* Conversation.make({ contextId })
          const fiber = yield* Effect.forkChild(conversation.ask("a slow one"))
          for (let i = 0; i < 20; i++) yield* tick
          yield* TestClock.adjust("1 second")
          yield* Fiber.interrupt(fiber)
          yield* fastForward(conversation.ask("next"))
          const sent = yield* operations
          assert.strictEqual(sent.at(-1), "send")
          assert.deepStrictEqual(sent.slice(0, 2), lists ? ["list", "subscribe"] : ["send", "send"])
          assert.strictEqual((yield* texts(conversation)).length, lists ? 4 : 3)
        }),
      covers("field:CAN-04", "ML-09")
    )
  }

  for (const one of Emulated.combinations.filter((one) => one !== main)) {
    Emulated.test(one)(
      `asks, waits for a task, answers a question and cancels, ${one.name}`,
      () =>
        Effect.gen(function*() {
          const conversation = yield* Conversation.make()
          yield* conversation.send("a slow one", atOnce)
          const question = yield* fastForward(conversation.ask("ask me"))
          const answer = yield* fastForward(AgentStream.answer(conversation.stream("the second")))
          assert.deepStrictEqual([answer.taskId, answer.contextId], [question.taskId, question.contextId])
          yield* conversation.send("a slow one", atOnce)
          assert.strictEqual((yield* conversation.cancel)?.status.state, "canceled")
          assert.strictEqual((yield* conversation.ask("next")).state, "completed")
          assert.deepStrictEqual((yield* texts(conversation)).map((text) => text.replace(/: .*/, "")), [
            "user",
            "agent",
            "user",
            "agent",
            "user",
            "agent",
            "user",
            "user",
            "agent"
          ])
        })
    )
  }
})

describe("a conversation interrupted at random", () => {
  let seed = 7
  const random = (below: number) => (seed = seed * 16807 % 2147483647) % below
  const turns = (n: number) => Effect.forEach(Array.from({ length: n }), () => Effect.yieldNow, { discard: true })
  const runs = [[main, "wait"], [main, "cancel"], [withoutLists, "wait"]] as const
  for (const [one, policy] of runs) {
    Emulated.test(one)(
      `never sends two messages of a context at once, and never waits without end, ${policy}, ${one.name}`,
      () =>
        Effect.gen(function*() {
          for (let round = 0; round < 12; round++) {
            const contexts = Array.from({ length: 1 + random(3) }, (_, i) => Id.ContextId.make(`ctx-${round}-${i}`))
            const conversations = yield* Effect.forEach(
              [...contexts, ...contexts, undefined],
              (contextId) => Conversation.make({ pending: policy, ...(contextId && { contextId }) })
            )
            const act = Effect.suspend(() => {
              const conversation = conversations[random(conversations.length)]!
              const text = ["slow", "quick", "ask me", "please fail"][random(4)]!
              const turn = [
                Effect.asVoid(conversation.ask(text)),
                Effect.asVoid(conversation.send(text, atOnce)),
                Stream.runDrain(conversation.stream(text)),
                Stream.runDrain(Stream.take(conversation.stream(text), 1 + random(3))),
                Effect.asVoid(conversation.ask(text))
              ][random(5)]!
              const patience = random(3) === 0 ? turns(random(200)) : random(2) === 0 ? Effect.never : Effect.forEach(
                Array.from({ length: random(12) }),
                () => tick,
                { discard: true }
              )
              return Effect.raceFirst(
                Effect.catchReason(turn, "AgentError", "TaskFailedError", () => Effect.void),
                patience
              ).pipe(Effect.delay(random(4) * 1000))
            })
            yield* fastForward(Effect.all(Array.from({ length: 16 }, () => act), { concurrency: "unbounded" }))
            for (const conversation of conversations) yield* fastForward(conversation.ask("at last"))
          }
          // without a list of tasks, a message after one that got no answer may have to be sent again
          if (one === withoutLists) return
          const refused = (yield* Emulated.exchanges).filter(({ chunks }) => /busy/.test(chunks.join("")))
          assert.deepStrictEqual(refused.map(({ body }) => body), [])
        }),
      covers("ML-09", "field:CAN-04")
    )
  }
})

describe("a conversation with a peer", () => {
  const messageIn = ({ body }: Asked): { readonly taskId?: string; readonly contextId?: string } =>
    JSON.parse(body).message
  const idsIn = ({ contextId, taskId }: ReturnType<typeof messageIn>) => [taskId, contextId]
  const json = (body: unknown) => (asked: Asked) =>
    new Response(result(main, asked, body), { headers: { "content-type": "application/json" } })
  const task = (state: string, more: object = {}, status: object = {}) =>
    json({ task: { id: "t-1", contextId: "c-1", status: { state: `TASK_STATE_${state}`, ...status }, ...more } })
  const said = (messageId: string, contextId = "c-1") => ({
    messageId,
    contextId,
    role: "ROLE_AGENT",
    parts: [{ text: `says ${messageId}` }]
  })
  const events = (...all: ReadonlyArray<StreamEvent.StreamEvent>) => (asked: Asked) =>
    chunks(all.map((one) => frame(encode(main, asked, one))))
  const peer = (...answers: ReadonlyArray<(asked: Asked) => Response>) => {
    const left = [...answers]
    const { asked, layer } = talkTo(main, (asked) => left.shift()!(asked))
    return { asked, layer: Agent.layer.pipe(Layer.provide(layer)) }
  }

  it.effect("sends the task and context of a question, else the context of the last answer", () => {
    const { asked, layer } = peer(
      task("INPUT_REQUIRED"),
      task("COMPLETED"),
      json({ message: said("m-1", "c-2") }),
      json({ message: said("m-2", "c-2") })
    )
    return Effect.gen(function*() {
      const conversation = yield* Conversation.make()
      for (const text of ["one", "two", "three", "four"]) yield* conversation.send(text)
      assert.deepStrictEqual(asked.map((one) => idsIn(messageIn(one))), [
        [undefined, undefined],
        ["t-1", "c-1"],
        [undefined, "c-1"],
        [undefined, "c-2"]
      ])
      const { contextId, transcript } = yield* conversation.state
      assert.strictEqual(contextId, "c-2")
      assert.deepStrictEqual(transcript.map(({ role }) => role), ["user", "user", "user", "agent", "user", "agent"])
    }).pipe(Effect.provide(layer))
  }, covers("field:HIST-05"))

  it.effect("uses the ids that the caller gives instead", () => {
    const { asked, layer } = peer(task("INPUT_REQUIRED"), json({ message: said("m-1", "c-3") }))
    return Effect.gen(function*() {
      const conversation = yield* Conversation.make()
      yield* conversation.send("one")
      yield* conversation.send("two", { contextId: Id.ContextId.make("c-3") })
      assert.deepStrictEqual(idsIn(messageIn(asked[1]!)), [undefined, "c-3"])
    }).pipe(Effect.provide(layer))
  }, covers("field:HIST-05"))

  it.effect("answers a question on its task although the peer names no context", () => {
    const question = { task: { id: "t-1", status: { state: "TASK_STATE_INPUT_REQUIRED" } } }
    const { asked, layer } = peer(json(question), json({ message: said("m-1") }))
    return Effect.gen(function*() {
      const conversation = yield* Conversation.make()
      yield* conversation.send("one")
      yield* conversation.send("two")
      assert.deepStrictEqual(idsIn(messageIn(asked[1]!)), ["t-1", undefined])
    }).pipe(Effect.provide(layer))
  }, covers("field:HIST-05"))

  it.effect("does not move to a context that was refused", () => {
    const { asked, layer } = peer(
      json({ message: said("m-1") }),
      () =>
        new Response(JSON.stringify({ error: { code: 400, status: "INVALID_ARGUMENT", message: "no" } }), {
          status: 400
        }),
      json({ message: said("m-2") })
    )
    return Effect.gen(function*() {
      const conversation = yield* Conversation.make()
      yield* conversation.send("one")
      yield* Effect.flip(conversation.send("two", { contextId: Id.ContextId.make("c-9") }))
      assert.strictEqual((yield* conversation.state).contextId, "c-1")
      yield* conversation.send("three")
      assert.deepStrictEqual(idsIn(messageIn(asked[2]!)), [undefined, "c-1"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("does not reopen a terminal task for a late chunk", () => {
    const at = { taskId: Id.TaskId.make("t-1"), contextId: Id.ContextId.make("c-1") }
    const artifact = Artifact.make(Id.ArtifactId.make("a"), [Part.text("tail")])
    const { asked, layer } = peer(
      events(
        StreamEvent.statusUpdate({ ...at, status: { state: "completed" } }),
        StreamEvent.artifactUpdate({ ...at, artifact, append: true })
      ),
      json({ message: said("m-1") })
    )
    return Effect.gen(function*() {
      const conversation = yield* Conversation.make()
      yield* Stream.runDrain(conversation.stream("one"))
      assert.isUndefined((yield* conversation.state).pending)
      yield* conversation.send("two")
      assert.deepStrictEqual(idsIn(messageIn(asked[1]!)), [undefined, "c-1"])
    }).pipe(Effect.provide(layer))
  }, covers("field:STR-10"))

  it.effect("records a question once, wherever the server puts it, and a message that is sent twice once", () => {
    const { layer } = peer(
      task("INPUT_REQUIRED", { history: [said("m-5")] }, { message: said("m-5") }),
      task("INPUT_REQUIRED", { history: [said("m-5"), said("m-6")] }),
      task("INPUT_REQUIRED", {}, { message: said("m-7") }),
      task("COMPLETED", { history: [said("m-7"), said("m-8")] }),
      task("COMPLETED")
    )
    return Effect.gen(function*() {
      const conversation = yield* Conversation.make()
      for (const text of ["one", "two", "three"]) yield* conversation.send(text)
      const last = yield* Message.user("four")
      yield* conversation.send(last)
      yield* conversation.send(last)
      assert.deepStrictEqual(yield* texts(conversation), [
        "user: one",
        "agent: says m-5",
        "user: two",
        "agent: says m-6",
        "user: three",
        "agent: says m-7",
        "user: four",
        "agent: says m-8"
      ])
    }).pipe(Effect.provide(layer))
  }, covers("field:HIST-07"))

  it.effect("records the questions of an agent that gives all its messages one id", () => {
    const ask = (text: string) => ({ ...said("m-1"), parts: [{ text }] })
    const { layer } = peer(
      task("INPUT_REQUIRED", {}, { message: ask("Where?") }),
      task("INPUT_REQUIRED", { history: [ask("Where?"), ask("When?")] }, { message: ask("When?") }),
      task("COMPLETED", {}, { message: ask("Booked") })
    )
    return Effect.gen(function*() {
      const conversation = yield* Conversation.make()
      for (const text of ["one", "two", "three"]) yield* conversation.send(text)
      assert.deepStrictEqual(yield* texts(conversation), [
        "user: one",
        "agent: Where?",
        "user: two",
        "agent: When?",
        "user: three",
        "agent: Booked"
      ])
    }).pipe(Effect.provide(layer))
  }, covers("field:HIST-07"))

  it.effect("goes on after a task that ended elsewhere", () => {
    const { asked, layer } = peer(
      task("INPUT_REQUIRED"),
      () =>
        new Response(JSON.stringify({ error: { code: 400, status: "FAILED_PRECONDITION", message: "ended" } }), {
          status: 400
        }),
      json({ id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_CANCELED" } }),
      json({ message: said("m-1") })
    )
    return Effect.gen(function*() {
      const conversation = yield* Conversation.make()
      yield* conversation.send("one")
      yield* Effect.flip(conversation.send("two"))
      yield* conversation.send("three")
      assert.deepStrictEqual(idsIn(messageIn(asked.at(-1)!)), [undefined, "c-1"])
      assert.deepStrictEqual(yield* texts(conversation), ["user: one", "user: three", "agent: says m-1"])
    }).pipe(Effect.provide(layer))
  })
})

describe("a conversation with a server", () => {
  const serve = (script: Layer.Layer<AgentExecutorOf>) =>
    Agent.layer.pipe(Layer.provide(AgentTest.layer), Layer.provide(script))
  type AgentExecutorOf = Layer.Success<ReturnType<typeof Script.layer>>

  const login = Script.layer(Script.requireAuth("Log in"), Script.wait("1 minute"), Script.say("in"))

  it.effect("continues a task that waits for credentials, and reads its state before the next message if that is refused", () =>
    Effect.gen(function*() {
      const conversation = yield* Conversation.make()
      const asked = yield* conversation.ask("go")
      assert.strictEqual(asked.state, "auth-required")
      assert.strictEqual((yield* refusal(conversation.ask("I decline")))._tag, "UnsupportedOperationError")
      assert.strictEqual((yield* conversation.state).pending?.id, asked.taskId)
      yield* TestClock.adjust("1 minute")
      assert.notStrictEqual((yield* conversation.ask("next")).taskId, asked.taskId)
    }).pipe(Effect.provide(serve(login))))

  it.effect(
    "sends nothing to a task whose credentials came meanwhile and which completed",
    () =>
      Effect.gen(function*() {
        const conversation = yield* Conversation.make()
        const asked = yield* conversation.ask("go")
        yield* TestClock.adjust("1 minute")
        assert.notStrictEqual((yield* conversation.ask("next")).taskId, asked.taskId)
        assert.deepStrictEqual((yield* texts(conversation)).slice(1, 3), ["agent: Log in", "agent: in"])
      }).pipe(Effect.provide(serve(login))),
    covers("field:HIST-05")
  )

  it.effect("lets a second message wait until the first names the context", () =>
    Effect.gen(function*() {
      const conversation = yield* Conversation.make()
      const asks = yield* Effect.forkChild(
        Effect.all(["one", "two"].map((text) => conversation.ask(text)), { concurrency: 2 })
      )
      yield* TestClock.adjust("1 minute")
      const [one, two] = yield* Fiber.join(asks)
      assert.strictEqual(one!.contextId, two!.contextId)
    }).pipe(Effect.provide(serve(Script.layer(Script.wait("1 second"), Script.say("yes"))))), covers("ML-09"))

  it.effect("never sends a message that is interrupted while it waits", () =>
    Effect.gen(function*() {
      const conversation = yield* Conversation.make()
      const first = yield* Effect.forkChild(conversation.ask("one"), { startImmediately: true })
      const second = yield* Effect.forkChild(conversation.ask("two"), { startImmediately: true })
      const third = yield* Effect.forkChild(conversation.ask("three"), { startImmediately: true })
      yield* Fiber.interrupt(second)
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(first)
      yield* Fiber.join(third)
      assert.deepStrictEqual((yield* texts(conversation)).filter((text) => text.startsWith("user")), [
        "user: one",
        "user: three"
      ])
    }).pipe(Effect.provide(serve(Script.layer(Script.wait("1 second"), Script.say("yes"))))), covers("field:CAN-04"))
})

/** Interrupted sends, with and without `AgentTransport.cancelOnInterrupt`. */
import {
  Agent,
  type AgentCard,
  type AgentError,
  AgentStream,
  AgentTransport,
  Answer,
  Conversation,
  Message,
  Operation,
  Part,
  StreamEvent
} from "@effect-a2a/core"
import { AgentTest, Script } from "@effect-a2a/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { covers } from "../support/covers.ts"
import {
  type Asked,
  chunks,
  type Combination,
  event,
  frame,
  inEach,
  isRpc,
  rest,
  result,
  rpcError,
  sendJson,
  taskJson
} from "../support/peer.ts"
import * as Support from "./support.ts"

const { fastForward, refusal, say, status, task, taskId, through, turns } = Support

type Frames = ReadonlyArray<StreamEvent.StreamEvent>
type Respond = (asked: Asked) => Response
type Kind = "stream" | "send" | "cancel" | "subscribe" | "get" | "other"

const kindOf = (asked: Asked): Kind => {
  const name = asked.url.endsWith("/a2a") ? String(JSON.parse(asked.body).method) : `${asked.method} ${asked.url}`
  if (/SendStreamingMessage|message\/stream|message:stream/.test(name)) return "stream"
  if (/SendMessage|message\/send|message:send/.test(name)) return "send"
  if (/CancelTask|tasks\/cancel|:cancel/.test(name)) return "cancel"
  if (/SubscribeToTask|tasks\/resubscribe|:subscribe/.test(name)) return "subscribe"
  return /GetTask|tasks\/get|GET .*\/tasks\//.test(name) ? "get" : "other"
}

/** A peer that responds by operation, and the kinds of its requests. */
const talk = (
  combination: Combination,
  responses: { readonly [K in Kind]?: Respond },
  decorate: AgentTransport.Decorator = AgentTransport.cancelOnInterrupt()
) => {
  const canceled = through(combination).taskResponse("canceled")
  const { asked, layer } = through(combination).peer([
    (one) => ({ cancel: canceled, ...responses })[kindOf(one)]?.(one) ?? refusal(404)()
  ])
  return { kinds: () => asked.map(kindOf), asked, agent: Support.agent(decorate(layer)) }
}

const open = (combination: Combination, frames: Frames, onCancel?: () => void): Respond => (asked) =>
  chunks(frames.map((one) => frame(event(combination, asked, one))), {
    end: "open",
    ...(onCancel === undefined ? undefined : { onCancel })
  })

/** A stream that emits its frames when `release` is called. */
const gated = (combination: Combination, frames: Frames) => {
  let release = (): void => {}
  let isClosed = false
  const respond: Respond = (asked) =>
    new Response(
      new ReadableStream<Uint8Array>({
        start: (controller) => {
          release = () => {
            for (const one of frames) {
              controller.enqueue(new TextEncoder().encode(frame(event(combination, asked, one))))
            }
          }
        },
        cancel: () => void (isClosed = true)
      }),
      { headers: { "content-type": "text/event-stream" } }
    )
  return { respond, release: () => release(), isClosed: () => isClosed }
}

/** Runs a program, interrupts it as soon as nothing moves, and lets the background move. */
const interrupt = <E, R>(program: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(program)
    yield* turns
    yield* Fiber.interrupt(fiber)
    yield* turns
  })

/** Interrupts a program whose agent is built, and closed, outside of it. */
const interruptWith = (program: Program, agent: Layer.Layer<Agent.Agent, AgentError.AgentError>) =>
  Effect.flatMap(Layer.build(agent), (context) => interrupt(Effect.provideContext(program, context)))

type Program = Effect.Effect<unknown, AgentError.AgentError, Agent.Agent>

const programs: ReadonlyArray<readonly [string, Program]> = [
  ["ask", Agent.ask("hi")],
  ["send", Agent.send("hi")],
  ["stream", Stream.runDrain(Agent.stream("hi"))],
  ["the answer of a stream", AgentStream.answer(Agent.stream("hi"))]
]

const ways: ReadonlyArray<readonly [string, (self: Program) => Program]> = [
  ["a race", (self) => Effect.raceFirst(self, Effect.sleep("1 second"))],
  ["a timeout", (self) => Effect.timeoutOption(self, "1 second")],
  ["a closed scope", (self) => Effect.scoped(Effect.andThen(Effect.forkScoped(self), Effect.sleep("1 second")))]
]

describe("an interrupted send", () => {
  const slow = Script.layer(Script.wait("1 hour"), Script.say("late"))
  const states = Effect.map(Stream.runCollect(Agent.listTasks()), (tasks) => tasks.map((task) => task.status.state))
  const race = (loser: Program) =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(loser)
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.await(fiber)
      yield* TestClock.adjust("1 second")
      return yield* states
    })
  const conversation = Effect.flatMap(Conversation.make(), ({ ask }) => ask("hi"))

  for (const [name, program] of [...programs, ["conversation.ask", conversation] as const]) {
    it.effect(
      `leaves the task at work without the decorator, and cancels it with it: ${name}`,
      () =>
        Effect.gen(function*() {
          for (const [way, end] of ways) {
            const plain = Agent.layer.pipe(Layer.provideMerge(AgentTest.layer), Layer.provide(slow))
            const before = yield* race(end(program)).pipe(Effect.provide(Layer.fresh(plain)))
            assert.notInclude(before, "canceled", way)
            assert.lengthOf(before, 1, way)
            const canceling = Agent.layer.pipe(
              Layer.provideMerge(AgentTest.layer.pipe(AgentTransport.cancelOnInterrupt())),
              Layer.provide(slow)
            )
            assert.deepStrictEqual(
              yield* race(end(program)).pipe(Effect.provide(Layer.fresh(canceling))),
              ["canceled"],
              way
            )
          }
        }),
      covers("field:N2-37")
    )
  }

  it.effect(
    "cancels its task once, in the words of each combination",
    () =>
      inEach((combination) =>
        Effect.gen(function*() {
          for (const [name, program] of programs) {
            const closed: Array<string> = []
            const { agent, asked, kinds } = talk(combination, {
              stream: open(combination, [task("working"), say("He")], () => closed.push("closed"))
            })
            yield* interruptWith(program, agent)
            assert.deepStrictEqual([kinds(), closed], [["stream", "cancel"], ["closed"]], name)
            assert.include(`${asked[1]!.url} ${asked[1]!.body}`, taskId)
          }
        })
      ),
    covers("field:N2-37")
  )

  it.effect("cancels the task that it continues, although its first event is the past", () =>
    Effect.gen(function*() {
      for (const frames of [[task("input-required")], [task("input-required"), status("working")]]) {
        const { agent, kinds } = talk(rest, { stream: open(rest, frames) })
        yield* interruptWith(Agent.ask("Lisbon", { taskId }), agent)
        assert.deepStrictEqual(kinds(), ["stream", "cancel"])
      }
    }))

  it.effect("before the first event waits for it in the background, and then cancels", () =>
    Effect.gen(function*() {
      for (const [name, program] of programs) {
        const peer = gated(rest, [task("submitted")])
        const { agent, kinds } = talk(rest, { stream: peer.respond })
        yield* interruptWith(program, agent)
        assert.deepStrictEqual([kinds(), peer.isClosed()], [["stream"], false], name)
        yield* TestClock.adjust("4 seconds")
        peer.release()
        yield* turns
        assert.deepStrictEqual([kinds(), peer.isClosed()], [["stream", "cancel"], true], name)
      }
    }))

  it.effect("by the total timeout cancels its task, and fails", () =>
    Effect.gen(function*() {
      for (const [name, program] of programs) {
        const { agent, kinds } = talk(rest, { stream: open(rest, [task("working")]) })
        const error = yield* fastForward(
          Effect.flip(Agent.withTimeouts(program, { total: "1 second" })).pipe(Effect.provide(agent))
        )
        assert.deepInclude(error.reason, { _tag: "TimeoutError", phase: "total", delivery: "delivered" }, name)
        assert.deepStrictEqual(kinds(), ["stream", "cancel"], name)
      }
    }))

  it.effect("closes the connection if no event comes within the time", () =>
    Effect.gen(function*() {
      const peer = gated(rest, [])
      const { agent, kinds } = talk(
        rest,
        { stream: peer.respond },
        AgentTransport.cancelOnInterrupt({ within: "2 seconds" })
      )
      yield* interruptWith(Agent.ask("hi"), agent)
      yield* TestClock.adjust("1999 millis")
      yield* turns
      assert.isFalse(peer.isClosed())
      yield* TestClock.adjust("1 millis")
      yield* turns
      assert.deepStrictEqual([kinds(), peer.isClosed()], [["stream"], true])
    }))

  it.effect("cancels nothing if the first event settles the task, or refuses the message", () =>
    Effect.gen(function*() {
      for (const frames of [[task("completed", "done")], [task("input-required")], [yield* Message.agent("done")]]) {
        const peer = gated(rest, frames)
        const { agent, kinds } = talk(rest, { stream: peer.respond })
        yield* interruptWith(Agent.ask("hi"), agent)
        peer.release()
        yield* turns
        assert.deepStrictEqual([kinds(), peer.isClosed()], [["stream"], true])
      }
      const { agent, kinds } = talk(rest, { stream: refusal(400) })
      yield* Effect.ignore(Agent.ask("hi")).pipe(Effect.provide(agent))
      assert.deepStrictEqual(kinds(), ["stream"])
    }))
})

describe("a cancellation in the background", () => {
  it.effect("neither delays nor fails the caller, and ends in time", () =>
    Effect.gen(function*() {
      let closed = 0
      const silent: Respond = () =>
        chunks(["{"], { type: "application/json", end: "open", onCancel: () => void closed++ })
      for (const cancel of [silent, refusal(500), refusal(409), () => chunks([], { end: "reset" })]) {
        const { agent, kinds } = talk(rest, { stream: open(rest, [task("working")]), cancel })
        const fiber = yield* Effect.forkChild(
          Agent.ask("hi").pipe(
            Effect.raceFirst(Effect.as(Effect.sleep("1 second"), "faster")),
            Effect.provide(agent)
          )
        )
        yield* turns
        yield* TestClock.adjust("1 second")
        yield* turns
        assert.strictEqual(kinds().length, 2)
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(yield* Fiber.join(fiber), "faster")
      }
      yield* turns
      assert.strictEqual(closed, 1)
    }))

  it.effect("is waited for by the layer when it closes", () =>
    Effect.gen(function*() {
      let respond = (): void => {}
      const body = () =>
        new ReadableStream<Uint8Array>({
          start: (controller) => {
            respond = () => {
              controller.enqueue(new TextEncoder().encode(JSON.stringify(taskJson(rest, "canceled"))))
              controller.close()
            }
          }
        })
      const { agent, kinds } = talk(rest, {
        stream: open(rest, [task("working")]),
        cancel: () => new Response(body(), { headers: { "content-type": "application/json" } })
      })
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(agent, scope)
      yield* interrupt(Effect.provideContext(Agent.ask("hi"), context))
      assert.deepStrictEqual(kinds(), ["stream", "cancel"])
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* turns
      assert.isUndefined(closing.pollUnsafe())
      respond()
      yield* turns
      assert.isDefined(closing.pollUnsafe())
    }))

  it.effect("is never waited for longer than its time", () =>
    Effect.gen(function*() {
      const { agent } = talk(rest, {
        stream: open(rest, [task("working")]),
        cancel: () => chunks(["{"], { type: "application/json", end: "open" })
      })
      const program = Effect.ignore(Effect.timeout(Agent.ask("hi"), "1 second"))
      yield* fastForward(program.pipe(Effect.provide(agent)))
      assert.isAtMost(yield* Clock.currentTimeMillis, 7_000)
    }))
})

describe("nothing is canceled", () => {
  const settled = [task("working"), say("Hello"), status("completed")]

  it.effect("after a stream that was read to its end", () =>
    Effect.gen(function*() {
      for (const [, program] of programs) {
        const { agent, kinds } = talk(rest, { stream: through().eventStream(settled) })
        yield* program.pipe(Effect.provide(agent))
        assert.deepStrictEqual(kinds(), ["stream"])
      }
    }))

  it.effect("after a stream that was left once its task had settled", () =>
    Effect.gen(function*() {
      for (const last of ["completed", "failed", "input-required", "auth-required"] as const) {
        const { agent, kinds } = talk(rest, { stream: open(rest, [task("working"), status(last)]) })
        yield* interruptWith(Stream.runDrain(Agent.stream("hi")), agent)
        assert.deepStrictEqual(kinds(), ["stream"], last)
      }
    }))

  it.effect("after a stream that dropped, since its task can be followed", () =>
    Effect.gen(function*() {
      const { agent, kinds } = talk(rest, { stream: through().eventStream([task("working")], { end: "reset" }) })
      const { reason } = yield* Effect.flip(Stream.runDrain(Agent.stream("hi"))).pipe(Effect.provide(agent))
      assert.deepInclude(reason, { _tag: "StreamInterruptedError", taskId, isResumable: true })
      assert.deepStrictEqual(kinds(), ["stream"])
    }))

  it.effect("by those who only watch a task", () =>
    Effect.gen(function*() {
      const subscribe = open(rest, [task("working")])
      for (const program of [Stream.runDrain(Agent.subscribe(taskId)), Agent.waitFor(taskId)]) {
        const { agent, kinds } = talk(rest, { subscribe })
        yield* interruptWith(program, agent)
        assert.deepStrictEqual(kinds(), ["subscribe"])
      }
    }))

  it.effect("for a task that was wanted at once", () =>
    Effect.gen(function*() {
      const { agent, kinds } = talk(rest, { send: through().json(sendJson(rest, "working")) })
      yield* Agent.send("hi", { returnImmediately: true }).pipe(Effect.provide(agent))
      assert.deepStrictEqual(kinds(), ["send"])
    }))

  it.effect("for events of other tasks", () =>
    Effect.gen(function*() {
      const other = StreamEvent.statusUpdate({ taskId: "t-2" as typeof taskId, status: { state: "completed" } })
      const { agent, asked, kinds } = talk(rest, { stream: open(rest, [task("working"), other]) })
      yield* interruptWith(Agent.ask("hi"), agent)
      assert.deepStrictEqual(kinds(), ["stream", "cancel"])
      assert.include(asked[1]!.url, `/${taskId}:`)
    }))
})

describe("a stream that is left early", () => {
  const leavers: ReadonlyArray<readonly [string, Program]> = [
    ["take", Stream.runDrain(Stream.take(Agent.stream("hi"), 1))],
    ["runHead", Stream.runHead(Agent.stream("hi"))],
    ["a consumer that fails", Effect.ignore(Stream.runForEach(Agent.stream("hi"), () => Effect.fail("enough")))]
  ]
  for (const [name, program] of leavers) {
    it.effect(`counts as interrupted: ${name}`, () =>
      Effect.gen(function*() {
        const { agent, kinds } = talk(rest, { stream: open(rest, [task("working"), say("He")]) })
        yield* program.pipe(Effect.provide(agent))
        yield* turns
        assert.deepStrictEqual(kinds(), ["stream", "cancel"])
      }))
  }
})

describe("a unary send that goes by stream", () => {
  it.effect("returns what the unary call returns, in each combination", () =>
    inEach((combination) =>
      Effect.gen(function*() {
        const { eventStream } = through(combination)
        const stream = eventStream([
          task("submitted"),
          status("working"),
          say("Hel"),
          say("lo", { append: true, lastChunk: true }),
          status("completed")
        ])
        const { agent, kinds } = talk(combination, { stream })
        const answer = yield* Agent.ask("hi").pipe(Effect.provide(agent))
        assert.deepStrictEqual([answer.state, answer.text, answer.taskId, kinds()], [
          "completed",
          "Hello",
          taskId,
          ["stream"]
        ])
        const message = { ...(yield* Message.agent([Part.text("Hi")])) }
        const spoken = talk(combination, { stream: eventStream([message]) })
        assert.deepStrictEqual(
          Answer.from(yield* Agent.send("hi").pipe(Effect.provide(spoken.agent))).text,
          "Hi"
        )
        const failed = talk(combination, { stream: eventStream([task("working"), status("failed", "no")]) })
        const error = yield* Effect.flip(Agent.ask("hi")).pipe(Effect.provide(failed.agent))
        assert.deepStrictEqual([error.reason._tag, error.reason.message], ["TaskFailedError", "no"])
      })
    ))

  it.effect("ends where the unary call ends, at auth-required too, and cancels nothing", () =>
    Effect.gen(function*() {
      for (const state of ["input-required", "auth-required"] as const) {
        for (const options of [{}, { taskId }]) {
          const frames = [
            task(options.taskId === undefined ? "working" : state),
            status("working"),
            status(state, "Who?")
          ]
          const { agent, kinds } = talk(rest, { stream: open(rest, frames) })
          const answer = yield* fastForward(Agent.ask("hi", options).pipe(Effect.provide(agent)))
          assert.deepStrictEqual([answer.state, kinds()], [state, ["stream"]])
        }
      }
    }))

  it.effect("is unary for agents without streams, which are asked for one only once", () =>
    inEach((combination) =>
      Effect.gen(function*() {
        const refuse: Respond = (asked) =>
          isRpc(combination)
            ? new Response(rpcError(asked, { code: -32004, message: "no streams" }), {
              headers: { "content-type": "application/json" }
            })
            : new Response("", { status: 404 })
        const { agent, kinds } = talk(combination, {
          stream: refuse,
          send: through(combination).json(sendJson(combination, "completed"))
        })
        const program = Effect.andThen(Agent.ask("hi"), Agent.ask("hi"))
        assert.strictEqual((yield* program.pipe(Effect.provide(agent))).state, "completed")
        const wanted = kinds()
        assert.deepStrictEqual(wanted.filter((kind) => kind === "send"), ["send", "send"])
        assert.strictEqual(wanted.lastIndexOf("stream") < wanted.indexOf("send"), true)
      })
    ))

  it.effect(
    "goes by stream again after a message that is not supported in either way",
    () =>
      inEach((combination) =>
        Effect.gen(function*() {
          let isSupported = false
          const respond = open(combination, [task("working")])
          const refuse: Respond = (asked) =>
            isRpc(combination)
              ? new Response(rpcError(asked, { code: -32004, message: "the task is terminal" }), {
                headers: { "content-type": "application/json" }
              })
              : new Response("", { status: 404 })
          const { agent, kinds } = talk(combination, {
            stream: (asked) => isSupported ? respond(asked) : refuse(asked),
            send: refuse
          })
          yield* Effect.gen(function*() {
            yield* Effect.flip(Agent.ask("hi"))
            isSupported = true
            yield* interrupt(Agent.ask("hi"))
          }).pipe(Effect.provide(agent))
          assert.deepStrictEqual(kinds().slice(-2), ["stream", "cancel"])
        })
      ),
    covers("field:N2-37")
  )

  it.effect(
    "is unary if the card declares no streams, and waits for a task that is returned early",
    () =>
      Effect.gen(function*() {
        const card: AgentCard.AgentCard = { ...AgentTest.card, capabilities: { streaming: false } }
        const responses = { send: through().json(sendJson(rest, "working")), get: through().taskResponse("completed") }
        const { agent, kinds } = talk(
          rest,
          responses,
          (self) => AgentTransport.cancelOnInterrupt()(AgentTransport.withCard(card)(self))
        )
        const sent = yield* fastForward(Agent.send("hi").pipe(Effect.provide(agent)))
        assert.deepStrictEqual([sent._tag === "Task" && sent.status.state, kinds()[0]], ["completed", "send"])
        assert.notInclude(kinds(), "cancel")
      }),
    covers("attack:S2-55")
  )

  for (const how of ["is interrupted", "is limited"] as const) {
    it.effect(`cancels a task that is returned early if the wait ${how}`, () =>
      Effect.gen(function*() {
        const working = through().taskResponse("working")
        const asked = yield* Deferred.make<void>()
        const { agent, kinds } = talk(rest, {
          stream: refusal(405),
          send: through().json(sendJson(rest, "submitted")),
          get: (one) => {
            Deferred.doneUnsafe(asked, Effect.void)
            return working(one)
          }
        })
        const ask = Agent.ask("hi").pipe(
          Agent.withTimeouts(how === "is limited" ? { total: "1 minute" } : {}),
          Effect.provide(agent),
          Effect.exit
        )
        const fiber = yield* Effect.forkChild(ask)
        yield* fastForward(Deferred.await(asked))
        yield* how === "is limited" ? fastForward(Fiber.join(fiber)) : Fiber.interrupt(fiber)
        yield* fastForward(Effect.sleep("1 second"))
        assert.deepStrictEqual(kinds().at(-1), "cancel")
      }), covers("attack:S2-55"))
  }

  it.effect(
    "waits for a task that an agent returns early in one document",
    () =>
      inEach((combination) =>
        Effect.gen(function*() {
          const stream: Respond = (asked) =>
            new Response(result(combination, asked, sendJson(combination, "working")), {
              headers: { "content-type": "application/json" }
            })
          const { agent, kinds } = talk(combination, { stream, get: through(combination).taskResponse("completed") })
          const sent = yield* fastForward(Agent.send("hi").pipe(Effect.provide(agent)))
          assert.deepStrictEqual([sent._tag === "Task" && sent.status.state, kinds()[0]], ["completed", "stream"])
        })
      ),
    covers("attack:S2-55")
  )

  it.effect("of an agent without streams cancels the task that its message names", () =>
    Effect.gen(function*() {
      const { agent, kinds } = talk(rest, {
        stream: refusal(405),
        send: () => chunks(["{"], { type: "application/json", end: "open" })
      })
      yield* interruptWith(Agent.ask("hi", { taskId }), agent)
      assert.deepStrictEqual(kinds().at(-1), "cancel")
    }))

  it.effect("is resumed under resumable, and canceled if it is interrupted then", () =>
    Effect.gen(function*() {
      const { agent, kinds } = talk(
        rest,
        {
          stream: through().eventStream([task("working"), say("He")], { end: "reset" }),
          subscribe: open(rest, [task("working", "He")])
        },
        (self) => AgentTransport.cancelOnInterrupt()(AgentTransport.resumable()(self))
      )
      const fiber = yield* Effect.forkChild(Agent.ask("hi").pipe(Effect.provide(agent)))
      yield* turns
      yield* TestClock.adjust("1 second")
      yield* turns
      yield* Fiber.interrupt(fiber)
      yield* turns
      assert.deepStrictEqual(kinds(), ["stream", "subscribe", "cancel"])
    }))
})

it.effect("a transport as a value is decorated too", () =>
  Effect.gen(function*() {
    const canceled = yield* Deferred.make<string>()
    const target = { url: "https://agent.test", protocolBinding: "in-process", protocolVersion: "1.0" }
    const transport = AgentTransport.cancelOnInterrupt()(AgentTransport.fromHandlers(target, {
      SendStreamingMessage: () => Stream.concat(Stream.make(task("working")), Stream.never),
      CancelTask: ({ id, tenant }) => Effect.as(Deferred.succeed(canceled, `${tenant}/${id}`), task("canceled"))
    }))
    const request = { tenant: "acme", message: yield* Message.user("hi") }
    yield* interrupt(transport.call(Operation.SendMessage, request))
    assert.strictEqual(yield* Deferred.await(canceled), `acme/${taskId}`)
  }))

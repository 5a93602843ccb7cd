/** Messages to the emulated MemoryLake, through bytes, in all four combinations. */
import * as Agent from "@effect-a2a/core/Agent"
import { AgentTransport } from "@effect-a2a/core/AgentTransport"
import * as Answer from "@effect-a2a/core/Answer"
import * as Id from "@effect-a2a/core/Id"
import * as Message from "@effect-a2a/core/Message"
import * as Operation from "@effect-a2a/core/Operation"
import * as Part from "@effect-a2a/core/Part"
import type * as Task from "@effect-a2a/core/Task"
import * as MemoryLake from "@effect-a2a/memorylake/MemoryLake"
import * as MemoryLakeAnswer from "@effect-a2a/memorylake/MemoryLakeAnswer"
import * as MemoryLakeOptions from "@effect-a2a/memorylake/MemoryLakeOptions"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { covers, type Id as CoveredId } from "./support/covers.ts"
import * as Emulated from "./support/emulated.ts"
import { cancel, contextId, example, getTask, refusedTask, send } from "./support/emulated.ts"

const project = MemoryLakeOptions.projectId("proj-b93e8d95a8705bcc4ec42a65ba4cc7f8")
const otherProject = MemoryLakeOptions.projectId("proj-cd2e83f761eec93c75977f51667889cd")
const actor = MemoryLakeOptions.actorId("actor-33d6b73298fb43482a765643ff92444b")

/** Sent without the SDK's own guards, with whatever is in `memorylake`. */
const bare = (input: Message.Input, memorylake: Schema.JsonObject | undefined, options?: Message.Options) =>
  Effect.gen(function*() {
    const transport = yield* AgentTransport
    const message = yield* Message.user(input, options)
    return yield* transport.call(Operation.SendMessage, {
      message,
      ...(memorylake !== undefined && { metadata: { memorylake } })
    })
  })

for (const combination of Emulated.combinations) {
  const isRest = combination.binding === "HTTP+JSON"
  const isLegacy = combination.protocol.version === "0.3"
  const effect = Emulated.test(combination)
  const isFirst = combination === Emulated.combinations[0]

  describe(`MemoryLake over ${combination.name}`, () => {
    describe("messages", () => {
      effect(
        "need metadata.memorylake at the top level, of which {} is enough",
        () =>
          Effect.gen(function*() {
            const message = Emulated.message(combination, "hi")
            for (
              const params of [{ message }, {
                message: { ...message, metadata: { memorylake: {} } },
                metadata: { a: 1 }
              }]
            ) {
              const { status, text, type } = yield* Emulated.post(combination, params)
              assert.strictEqual(status, 400)
              assert.match(type, /^application\/json/)
              assert.deepStrictEqual(Object.keys(JSON.parse(text)).toSorted(), ["error_code", "message", "success"])
              assert.strictEqual(JSON.parse(text).error_code, "INVALID_ARGUMENT")
            }
            const { status, text } = yield* Emulated.post(combination, {
              message,
              metadata: { memorylake: {}, mine: { kept: true } }
            })
            assert.strictEqual(status, 200)
            assert.isDefined(Emulated.taskIn(combination, text).id)
          }),
        covers("ML-11")
      )

      effect(
        "may have unknown options, which are ignored",
        () =>
          Effect.gen(function*() {
            const task = yield* send("hello").pipe(MemoryLake.withOptions({
              actorId: actor,
              readWriteProjectId: project,
              readOnlyProjectIds: [otherProject],
              skipMemory: true,
              overrides: {
                model: "gpt-4o",
                systemPromptOverride: "Be brief",
                modelParams: { maxTokens: 10, topP: 0.5 }
              },
              runtimeOptions: { language: "en" },
              extra: { actorID: "typo", overrides: { maxTurns: 3 } }
            }))
            assert.strictEqual(MemoryLakeAnswer.fromTask(task)?.text, "(English) You asked: hello")
          }),
        covers("ML-12", "ML-13", "ML-15", "ML-16")
      )

      const metadata = (memorylake: Schema.JsonObject): Agent.Options => ({ metadata: { memorylake } })
      const id = (prefix: string, digit: string) => `${prefix}-${digit.repeat(32)}`
      const refused: ReadonlyArray<
        readonly [id: CoveredId, title: string, options: Agent.Options, tag: string, status: number]
      > = [
        ["ML-12", "a malformed actor", metadata({ actorId: "jane" }), "InvalidArgumentError", 400],
        [
          "ML-12",
          "an actor of another workspace",
          metadata({ actorId: id("actor", "f") }),
          "InvalidArgumentError",
          400
        ],
        ["ML-33", "a deleted actor", metadata({ actorId: id("actor", "0") }), "ActorInactiveError", 400],
        ["ML-33", "a forbidden actor", metadata({ actorId: id("actor", "e") }), "AccessDeniedError", 403],
        ["ML-12", "a malformed project", metadata({ readWriteProjectId: "p" }), "InvalidArgumentError", 400],
        ["ML-33", "an unknown project", metadata({ readWriteProjectId: id("proj", "0") }), "NotFoundError", 404],
        ["ML-33", "a forbidden project", metadata({ readOnlyProjectIds: [id("proj", "e")] }), "AccessDeniedError", 403],
        [
          "ML-14",
          "capabilities that are not an object",
          metadata({ overrides: { capabilitiesOverride: ["pii"] } }),
          "InvalidArgumentError",
          400
        ]
      ]
      // the rules are above the dialects: one of them in each combination, all in the first
      for (const [covered, title, options, tag, status] of isFirst ? refused : refused.slice(0, 1)) {
        effect(`with ${title} are refused, sent and streamed`, () =>
          Effect.gen(function*() {
            const sent = yield* Emulated.refusal(send("hi", options))
            const streamed = yield* Emulated.refusal(Stream.runDrain(Agent.stream("hi", options)))
            assert.deepStrictEqual([sent._tag, sent.status], [tag, status])
            assert.deepStrictEqual([streamed._tag, streamed.status], [tag, status])
          }), covers(covered))
      }

      effect(
        "may name unknown read-only projects and capabilities, which are ignored",
        () =>
          Effect.gen(function*() {
            const memorylake = {
              readOnlyProjectIds: [`proj-${"0".repeat(32)}`],
              overrides: { capabilitiesOverride: { web_serch: {}, web_search: true, pii: { enabled: false } } }
            }
            const task = yield* send("mail me@a.test", { metadata: { memorylake } })
            assert.strictEqual(MemoryLakeAnswer.fromTask(task)?.text, "You asked: mail [EMAIL_REDACTED]")
            assert.deepStrictEqual(Answer.fromTask(task).toolCalls, [])
          }),
        covers("ML-12", "ML-14")
      )

      effect("with files and no project are refused before anything is sent", () =>
        Effect.gen(function*() {
          for (const file of [Part.url("drive://items/1"), Part.raw(new Uint8Array([1]))]) {
            const { _tag, message } = yield* Emulated.refusal(send(["see", file]))
            assert.strictEqual(_tag, "InvalidRequestError")
            assert.include(message, "metadata.memorylake.readWriteProjectId")
            assert.strictEqual(
              (yield* Emulated.refusal(Stream.runDrain(Agent.stream(file))))._tag,
              "InvalidRequestError"
            )
          }
          assert.deepStrictEqual(yield* Emulated.exchanges, [])
          const task = yield* send(["see", Part.url("drive://items/1")], { contextId }).pipe(
            MemoryLake.withOptions({ readWriteProjectId: project })
          )
          assert.strictEqual(task.status.state, "completed")
          // not even the conversation's project is inherited for them
          const next = yield* Emulated.refusal(send(["see", Part.url("drive://items/2")], { contextId }))
          assert.strictEqual(next._tag, "InvalidRequestError")
          assert.strictEqual((yield* Emulated.exchanges).length, 1)
        }), covers("ML-17"))

      it.effect(
        "with files and no project are refused by the service too",
        () =>
          Effect.gen(function*() {
            const reason = yield* Emulated.refusal(bare(["see", Part.url("drive://items/1")], {}))
            assert.deepStrictEqual([reason._tag, reason.status], ["InvalidArgumentError", 400])
            const named = { readWriteProjectId: project }
            yield* bare(["see", Part.url("drive://items/1")], named, { contextId })
            const next = yield* Emulated.refusal(bare(["see", Part.url("drive://items/1")], {}, { contextId }))
            assert.strictEqual(next._tag, "InvalidArgumentError")
          }).pipe(Effect.provide(Emulated.layerBare(combination).pipe(Layer.provideMerge(Emulated.layerService)))),
        covers("ML-17")
      )

      if (isRest) {
        effect(`in the body of the other protocol version are refused`, () =>
          Effect.gen(function*() {
            const { content, parts, ...rest } = Emulated.message(combination, "hi")
            const mixed = isLegacy ? { ...rest, parts: content } : { ...rest, content: parts }
            for (const mode of ["send", "stream"] as const) {
              const { status, text } = yield* Emulated.post(
                combination,
                { message: mixed, metadata: { memorylake: {} } },
                mode
              )
              assert.strictEqual(status, 400)
              assert.strictEqual(JSON.parse(text).error_code, "INVALID_ARGUMENT")
              assert.include(JSON.parse(text).message, isLegacy ? "message.parts" : "message.content")
            }
          }))
      }

      effect(
        "may come without version, message id and kind",
        () =>
          Effect.gen(function*() {
            const params = { message: Emulated.message(combination, example), metadata: { memorylake: {} } }
            const sent = yield* Emulated.post(combination, params)
            assert.strictEqual(sent.status, 200)
            assert.match(Emulated.taskIn(combination, sent.text).id, /^run-[0-9a-f]{32}$/)
            const streamed = yield* Emulated.post(combination, params, "stream")
            assert.include(streamed.type, "text/event-stream")
            assert.isUndefined((yield* Emulated.exchanges)[0]!.headers["a2a-version"])
          }),
        covers("ML-05")
      )
    })

    describe("configuration", () => {
      effect("wait and return history by default, except over 0.3 REST", () =>
        Effect.gen(function*() {
          const ask = (configuration?: Record<string, unknown>) =>
            Effect.map(
              Emulated.post(combination, {
                message: Emulated.message(combination, example),
                metadata: { memorylake: {} },
                ...(configuration && { configuration })
              }),
              ({ text }) => Emulated.taskIn(combination, text)
            )
          const isDone = ({ status }: any) => /completed$/i.test(status.state)
          const plain = yield* ask()
          const atOnce = isRest && isLegacy
          assert.strictEqual(isDone(plain), !atOnce)
          assert.strictEqual("history" in plain, !atOnce)
          const wait = isLegacy ? { blocking: true } : { returnImmediately: false }
          const waited = yield* ask(wait)
          assert.isTrue(isDone(waited))
          assert.strictEqual(waited.history?.length, atOnce ? undefined : 5)
          assert.isUndefined((yield* ask({ ...wait, historyLength: 0 })).history)
          assert.strictEqual((yield* ask({ ...wait, historyLength: 2 })).history.length, 2)
          const unawaited = yield* ask(isLegacy ? { blocking: false } : { returnImmediately: true })
          assert.isFalse(isDone(unawaited))
          assert.isUndefined(unawaited.artifacts)
          // the member of the other protocol version has no effect here
          if (!isLegacy) assert.isTrue(isDone(yield* ask({ blocking: false })))
        }), covers("ML-07"))

      effect(
        "of the client wait by default, whatever the default of the route",
        () =>
          Effect.gen(function*() {
            const task = yield* send(example)
            assert.strictEqual(task.status.state, "completed")
            const unawaited = yield* send("a slow one", { returnImmediately: true })
            assert.include(["submitted", "working"], unawaited.status.state)
            const bodies = (yield* Emulated.exchanges).map(({ body }) => JSON.parse(body))
            const configurations = bodies.map((body) => (body.params ?? body).configuration)
            if (isLegacy) assert.deepStrictEqual(configurations.map(({ blocking }) => blocking), [true, false])
            else assert.deepStrictEqual(configurations, [undefined, { returnImmediately: true }])
          }),
        covers("ML-07", "ML-20")
      )
    })

    if (isFirst) {
      describe("conversations", () => {
        effect(
          "take one message at a time, however the first was sent",
          () =>
            Effect.gen(function*() {
              const busy = Effect.gen(function*() {
                const reason = yield* Emulated.refusal(send("next", { contextId }))
                assert.deepStrictEqual([reason._tag, reason.code, reason.status], [
                  "InvalidArgumentError",
                  "INVALID_ARGUMENT",
                  400
                ])
              })
              const { id } = yield* send("a slow one", { contextId, returnImmediately: true })
              yield* busy
              assert.strictEqual(
                (yield* send("elsewhere", { contextId: Id.ContextId.make("ctx-2") })).status.state,
                "completed"
              )
              yield* cancel(id)
              const [first] = yield* Stream.runCollect(Stream.take(Agent.stream("another slow one", { contextId }), 1))
              yield* busy
              yield* cancel((first as Task.Task).id)
              assert.strictEqual((yield* send("at last", { contextId })).status.state, "completed")
            }),
          covers("ML-09")
        )

        it.effect("belong to the agent that used them first, and the error names both", () =>
          Effect.gen(function*() {
            yield* send("hi", { contextId }).pipe(Effect.provide(Emulated.layerClient(combination)))
            const reason = yield* Emulated.refusal(send("hi", { contextId })).pipe(
              Effect.provide(Emulated.layerClient(combination, { agentId: "agent-other" }))
            )
            assert.strictEqual(reason._tag, "InvalidArgumentError")
            assert.include(reason.message, "ctx-demo-1")
            assert.include(reason.message, "agent-other")
          }).pipe(Effect.provide(Emulated.layerService)), covers("ML-10"))

        it.effect(
          "keep their project: the service refuses another, and a first one later",
          () =>
            Effect.gen(function*() {
              const named = { readWriteProjectId: project }
              yield* bare("one", named, { contextId })
              yield* bare("two", {}, { contextId })
              const other = yield* Emulated.refusal(bare("three", { readWriteProjectId: otherProject }, { contextId }))
              assert.deepStrictEqual([other._tag, other.status], ["InvalidArgumentError", 400])
              const late = { contextId: Id.ContextId.make("ctx-late") }
              yield* bare("one", {}, late)
              assert.strictEqual((yield* Emulated.refusal(bare("two", named, late)))._tag, "InvalidArgumentError")
            }).pipe(Effect.provide(Emulated.layerBare(combination).pipe(Layer.provideMerge(Emulated.layerService)))),
          covers("ML-18")
        )

        effect("keep their project: the client refuses another before anything is sent", () =>
          Effect.gen(function*() {
            yield* send("one", { contextId }).pipe(MemoryLake.withOptions({ readWriteProjectId: project }))
            const reason = yield* Emulated.refusal(
              send("two", { contextId }).pipe(MemoryLake.withOptions({ readWriteProjectId: otherProject }))
            )
            assert.strictEqual(reason._tag, "InvalidRequestError")
            assert.include(reason.message, project)
            assert.strictEqual((yield* Emulated.exchanges).length, 1)
          }), covers("ML-18"))
      })
    }

    describe("failures", () => {
      effect("of an unknown model are a failed task with the documented text", () =>
        Effect.gen(function*() {
          const overrides = MemoryLake.withOptions({ overrides: { model: "gpt-none" } })
          const sent = yield* Emulated.refusal(overrides(send("hi")))
          assert.strictEqual(sent._tag, "TaskFailedError")
          assert.strictEqual(sent.message, "LLM model config not found: gpt-none")
          assert.strictEqual(refusedTask(sent).status.state, "failed")
          assert.isUndefined(refusedTask(sent).artifacts)
          const streamed = yield* Emulated.refusal(overrides(Stream.runDrain(Agent.stream("hi"))))
          assert.deepStrictEqual([streamed._tag, streamed.message], [sent._tag, sent.message])
          assert.deepStrictEqual((yield* Emulated.exchanges).map(({ status }) => status), [200, 200])
        }), covers("ML-13", "ML-32"))

      const keys = [
        ["sk_invalid", "UnauthenticatedError", 401],
        ["sk_quota", "QuotaExceededError", 402],
        ["sk_denied", "AccessDeniedError", 403],
        ["sk_limited", "RateLimitError", 429],
        ["sk_no_actor", "StateNotReadyError", 400]
      ] as const
      for (const [key, tag, status] of keys) {
        effect(
          `with ${status} are ${tag}, in the body of the service, not of the binding`,
          () =>
            Effect.gen(function*() {
              const { retryAfter, ...reason } = yield* Emulated.refusal(send("hi"))
              assert.deepStrictEqual([reason._tag, reason.status], [tag, status])
              assert.deepStrictEqual(retryAfter && Duration.toSeconds(retryAfter), status === 429 ? 2 : undefined)
              assert.strictEqual(reason.isRetryable, status === 429)
              if (reason._tag === "UnauthenticatedError") assert.include(reason.challenge, "Bearer")
              assert.strictEqual((yield* Emulated.refusal(Stream.runDrain(Agent.stream("hi"))))._tag, tag)
              for (const { chunks, status: answered } of yield* Emulated.exchanges) {
                assert.strictEqual(answered, status)
                assert.hasAllKeys(JSON.parse(chunks.join("")), ["success", "message", "error_code"])
              }
              if (status === 400) return
              assert.strictEqual((yield* Emulated.refusal(getTask(Id.TaskId.make("run-1"))))._tag, tag)
            }),
          { ...covers("ML-33", "ML-35", "ML-36"), key }
        )
      }

      effect("of the agent are in the body of the binding, with the same reason", () =>
        Effect.gen(function*() {
          const reason = yield* Emulated.refusal(getTask(Id.TaskId.make("run-none")))
          assert.strictEqual(reason._tag, "TaskNotFoundError")
          const { chunks, status } = (yield* Emulated.exchanges)[0]!
          const body = JSON.parse(chunks.join(""))
          assert.strictEqual(status, isRest ? 404 : 200)
          if (isRest) return assert.strictEqual(body.error_code, "NOT_FOUND")
          assert.strictEqual(body.error.code, isLegacy ? -32603 : -32001)
        }), covers("ML-35"))
    })
  })
}

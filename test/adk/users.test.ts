/** End users of one transport to an ADK server. */
import { Agent, type AgentError, AgentStream, type Answer, Conversation, Credentials, Id, Task } from "@effect-a2a/core"
import { AdkScript } from "@effect-a2a/emulators"
import { Adk as AdkTransport, AdkClient, AdkReply } from "@effect-a2a/transport-adk"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { covers } from "../support/covers.ts"
import * as Adk from "./support.ts"

const { withUser } = AdkTransport
const contextId = Id.ContextId.make("trip")

/** Remembers the words of a session, each with the time that it takes. */
const memory = Adk.layer({
  agent: ({ events, text }) => [
    AdkScript.wait(text === "slow" ? "3 seconds" : "1 second"),
    AdkScript.say(
      [...events, { author: "user", content: { parts: [{ text }] } }]
        .filter(({ author }) => author === "user")
        .flatMap(({ content }) => content?.parts ?? [])
        .map(({ text }) => text)
        .join(" ")
    )
  ]
})

const users = Effect.map(
  Adk.posted("/run"),
  (runs) => new Set(runs.map(({ sessionId, userId }) => JSON.stringify([userId, sessionId])))
)

describe("end users", () => {
  it.effect("have a session each in the same context", () =>
    Effect.gen(function*() {
      const ask = (text: string) => Effect.map(Agent.ask(text, { contextId }), ({ text }: Answer.Answer) => text)
      const answers = yield* Adk.fastForward(Effect.all([
        ask("a1").pipe(withUser("ana")),
        ask("b1").pipe(withUser("bob")),
        ask("a2").pipe(withUser("ana")),
        ask("c1")
      ]))
      assert.deepStrictEqual(answers, ["a1", "b1", "a1 a2", "c1"])
      assert.deepStrictEqual(
        [...yield* users],
        [["ana", "trip"], ["bob", "trip"], ["A2A_USER_trip", "trip"]].map((one) => JSON.stringify(one))
      )
    }).pipe(Effect.provide(memory)), covers("field:N2-50"))

  it.effect("do not mix when they call at the same time, by effects and by streams", () =>
    Effect.gen(function*() {
      const names = ["ana", "bob", "cy", "dee"]
      const talk = (user: string) =>
        Effect.gen(function*() {
          const first = yield* Agent.ask(user === "bob" ? "slow" : user, { contextId })
          const second = yield* Agent.stream("again", { contextId }).pipe(AgentStream.text, Stream.mkString)
          return [first.text, second]
        }).pipe(withUser(user))
      const streams = (user: string) =>
        Agent.stream(user).pipe(AgentStream.text, Stream.mkString, (text) => Effect.map(text, (text) => [text]))
      const all = Effect.forEach(names, talk, { concurrency: "unbounded" })
      const others = Effect.forEach(names, (user) => withUser(user)(streams(user)), { concurrency: "unbounded" })
      const [answers, texts] = yield* Adk.fastForward(Effect.all([all, others], { concurrency: 2 }))
      assert.deepStrictEqual(answers, [
        ["ana", "ana again"],
        ["slow", "slow again"],
        ["cy", "cy again"],
        ["dee", "dee again"]
      ])
      assert.deepStrictEqual(texts, names.map((name) => [name]))
    }).pipe(Effect.provide(memory)), covers("field:N2-50"))

  it.effect("are those of the stream, wherever it runs, and the innermost counts", () =>
    Effect.gen(function*() {
      const agent = yield* Agent.Agent
      const text = (stream: ReturnType<typeof agent.stream>) => AgentStream.text(stream).pipe(Stream.mkString)
      const made = agent.stream("made", { contextId }).pipe(withUser("ana"))
      const returned = yield* Effect.sync(() => agent.stream("returned", { contextId })).pipe(withUser("ana"))
      const inner = agent.stream("inner", { contextId }).pipe(withUser("ana"), withUser("eve"))
      const texts = yield* Adk.fastForward(
        Effect.forEach([made, returned, inner, agent.stream("bob's", { contextId })], text).pipe(withUser("bob"))
      )
      assert.deepStrictEqual(texts, ["made", "made returned", "made returned inner", "bob's"])
      assert.isUndefined(yield* AdkTransport.CurrentUser)
    }).pipe(Effect.provide(memory)), covers("field:N2-50"))

  it.effect("are over the transport's user, which counts outside", () =>
    Effect.gen(function*() {
      yield* Agent.ask("hello", { contextId })
      yield* Agent.ask("hello", { contextId }).pipe(withUser("ana"))
      assert.deepStrictEqual([...yield* users], [["all", "trip"], ["ana", "trip"]].map((one) => JSON.stringify(one)))
    }).pipe(Effect.provide(Adk.layer({ userId: "all" }))), covers("field:N2-50"))

  it.effect("see their own tasks only", () =>
    Effect.gen(function*() {
      const asked = yield* Adk.send("confirm", { contextId }).pipe(withUser("ana"))
      const [question = assert.fail()] = AdkReply.questions(asked)
      const yes = AdkReply.confirm(question, { confirmed: true })
      const attempts = [
        Agent.getTask(asked.id),
        Agent.cancel(asked.id),
        Agent.send("more", { taskId: asked.id }),
        Agent.send("more", { taskId: asked.id, contextId })
      ]
      for (const user of ["bob", undefined]) {
        const as = user === undefined ? <A>(self: A) => self : withUser(user)
        for (const attempt of attempts) {
          assert.strictEqual((yield* Adk.refusal(as(attempt)))._tag, "TaskNotFoundError")
        }
      }
      // bob's session knows nothing of the question, and the answer does not touch ana's task
      const other = yield* Adk.send(yes, { taskId: asked.id, contextId }).pipe(withUser("bob"))
      assert.strictEqual(other.status.state, "failed")
      const kept = yield* Agent.getTask(asked.id).pipe(withUser("ana"))
      assert.strictEqual(kept.status.state, "input-required")
      const paid = yield* Adk.send(yes, { contextId }).pipe(withUser("ana"))
      assert.deepStrictEqual([paid.id, Task.text(paid)], [asked.id, "Paid."])
    }).pipe(Effect.provide(Adk.layer())), covers("field:N2-50"))

  it.effect("hold conversations, and keep their user in the background", () =>
    Effect.gen(function*() {
      const talk = (user: string) =>
        Effect.gen(function*() {
          const conversation = yield* Conversation.make()
          yield* conversation.ask(user)
          return (yield* conversation.ask("again")).text
        }).pipe(withUser(user))
      const texts = yield* Adk.fastForward(Effect.all([talk("ana"), talk("bob")], { concurrency: 2 }))
      assert.deepStrictEqual(texts, ["ana again", "bob again"])
      const begun = yield* Adk.send("later", {}, { returnImmediately: true }).pipe(withUser("ana"))
      const done = yield* Adk.fastForward(withUser("ana")(Agent.waitFor(begun)))
      assert.strictEqual(Task.text(done), "later")
    }).pipe(Effect.provide(memory)), covers("field:N2-50"))

  it.effect.each(["", ".", "..", "a/b"])("need an id that fits into a path: %j", (user) =>
    Effect.gen(function*() {
      for (const call of [Agent.ask("hello"), Stream.runDrain(Agent.stream("hello"))]) {
        const { _tag, violations } = (yield* Adk.refusal(withUser(user)(call))) as AgentError.InvalidRequestError
        assert.deepStrictEqual([_tag, violations?.map(({ field }) => field)], ["InvalidRequestError", ["userId"]])
      }
      assert.isFalse((yield* Adk.asked).some((path) => path.startsWith("POST")))
    }).pipe(Effect.provide(Adk.layer())), covers("field:N2-50"))
})

describe("the user's id in errors", () => {
  const users = ["ana", "ana maria", "ana@example.com"]
  const pages: Record<string, (path: string) => Response> = {
    "a page": (path) =>
      new Response(`<!DOCTYPE html><pre>Cannot POST ${path}</pre>`, {
        status: 404,
        headers: { "content-type": "text/html" }
      }),
    "JSON": (path) =>
      Response.json({ status: 404, error: "Not Found", path, detail: `nothing at ${path}` }, { status: 404 }),
    "text": (path) => new Response(`no healthy upstream for ${decodeURIComponent(path)}?x=1`, { status: 503 })
  }

  for (const [kind, respond] of Object.entries(pages)) {
    it.effect.each(users)(
      `is left out of paths that the server repeats as ${kind} (%s)`,
      (user) =>
        Effect.gen(function*() {
          const http = HttpClient.make((request, url) =>
            Effect.succeed(HttpClientResponse.fromWeb(
              request,
              url.pathname === "/version" ? Response.json({ version: "2.0.0" }) : respond(url.pathname)
            ))
          )
          const client = yield* AdkClient.make({ url: "http://adk.test", appName: "demo" }).pipe(
            Effect.provide([Credentials.layerNone, Layer.succeed(HttpClient.HttpClient, http)])
          )
          const error = yield* Effect.flip(client.ensureSession({ userId: user, sessionId: "s-1" }))
          const { details, message } = error.reason as { readonly message: string; readonly details?: unknown }
          const text = `${error.message} ${error.target} ${message} ${JSON.stringify(details)}`
          assert.include(text, "/apps/demo/users/{user}/sessions")
          for (const id of [user, encodeURIComponent(user)]) assert.notInclude(text, id)
        }),
      covers("field:N2-50")
    )
  }
})

/** Bodies of ADK servers that are wrong everywhere: sessions, runs, artifacts, refusals, and runs as events of a task. */
import * as Message from "@effect-a2a/core/Message"
import * as Operation from "@effect-a2a/core/Operation"
import * as Protocol from "@effect-a2a/core/Protocol"
import { Adk, AdkContent, AdkError, AdkEvent, AdkSession } from "@effect-a2a/transport-adk"
import type { AdkClient } from "@effect-a2a/transport-adk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type Asked, serving } from "../../packages/transport-adk/test/support.ts"
import { covers } from "../support/covers.ts"
import { costly, few, type Kind, kindsAt, nameOf, narrow, places, plant } from "./documents.ts"
import { assertLinear, assertWritable, outcome } from "./support.ts"

const event = {
  id: "e-1",
  invocationId: "i-1",
  author: "agent",
  timestamp: 1.5,
  content: {
    role: "model",
    parts: [
      { text: "hi", thought: true, thoughtSignature: "aGk=" },
      { inlineData: { data: "aGk=", mimeType: "text/plain" } },
      { functionCall: { id: "c-1", name: "search", args: { a: 1 } } },
      { functionResponse: { id: "c-1", name: "search", response: { result: 1 } } }
    ]
  },
  partial: false,
  actions: {
    stateDelta: { a: 1 },
    artifactDelta: { "f.txt": 1 },
    requestedToolConfirmations: { "c-1": { hint: "h" } },
    route: ["x"]
  },
  longRunningToolIds: ["c-2"],
  groundingMetadata: { groundingChunks: [{ web: { uri: "https://a.test" } }] },
  usageMetadata: { totalTokenCount: 1, promptTokensDetails: [{ modality: "TEXT", tokenCount: 1 }] },
  output: { a: [1] },
  customMetadata: { a: 1 },
  unknown: { a: [1] }
}

const session = { id: "s-1", appName: "app", userId: "u", state: { a: 1 }, events: [{ id: "e-1" }], lastUpdateTime: 1 }

const key = { userId: "u", sessionId: "s" }
const file = { ...key, filename: "f.txt" }
const message = { ...key, newMessage: AdkContent.user(AdkContent.text("hi")) }

/** Leaves out the events of a failed run, which are data: a refusal is read up to 64 KiB. */
const withoutEvents = Effect.mapError((error: unknown) => {
  if (!(error instanceof AdkError.AdkError) || error.reason._tag !== "AgentFailedError") return error
  const { details = null, message } = error.reason
  return new AdkError.AdkError({
    operation: error.operation,
    reason: new AdkError.AgentFailedError({ message, details, events: [] })
  })
})

type Client = AdkClient.AdkClient["Service"]
type Read = (client: Client) => Effect.Effect<unknown, unknown>

const runSse: Read = ({ runSse }) => Stream.runCollect(runSse(message))

/** A body, how it is read, and how it is written again. */
const bodies: Readonly<Record<string, readonly [body: unknown, read: Read, schema?: Schema.Codec<any>]>> = {
  "a run": [[event], ({ run }) => run(message), Schema.Array(AdkEvent.Event)],
  "a session": [session, ({ getSession }) => getSession(key), AdkSession.Session],
  "a list of sessions": [{ sessions: [session] }, ({ listSessions }) => listSessions({ userId: "u" })],
  "a part": [
    { inlineData: { data: "aGk=", mimeType: "a/b" } },
    ({ loadArtifact }) => loadArtifact(file),
    AdkContent.Part
  ],
  "a list of names": [["f.txt"], ({ listArtifacts }) => listArtifacts(key)],
  "a list of versions": [[0, 1], ({ artifactVersions }) => artifactVersions(file)],
  "a list of applications": [["app"], ({ listApps }) => listApps],
  "a saved artifact": [
    { version: 0, mimeType: "a/b", customMetadata: { a: 1 } },
    ({ saveArtifact }) => saveArtifact({ ...key, filename: "f.txt", artifact: AdkContent.text("x") })
  ],
  "a version": [{ version: "2.0.0" }, ({ version }) => version]
}

/** A client, and what answers it; `sessions` are answered as they should be. */
const talk = Effect.fnUntraced(function*(hasSessions = false) {
  let current = (): Response => new Response()
  const answer = ({ path }: Asked) => hasSessions && path !== "/run_sse" ? Response.json(session) : current()
  const client = yield* Effect.orDie(serving(answer).client)
  return {
    client,
    read: (read: Read, answer: () => Response) =>
      Effect.suspend(() => {
        current = answer
        return withoutEvents(read(client))
      })
  }
})

const answerWith = (body: string, status = 200) => () =>
  new Response(body, { status, headers: { "content-type": "application/json" } })

const stream = (...data: ReadonlyArray<string>) => () =>
  new Response(data.map((one) => `data: ${one}\n\n`).join(""), { headers: { "content-type": "text/event-stream" } })

describe("a body of an ADK server", () => {
  it.live.each(Object.entries(bodies))("that is %s and wrong is an error of few words, or can be written again", (
    [, [sample, read, schema]]
  ) =>
    Effect.gen(function*() {
      const server = yield* talk()
      for (const path of places(sample)) {
        for (const [kind, make] of Object.entries(path.length === 0 ? kindsAt(sample, path) : few)) {
          const name = `${kind} at ${nameOf(path)}`
          const value = yield* outcome(server.read(read, answerWith(plant(sample, path, make(300)))), name)
          if (value === undefined || schema === undefined) continue
          const encoded = Schema.encodeUnknownResult(schema)(value)
          if (Result.isFailure(encoded)) assert.fail(`${name} cannot be written again: ${encoded.failure.message}`)
          else assert.deepStrictEqual(JSON.parse(JSON.stringify(encoded.success)), encoded.success, name)
        }
      }
    }))
})

/** Refusals with their status: of FastAPI, of a failed run, of Express, of proxies. */
const refusals: ReadonlyArray<readonly [status: number, body: object]> = [
  [422, { detail: [{ loc: ["body", "newMessage", 0], msg: "m", type: "missing", input: { a: 1 }, ctx: { a: 1 } }] }],
  [500, { error: "boom", events: [{ id: "e-1", author: "agent" }] }],
  [404, { detail: "Session not found: s" }],
  [409, { error: { message: "already exists" } }]
]

describe("a refusal of an ADK server", covers("attack:S2-30", "attack:S2-38"), () => {
  it.live("is an error of few words, whatever it is made of", () =>
    Effect.gen(function*() {
      const server = yield* talk()
      for (const [status, sample] of refusals) {
        for (const path of places(sample)) {
          for (const [kind, make] of Object.entries(path.length < 2 ? kindsAt(sample, path) : few)) {
            const name = `${status} with ${kind} at ${nameOf(path)}`
            const text = plant(sample, path, make(300))
            yield* outcome(server.read(({ run }) => run(message), answerWith(text, status)), name)
            yield* outcome(server.read(runSse, answerWith(text, status)), name)
            yield* outcome(server.read(runSse, stream(text)), name)
          }
        }
      }
    }))

  // a refusal is read up to 64 KiB
  const texts: Readonly<Record<string, (count: number) => string>> = {
    "tags that do not end": (count) => `<html>${"<".repeat(count)}`,
    "text within a tag that does not end": (count) => `<html>${"<a".repeat(count)}`,
    "preformatted texts that do not end": (count) => `<html>${"<pre>".repeat(count)}`,
    "scripts that do not end": (count) => `<html>${"<script>".repeat(count)}`,
    "styles and scripts that do not end": (count) => `<html>${"<style></script>".repeat(count)}`,
    spaces: (count) => `${" ".repeat(count)}x`,
    "carriage returns": (count) => `x${"\r".repeat(count)}x`,
    "line breaks": (count) => `x${" \n\t".repeat(count)}x`,
    "stack traces": (count) => `x${"\n  at f (x)".repeat(count)}\nx`,
    tracebacks: (count) => `x\n${"Traceback (most recent call last):\n ".repeat(count)}x`,
    "lines of a traceback": (count) => `Traceback (most recent call last):\n${" \t\n".repeat(count)}x`,
    entities: (count) => `<html>${"&amp".repeat(count)}`
  }

  it.live("in any text costs the same for each character", () =>
    Effect.gen(function*() {
      const server = yield* talk()
      for (const [kind, make] of Object.entries(texts)) {
        const answer = (count: number) => () =>
          new Response(make(count), { status: 502, headers: { "content-type": "text/html" } })
        yield* assertLinear((count) => outcome(server.read(runSse, answer(count)), kind), kind, 3000)
      }
    }))

  const frames: Readonly<Record<string, (count: number) => string>> = {
    ...costly,
    "an error of spaces": (count) => `{"error": "${" ".repeat(count)}x`,
    "an error of brackets": (count) => `{"error": "${"\"}".repeat(count)}x`,
    "spaces before an error": (count) => `{${" ".repeat(count)}"error"${" ".repeat(count)}`,
    "an error of a traceback": (count) =>
      JSON.stringify({ error: `Traceback (most recent call last):\n${" \n".repeat(count)}` }),
    "an error of lines": (count) => JSON.stringify({ error: "\n at".repeat(count) }),
    "an event of a long name": (count) => `{"id":"1","actions":{"stateDelta":{"${"n".repeat(10 * count)}":1e400}}}`
  }

  it.live("in a stream costs the same for each character", () =>
    Effect.gen(function*() {
      const server = yield* talk()
      for (const [kind, make] of Object.entries(frames)) {
        yield* assertLinear((count) => outcome(server.read(runSse, stream(make(count))), kind), kind, 3000)
      }
    }))
})

describe("a run as events of a task", () => {
  const dialects = [Protocol.v1_0.rest.dialect, Protocol.v0_3.rest.dialect, Protocol.v0_3.jsonRpc.dialect]

  it.live("can be written in all dialects, whatever its events are made of", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* talk(true)
      const transport = yield* Adk.fromClient(server.client, { userId: "u", loadArtifacts: false })
      const request = { message: yield* Message.user("hi") }
      const run: Read = () => Stream.runCollect(transport.stream(Operation.SendStreamingMessage, request))
      let emitted = 0
      const isMapped = ([first]: ReadonlyArray<unknown>) => first !== "groundingMetadata" && first !== "usageMetadata"
      for (const path of places(event).filter(isMapped)) {
        const deepest = 150 - path.length
        const kinds: Readonly<Record<string, Kind>> = {
          ...few,
          "the deepest chain of lists": () => narrow["a chain of lists"]!(deepest),
          "the deepest chain of objects": () => narrow["a chain of objects"]!(deepest)
        }
        for (const [kind, make] of Object.entries(kinds)) {
          const name = `${kind} at ${nameOf(path)}`
          const text = plant(event, path, make(300))
          const answer = stream(JSON.stringify({ id: "e-0", author: "agent" }), text)
          const events = yield* outcome(server.read(run, answer), name)
          if (events !== undefined) emitted += 1
          for (const one of (events ?? []) as ReadonlyArray<any>) {
            for (const dialect of dialects) {
              assertWritable(dialect.success.SendStreamingMessage!, one, `${dialect.name}, ${name}`)
            }
          }
        }
      }
      assert.isAbove(emitted, 100)
    })))
})

/** Tables of refusals: the bytes of a peer by name, and the reasons that they become. */
import { Agent, type AgentError, Id } from "@effect-a2a/core"
import { assert } from "@effect/vitest"
import { type Duration, Effect, Layer, Stream } from "effect"
import { type Asked, chunks, type Combination, frame, result, talkTo } from "../support/peer.ts"

type Reason = AgentError.AgentErrorReason
export type Tag = Reason["_tag"]

const taskId = Id.TaskId.make("t-1")

/** The fields that a row asserts; others are not looked at. */
export interface Expected {
  readonly _tag: Tag
  readonly code?: string
  readonly status?: number
  readonly message?: string
  readonly retryAfter?: Duration.Duration | undefined
  readonly violations?: ReadonlyArray<AgentError.Violation>
  readonly challenge?: string
  readonly supportedVersions?: ReadonlyArray<string>
  readonly isRetryable?: boolean
  readonly details?: unknown
}

/** A response (or the text of an event), and its reason. */
export type Row<A> = readonly [name: string, peer: (asked: Asked) => A, expected: Expected]

/** The expected fields of a reason. */
const pick = (reason: Reason, expected: Expected): unknown => {
  const known: Readonly<Record<string, unknown>> = { ...reason, message: reason.message }
  return Object.fromEntries(
    Object.keys(expected).map((name) => {
      const value = known[name]
      // the message of a gateway that gave up ends with a warning of this SDK
      return [
        name,
        name === "message" && typeof value === "string" ? value.split("; the agent may have received")[0] : value
      ]
    })
  )
}

/** Returns the reasons of a unary call that names a task, and of a streaming one that names none. */
export const readCalls = Effect.fnUntraced(function*(combination: Combination, peer: (asked: Asked) => Response) {
  const agent = Agent.layer.pipe(Layer.provide(talkTo(combination, peer).layer))
  const call = yield* Effect.flip(Agent.getTask(taskId)).pipe(Effect.provide(agent))
  const stream = yield* Effect.flip(Stream.runDrain(Agent.stream("hi"))).pipe(Effect.provide(agent))
  return { call: call.reason, stream: stream.reason }
})

/** Returns the reasons of a refusal within a stream: as its first event, and after one. */
export const readStreams = Effect.fnUntraced(function*(combination: Combination, text: (asked: Asked) => string) {
  const working = {
    kind: "status-update",
    final: false,
    taskId: "t-1",
    contextId: "c-1",
    status: { state: combination.name === "0.3 JSONRPC" ? "working" : "TASK_STATE_WORKING" }
  }
  const event = combination.name === "0.3 JSONRPC" ? working : { statusUpdate: working }
  const run = Effect.fnUntraced(function*(before: number) {
    const { layer } = talkTo(
      combination,
      (asked) =>
        chunks([...Array.from({ length: before }, () => frame(result(combination, asked, event))), text(asked)])
    )
    let events = 0
    const error = yield* Agent.stream("hi").pipe(
      Stream.runForEach(() => Effect.sync(() => (events += 1))),
      Effect.flip,
      Effect.provide(Agent.layer.pipe(Layer.provide(layer)))
    )
    assert.strictEqual(events, before)
    return error.reason
  })
  return { first: yield* run(0), later: yield* run(1) }
})

/** Reads every row and compares the whole table, so that a failure names the rows that differ. */
const check = <A>(
  rows: ReadonlyArray<Row<A>>,
  read: (peer: (asked: Asked) => A) => Effect.Effect<Readonly<Record<string, Reason>>>
) =>
  Effect.gen(function*() {
    const actual: Record<string, unknown> = {}
    const wanted: Record<string, unknown> = {}
    for (const [name, peer, expected] of rows) {
      assert.notProperty(actual, name)
      for (const [place, reason] of Object.entries(yield* read(peer))) {
        actual[`${name}, ${place}`] = pick(reason, expected)
        wanted[`${name}, ${place}`] = expected
      }
    }
    assert.deepStrictEqual(actual, wanted)
  })

export const checkCalls = (combination: Combination, rows: ReadonlyArray<Row<Response>>) =>
  check(rows, (peer) => Effect.orDie(readCalls(combination, peer)))

/** Rows of events, each as an unnamed event and as one named `error`. */
export const checkStreams = (combination: Combination, rows: ReadonlyArray<Row<string>>) =>
  check(
    rows.flatMap(([name, text, expected]): ReadonlyArray<Row<string>> => [
      [`${name}, unnamed`, (asked) => frame(text(asked)), expected],
      [`${name}, named`, (asked) => `event: error\n${frame(text(asked))}`, expected]
    ]),
    (text) => Effect.orDie(readStreams(combination, text))
  )

/** A response with a JSON body, unless the headers say otherwise. */
export const http = (status: number, body: unknown, headers: Record<string, string> = {}) => () =>
  new Response(typeof body === "string" ? body : JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", ...headers }
  })

/** The detail with a word, of the protocol's domain. */
export const errorInfo = (reason: string, metadata: Record<string, string> = {}) => ({
  "@type": "type.googleapis.com/google.rpc.ErrorInfo",
  reason,
  domain: "a2a-protocol.org",
  metadata
})

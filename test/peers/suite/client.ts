/** A client of a peer, and views of its events. */
import * as Agent from "@effect-a2a/core/Agent"
import type * as AgentError from "@effect-a2a/core/AgentError"
import * as AgentStream from "@effect-a2a/core/AgentStream"
import * as AgentTransport from "@effect-a2a/core/AgentTransport"
import * as Credentials from "@effect-a2a/core/Credentials"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as NodeAgent from "@effect-a2a/node/NodeAgent"
import { assert, type Vitest } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { HttpClient } from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { Combination } from "../combinations.ts"
import type { Differences, Peer } from "../peer.ts"

export type It = Vitest.MethodsNonLive<Agent.Agent | AgentTransport.AgentTransport | Peer>

/** The context of each part of the suite. */
export interface Context {
  readonly it: It
  readonly combination: Combination
  readonly differs: Differences
}

type Transform = (
  self: Layer.Layer<AgentTransport.AgentTransport, AgentError.AgentError, HttpClient | Credentials.Credentials>
) => Layer.Layer<AgentTransport.AgentTransport, AgentError.AgentError, HttpClient | Credentials.Credentials>

/** Creates a client of a combination at an origin, fresh because the suite has one already. Its connections close with it. */
export const layer = (
  { path, client, protocol }: Combination,
  origin: string,
  { credentials = Credentials.layerNone, transform = (self) => self }: {
    readonly credentials?: Layer.Layer<Credentials.Credentials>
    readonly transform?: Transform
  } = {}
) =>
  Layer.fresh(Agent.layer).pipe(
    Layer.provideMerge(transform(client({ url: origin + path, protocol }))),
    Layer.provide([credentials, Layer.fresh(NodeAgent.layerClient)])
  )

/** Resumes streams with short waits. */
export const resumable: Transform = AgentTransport.resumable(
  Schedule.upTo(Schedule.spaced("20 millis"), { times: 20 })
)

/** Returns the tag of the reason with which an effect fails. */
export const refusal = <A, R>(effect: Effect.Effect<A, AgentError.AgentError, R>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason._tag)

export const kinds = (events: ReadonlyArray<StreamEvent.StreamEvent>) =>
  events.map((event) => StreamEvent.state(event) ?? event._tag)

export const taskOf = <A extends { readonly _tag: string }>(answer: A) => {
  assert.strictEqual(answer._tag, "Task")
  return answer as Extract<A, { readonly _tag: "Task" }>
}

/** Runs a stream and returns its events, its text, and its answer or failure. */
export const runStream = Effect.fnUntraced(function*<R>(
  stream: Stream.Stream<StreamEvent.StreamEvent, AgentError.AgentError, R>
) {
  const events: Array<StreamEvent.StreamEvent> = []
  const failure = yield* stream.pipe(
    Stream.runForEach((event) => Effect.sync(() => events.push(event))),
    Effect.as(undefined),
    Effect.catch(Effect.succeed)
  )
  const emitted = Stream.fromIterable(events)
  return {
    events,
    failure,
    text: (yield* Stream.runCollect(AgentStream.text(emitted))).join(""),
    answer: failure === undefined ? (yield* AgentStream.answer(emitted)).text : undefined
  }
})

/** Peers that answer each connection in another way, and all events of a stream with its end. */
import {
  Agent,
  type AgentError,
  AgentStream,
  AgentTransport,
  Artifact,
  Id,
  Part,
  StreamEvent,
  type Task
} from "@effect-a2a/core"
import { assert } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import {
  type Asked,
  type BodyOptions,
  chunks,
  type Combination,
  event,
  frame,
  rest,
  result,
  talkTo,
  taskJson
} from "../support/peer.ts"

export const taskId = Id.TaskId.make("t-1")
export const contextId = Id.ContextId.make("c-1")
const at = { taskId, contextId }

export const artifactOf = (text: string) => Artifact.make(Id.ArtifactId.make("a"), [Part.text(text)])

export const task = (state: Task.Task["status"]["state"], text?: string): Task.Task => ({
  _tag: "Task",
  id: taskId,
  contextId,
  status: { state },
  ...(text === undefined ? undefined : { artifacts: [artifactOf(text)] })
})

export const status = (state: Task.Task["status"]["state"], text?: string, messageId = `m-${text}`) =>
  StreamEvent.statusUpdate({
    ...at,
    status: {
      state,
      ...(text === undefined ? undefined : {
        message: { _tag: "Message", messageId: Id.MessageId.make(messageId), role: "agent", parts: [Part.text(text)] }
      })
    }
  })

export const say = (text: string, options?: { readonly append?: boolean; readonly lastChunk?: boolean }) =>
  StreamEvent.artifactUpdate({ ...at, artifact: artifactOf(text), ...options })

/** Events and raw bytes of one connection. */
export type Frames = ReadonlyArray<StreamEvent.StreamEvent | string>

type Respond = (asked: Asked) => Response

export const refusal = (status: number, headers: Record<string, string> = {}) => () =>
  new Response("busy", { status, headers: { "content-type": "text/plain", ...headers } })

export const agent = (transport: Layer.Layer<AgentTransport.AgentTransport, AgentError.AgentError>) =>
  Agent.layer.pipe(Layer.provide(transport))

/** Responses of a peer, and clients of it, in one combination. */
export const through = (combination: Combination = rest) => {
  const eventStream = (frames: Frames, options?: BodyOptions): Respond => (asked) =>
    chunks(frames.map((one) => typeof one === "string" ? one : frame(event(combination, asked, one))), options)

  const json = (json: unknown): Respond => (asked) =>
    new Response(result(combination, asked, json), { headers: { "content-type": "application/json" } })

  /** Responds to the n-th request with the n-th response, and to all later ones with the last. */
  const peer = (responses: ReadonlyArray<Respond>, options?: Parameters<typeof talkTo>[2]) => {
    let requests = 0
    return talkTo(combination, (asked) => responses[Math.min(requests++, responses.length - 1)]!(asked), options)
  }

  return {
    eventStream,
    json,
    peer,
    taskResponse: (state: string, members?: object) => json(taskJson(combination, state, members)),

    /** An agent with one response to all requests. */
    agentOf: (response: Respond) => agent(peer([response]).layer),

    /** An agent that resumes its streams. */
    resumable: (responses: ReadonlyArray<Respond>, policy?: AgentTransport.Policy) => {
      const { asked, layer } = peer(responses)
      return { asked, layer: agent(layer.pipe(AgentTransport.resumable(policy))) }
    }
  }
}

/** All events of a stream, its text, and its end. */
export const collect = <E, R>(stream: Stream.Stream<StreamEvent.StreamEvent, E, R>) =>
  Effect.gen(function*() {
    const events: Array<StreamEvent.StreamEvent> = []
    const end = yield* stream.pipe(
      Stream.runForEach((event) => Effect.sync(() => events.push(event))),
      Effect.as("success" as const),
      Effect.catch((error) => Effect.succeed(error))
    )
    const text = (yield* Stream.runCollect(AgentStream.text(Stream.fromIterable(events)))).join("")
    return { events, end, text, tags: events.map(({ _tag }) => _tag) }
  })

/** Sends a message and collects the stream. */
export const stream = Effect.suspend(() => collect(Agent.stream("hi")))

export const reasonOf = (end: "success" | AgentError.AgentError) =>
  end === "success" ? assert.fail("a success") : end.reason

const nextTurn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** Waits for some turns of the event loop, so that everything that can run has run. */
export const turns = Effect.repeat(nextTurn, { times: 5 })

/** Runs while the clock advances by a second whenever nothing else runs. */
export const fastForward = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.raceFirst(
    self,
    Effect.forever(Effect.andThen(Effect.repeat(nextTurn, { times: 3 }), TestClock.adjust("1 second")))
  )

/** A peer that answers each connection in its own way, and what a client hears of it. */
import {
  Agent,
  type AgentError,
  AgentStream,
  AgentTransport,
  Artifact,
  Id,
  Message,
  Part,
  StreamEvent,
  type Task
} from "@effect-a2a/core"
import { Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import {
  type Asked,
  type BodyOptions,
  chunks,
  type Combination,
  event,
  frame,
  result,
  talkTo
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

export const eventStream = (combination: Combination, frames: Frames, options?: BodyOptions) => (asked: Asked) =>
  chunks(frames.map((one) => typeof one === "string" ? one : frame(event(combination, asked, one))), options)

export const taskAnswer = (combination: Combination, json: unknown) => (asked: Asked) =>
  new Response(result(combination, asked, json), { headers: { "content-type": "application/json" } })

export const refusal = (status: number, headers: Record<string, string> = {}) => () =>
  new Response("busy", { status, headers: { "content-type": "text/plain", ...headers } })

type Answers = ReadonlyArray<(asked: Asked) => Response>

/** The n-th request is answered by the n-th answer, and more of them by the last. */
export const peer = (combination: Combination, answers: Answers, options?: Parameters<typeof talkTo>[2]) => {
  let requests = 0
  return talkTo(combination, (asked) => answers[Math.min(requests++, answers.length - 1)]!(asked), options)
}

export const agent = (transport: Layer.Layer<AgentTransport.AgentTransport, AgentError.AgentError>) =>
  Agent.layer.pipe(Layer.provide(transport))

/** An agent whose streams are taken up again. */
export const resumable = (combination: Combination, answers: Answers, policy?: AgentTransport.Policy) => {
  const { asked, layer } = peer(combination, answers)
  return { asked, layer: agent(layer.pipe(AgentTransport.resumable(policy))) }
}

/** Everything of a stream, and why it ended. */
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

export const heard = Effect.suspend(() => collect(Agent.stream("hi")))

const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** Runs with a clock that goes on by a second whenever there is nothing else to do. */
export const hurried = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.raceFirst(
    self,
    Effect.forever(Effect.andThen(Effect.repeat(turn, { times: 3 }), TestClock.adjust("1 second")))
  )

export const question = Effect.map(Message.user("hi"), (message) => ({ message }))

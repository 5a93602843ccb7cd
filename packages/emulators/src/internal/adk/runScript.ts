/** Runs the steps of a turn as events, and writes them in the spelling of a server. */
import type * as AdkContent from "@effect-a2a/transport-adk/AdkContent"
import * as AdkEvent from "@effect-a2a/transport-adk/AdkEvent"
import type * as AdkRun from "@effect-a2a/transport-adk/AdkRun"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as AdkScript from "../../AdkScript.ts"
import type { Spelling } from "./dialect.ts"
import type * as Store from "./store.ts"

/** The agent threw. Without a message it threw a value that is not an error. */
export interface Threw {
  readonly _tag: "Threw"
  readonly message: string | undefined
}

/** The parts of a server that a run needs. */
export interface Served {
  readonly spelling: Spelling
  readonly store: Store.Store
  readonly agent: (turn: AdkScript.Turn) => ReadonlyArray<AdkScript.Step>
  /** Returns the next number for an id. */
  readonly next: (kind: "event" | "run" | "session") => number
}

const toPart = (text: string, thought: boolean): AdkContent.Part => thought ? { text, thought } : { text }

/** Runs the agent in a session. */
export const run = (
  { agent, next, spelling, store }: Served,
  session: Store.Session,
  request: AdkRun.RunRequest
): Stream.Stream<AdkEvent.Event, Threw> => {
  const { place } = session
  const isStreaming = request.streaming === true
  const parts = request.newMessage?.parts ?? []
  const invocationId = request.invocationId ?? `e-${next("run")}`

  const complete = (event: AdkEvent.Event, at: number): AdkEvent.Event => ({
    ...spelling.defaults,
    id: spelling.eventId(next("event")),
    invocationId,
    author: place.app,
    timestamp: spelling.time(at),
    ...event,
    actions: { ...spelling.defaults.actions, ...event.actions }
  })

  const put = (event: AdkEvent.Event) =>
    Effect.map(Clock.currentTimeMillis, (at) => {
      const completed = complete(event, at)
      if (completed.partial !== true) store.append(session, completed, spelling.time(at))
      return completed
    })

  const toEvents = (pieces: ReadonlyArray<string>, thought: boolean): ReadonlyArray<AdkEvent.Event> => [
    ...isStreaming
      ? pieces.map((piece) => ({ partial: true, content: { role: "model", parts: [toPart(piece, thought)] } }))
      : [],
    { content: { role: "model", parts: [toPart(pieces.join(""), thought)] } }
  ]

  const events = (step: AdkScript.Step): Effect.Effect<ReadonlyArray<AdkEvent.Event>, Threw> => {
    switch (step._tag) {
      case "Wait":
        return Effect.as(Effect.sleep(step.duration), [])
      case "Throw":
        return Effect.fail({ _tag: "Threw", message: step.message })
      case "Event":
        return step.event.partial === true && !isStreaming
          ? Effect.succeed([])
          : Effect.map(put(step.event), (one) => [one])
      case "Say":
        return Effect.forEach(toEvents(step.pieces, step.thought), put)
      case "Save":
        return Effect.map(
          put({
            ...(step.text !== undefined && { content: { role: "model", parts: [{ text: step.text }] } }),
            actions: { artifactDelta: { [step.filename]: store.save(place, step.filename, step.part) } }
          }),
          (one) => [one]
        )
    }
  }

  return Stream.unwrap(Effect.gen(function*() {
    const before = [...session.events]
    const { customMetadata = {}, newMessage, stateDelta } = request
    if (newMessage !== undefined) {
      yield* put({ author: "user", content: newMessage, ...(stateDelta !== undefined && { actions: { stateDelta } }) })
    }
    const turn: AdkScript.Turn = {
      flavour: spelling.flavour,
      text: parts.map((part) => part.text ?? "").join(""),
      parts,
      responses: newMessage === undefined ? [] : AdkEvent.responses({ content: newMessage }),
      state: store.state(place),
      events: before,
      customMetadata,
      invocationId: request.invocationId
    }
    return Stream.fromIterable(agent(turn)).pipe(Stream.mapEffect((step) => events(step)), Stream.flattenIterable)
  }))
}

/** Splits an event with content and files in two, files last, as Python sends it. */
export const split = (event: AdkEvent.Event): ReadonlyArray<AdkEvent.Event> => {
  const { actions, content, ...rest } = event
  return Object.keys(actions?.artifactDelta ?? {}).length === 0 || content === undefined || actions === undefined
    ? [event]
    : [{ ...event, actions: { ...actions, artifactDelta: {} } }, { ...rest, actions }]
}

/** Writes a part in the spelling of a server. */
export const writePart = (spelling: Spelling, part: AdkContent.Part): AdkContent.Part => {
  const { inlineData, thoughtSignature } = part
  return {
    ...part,
    ...(inlineData?.data !== undefined && { inlineData: { ...inlineData, data: spelling.bytes(inlineData.data) } }),
    ...(thoughtSignature !== undefined && { thoughtSignature: spelling.bytes(thoughtSignature) })
  }
}

/** Returns a function that writes an event in the spelling of a server. */
export const write = (spelling: Spelling) => (event: AdkEvent.Event): unknown =>
  event.content?.parts === undefined
    ? event
    : { ...event, content: { ...event.content, parts: event.content.parts.map((part) => writePart(spelling, part)) } }

// The events of a task that the page has, which it keeps over a reload. Independent of the page.
import type { Message } from "@effect-a2a/core/Message"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

const parts = (message: Message | undefined) => [message?.messageId, message?.parts]

/** Returns what an event reports, without timestamps and metadata. A task as it began equals an update of its state. */
const content = (event: StreamEvent.StreamEvent): string => {
  switch (event._tag) {
    case "ArtifactUpdate":
      return JSON.stringify([event.artifact.artifactId, event.append === true, event.artifact.parts])
    case "Message":
      return JSON.stringify(parts(event))
    case "StatusUpdate":
      return JSON.stringify([event.status.state, parts(event.status.message)])
    case "Task":
      return JSON.stringify([event.status.state, parts(event.status.message), ...event.artifacts ?? []])
  }
}

/** Returns true if a subscription that begins with `first` emits the task from its beginning. */
const isReplay = (kept: ReadonlyArray<StreamEvent.StreamEvent>, first: StreamEvent.StreamEvent): boolean =>
  [kept[0], kept.find(({ _tag }) => _tag !== "Task")].some((event) =>
    event !== undefined && content(event) === content(first)
  )

/**
 * Continues kept events with those of a subscription, which repeats all of them, or begins with a snapshot of the task, or
 * emits only what is new. Returns all events of the task, each once.
 */
export const continueWith = <E, R>(
  kept: ReadonlyArray<StreamEvent.StreamEvent>,
  subscription: Stream.Stream<StreamEvent.StreamEvent, E, R>
): Stream.Stream<StreamEvent.StreamEvent, E, R> =>
  Stream.mapAccum(
    subscription,
    () => kept,
    (
      before,
      event
    ): readonly [typeof kept, typeof kept] => [
      [],
      before.length === 0 || isReplay(before, event) ? [event] : [...before, event]
    ],
    { onHalt: (before) => before }
  )

const codec = Schema.toCodecJson(StreamEvent.StreamEvent)

/** Encodes an event as JSON. */
export const encode = Schema.encodeSync(codec)

/** Decodes events that were kept. */
export const decode = Schema.decodeUnknownOption(Schema.Array(codec))

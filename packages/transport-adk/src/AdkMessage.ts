/**
 * Complete messages of a run: a run streams text in pieces and repeats it in full, and {@link fromStream} emits the full
 * messages only. Pieces that were never repeated, because the run failed or was cut, are emitted at the end and marked.
 *
 * ```ts
 * import { AdkMessage } from "@effect-a2a/transport-adk"
 * import { Effect, Stream } from "effect"
 *
 * const say = (text: string, partial: boolean) => ({ author: "a", partial, content: { parts: [{ text }] } })
 * const run = Stream.make(say("Hel", true), say("lo", true), say("Hello", false), say("Mo", true))
 * const messages = await Effect.runPromise(run.pipe(AdkMessage.fromStream, Stream.runCollect))
 * messages.map(({ complete, parts }) => [parts[0]?.text, complete]) // => [["Hello", true], ["Mo", false]]
 * ```
 *
 * @since 0.1.0
 */
import * as Stream from "effect/Stream"
import * as AdkContent from "./AdkContent.ts"
import * as AdkEvent from "./AdkEvent.ts"

/** A message of an agent. */
export interface Message {
  /** The agent's name. */
  readonly author?: string
  /** The branch of agents that run in parallel. */
  readonly branch?: string
  /** The parts; if the message is incomplete, its pieces. */
  readonly parts: ReadonlyArray<AdkContent.Part>
  /** `false` if the message arrived in pieces only. */
  readonly complete: boolean
  /** The event that holds the complete message. */
  readonly event?: AdkEvent.Event
}

/** Pieces of one speaker in order, neighbours of the same kind joined. */
interface Partial {
  readonly speaker: Pick<Message, "author" | "branch">
  readonly pieces: Array<{ readonly thought: boolean; text: string }>
}

const speakerOf = ({ author, branch }: AdkEvent.Event) => ({
  ...(author !== undefined && { author }),
  ...(branch !== undefined && { branch })
})

const isEmpty = (part: AdkContent.Part) =>
  (part.text ?? "") === "" && Object.keys(part).every((name) => ["text", "thought", "thoughtSignature"].includes(name))

const repeats = (parts: ReadonlyArray<AdkContent.Part>, partial: Partial | undefined): boolean => {
  const texts = parts.filter(({ text = "" }) => text !== "")
  return texts.some(({ thought }) => thought !== true) ||
    (texts.length > 0 && partial?.pieces.every(({ thought }) => thought) === true)
}

const toIncomplete = ({ pieces, speaker }: Partial): Message => ({
  ...speaker,
  parts: pieces.map(({ text, thought }) => thought ? { text, thought } : { text }),
  complete: false
})

const makeCollector = () => {
  const partials = new Map<string, Partial>()

  const append = (key: string, event: AdkEvent.Event): void => {
    const partial = partials.get(key) ?? { speaker: speakerOf(event), pieces: [] }
    for (const { text = "", thought = false } of AdkContent.partsOf(event.content)) {
      const last = partial.pieces.at(-1)
      if (text === "") continue
      if (last?.thought === thought) last.text += text
      else partial.pieces.push({ text, thought })
    }
    if (partial.pieces.length > 0) partials.set(key, partial)
  }

  /** Only text completes a text; calls and metadata do not, and thoughts complete only thoughts. */
  const add = (event: AdkEvent.Event): ReadonlyArray<Message> => {
    if (event.author === "user") return []
    const key = JSON.stringify([event.author, event.branch])
    if (AdkEvent.isPartial(event)) {
      append(key, event)
      return []
    }
    const parts = AdkContent.partsOf(event.content).filter((part) => !isEmpty(part))
    if (repeats(parts, partials.get(key))) partials.delete(key)
    return parts.length === 0 ? [] : [{ ...speakerOf(event), parts, complete: true, event }]
  }

  const rest = (): ReadonlyArray<Message> => {
    const incomplete = [...partials.values()].map(toIncomplete)
    partials.clear()
    return incomplete
  }
  return { add, rest }
}

/**
 * Converts the events of a run to the agents' messages, with tool calls and results in order. The user's messages are left
 * out.
 */
export const fromStream = <E, R>(self: Stream.Stream<AdkEvent.Event, E, R>): Stream.Stream<Message, E, R> =>
  Stream.suspend(() => {
    const { add, rest } = makeCollector()
    const incomplete = Stream.suspend(() => Stream.fromIterable(rest()))
    return self.pipe(
      Stream.map(add),
      Stream.flattenIterable,
      Stream.concat(incomplete),
      Stream.catch((error) => Stream.concat(incomplete, Stream.fail(error)))
    )
  })

/** {@link fromStream} for the events of a run that has ended. */
export const fromEvents = (events: ReadonlyArray<AdkEvent.Event>): ReadonlyArray<Message> => {
  const { add, rest } = makeCollector()
  return [...events.flatMap(add), ...rest()]
}

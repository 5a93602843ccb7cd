/**
 * What agents have said, once: a run streams pieces of text and repeats them as a whole, {@link settled} gives the wholes.
 * What was streamed and never repeated, since the run failed or was cut, comes at the end, marked.
 *
 * ```ts
 * import { AdkMessage } from "@effect-a2a/transport-adk"
 * import { Effect, Stream } from "effect"
 *
 * const say = (text: string, partial: boolean) => ({ author: "a", partial, content: { parts: [{ text }] } })
 * const run = Stream.make(say("Hel", true), say("lo", true), say("Hello", false), say("Mo", true))
 * const messages = await Effect.runPromise(run.pipe(AdkMessage.settled, Stream.runCollect))
 * messages.map(({ complete, parts }) => [parts[0]?.text, complete]) // => [["Hello", true], ["Mo", false]]
 * ```
 *
 * @since 0.1.0
 */
import * as Stream from "effect/Stream"
import * as AdkContent from "./AdkContent.ts"
import * as AdkEvent from "./AdkEvent.ts"

/** Something said. `event` is where it was said as a whole; where it was not, `complete` is `false`. */
export interface Message {
  readonly author?: string
  readonly branch?: string
  readonly parts: ReadonlyArray<AdkContent.Part>
  readonly complete: boolean
  readonly event?: AdkEvent.Event
}

/** Pieces of one speaker, thoughts and text apart, in their order. */
interface Open {
  readonly speaker: Pick<Message, "author" | "branch">
  readonly pieces: Array<{ readonly thought: boolean; text: string }>
}

const speakerOf = ({ author, branch }: AdkEvent.Event) => ({
  ...(author !== undefined && { author }),
  ...(branch !== undefined && { branch })
})

const isEmpty = (part: AdkContent.Part) =>
  (part.text ?? "") === "" && Object.keys(part).every((name) => ["text", "thought", "thoughtSignature"].includes(name))

const whole = ({ pieces, speaker }: Open): Message => ({
  ...speaker,
  parts: pieces.map(({ text, thought }) => thought ? { text, thought } : { text }),
  complete: false
})

const make = () => {
  const live = new Map<string, Open>()

  const append = (key: string, event: AdkEvent.Event): void => {
    const open = live.get(key) ?? { speaker: speakerOf(event), pieces: [] }
    for (const { text = "", thought = false } of AdkContent.partsOf(event.content)) {
      const last = open.pieces.at(-1)
      if (text === "") continue
      if (last?.thought === thought) last.text += text
      else open.pieces.push({ text, thought })
    }
    if (open.pieces.length > 0) live.set(key, open)
  }

  /** Calls and metadata do not end a text: only text does. */
  const add = (event: AdkEvent.Event): ReadonlyArray<Message> => {
    if (event.author === "user") return []
    const key = JSON.stringify([event.author, event.branch])
    if (AdkEvent.isPartial(event)) {
      append(key, event)
      return []
    }
    const parts = AdkContent.partsOf(event.content).filter((part) => !isEmpty(part))
    if (parts.some(({ text = "" }) => text !== "")) live.delete(key)
    return parts.length === 0 ? [] : [{ ...speakerOf(event), parts, complete: true, event }]
  }

  const rest = (): ReadonlyArray<Message> => {
    const open = [...live.values()]
    live.clear()
    return open.map(whole)
  }
  return { add, rest }
}

/** From the events of a run to what agents said (what the user said is left out), with tool calls and their results as they come. */
export const settled = <E, R>(self: Stream.Stream<AdkEvent.Event, E, R>): Stream.Stream<Message, E, R> =>
  Stream.suspend(() => {
    const { add, rest } = make()
    const left = Stream.suspend(() => Stream.fromIterable(rest()))
    return self.pipe(
      Stream.map(add),
      Stream.flattenIterable,
      Stream.concat(left),
      Stream.catch((error) => Stream.concat(left, Stream.fail(error)))
    )
  })

/** {@link settled} for the events of a run that is over. */
export const fromEvents = (events: ReadonlyArray<AdkEvent.Event>): ReadonlyArray<Message> => {
  const { add, rest } = make()
  return [...events.flatMap(add), ...rest()]
}

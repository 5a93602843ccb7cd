// What a page that was reloaded shows already. A subscription repeats it (a replay, or a snapshot of the task), or it emits
// only what is new; how it begins decides. Independent of the page.
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"

/** Texts by source, and the keys of tool calls and files. */
export interface Shown {
  readonly texts: Readonly<Record<string, string>>
  readonly items: ReadonlyArray<string>
}

export const nothing: Shown = { texts: {}, items: [] }

/** How the events of a task begin: its first event, and its first update. */
export interface Beginning {
  readonly first?: string | undefined
  readonly update?: string | undefined
}

const keyOf = (event: StreamEvent.StreamEvent): string =>
  event._tag === "ArtifactUpdate"
    ? JSON.stringify([event.artifact.artifactId, event.append === true, event.artifact.parts])
    : event._tag === "Message"
    ? JSON.stringify([event.messageId, event.parts])
    : JSON.stringify([event.status.state, event.status.message?.messageId, event.status.message?.parts])

/** Adds an event to a beginning, which is known after its first update. */
export const begin = (self: Beginning, event: StreamEvent.StreamEvent): Beginning =>
  self.update !== undefined || (event._tag === "Task" && self.first !== undefined)
    ? self
    : { first: self.first ?? keyOf(event), update: event._tag === "Task" ? undefined : keyOf(event) }

/** A subscription after a reload. */
export interface Resumption {
  /** True if it repeats what is shown. Not known before its first event. */
  readonly repeats?: boolean | undefined
  /** Text that it will repeat, by source; that of any other source may repeat all of the `open` text. */
  readonly texts: Readonly<Record<string, string>>
  readonly open: string
  /** True once text arrived. */
  readonly hasText: boolean
}

export const make = ({ texts }: Shown, open: string): Resumption => ({ texts, open, hasText: false })

/** Decides with its first event if a subscription repeats what is shown: by a snapshot, or from the same beginning. */
export const decide = (self: Resumption, { first, update }: Beginning, event: StreamEvent.StreamEvent): Resumption =>
  self.repeats === undefined
    ? { ...self, repeats: event._tag === "Task" || [first, update].includes(keyOf(event)) }
    : self

const bare = (text: string) => text.replace(/^\n\n/, "")

/** Returns the text beyond what is known, and what is still known beyond the text. */
const compare = (known: string, text: string): readonly [beyond: string, known: string] | undefined =>
  known.startsWith(text)
    ? ["", known.slice(text.length)]
    : text.startsWith(known)
    ? [text.slice(known.length), ""]
    : undefined

/** Returns what is new of a text or a thought. `key` names its source. */
export const news = (self: Resumption, key: string, text: string): readonly [text: string, Resumption] => {
  const isThought = key.startsWith("thought ")
  const known = self.texts[key] ?? (isThought ? "" : self.open)
  const repeated = self.repeats === true && known !== ""
    ? compare(known, text) ?? compare(bare(known), bare(text))
    : undefined
  const [beyond, rest] = repeated ?? [text, ""]
  return [beyond, { ...self, hasText: self.hasText || !isThought, texts: { ...self.texts, [key]: rest } }]
}

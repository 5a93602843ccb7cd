/** Random runs of an agent, and the rules by which their text is read, written with whole texts instead of hashes. */
import { Artifact, Id, Message, Part, StreamEvent } from "@effect-a2a/core"
import { Schema } from "effect"

export const taskId = Id.TaskId.make("t-1")

/** One event of a run: a piece of a message's text or of an artifact's. */
export const Said = Schema.Struct({
  source: Schema.Literals(["m-1", "m-2", "a", "b"]),
  text: Schema.Literals(["", "0", "a", "aa", "ab", "0a"]),
  append: Schema.Boolean
})
export type Said = typeof Said.Type

export const isMessage = ({ source }: Said): boolean => source.startsWith("m")

export const toEvent = (said: Said): StreamEvent.StreamEvent =>
  isMessage(said)
    ? StreamEvent.statusUpdate({
      taskId,
      status: {
        state: "working",
        message: {
          _tag: "Message",
          messageId: Id.MessageId.make(said.source),
          role: "agent",
          parts: Message.parts(said.text)
        }
      }
    })
    : StreamEvent.artifactUpdate({
      taskId,
      artifact: Artifact.make(Id.ArtifactId.make(said.source), [Part.text(said.text)]),
      append: said.append
    })

/** The pieces in which a run's text is shown. */
export const shown = (run: ReadonlyArray<Said>): ReadonlyArray<string> => {
  const known: Record<string, string> = {}
  const pieces: Array<string> = []
  let [sent, all]: [string, string] = ["", ""]
  let last: string | undefined
  const emit = (source: string, text: string, isApart = false) => {
    if (text === "") return
    const separator = pieces.length > 0 && (isApart || last !== source) ? "\n\n" : ""
    pieces.push(separator + text)
    sent += text
    all += separator + text
    last = source
  }
  for (const said of run) {
    const { append, source, text } = said
    const before = known[source]
    if (text === "") {
      if (before !== undefined && !isMessage(said) && !append) known[source] = ""
    } else if (before === undefined) {
      known[source] = text
      const repeated = [all, sent].find((one) => one !== "" && text.startsWith(one))
      if (repeated !== undefined) last = source
      emit(source, text.slice(repeated?.length ?? 0))
    } else if (isMessage(said)) {
      const isWhole = text.startsWith(before) && text.length > before.length
      known[source] = isWhole ? text : before + text
      emit(source, isWhole ? text.slice(before.length) : text)
    } else if (append) {
      known[source] = before + text
      emit(source, text)
    } else {
      known[source] = text
      emit(source, text.startsWith(before) ? text.slice(before.length) : text, !text.startsWith(before))
    }
  }
  return pieces
}

/** The text of the answer to a run: that of its artifacts, or else of its messages. */
export const answered = (run: ReadonlyArray<Said>): string => {
  const artifacts = new Map<string, string>()
  for (const said of run) {
    const { append, source, text } = said
    if (!isMessage(said)) artifacts.set(source, append ? (artifacts.get(source) ?? "") + text : text)
  }
  const texts = [...artifacts.values()].filter((text) => text !== "")
  return texts.join("\n\n")
}

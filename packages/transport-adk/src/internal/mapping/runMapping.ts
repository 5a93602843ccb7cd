/**
 * Maps the events of one run to those of a task, as ADK itself does: an artifact per utterance, whose pieces are appended
 * as they arrive and replaced by the full text; calls that wait for an answer are reported by the last state. Tested in
 * test/adk/mapping.test.ts.
 */
import type * as Artifact from "@effect-a2a/core/Artifact"
import * as Id from "@effect-a2a/core/Id"
import type { Metadata } from "@effect-a2a/core/Metadata"
import * as Part from "@effect-a2a/core/Part"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type { TaskState } from "@effect-a2a/core/TaskState"
import type * as DateTime from "effect/DateTime"
import type * as AdkContent from "../../AdkContent.ts"
import * as AdkEvent from "../../AdkEvent.ts"
import * as Parts from "./parts.ts"
import * as PendingCalls from "./pendingCalls.ts"
import * as RunSummary from "./runSummary.ts"
import * as UpdateMetadata from "./updateMetadata.ts"

type Event = StreamEvent.StreamEvent

export interface Options {
  readonly taskId: Id.TaskId
  readonly contextId: Id.ContextId
  readonly session: UpdateMetadata.SessionRef
  /** Calls that wait for an answer since earlier runs of the task. */
  readonly pending: PendingCalls.PendingCalls
  readonly generate: (kind: Id.Kind) => string
}

/** An utterance of which only pieces have arrived. */
interface Utterance {
  readonly artifactId: Id.ArtifactId
  readonly metadata: Metadata
  readonly pieces: Array<Part.Part>
}

/** The memory of one run's mapping. */
interface State {
  readonly taskId: Id.TaskId
  readonly contextId: Id.ContextId
  readonly generate: (kind: Id.Kind) => string
  /** The metadata of every update. */
  readonly origin: Metadata
  /** By speaker. */
  readonly utterances: Map<string, Utterance>
  /** The artifact that holds the result of a call, by the call's id. */
  readonly results: Map<string, Artifact.Artifact>
  /** The artifact of a result that is the answer, by the call's id. */
  readonly answers: Map<string, Id.ArtifactId>
  summary: RunSummary.RunSummary
}

const newArtifactId = ({ generate }: State) => Id.ArtifactId.make(generate("artifact"))

const toUpdate = (
  { contextId, taskId }: State,
  artifact: Artifact.Artifact,
  { append = false, lastChunk = true }: { readonly append?: boolean; readonly lastChunk?: boolean } = {}
): Event =>
  StreamEvent.artifactUpdate({
    taskId,
    contextId,
    artifact,
    append,
    lastChunk,
    ...(artifact.metadata && { metadata: artifact.metadata })
  })

// -----------------------------------------------------------------------------
// results of calls
// -----------------------------------------------------------------------------

const callIdOf = (part: Part.Part): string | undefined => {
  if (part._tag !== "Data" || part.metadata?.adk_type !== "function_response") return undefined
  const { id } = part.data as { readonly id?: string }
  return id === "" ? undefined : id
}

const rememberResults = ({ results }: State, artifact: Artifact.Artifact): void => {
  for (const part of artifact.parts) {
    const id = callIdOf(part)
    if (id !== undefined) results.set(id, artifact)
  }
}

/** A repeated result replaces the earlier one of the same call. Returns the other parts, and the replacements. */
const replaceResults = (
  state: State,
  parts: ReadonlyArray<Part.Part>
): readonly [ReadonlyArray<Part.Part>, ReadonlyArray<Event>] => {
  const replacements: Array<Event> = []
  const rest = parts.filter((part) => {
    const id = callIdOf(part)
    const earlier = id === undefined ? undefined : state.results.get(id)
    if (earlier === undefined) return true
    const artifact = { ...earlier, parts: earlier.parts.map((other) => callIdOf(other) === id ? part : other) }
    rememberResults(state, artifact)
    replacements.push(toUpdate(state, artifact))
    return false
  })
  return [rest, replacements]
}

/** Maps the results that a tool declared to be the answer, each to an artifact beside that of the result itself. */
const addAnswers = (state: State, event: AdkEvent.Event, metadata: Metadata): ReadonlyArray<Event> =>
  AdkEvent.answers(event).flatMap((response) => {
    const { id = "" } = response
    const parts = state.summary.pending.some(({ call }) => call.id === id) ? [] : Parts.toAnswer(response)
    if (parts.length === 0) return []
    const artifactId = (id === "" ? undefined : state.answers.get(id)) ?? newArtifactId(state)
    state.answers.set(id, artifactId)
    return [toUpdate(state, { artifactId, parts, metadata })]
  })

// -----------------------------------------------------------------------------
// events
// -----------------------------------------------------------------------------

/** Calls of a partial event are previews; pending calls and their results are reported by the last state. */
const isMapped = (part: AdkContent.Part, isPartial: boolean, isPending: (id: string) => boolean): boolean => {
  const call = part.functionCall ?? part.functionResponse
  return call === undefined || !(isPartial || isPending(call.id ?? ""))
}

const addWithoutParts = (state: State, event: AdkEvent.Event, metadata: Metadata): ReadonlyArray<Event> => {
  const { contextId, taskId } = state
  const hasContent = (event.content?.parts ?? []).length > 0
  if (hasContent || AdkEvent.isPartial(event) || !UpdateMetadata.hasNews(metadata)) return []
  if (event.output === undefined || event.output === null) {
    return [StreamEvent.statusUpdate({ taskId, contextId, status: { state: "working" }, metadata })]
  }
  const parts = [Part.data(event.output, { metadata: { adk_type: "output" } })]
  return [toUpdate(state, { artifactId: newArtifactId(state), parts, metadata })]
}

const addPieces = (
  state: State,
  speaker: string,
  parts: ReadonlyArray<Part.Part>,
  metadata: Metadata
): ReadonlyArray<Event> => {
  const known = state.utterances.get(speaker)
  const utterance = known ?? { artifactId: newArtifactId(state), metadata, pieces: [] }
  state.utterances.set(speaker, utterance)
  utterance.pieces.push(...parts)
  const { artifactId } = utterance
  return [toUpdate(state, { artifactId, parts, metadata }, { append: known !== undefined, lastChunk: false })]
}

const isSpoken = (part: Part.Part): boolean => part._tag === "Text" && !Part.isThought(part)

/**
 * Returns true if a complete event repeats the pieces of an utterance. One without text does not: the text still comes.
 * One with thoughts only repeats only thoughts.
 */
const repeats = (parts: ReadonlyArray<Part.Part>, { pieces }: Utterance): boolean =>
  parts.some(isSpoken) || (parts.some(({ _tag }) => _tag === "Text") && !pieces.some(isSpoken))

const addWhole = (
  state: State,
  speaker: string,
  parts: ReadonlyArray<Part.Part>,
  metadata: Metadata
): ReadonlyArray<Event> => {
  const open = state.utterances.get(speaker)
  const utterance = open !== undefined && repeats(parts, open) ? open : undefined
  if (utterance !== undefined) state.utterances.delete(speaker)
  const [rest, replacements] = replaceResults(state, parts)
  if (rest.length === 0) return replacements
  const artifact = { artifactId: utterance?.artifactId ?? newArtifactId(state), parts: rest, metadata }
  rememberResults(state, artifact)
  return [...replacements, toUpdate(state, artifact)]
}

const add = (state: State, event: AdkEvent.Event): ReadonlyArray<Event> => {
  state.summary = RunSummary.add(state.summary, event)
  const { pending } = state.summary
  const isPending = (id: string) => pending.some(({ call }) => call.id === id)
  const isPartial = AdkEvent.isPartial(event)
  const metadata = { ...state.origin, ...UpdateMetadata.fromEvent(event) }
  const parts = (event.content?.parts ?? [])
    .filter((part) => isMapped(part, isPartial, isPending))
    .flatMap((part) => Parts.toPart(part, isPending) ?? [])
  if (parts.length === 0) return addWithoutParts(state, event, metadata)
  const speaker = JSON.stringify([event.author, event.branch])
  return isPartial
    ? addPieces(state, speaker, parts, metadata)
    : [...addWhole(state, speaker, parts, metadata), ...addAnswers(state, event, metadata)]
}

// -----------------------------------------------------------------------------
// the end
// -----------------------------------------------------------------------------

const joinPieces = (pieces: ReadonlyArray<Part.Part>): ReadonlyArray<Part.Part> =>
  pieces.reduce<Array<Part.Part>>((parts, piece) => {
    const last = parts.at(-1)
    if (last?._tag === "Text" && piece._tag === "Text" && Part.isThought(last) === Part.isThought(piece)) {
      parts[parts.length - 1] = { ...last, text: last.text + piece.text }
    } else parts.push(piece)
    return parts
  }, [])

/** Emits utterances that were never repeated in full; their metadata is that of a partial event. */
const closeUtterances = (state: State): ReadonlyArray<Event> => {
  const updates = Array.from(
    state.utterances.values(),
    ({ artifactId, metadata, pieces }) => toUpdate(state, { artifactId, parts: joinPieces(pieces), metadata })
  )
  state.utterances.clear()
  return updates
}

const settle = (
  state: State,
  timestamp: DateTime.Utc,
  taskState: TaskState,
  parts: ReadonlyArray<Part.Part> = [],
  metadata: Metadata = {}
): ReadonlyArray<Event> => {
  const { contextId, generate, origin, summary, taskId } = state
  const messageId = () => Id.MessageId.make(generate("message"))
  return [
    ...closeUtterances(state),
    StreamEvent.statusUpdate({
      taskId,
      contextId,
      status: {
        state: taskState,
        timestamp,
        ...(parts.length > 0 && {
          message: { _tag: "Message", messageId: messageId(), role: "agent", parts, taskId, contextId }
        })
      },
      metadata: { ...origin, ...RunSummary.toMetadata(summary), ...metadata }
    })
  ]
}

const end = (state: State, timestamp: DateTime.Utc, failure = state.summary.failure): ReadonlyArray<Event> => {
  const { pending } = state.summary
  if (failure !== undefined) {
    return settle(state, timestamp, "failed", [Part.text(failure.message)], failure.metadata)
  }
  return pending.length > 0
    ? settle(state, timestamp, PendingCalls.toState(pending), PendingCalls.toParts(pending))
    : settle(state, timestamp, "completed")
}

/** The mapping of one run. */
export interface RunMapping {
  /** Maps an event. */
  readonly add: (event: AdkEvent.Event) => ReadonlyArray<Event>
  /** Maps a file that the run saved. */
  readonly addFile: (artifact: Artifact.Artifact) => Event
  /** Returns the last updates of a run that ended. Default of `failure`: the last error that an event reported. */
  readonly end: (timestamp: DateTime.Utc, failure?: RunSummary.Failure) => ReadonlyArray<Event>
  /** Returns the last updates of a run that was canceled. */
  readonly cancel: (timestamp: DateTime.Utc, explanation: string) => ReadonlyArray<Event>
  /** Returns the calls that wait for an answer. */
  readonly pending: () => PendingCalls.PendingCalls
}

/** Creates the mapping of one run. */
export const make = ({ contextId, generate, pending, session, taskId }: Options): RunMapping => {
  const state: State = {
    taskId,
    contextId,
    generate,
    origin: UpdateMetadata.fromSession(session),
    utterances: new Map(),
    results: new Map(),
    answers: new Map(),
    summary: RunSummary.make(pending)
  }
  return {
    add: (event) => add(state, event),
    addFile: (artifact) => toUpdate(state, { ...artifact, metadata: { ...state.origin, ...artifact.metadata } }),
    end: (timestamp, failure) => end(state, timestamp, failure),
    cancel: (timestamp, explanation) => settle(state, timestamp, "canceled", [Part.text(explanation)]),
    pending: () => state.summary.pending
  }
}

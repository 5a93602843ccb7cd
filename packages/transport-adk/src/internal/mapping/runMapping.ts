/**
 * One run's events to A2A's, by ADK's own mapping: an artifact per utterance, whose pieces are appended as they come and
 * replaced by the whole; calls that wait for somebody are kept for the last state. Pure but for its own memory.
 */
import type * as Artifact from "@effect-a2a/core/Artifact"
import * as Id from "@effect-a2a/core/Id"
import type { Metadata } from "@effect-a2a/core/Metadata"
import * as Part from "@effect-a2a/core/Part"
import * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import type { TaskState } from "@effect-a2a/core/TaskState"
import type * as DateTime from "effect/DateTime"
import type * as Schema from "effect/Schema"
import type * as AdkContent from "../../AdkContent.ts"
import * as AdkEvent from "../../AdkEvent.ts"
import * as From from "./metadata.ts"
import * as Parts from "./parts.ts"
import * as Pending from "./pendingCalls.ts"

type Event = StreamEvent.StreamEvent

export interface Options {
  readonly taskId: Id.TaskId
  readonly contextId: Id.ContextId
  readonly place: From.Place
  /** What waits for an answer since earlier runs of the task. */
  readonly pending: Pending.Calls
  readonly generate: (kind: Id.Kind) => string
}

/** How a run went wrong besides what its events say. */
export interface Failure {
  readonly message: string
  readonly metadata?: Metadata
}

/** Something of which only pieces have come. */
interface Open {
  readonly artifactId: Id.ArtifactId
  readonly metadata: Metadata
  readonly pieces: Array<Part.Part>
}

/** Neighbouring pieces of one kind as one. */
const joined = (pieces: ReadonlyArray<Part.Part>): ReadonlyArray<Part.Part> =>
  pieces.reduce<Array<Part.Part>>((parts, piece) => {
    const last = parts.at(-1)
    if (last?._tag === "Text" && piece._tag === "Text" && Part.isThought(last) === Part.isThought(piece)) {
      parts[parts.length - 1] = { ...last, text: last.text + piece.text }
    } else parts.push(piece)
    return parts
  }, [])

const callIdOf = (part: Part.Part): string | undefined => {
  const { _tag, metadata } = part
  if (_tag !== "Data" || metadata?.adk_type !== "function_response") return undefined
  const { id } = part.data as { readonly id?: string }
  return id
}

export const make = ({ contextId, generate, pending: before, place, taskId }: Options) => {
  const ids = { taskId, contextId }
  const at = From.ofPlace(place)
  const open = new Map<string, Open>()
  const responses = new Map<string, Artifact.Artifact>()
  const stateDelta: Record<string, Schema.Json> = {}
  const artifactDelta: Record<string, number> = {}
  let pending = before
  let failure: Failure | undefined
  let invocationId: string | undefined
  let output: Schema.Json | undefined

  const newArtifactId = () => Id.ArtifactId.make(generate("artifact"))

  const update = (artifact: Artifact.Artifact, append: boolean, lastChunk: boolean): Event =>
    StreamEvent.artifactUpdate({
      ...ids,
      artifact,
      append,
      lastChunk,
      ...(artifact.metadata && { metadata: artifact.metadata })
    })

  /** The answer to a call that has been answered already takes the place of the earlier one. */
  const withoutRepeated = (
    parts: ReadonlyArray<Part.Part>
  ): readonly [ReadonlyArray<Part.Part>, ReadonlyArray<Event>] => {
    const events: Array<Event> = []
    const rest = parts.filter((part) => {
      const earlier = responses.get(callIdOf(part) ?? "")
      if (earlier === undefined) return true
      const artifact = { ...earlier, parts: earlier.parts.map((one) => callIdOf(one) === callIdOf(part) ? part : one) }
      for (const one of artifact.parts) responses.set(callIdOf(one) ?? "", artifact)
      events.push(update(artifact, false, true))
      return false
    })
    responses.delete("")
    return [rest, events]
  }

  const note = (event: AdkEvent.Event): void => {
    if (event.invocationId) invocationId = event.invocationId
    if (event.output !== undefined) output = event.output
    Object.assign(stateDelta, event.actions?.stateDelta)
    Object.assign(artifactDelta, event.actions?.artifactDelta)
    const failed = AdkEvent.failure(event)
    if (failed !== undefined) {
      failure = {
        message: failed.message,
        metadata: {
          ...(failed.code !== undefined && { adk_error_code: failed.code }),
          adk_error_message: failed.message
        }
      }
    }
    pending = Pending.add(pending, event)
  }

  const isPending = (id: string) => pending.some(({ call }) => call.id === id)
  const isKept = ({ functionCall, functionResponse }: AdkContent.Part) =>
    isPending(functionCall?.id ?? functionResponse?.id ?? "")

  const add = (event: AdkEvent.Event): ReadonlyArray<Event> => {
    note(event)
    const speaker = JSON.stringify([event.author, event.branch])
    const metadata = { ...at, ...From.ofEvent(event) }
    const isPartial = AdkEvent.isPartial(event)
    const content = event.content?.parts ?? []
    // calls of partial events are previews
    const parts = content
      .filter((part) =>
        isPartial ? part.functionCall === undefined && part.functionResponse === undefined : !isKept(part)
      )
      .flatMap((part) => Parts.toPart(part, isPending) ?? [])
    const known = open.get(speaker)

    if (parts.length === 0) {
      if (content.length > 0 || isPartial || !From.isTelling(metadata)) return []
      return event.output === undefined || event.output === null
        ? [StreamEvent.statusUpdate({ ...ids, status: { state: "working" }, metadata })]
        : [update(
          {
            artifactId: newArtifactId(),
            parts: [Part.data(event.output, { metadata: { adk_type: "output" } })],
            metadata
          },
          false,
          true
        )]
    }
    if (isPartial) {
      const to = known ?? { artifactId: newArtifactId(), metadata, pieces: [] }
      open.set(speaker, to)
      to.pieces.push(...parts)
      return [update({ artifactId: to.artifactId, parts, metadata }, known !== undefined, false)]
    }
    const isWhole = known !== undefined && parts.some(({ _tag }) => _tag === "Text")
    if (isWhole) open.delete(speaker)
    const [rest, repeated] = withoutRepeated(parts)
    if (rest.length === 0) return repeated
    const artifact = { artifactId: isWhole ? known.artifactId : newArtifactId(), parts: rest, metadata }
    for (const part of rest) {
      const id = callIdOf(part)
      if (id !== undefined) responses.set(id, artifact)
    }
    return [...repeated, update(artifact, false, true)]
  }

  /** What was never told as a whole, told as it is. */
  const close = (): ReadonlyArray<Event> => {
    const left = Array.from(
      open.values(),
      ({ artifactId, metadata, pieces }) =>
        update({ artifactId, parts: joined(pieces), metadata: { ...metadata, adk_partial: true } }, false, true)
    )
    open.clear()
    return left
  }

  const says = (parts: ReadonlyArray<Part.Part>): Pick<Task.TaskStatus, "message"> =>
    parts.length === 0 ? {} : {
      message: { _tag: "Message", messageId: Id.MessageId.make(generate("message")), role: "agent", parts, ...ids }
    }

  const settle = (
    timestamp: DateTime.Utc,
    state: TaskState,
    parts: ReadonlyArray<Part.Part> = [],
    metadata: Metadata = {}
  ): ReadonlyArray<Event> => {
    const delta = {
      ...(Object.keys(stateDelta).length > 0 && { stateDelta }),
      ...(Object.keys(artifactDelta).length > 0 && { artifactDelta })
    }
    return [
      ...close(),
      StreamEvent.statusUpdate({
        ...ids,
        status: { state, timestamp, ...says(parts) },
        metadata: {
          ...at,
          ...(invocationId !== undefined && { adk_invocation_id: invocationId }),
          ...(Object.keys(delta).length > 0 && { adk_actions: delta }),
          ...(output !== undefined && { adk_output: output }),
          ...metadata
        }
      })
    ]
  }

  return {
    /** An artifact besides those of the events. */
    file: (artifact: Artifact.Artifact): Event =>
      update({ ...artifact, metadata: { ...at, ...artifact.metadata } }, false, true),
    add,
    /** The last state, once the run is over; `failed` says how it went wrong, if nothing else did. */
    end: (timestamp: DateTime.Utc, failed: Failure | undefined = failure): ReadonlyArray<Event> =>
      failed !== undefined
        ? settle(timestamp, "failed", [Part.text(failed.message)], failed.metadata)
        : pending.length > 0
        ? settle(timestamp, Pending.stateOf(pending), Pending.parts(pending))
        : settle(timestamp, "completed"),
    cancel: (timestamp: DateTime.Utc, why: string): ReadonlyArray<Event> =>
      settle(timestamp, "canceled", [Part.text(why)]),
    pending: () => pending
  }
}

export type Mapping = ReturnType<typeof make>

/**
 * Decoders of the results of sends and of stream events. Every dialect reads both the wrapped form (`{"task": …}`) and
 * the bare one, its own first.
 */
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import type * as Message from "../../Message.ts"
import type * as StreamEvent from "../../StreamEvent.ts"
import type * as Task from "../../Task.ts"
import { makeDecoder, type Variant, variant } from "./codec.ts"
import type { Model } from "./model.ts"
import type { Decoders } from "./results.ts"
import * as Wire from "./wireSchema.ts"

/** The members that wrap results and events. */
export type Name = "statusUpdate" | "artifactUpdate" | "task" | "message"

const wrapper = <W, A>(name: Name, schema: Schema.Codec<W>, read: (wire: W) => A): Variant<A> => {
  const none = { statusUpdate: Wire.absent, artifactUpdate: Wire.absent, task: Wire.absent, message: Wire.absent }
  const struct = Wire.struct({ ...none, [name]: schema }, { msg: "message" })
  return variant(struct as Schema.Top as Schema.Codec<Record<Name, W>>, (wire) => read(wire[name]))
}

const kinds: ReadonlySet<unknown> = new Set(["task", "message", "status-update", "artifact-update"])
/** Members of which every known event has one: wrappers first, then members of bare events. */
const knownMembers = [
  "statusUpdate",
  "artifactUpdate",
  "task",
  "message",
  "status_update",
  "artifact_update",
  "msg",
  "id",
  "taskId",
  "task_id",
  "messageId",
  "message_id",
  "role"
]

/** Returns false for events of a later version, which clients skip. */
const isKnown = (document: unknown): boolean =>
  !Predicate.isReadonlyObject(document) || (typeof document.kind === "string" && document.statusUpdate === undefined
    ? kinds.has(document.kind)
    : knownMembers.some((name) => document[name] !== undefined && document[name] !== null))

/** Returns the end mark of a status update, wrapped or not. */
const isFinal = (document: unknown): boolean | undefined => {
  if (!Predicate.isReadonlyObject(document)) return undefined
  const update = document.statusUpdate ?? document.status_update ?? document
  const final = Predicate.isReadonlyObject(update) ? update.final : undefined
  return typeof final === "boolean" ? final : undefined
}

/** Creates the decoders of results and events. `isWrapped`: the dialect writes wrapped ones. `hasFinal`: it has end marks. */
export const makeSendResults = (
  model: Model,
  { hasFinal, isWrapped }: { readonly hasFinal: boolean; readonly isWrapped: boolean }
): Pick<Decoders, "result" | "event" | "task"> => {
  const variants = (withUpdates: boolean) => (): ReadonlyArray<Variant<any>> => {
    const { artifactUpdate, message, statusUpdate, task } = model.schemas()
    const bare = [variant(task, model.readTask), variant(message, model.readMessage)]
    const wraps: ReadonlyArray<Variant<any>> = [
      wrapper("task", task, model.readTask),
      wrapper("message", message, model.readMessage)
    ]
    const bareUpdates = () => [
      variant(statusUpdate, model.readStatusUpdate),
      variant(artifactUpdate, model.readArtifactUpdate)
    ]
    const wrappedUpdates = () => [
      wrapper("statusUpdate", statusUpdate, model.readStatusUpdate),
      wrapper("artifactUpdate", artifactUpdate, model.readArtifactUpdate)
    ]
    const allBare = withUpdates ? [...bareUpdates(), ...bare] : bare
    const allWrapped = withUpdates ? [...wrappedUpdates(), ...wraps] : wraps
    return isWrapped ? [...allWrapped, ...allBare] : [...allBare, ...allWrapped]
  }
  return {
    task: makeDecoder({
      message: "is not a task",
      variants: () => {
        const { task } = model.schemas()
        return [variant(task, model.readTask), wrapper("task", task, model.readTask)]
      }
    }),
    result: makeDecoder<Task.Task | Message.Message>({
      message: "is neither a task nor a message",
      variants: variants(false)
    }),
    event: makeDecoder<StreamEvent.StreamEvent>({
      message: "is neither a task, a message, a status update nor an artifact update",
      variants: variants(true),
      isKnown,
      isFinal: hasFinal ? isFinal : undefined
    })
  }
}

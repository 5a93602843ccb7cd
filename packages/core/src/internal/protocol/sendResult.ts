/**
 * What an agent answers a message with, and what a stream carries. Every dialect reads both the wrapped form
 * (`{"task": …}`) and the bare one, its own first.
 */
import type * as Schema from "effect/Schema"
import type * as Protocol from "../../Dialect.ts"
import type * as Message from "../../Message.ts"
import type * as StreamEvent from "../../StreamEvent.ts"
import type * as Task from "../../Task.ts"
import { codec, type Form, form } from "./codec.ts"
import type { Model } from "./model.ts"
import * as Wire from "./wireSchema.ts"

type Name = "statusUpdate" | "artifactUpdate" | "task" | "message"

const wrapped = <W, A>(name: Name, schema: Schema.Codec<W>, read: (wire: W) => A): Form<A> => {
  const none = { statusUpdate: Wire.absent, artifactUpdate: Wire.absent, task: Wire.absent, message: Wire.absent }
  const wrapper = Wire.struct({ ...none, [name]: schema }, { msg: "message" })
  return form(wrapper as Schema.Top as Schema.Codec<Record<Name, W>>, (wire) => read(wire[name]))
}

const kinds: ReadonlySet<unknown> = new Set(["task", "message", "status-update", "artifact-update"])
/** Each tells that an event means something here: wrappers first, then what bare events have. */
const marks = [
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

/** False for the events of a later version, which a client passes over. */
const isKnown = (document: unknown): boolean =>
  !Wire.isObject(document) || (typeof document.kind === "string" && document.statusUpdate === undefined
    ? kinds.has(document.kind)
    : marks.some((name) => document[name] !== undefined && document[name] !== null))

export interface Payloads {
  readonly answer: Protocol.Codec<Task.Task | Message.Message>
  readonly event: Protocol.Codec<StreamEvent.StreamEvent>
  /** A task alone, which no dialect wraps. */
  readonly task: Protocol.Codec<Task.Task>
}

/** `isWrapped`: how this dialect writes them. */
export const payloads = (model: Model, isWrapped: boolean): Payloads => {
  const forms = (withUpdates: boolean) => (): ReadonlyArray<Form<any>> => {
    const { artifactUpdate, message, statusUpdate, task } = model.schemas()
    const bare = [form(task, model.readTask), form(message, model.readMessage)]
    const wraps: ReadonlyArray<Form<any>> = [
      wrapped("task", task, model.readTask),
      wrapped("message", message, model.readMessage)
    ]
    const bareUpdates = () => [
      form(statusUpdate, model.readStatusUpdate),
      form(artifactUpdate, model.readArtifactUpdate)
    ]
    const wrappedUpdates = () => [
      wrapped("statusUpdate", statusUpdate, model.readStatusUpdate),
      wrapped("artifactUpdate", artifactUpdate, model.readArtifactUpdate)
    ]
    const allBare = withUpdates ? [...bareUpdates(), ...bare] : bare
    const allWrapped = withUpdates ? [...wrappedUpdates(), ...wraps] : wraps
    return isWrapped ? [...allWrapped, ...allBare] : [...allBare, ...allWrapped]
  }
  const wrap = (name: Name, document: Wire.JsonObject) => isWrapped ? { [name]: document } : document
  const write = (event: StreamEvent.StreamEvent): Wire.JsonObject => {
    switch (event._tag) {
      case "StatusUpdate":
        return wrap("statusUpdate", model.writeStatusUpdate(event))
      case "ArtifactUpdate":
        return wrap("artifactUpdate", model.writeArtifactUpdate(event))
      case "Task":
        return wrap("task", model.writeTask(event))
      case "Message":
        return wrap("message", model.writeMessage(event))
    }
  }
  return {
    task: codec({
      expected: "is not a task",
      forms: () => {
        const { task } = model.schemas()
        return [form(task, model.readTask), wrapped("task", task, model.readTask)]
      },
      write: model.writeTask
    }),
    answer: codec<Task.Task | Message.Message>({
      expected: "is neither a task nor a message",
      forms: forms(false),
      write
    }),
    event: codec<StreamEvent.StreamEvent>({
      expected: "is neither a task, a message, a status update nor an artifact update",
      forms: forms(true),
      write,
      isKnown
    })
  }
}

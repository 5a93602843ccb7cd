/**
 * Schemas, readers and writers of messages, tasks and events. The dialects differ in how a part looks, in enumerations,
 * in `kind` and in `final`; a {@link Style} says how, the rest is written once.
 */
import type * as Message from "../../Message.ts"
import type * as StreamEvent from "../../StreamEvent.ts"
import type * as Task from "../../Task.ts"
import * as Read from "./modelReaders.ts"
import { makeSchemas } from "./modelSchemas.ts"
import * as Write from "./modelWriters.ts"
import type { Style, WireArtifactUpdate, WireMessage, WireStatusUpdate, WireTask } from "./style.ts"
import * as Wire from "./wireSchema.ts"

/** Creates the model of a style. The schemas are made at the first use. */
export const makeModel = (style: Style) => ({
  schemas: Wire.lazy(() => makeSchemas(style)),
  readMessage: (wire: WireMessage) => Read.readMessage(style, wire),
  readTask: (wire: WireTask) => Read.readTask(style, wire),
  readStatusUpdate: (wire: WireStatusUpdate) => Read.readStatusUpdate(style, wire),
  readArtifactUpdate: (wire: WireArtifactUpdate) => Read.readArtifactUpdate(style, wire),
  writeMessage: (message: Message.Message) => Write.writeMessage(style, message),
  writeTask: (task: Task.Task) => Write.writeTask(style, task),
  writeStatusUpdate: (event: StreamEvent.StatusUpdate) => Write.writeStatusUpdate(style, event),
  writeArtifactUpdate: (event: StreamEvent.ArtifactUpdate) => Write.writeArtifactUpdate(style, event)
})

/** The schemas, readers and writers of one dialect. */
export interface Model extends ReturnType<typeof makeModel> {}

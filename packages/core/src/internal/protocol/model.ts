/**
 * Schemas and readers of messages, tasks and events, and the writer of messages. The dialects differ in how a part looks,
 * in enumerations, in `kind` and in `final`; a {@link Style} says how, the rest is written once. Writers of what servers
 * alone send take the style: `modelWriters.ts`.
 */
import type * as Message from "../../Message.ts"
import * as Read from "./modelReaders.ts"
import { makeSchemas } from "./modelSchemas.ts"
import { writeMessage } from "./modelWriters.ts"
import type { Style, WireArtifactUpdate, WireMessage, WireStatusUpdate, WireTask } from "./style.ts"
import * as Wire from "./wireSchema.ts"

/** Creates the model of a style. The schemas are made at the first use. */
export const makeModel = (style: Style) => ({
  style,
  schemas: Wire.lazy(() => makeSchemas(style)),
  readMessage: (wire: WireMessage) => Read.readMessage(style, wire),
  readTask: (wire: WireTask) => Read.readTask(style, wire),
  readStatusUpdate: (wire: WireStatusUpdate) => Read.readStatusUpdate(style, wire),
  readArtifactUpdate: (wire: WireArtifactUpdate) => Read.readArtifactUpdate(style, wire),
  writeMessage: (message: Message.Message) => writeMessage(style, message)
})

/** The schemas, readers and the writer of one dialect. */
export interface Model extends ReturnType<typeof makeModel> {}

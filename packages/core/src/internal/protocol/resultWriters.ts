/** The serving half of a dialect's results: encoders beside the decoders of clients. */
import type * as Schema from "effect/Schema"
import type * as AgentCard from "../../AgentCard.ts"
import type * as Dialect from "../../Dialect.ts"
import type * as PushNotification from "../../PushNotification.ts"
import type * as StreamEvent from "../../StreamEvent.ts"
import { makeCodec } from "./codec.ts"
import * as Write from "./modelWriters.ts"
import type { Codecs, ConfigPage, Decoders } from "./results.ts"
import type { Name } from "./sendResult.ts"
import type { Style } from "./style.ts"
import type { JsonObject } from "./wireSchema.ts"

interface Options {
  readonly style: Style
  /** True if the dialect wraps events and the results of sends. */
  readonly isWrapped: boolean
  readonly writeConfig: (config: PushNotification.TaskPushNotificationConfig) => Schema.Json
  readonly writeConfigPage: (page: ConfigPage) => Schema.Json
  /** The response to a deletion. */
  readonly empty: Schema.Json
  readonly card: Dialect.Codec<AgentCard.AgentCard>
}

/** Adds encoders to a dialect's decoders. */
export const withEncoders = (
  decoders: Decoders,
  { card, empty, isWrapped, style, writeConfig, writeConfigPage }: Options
): Codecs => {
  const wrap = (name: Name, document: JsonObject) => isWrapped ? { [name]: document } : document
  const write = (event: StreamEvent.StreamEvent): JsonObject => {
    switch (event._tag) {
      case "StatusUpdate":
        return wrap("statusUpdate", Write.writeStatusUpdate(style, event))
      case "ArtifactUpdate":
        return wrap("artifactUpdate", Write.writeArtifactUpdate(style, event))
      case "Task":
        return wrap("task", Write.writeTask(style, event))
      case "Message":
        return wrap("message", Write.writeMessage(style, event))
    }
  }
  return {
    result: makeCodec(decoders.result, write),
    event: makeCodec(decoders.event, write),
    task: makeCodec(decoders.task, (task) => Write.writeTask(style, task)),
    taskPage: makeCodec(decoders.taskPage, ({ tasks, ...rest }) => ({
      ...rest,
      tasks: tasks.map((task) => Write.writeTask(style, task))
    })),
    config: makeCodec(decoders.config, writeConfig),
    configPage: makeCodec(decoders.configPage, writeConfigPage),
    empty: makeCodec(decoders.empty, () => empty),
    card
  }
}

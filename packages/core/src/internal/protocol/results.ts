/** The results of all operations in one dialect: those of a kind share a codec. Clients decode them, servers also encode. */
import type * as AgentCard from "../../AgentCard.ts"
import type * as Dialect from "../../Dialect.ts"
import type * as Message from "../../Message.ts"
import type * as Operation from "../../Operation.ts"
import type * as PushNotification from "../../PushNotification.ts"
import type * as StreamEvent from "../../StreamEvent.ts"
import type * as Task from "../../Task.ts"

export type ConfigPage = Operation.Success<typeof Operation.ListTaskPushNotificationConfigs>

export interface Decoders {
  readonly result: Dialect.Decoder<Task.Task | Message.Message>
  readonly event: Dialect.Decoder<StreamEvent.StreamEvent>
  /** A lone task, which no dialect wraps. */
  readonly task: Dialect.Decoder<Task.Task>
  readonly taskPage: Dialect.Decoder<Operation.ListTasksResponse>
  readonly config: Dialect.Decoder<PushNotification.TaskPushNotificationConfig>
  readonly configPage: Dialect.Decoder<ConfigPage>
  readonly empty: Dialect.Decoder<void>
  readonly card: Dialect.Decoder<AgentCard.AgentCard>
}

export type Codecs = {
  readonly [K in keyof Decoders]: Decoders[K] extends Dialect.Decoder<infer A> ? Dialect.Codec<A> : never
}

/** Lists decoders, or codecs, by operation. */
export const byOperation = <Result, Event, Task, TaskPage, Config, ConfigPage, Empty, Card>(all: {
  readonly result: Result
  readonly event: Event
  readonly task: Task
  readonly taskPage: TaskPage
  readonly config: Config
  readonly configPage: ConfigPage
  readonly empty: Empty
  readonly card: Card
}) => ({
  SendMessage: all.result,
  SendStreamingMessage: all.event,
  SubscribeToTask: all.event,
  GetTask: all.task,
  CancelTask: all.task,
  ListTasks: all.taskPage,
  CreateTaskPushNotificationConfig: all.config,
  GetTaskPushNotificationConfig: all.config,
  ListTaskPushNotificationConfigs: all.configPage,
  DeleteTaskPushNotificationConfig: all.empty,
  GetExtendedAgentCard: all.card
})

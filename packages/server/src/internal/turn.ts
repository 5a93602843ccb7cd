/** Makes the turn that an executor receives. */
import * as Id from "@effect-a2a/core/Id"
import type * as Message from "@effect-a2a/core/Message"
import type * as Operation from "@effect-a2a/core/Operation"
import * as ServerHandler from "@effect-a2a/core/ServerHandler"
import * as ServiceParameters from "@effect-a2a/core/ServiceParameters"
import type * as Task from "@effect-a2a/core/Task"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { Turn } from "../AgentExecutor.ts"
import * as Caller from "../Caller.ts"
import type { Owner } from "../Owner.ts"
import type { State } from "./state.ts"

/** `task` is as it was before the message. */
export const make = Effect.fnUntraced(function*(
  state: State,
  owner: Owner,
  request: Operation.SendMessageRequest,
  taskId: Id.TaskId,
  task: Task.Task | undefined,
  inbox: Queue.Queue<Message.Message, Cause.Done> | undefined
): Effect.fn.Return<Turn> {
  const { configuration = {}, message, metadata = {} } = request
  const isNew = message.contextId === undefined && task?.contextId === undefined
  const contextId = message.contextId ?? task?.contextId ?? (yield* Id.contextId)
  const { extensions } = yield* ServiceParameters.Current
  return {
    message: { ...message, taskId, contextId },
    taskId,
    contextId,
    task,
    configuration,
    metadata,
    caller: yield* Caller.Current,
    tenant: owner.tenant,
    extensions,
    headers: yield* ServerHandler.CurrentHeaders,
    earlier: isNew ? Effect.succeed([]) : state.store.words(owner, contextId),
    updates: inbox === undefined ? Stream.never : Stream.fromQueue(inbox)
  }
})

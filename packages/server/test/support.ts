import { AgentTransport, Id, Message, Operation, Task } from "@effect-a2a/core"
import type { AgentCard, AgentError, StreamEvent } from "@effect-a2a/core"
import { AgentExecutor, AgentServer, Caller, TaskHub, TaskStore } from "@effect-a2a/server"
import { Effect, Layer, Stream } from "effect"

export const card: AgentCard.AgentCard = {
  name: "Agent",
  description: "For tests",
  version: "1.0.0",
  supportedInterfaces: [{ url: "https://agent.test/", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }],
  capabilities: {},
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: []
}

/** The server over an executor, with store and hub in view of the test. */
export const serve = (
  execute: (turn: AgentExecutor.Turn) => AgentExecutor.Execution,
  options?: Partial<AgentServer.Options> & Parameters<typeof TaskStore.layerMemory>[0]
) =>
  AgentServer.layer({ card, ...options }).pipe(
    Layer.provide(AgentExecutor.layer(execute)),
    Layer.provideMerge([TaskStore.layerMemory(options), TaskHub.layer])
  )

let seed = 1
/** 0 to 8 turns of the scheduler, another number each time but the same in every test run. */
export const pause = Effect.suspend(() => {
  seed = seed * 16807 % 2147483647
  return Effect.forEach(Array.from({ length: seed % 9 }), () => Effect.yieldNow, { discard: true })
})

/** A store that gives other fibers a chance before and after each of its operations, as one across a network does. */
export const slowStore = Layer.effect(
  TaskStore.TaskStore,
  Effect.map(TaskStore.TaskStore, (store) => {
    const slowly = <A extends ReadonlyArray<unknown>, B, E>(f: (...args: A) => Effect.Effect<B, E>) => (...args: A) =>
      pause.pipe(Effect.andThen(Effect.suspend(() => f(...args))), Effect.tap(() => pause))
    return { ...store, append: slowly(store.append), get: slowly(store.get) }
  })
).pipe(Layer.provide(TaskStore.layerMemory()))

/** The server over that store. */
export const serveSlowly = (execute: (turn: AgentExecutor.Turn) => AgentExecutor.Execution) =>
  AgentServer.layer({ card }).pipe(Layer.provide([slowStore, TaskHub.layer, AgentExecutor.layer(execute)]))

/** Ids that count up per kind: `task-1`, `task-2` … */
export const numbered = () => {
  const counts = new Map<Id.Kind, number>()
  return (kind: Id.Kind) => {
    const next = (counts.get(kind) ?? 0) + 1
    counts.set(kind, next)
    return `${kind}-${next}`
  }
}

export const taskId = (id: string) => Id.TaskId.make(id)
export const contextId = (id: string) => Id.ContextId.make(id)

export const call = <Op extends Operation.Unary>(operation: Op, request: Operation.Request<Op>) =>
  Effect.flatMap(AgentTransport.AgentTransport, (transport) => transport.call(operation, request))

type SendOptions = Message.Options & {
  readonly configuration?: Operation.SendMessageConfiguration
  readonly request?: Operation.Request<Operation.All["SendMessage"]>["metadata"]
}

const requestOf = (text: Message.Input, { configuration, request, ...options }: SendOptions = {}) =>
  Effect.map(Message.user(text, options), (message) => ({
    message,
    ...(configuration === undefined ? undefined : { configuration }),
    ...(request === undefined ? undefined : { metadata: request })
  }))

export const send = (text: Message.Input, options?: SendOptions) =>
  Effect.flatMap(requestOf(text, options), (request) => call(Operation.SendMessage, request))

/** A send that makes a task. */
export const sendTask = (text: Message.Input, options?: SendOptions) =>
  Effect.flatMap(
    send(text, options),
    (answer) => answer._tag === "Task" ? Effect.succeed(answer) : Effect.die("expected a task")
  )

export const start = (text: string, options?: SendOptions) =>
  sendTask(text, { ...options, configuration: { ...options?.configuration, returnImmediately: true } })

export const stream = (text: Message.Input, options?: SendOptions) =>
  Stream.unwrap(Effect.gen(function*() {
    const transport = yield* AgentTransport.AgentTransport
    return transport.stream(Operation.SendStreamingMessage, yield* requestOf(text, options))
  }))

export const subscribe = (id: Id.TaskId) =>
  Stream.unwrap(
    Effect.map(AgentTransport.AgentTransport, (transport) => transport.stream(Operation.SubscribeToTask, { id }))
  )

export const get = (id: Id.TaskId, historyLength?: number) =>
  call(Operation.GetTask, { id, ...(historyLength === undefined ? undefined : { historyLength }) })

export const cancel = (id: Id.TaskId) => call(Operation.CancelTask, { id })

export const as = (id: string) => Effect.provideService(Caller.Current, { id })

/** What an event is about, in a word. */
export const label = (event: StreamEvent.StreamEvent): string => {
  switch (event._tag) {
    case "Task":
      return `task ${event.status.state}`
    case "Message":
      return `message ${Message.text(event)}`
    case "StatusUpdate":
      return event.status.message === undefined
        ? event.status.state
        : `${event.status.state}: ${Message.text(event.status.message)}`
    case "ArtifactUpdate":
      return event.artifact.parts.map((part) => part._tag === "Text" ? part.text : part._tag).join("")
  }
}

/** All labels of a stream, and the tag of the reason it failed with. */
export const labels = <R>(self: Stream.Stream<StreamEvent.StreamEvent, AgentError.AgentError, R>) =>
  self.pipe(
    Stream.map(label),
    Stream.catch((error) => Stream.succeed(`! ${error.reason._tag}`)),
    Stream.runCollect
  )

export const reasonOf = <A, R>(self: Effect.Effect<A, AgentError.AgentError, R>) =>
  Effect.map(Effect.flip(self), (error) => error.reason)

export const tagOf = <A, R>(self: Effect.Effect<A, AgentError.AgentError, R>) =>
  Effect.map(reasonOf(self), (reason) => reason._tag)

export const text = (task: Task.Task) => Task.text(task)

export const history = (task: Task.Task) => task.history?.map(Message.text)

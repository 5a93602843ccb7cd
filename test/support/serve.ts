/** Raw requests to served routes, and an agent behind them that records its calls. */
import type * as AgentError from "@effect-a2a/core/AgentError"
import { AgentError as Failure } from "@effect-a2a/core/AgentError"
import { AgentTransport } from "@effect-a2a/core/AgentTransport"
import * as Id from "@effect-a2a/core/Id"
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import * as Wire from "@effect-a2a/testing/Wire"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

export const task: Task.Task = {
  _tag: "Task",
  id: Id.TaskId.make("t-1"),
  contextId: Id.ContextId.make("c-1"),
  status: { state: "completed" }
}

export interface Call {
  readonly operation: string
  readonly request: any
}

/** A transport that returns {@link task} from every operation, unless `options` say otherwise. */
export const agent = (options: {
  readonly events?: Stream.Stream<StreamEvent.StreamEvent, AgentError.AgentErrorReason>
  readonly refuse?: AgentError.AgentErrorReason
  readonly dies?: Error
} = {}) => {
  const calls: Array<Call> = []
  const fail = (operation: string) => (reason: AgentError.AgentErrorReason) => new Failure({ operation, reason })
  const answers: Record<string, unknown> = {
    ListTasks: { tasks: [task], nextPageToken: "", pageSize: 50, totalSize: 1 }
  }
  const layer = Layer.succeed(AgentTransport, {
    target: { url: "https://agent.test", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
    call: (operation, request) =>
      Effect.suspend(() => {
        calls.push({ operation: operation._tag, request })
        if (options.dies !== undefined) return Effect.die(options.dies)
        return options.refuse === undefined
          ? Effect.succeed(answers[operation._tag] ?? task)
          : Effect.fail(fail(operation._tag)(options.refuse))
      }) as never,
    stream: (operation, request) =>
      Stream.suspend(() => {
        calls.push({ operation: operation._tag, request })
        return Stream.mapError(options.events ?? Stream.make(task), fail(operation._tag))
      }) as never
  })
  return { calls, layer }
}

/** An `HttpClient` to routes over an agent. */
export const served = (
  routes: Layer.Layer<never, never, AgentTransport | HttpRouter.HttpRouter>,
  transport: Layer.Layer<AgentTransport> = agent().layer
): Layer.Layer<HttpClient.HttpClient> => Wire.layerHttp(routes.pipe(Layer.provide(transport)))

export interface Init {
  readonly method?: "GET" | "POST" | "DELETE" | "PUT" | "PATCH"
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as it is, as `application/json` unless `headers` say otherwise. */
  readonly body?: string
}

/** Sends a request and returns the response, its body unread. */
export const open = Effect.fnUntraced(function*(path: string, { body, headers = {}, method = "GET" }: Init = {}) {
  const client = yield* HttpClient.HttpClient
  const request = HttpClientRequest.make(method)(`http://agent.test${path}`)
  const sent = body === undefined
    ? request
    : HttpClientRequest.bodyText(request, body, headers["content-type"] ?? "application/json")
  return yield* client.execute(HttpClientRequest.setHeaders(sent, headers))
})

/** Sends a request and reads the whole response. */
export const ask = Effect.fnUntraced(function*(path: string, init: Init = {}) {
  const response = yield* open(path, init)
  const text = yield* response.text
  return {
    status: response.status,
    headers: response.headers,
    type: (response.headers["content-type"] ?? "").split(";")[0],
    text,
    /** The body as JSON. */
    get json(): any {
      return JSON.parse(text)
    }
  }
})

/** Returns the data of each frame. */
export const frames = (text: string): ReadonlyArray<any> =>
  text.split("\n").filter((line) => line.startsWith("data: ")).map((line) => JSON.parse(line.slice(6)))

/**
 * Sends push notifications: the events of tasks, to the webhooks that clients configure (A2A 1.0 §4.3). An agent with this
 * layer says `pushNotifications: true` in its card; without it, configurations are refused.
 *
 * Each webhook has a queue, so that a dead or slow one delays no other, and no turn. A notification is sent again after
 * connection failures, timeouts, HTTP 408, 429 and 5xx, with growing pauses and as `Retry-After` says. HTTP 410 removes the
 * configuration; other responses than 2xx, redirects among them, end the notification. Clients may name any URL: addresses
 * in private networks are refused, literal ones when they are configured, names by a client that reads
 * `AddressGuard.Current` when it connects, as `NodeAgent.layerClient` does.
 *
 * ```ts
 * import { Agent, Id, Message, Operation, AgentTransport } from "@effect-a2a/core"
 * import { AgentExecutor, AgentServer, PushSender, PushStore } from "@effect-a2a/server"
 * import { Effect, Layer, Stream } from "effect"
 * import { HttpClient, HttpClientResponse } from "effect/http"
 *
 * const received: Array<string> = []
 * const client = HttpClient.make((request, url) =>
 *   Effect.sync(() => {
 *     received.push(`${url.pathname} ${request.headers["x-a2a-notification-token"]}`)
 *     return HttpClientResponse.fromWeb(request, new Response())
 *   })
 * )
 * const agent = AgentServer.layerMemory({ card: { name: "Greeter", description: "Greets" } }).pipe(
 *   Layer.provide(AgentExecutor.layer(() => Stream.make("Hello"))),
 *   Layer.provide(PushSender.layer()),
 *   Layer.provide([PushStore.layerMemory(), Layer.succeed(HttpClient.HttpClient, client)])
 * )
 * const program = Effect.gen(function*() {
 *   const transport = yield* AgentTransport.AgentTransport
 *   const taskPushNotificationConfig = { url: "https://app.test/hook", token: "t-42" }
 *   const message = yield* Message.user("Hi")
 *   yield* transport.call(Operation.SendMessage, { message, configuration: { taskPushNotificationConfig } })
 * })
 * await Effect.runPromise(program.pipe(Effect.provide(agent)))
 * received[0] // => "/hook t-42"
 * ```
 *
 * @since 0.1.0
 */
import * as AddressGuard from "@effect-a2a/core/AddressGuard"
import type { AgentErrorReason } from "@effect-a2a/core/AgentError"
import * as HttpPeer from "@effect-a2a/core/HttpPeer"
import * as Id from "@effect-a2a/core/Id"
import type * as Protocol from "@effect-a2a/core/Protocol"
import type * as PushNotification from "@effect-a2a/core/PushNotification"
import * as ServerHandler from "@effect-a2a/core/ServerHandler"
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"
import type * as Task from "@effect-a2a/core/Task"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Lanes from "./internal/push/lanes.ts"
import * as Post from "./internal/push/post.ts"
import { invalid } from "./internal/validation.ts"
import * as Owner from "./Owner.ts"
import * as PushStore from "./PushStore.ts"

/** Events of a task that were written to its log. */
export interface Written {
  readonly owner: Owner.Owner
  readonly taskId: Id.TaskId
  readonly events: ReadonlyArray<StreamEvent.StreamEvent>
  /** Reads the task after the events, for versions that send it. */
  readonly task: Effect.Effect<Task.Task | undefined>
}

/** The sender of a server. */
export class PushSender extends Context.Service<PushSender, {
  /** The configurations. */
  readonly store: PushStore.PushStore["Service"]
  /** Fails with `InvalidParamsError` if a configuration cannot be used. */
  readonly check: (config: PushNotification.PushNotificationConfig) => Effect.Effect<void, AgentErrorReason>
  /** Queues notifications for the webhooks of a task; returns before they are sent. */
  readonly deliver: (written: Written) => Effect.Effect<void>
}>()("@effect-a2a/server/PushSender") {}

/** The limits of a sender. */
export interface Options {
  /** Origins in private networks that may be notified, such as `http://127.0.0.1:4000`; `"all"` for any. Default: none. */
  readonly allow?: ReadonlyArray<string> | "all" | undefined
  /** The longest wait for the response to one attempt. Default: 10 seconds. */
  readonly attemptTimeout?: Duration.Input | undefined
  /** The longest time from the event to the last attempt; there is always a first one. Default: 2 minutes. */
  readonly totalTimeout?: Duration.Input | undefined
  /** The pause before the second attempt, doubled before each further one, with jitter. Default: 500 ms. */
  readonly firstPause?: Duration.Input | undefined
  /** The longest wait for queued notifications when the layer closes. Default: 5 seconds. */
  readonly drainTimeout?: Duration.Input | undefined
  /** The most webhooks with waiting notifications; beyond it notifications are dropped. Default: 1,000. */
  readonly maxQueues?: number | undefined
  /** The most webhooks of one owner with waiting notifications. Default: half of `maxQueues`. */
  readonly maxQueuesPerOwner?: number | undefined
  /** The most bytes that wait for one webhook; beyond it notifications are dropped. Default: 4 MiB. */
  readonly maxQueueBytes?: number | undefined
  /** The most bytes that wait for all webhooks. Half of it may be of one owner. Default: 64 MiB. */
  readonly maxBytes?: number | undefined
  /**
   * Returns the value of the header `Authorization` for the bytes of a body, such as `PushSignature.makeSigner(…)`. A
   * configuration's own credentials come first. Default: notifications are not signed.
   */
  readonly sign?: ((body: Uint8Array) => Effect.Effect<Redacted.Redacted>) | undefined
  /** The protocol versions whose bodies are written. Default: 1.0 and 0.3. */
  readonly protocols?: ReadonlyArray<Protocol.Protocol> | undefined
}

const toBody = (
  { jsonRpc }: Protocol.Protocol,
  event: StreamEvent.StreamEvent
): Uint8Array<ArrayBuffer> | undefined => {
  const json = jsonRpc.dialect.success.SendStreamingMessage?.encode(event)
  return json === undefined || Result.isFailure(json)
    ? undefined
    : new TextEncoder().encode(JSON.stringify(json.success))
}

const isHeaderText = (text: string | undefined) =>
  text === undefined || /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text)

const checkConfig =
  (allow: ReadonlyArray<string> | "all") =>
  ({ authentication, token, url }: PushNotification.PushNotificationConfig): Effect.Effect<void, AgentErrorReason> => {
    const parsed = URL.parse(url)
    if (parsed === null || !/^https?:$/.test(parsed.protocol) || url.length > 2048) {
      return Effect.fail(invalid("url", "must be an http or https URL of at most 2,048 characters"))
    }
    if (parsed.username !== "" || parsed.password !== "") {
      return Effect.fail(invalid("url", "must not contain credentials: send them in authentication"))
    }
    if (!isHeaderText(token)) return Effect.fail(invalid("token", "must be printable ASCII"))
    if (authentication !== undefined && !/^[\w!#$%&'*+.^`|~-]+$/.test(authentication.scheme)) {
      return Effect.fail(invalid("authentication.scheme", "must be the name of an HTTP authentication scheme"))
    }
    if (!isHeaderText(authentication?.credentials)) {
      return Effect.fail(invalid("authentication.credentials", "must be printable ASCII"))
    }
    if (allow === "all") return Effect.void
    return Effect.mapError(
      AddressGuard.check(url, { allow }),
      () => invalid("url", "must not lead to a private network")
    )
  }

const make = Effect.fnUntraced(function*(options: Options) {
  const { allow = [], protocols = ServerHandler.protocols, sign } = options
  const store = yield* PushStore.PushStore
  const bare = yield* HttpClient.HttpClient
  const client = allow === "all"
    ? HttpClient.transform(bare, HttpPeer.withoutRedirects)
    : AddressGuard.protect(bare, { allow })
  const lanes = yield* Lanes.make({
    maxQueues: options.maxQueues ?? 1000,
    maxQueuesPerOwner: options.maxQueuesPerOwner ?? Math.ceil((options.maxQueues ?? 1000) / 2),
    maxQueueBytes: options.maxQueueBytes ?? 4 * 1024 * 1024,
    maxBytes: options.maxBytes ?? 64 * 1024 * 1024
  })
  yield* Effect.addFinalizer(() => Effect.timeoutOption(lanes.drain, options.drainTimeout ?? "5 seconds"))
  const totalTimeout = Duration.toMillis(Duration.fromInputUnsafe(options.totalTimeout ?? "2 minutes"))
  const post = Post.make({
    client,
    sign,
    attemptTimeout: Duration.fromInputUnsafe(options.attemptTimeout ?? "10 seconds"),
    firstPause: Duration.fromInputUnsafe(options.firstPause ?? "500 millis")
  })
  const enqueue = Effect.fnUntraced(function*(
    owner: Owner.Owner,
    stored: PushStore.Stored,
    contentType: string,
    body: Uint8Array<ArrayBuffer> | undefined
  ) {
    const { taskId } = stored
    if (body === undefined) return yield* Effect.logWarning("A push notification cannot be encoded", { taskId })
    const { url } = Redacted.value(stored.config)
    const deadline = (yield* Clock.currentTimeMillis) + totalTimeout
    const run = post({ config: stored.config, contentType, body, id: yield* Id.messageId, deadline }).pipe(
      Effect.flatMap((outcome) => outcome === "gone" ? store.remove(owner, taskId, stored.id) : Effect.void),
      Effect.catchCause((cause) => Effect.logWarning("A push notification failed", cause))
    )
    const isQueued = yield* lanes.offer({ owner: Owner.toKey(owner), url, size: body.byteLength, run })
    if (!isQueued) yield* Effect.logWarning("A push notification was dropped: too many wait", { taskId })
  })
  const deliver = Effect.fnUntraced(function*({ events, owner, task, taskId }: Written) {
    for (const stored of yield* store.list(owner, taskId)) {
      const protocol = protocols.find(({ version }) => version === stored.version) ?? protocols[0]
      if (protocol === undefined) continue
      const current = protocol.traits?.pushesTask === true ? yield* task : undefined
      const bodies = protocol.traits?.pushesTask === true ? (current === undefined ? [] : [current]) : events
      for (const event of bodies) yield* enqueue(owner, stored, protocol.rest.contentType, toBody(protocol, event))
    }
  }, Effect.catchCause((cause) => Effect.logError("Push notifications were not queued", cause)))
  return PushSender.of({ store, check: checkConfig(allow), deliver })
})

/** Sends notifications by the HTTP client of the environment. */
export const layer = (
  options: Options = {}
): Layer.Layer<PushSender, never, PushStore.PushStore | HttpClient.HttpClient> =>
  Layer.effect(PushSender, make(options))

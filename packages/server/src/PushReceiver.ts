/**
 * Receives push notifications, with the bodies of 1.0 and 0.3: the other side of `PushSender`.
 *
 * ```ts
 * import { PushReceiver } from "@effect-a2a/server"
 * import { Wire } from "@effect-a2a/testing"
 * import { Effect, Redacted } from "effect"
 * import { HttpClient, HttpClientRequest } from "effect/http"
 *
 * const seen: Array<string> = []
 * const routes = PushReceiver.routes({
 *   path: "/hook",
 *   token: Redacted.make("t-42"),
 *   onNotification: ({ isDuplicate, taskId }) => Effect.sync(() => void seen.push(`${taskId} ${isDuplicate}`))
 * })
 * const body = { statusUpdate: { taskId: "t-1", contextId: "c-1", status: { state: "TASK_STATE_WORKING" } } }
 * const post = (token: string) =>
 *   HttpClientRequest.post("http://app.test/hook", { headers: { "x-a2a-notification-token": token } }).pipe(
 *     HttpClientRequest.bodyJsonUnsafe(body),
 *     HttpClient.execute,
 *     Effect.map(({ status }) => status)
 *   )
 * const statuses = Effect.forEach(["t-42", "t-42", "guess"], post)
 * await Effect.runPromise(statuses.pipe(Effect.provide(Wire.layerHttp(routes)))) // => [204, 204, 401]
 * seen // => ["t-1 false", "t-1 true"]
 * ```
 *
 * @since 0.1.0
 */
import { type AgentErrorReason, reason } from "@effect-a2a/core/AgentError"
import type * as Protocol from "@effect-a2a/core/Protocol"
import * as ServerHandler from "@effect-a2a/core/ServerHandler"
import type * as StreamEvent from "@effect-a2a/core/StreamEvent"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as KeyTable from "./internal/authentication/keyTable.ts"
import { invalid } from "./internal/validation.ts"

/** A notification that was accepted. */
export interface Notification {
  /** The task; `undefined` for a message without one. */
  readonly taskId: string | undefined
  /** The event of 1.0; of 0.3, the task. A hint: read the task when it matters. */
  readonly event: StreamEvent.StreamEvent
  /**
   * True if the same notification arrived before, which happens when a response is lost: one of the same body, and of the
   * same `webhook-id` if the agent sends that header. Without it, equal chunks of an artifact are taken for duplicates.
   */
  readonly isDuplicate: boolean
}

/** The place of a receiver, and what it accepts. */
export interface Options<R> {
  /** Default: `/`. `/*` accepts any path. */
  readonly path?: HttpRouter.PathInput | undefined
  /** The token of the configurations; others are refused with HTTP 401. Default: any. */
  readonly token?: Redacted.Redacted | undefined
  /** Verifies a notification further, such as `PushSignature.makeVerifier(…)`. Default: none. */
  readonly verify?:
    | ((
      notification: { readonly authorization: Redacted.Redacted | undefined; readonly body: Uint8Array }
    ) => Effect.Effect<unknown, AgentErrorReason, R>)
    | undefined
  /** Handles a notification. If it fails, the failure is logged, the response is HTTP 500, and the agent sends again. */
  readonly onNotification: (notification: Notification) => Effect.Effect<void, unknown, R>
  /** The most notifications that are remembered to mark duplicates. Default: 10,000. */
  readonly maxRemembered?: number | undefined
  /** The protocol versions whose bodies are read. Default: 1.0 and 0.3. */
  readonly protocols?: ReadonlyArray<Protocol.Protocol> | undefined
}

/** Reads a body by the first version that can. */
const decode = (
  protocols: ReadonlyArray<Protocol.Protocol>,
  json: unknown
): Effect.Effect<StreamEvent.StreamEvent, AgentErrorReason> =>
  Effect.suspend(() => {
    for (const { jsonRpc } of protocols) {
      const result = jsonRpc.dialect.success.SendStreamingMessage?.decode(json)
      if (result !== undefined && Result.isSuccess(result)) return Effect.succeed(result.success)
    }
    return Effect.fail(
      invalid("body", `must be an event or a task of A2A ${protocols.map((one) => one.version).join(", ")}`)
    )
  })

const taskIdOf = (event: StreamEvent.StreamEvent): string | undefined => event._tag === "Task" ? event.id : event.taskId

/** Makes the function that returns whether a text was seen before, among the latest. */
const makeSeen = (max: number) => {
  const seen = new Set<string>()
  return {
    has: (text: string) => seen.has(text),
    add: (text: string) => {
      seen.add(text)
      if (seen.size <= max) return
      const [oldest] = seen
      if (oldest !== undefined) seen.delete(oldest)
    }
  }
}

const unauthenticated = reason("UnauthenticatedError", { message: "the notification's token is not accepted" })

const unhandled = reason("InternalError", { message: "the notification was not handled: send it again" })

const hash = (text: string): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))),
    (digest) => String.fromCharCode(...new Uint8Array(digest))
  )

/** Adds `POST {path}`. The token is compared in constant time, before the body is read. */
export const routes = <R = never>(options: Options<R>): Layer.Layer<never, never, HttpRouter.HttpRouter | R> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const { onNotification, protocols = ServerHandler.protocols, token, verify } = options
    const router = yield* HttpRouter.HttpRouter
    const context = yield* Effect.context<R>()
    const find = token === undefined
      ? undefined
      : yield* Effect.orDie(KeyTable.make([{ caller: { id: "sender" }, secret: Redacted.value(token) }]))
    const seen = makeSeen(options.maxRemembered ?? 10_000)
    const receive = Effect.fnUntraced(function*(request: HttpServerRequest) {
      const given = request.headers["x-a2a-notification-token"] ?? ""
      if (find !== undefined && (yield* find(given)) === undefined) {
        return yield* Effect.fail(ServerHandler.fromReason(unauthenticated))
      }
      const json = yield* ServerHandler.readBody(request)
      yield* Effect.gen(function*() {
        const text = yield* Effect.orDie(request.text)
        const { authorization } = request.headers
        if (verify !== undefined) {
          yield* verify({
            authorization: authorization === undefined ? undefined : Redacted.make(authorization),
            body: new TextEncoder().encode(text)
          })
        }
        const event = yield* decode(protocols, json)
        const key = yield* hash(`${request.headers["webhook-id"] ?? ""}\n${text}`)
        yield* onNotification({ taskId: taskIdOf(event), event, isDuplicate: seen.has(key) }).pipe(
          Effect.catch((error) =>
            Effect.andThen(Effect.logError("A push notification was not handled", error), Effect.fail(unhandled))
          )
        )
        seen.add(key)
      }).pipe(Effect.mapError(ServerHandler.fromReason), Effect.provideContext(context))
      return HttpServerResponse.empty({ status: 204 })
    })
    yield* router.add("POST", options.path ?? "/", (request: HttpServerRequest) =>
      receive(request).pipe(
        ServerHandler.catchToResponse((failure) => {
          const { body, status } = (protocols[0] ?? ServerHandler.protocols[0]).http.failure.encode(failure)
          return HttpServerResponse.jsonUnsafe(body, { status, headers: ServerHandler.toHeaders(failure) })
        })
      ))
  }))

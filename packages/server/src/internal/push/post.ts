/** Posts one notification, again if need be. Spans and logs contain neither queries nor credentials. */
import * as HttpPeer from "@effect-a2a/core/HttpPeer"
import type * as PushNotification from "@effect-a2a/core/PushNotification"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"

export interface Options {
  readonly client: HttpClient.HttpClient
  readonly sign: ((body: Uint8Array) => Effect.Effect<Redacted.Redacted>) | undefined
  readonly attemptTimeout: Duration.Duration
  readonly firstPause: Duration.Duration
}

export interface Notification {
  readonly config: Redacted.Redacted<PushNotification.TaskPushNotificationConfig>
  readonly contentType: string
  readonly body: Uint8Array<ArrayBuffer>
  /** The same in each attempt, so that receivers know repetitions. */
  readonly id: string
  /** The end of its time, in milliseconds since the epoch. */
  readonly deadline: number
}

/** The receiver took it, refused it, was not reached in time, or wants no more. */
export type Outcome = "delivered" | "refused" | "expired" | "gone"

type Attempt = Exclude<Outcome, "expired"> | { readonly retryAfter: Duration.Duration | undefined }

const longestPause = Duration.seconds(30)

const toRequest = Effect.fnUntraced(function*({ sign }: Options, { body, config, contentType, id }: Notification) {
  const { authentication, token, url } = Redacted.value(config)
  const signature = authentication?.credentials === undefined ? yield* sign?.(body) ?? Effect.undefined : undefined
  const authorization = authentication?.credentials === undefined
    ? signature && Redacted.value(signature)
    : `${authentication.scheme} ${authentication.credentials}`
  return HttpClientRequest.post(url, {
    headers: {
      "webhook-id": id,
      ...(authorization === undefined ? undefined : { authorization }),
      ...(token === undefined ? undefined : { "x-a2a-notification-token": token })
    }
  }).pipe(HttpClientRequest.bodyUint8Array(body, contentType))
})

const attempt = (options: Options, notification: Notification): Effect.Effect<Attempt> =>
  Effect.gen(function*(): Effect.fn.Return<Attempt, unknown> {
    const response = yield* options.client.execute(yield* toRequest(options, notification))
    const { status } = response
    const retryAfter = yield* HttpPeer.retryAfter(response)
    yield* HttpPeer.release(response)
    if (status >= 200 && status < 300) return "delivered"
    if (status === 410) return "gone"
    return status === 408 || status === 429 || status >= 500 ? { retryAfter } : "refused"
  }).pipe(
    Effect.timeoutOption(options.attemptTimeout),
    Effect.map(Option.getOrElse((): Attempt => ({ retryAfter: undefined }))),
    // an address in a private network stays one
    Effect.catch((error) =>
      Effect.succeed<Attempt>(
        HttpClientError.isHttpClientError(error) && error.reason._tag === "InvalidUrlError"
          ? "refused"
          : { retryAfter: undefined }
      )
    )
  )

/** Makes the function that posts a notification, at least once, until it is taken or refused, or its time is over. */
export const make = (options: Options) => (notification: Notification): Effect.Effect<Outcome> => {
  const go = (pause: Duration.Duration): Effect.Effect<Outcome> =>
    Effect.gen(function*() {
      const result = yield* attempt(options, notification)
      if (typeof result === "string") return result
      const jittered = Duration.times(pause, yield* Random.nextBetween(0.5, 1))
      const wait = Duration.max(jittered, result.retryAfter ?? Duration.zero)
      const now = yield* Clock.currentTimeMillis
      if (now + Duration.toMillis(wait) > notification.deadline) return "expired"
      yield* Effect.sleep(wait)
      return yield* go(Duration.min(Duration.times(pause, 2), longestPause))
    })
  const { taskId, url } = Redacted.value(notification.config)
  return go(options.firstPause).pipe(
    Effect.tap((outcome) => Effect.annotateCurrentSpan("a2a.push.outcome", outcome)),
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
    Effect.withSpan("PushSender.post", { kind: "producer", root: true }),
    Effect.tap((outcome) =>
      // clients choose the webhooks: they must not fill the log
      outcome === "delivered"
        ? Effect.void
        : Effect.logDebug(`A push notification was not delivered: ${outcome}`, {
          taskId,
          origin: URL.parse(url)?.origin
        })
    )
  )
}

/** Posts one notification, again if need be. Spans and logs contain neither queries nor credentials. */
import * as HttpPeer from "@effect-a2a/core/HttpPeer"
import type * as PushNotification from "@effect-a2a/core/PushNotification"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"

export interface Options {
  readonly client: HttpClient.HttpClient
  readonly sign: ((body: Uint8Array) => Effect.Effect<Redacted.Redacted>) | undefined
  readonly attemptTimeout: Duration.Duration
  readonly totalTimeout: Duration.Duration
  readonly firstPause: Duration.Duration
}

export interface Notification {
  readonly config: Redacted.Redacted<PushNotification.TaskPushNotificationConfig>
  readonly contentType: string
  readonly body: Uint8Array<ArrayBuffer>
}

/** The receiver took it, refused it, was not reached in time, or wants no more. */
export type Outcome = "delivered" | "refused" | "expired" | "gone"

type Attempt = Exclude<Outcome, "expired"> | { readonly retryAfter: Duration.Duration | undefined }

const longestPause = Duration.seconds(30)

const toRequest = Effect.fnUntraced(function*({ sign }: Options, { body, config, contentType }: Notification) {
  const { authentication, token, url } = Redacted.value(config)
  const signature = authentication?.credentials === undefined ? yield* sign?.(body) ?? Effect.undefined : undefined
  const authorization = authentication?.credentials === undefined
    ? signature && Redacted.value(signature)
    : `${authentication.scheme} ${authentication.credentials}`
  return HttpClientRequest.post(url, {
    headers: {
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
    Effect.catch(() => Effect.succeed<Attempt>({ retryAfter: undefined }))
  )

/** Makes the function that posts a notification until it is taken or refused, or its time is over. */
export const make = (options: Options) => (notification: Notification): Effect.Effect<Outcome> => {
  const go = (pause: Duration.Duration): Effect.Effect<Outcome> =>
    Effect.flatMap(attempt(options, notification), (result) => {
      if (typeof result === "string") return Effect.succeed(result)
      return Effect.flatMap(Random.nextBetween(0.5, 1), (jitter) =>
        Effect.andThen(
          Effect.sleep(Duration.max(Duration.times(pause, jitter), result.retryAfter ?? Duration.zero)),
          go(Duration.min(Duration.times(pause, 2), longestPause))
        ))
    })
  return go(options.firstPause).pipe(
    Effect.timeoutOption(options.totalTimeout),
    Effect.map(Option.getOrElse((): Outcome => "expired")),
    Effect.tap((outcome) => Effect.annotateCurrentSpan("a2a.push.outcome", outcome)),
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
    Effect.withSpan("PushSender.post", { kind: "producer", root: true }),
    Effect.tap((outcome) =>
      outcome === "delivered"
        ? Effect.void
        : Effect.logWarning(`A push notification was not delivered: ${outcome}`, {
          taskId: Redacted.value(notification.config).taskId,
          origin: URL.parse(Redacted.value(notification.config).url)?.origin
        })
    )
  )
}

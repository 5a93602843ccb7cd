/**
 * A token that all tabs of an origin have together: had once, renewed once, and kept in memory. Tabs tell each other over
 * a BroadcastChannel, and take turns by Web Locks. Scripts of the same origin can listen, as they could to fetch itself.
 *
 * ```ts
 * import { BrowserCredentials } from "@effect-a2a/browser"
 * import { Duration, Effect, Layer, Redacted } from "effect"
 *
 * const credentials = BrowserCredentials.layerShared({
 *   name: "agent.test",
 *   read: Effect.sync(() => ({ value: Redacted.make("token"), expiresIn: Duration.minutes(5) }))
 * })
 * Layer.isLayer(credentials) // => true
 * ```
 *
 * @since 0.1.0
 */
import type { AgentError } from "@effect-a2a/core/AgentError"
import * as Credentials from "@effect-a2a/core/Credentials"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { CurrentChannels, CurrentLocks } from "./Tabs.ts"

/**
 * `name`: tabs with the same name have the token together; one name for each agent and user. `read` is asked when no tab
 * has a token that lasts, and when an agent refuses the one there is, see `Credentials.layerBearerEffect`.
 */
export interface Options<R> {
  readonly name: string
  readonly read: Effect.Effect<Credentials.Token | Redacted.Redacted, AgentError, R>
}

/** How long another tab may take to say that it has a token. */
const patience = Duration.millis(200)

/** A token, when it was had, and when it ends (ms). */
const Shared = Schema.Struct({
  token: Schema.String,
  since: Schema.Finite,
  end: Schema.optionalKey(Schema.Finite)
})
type Shared = typeof Shared.Type

const decode = Schema.decodeUnknownOption(Shared)

/** Asks for a token newer than the one of `ask`. */
const isQuestion = (message: unknown): message is { readonly ask: number } =>
  Predicate.hasProperty(message, "ask") && typeof message.ask === "number"

/** Where a token is kept besides. */
interface Keep {
  readonly load: Effect.Effect<unknown>
  readonly save: (shared: Shared) => Effect.Effect<void>
}

const nowhere: Keep = { load: Effect.undefined, save: () => Effect.void }

const reader = Effect.fnUntraced(function*<R>({ name, read }: Options<R>, keep: Keep) {
  const id = `@effect-a2a/browser/${name}`
  const locks = yield* CurrentLocks
  const channel = yield* (yield* CurrentChannels)(id)
  const came = Latch.makeUnsafe(false)
  let known: Shared | undefined
  let given = -Infinity

  const learn = (shared: unknown) => {
    const told = Option.getOrUndefined(decode(shared))
    if (told === undefined || told.since <= (known?.since ?? -Infinity)) return
    known = told
    if (told.since > given) came.openUnsafe()
  }

  /** A token that lasts, and was had later than another. */
  const newerThan = (since: number, now: number): Shared | undefined =>
    known !== undefined && known.since > since && now < (known.end ?? Infinity) ? known : undefined

  yield* Stream.runForEach(channel.messages, (message) => {
    if (!isQuestion(message)) return Effect.sync(() => learn(message))
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const answer = newerThan(message.ask, now)
      return answer === undefined ? Effect.void : channel.post(answer)
    })
  }).pipe(Effect.forkScoped({ startImmediately: true }))

  const renew = Effect.gen(function*() {
    const found = yield* read
    const token: Credentials.Token = Redacted.isRedacted(found) ? { value: found } : found
    const since = yield* Clock.currentTimeMillis
    const shared = {
      token: Redacted.value(token.value),
      since,
      ...(token.expiresIn === undefined ? undefined : { end: since + Duration.toMillis(token.expiresIn) })
    }
    known = shared
    yield* keep.save(shared)
    yield* channel.post(shared)
    return shared
  })

  return locks(id)(Effect.gen(function*() {
    came.closeUnsafe()
    learn(yield* keep.load)
    const now = yield* Clock.currentTimeMillis
    if (newerThan(given, now) === undefined) {
      yield* channel.post({ ask: given })
      yield* Effect.timeoutOption(came.await, patience)
    }
    const shared = newerThan(given, now) ?? (yield* renew)
    given = shared.since
    return {
      value: Redacted.make(shared.token),
      ...(shared.end === undefined ? undefined : { expiresIn: Duration.millis(shared.end - now) })
    }
  }))
})

const make = <R>(options: Options<R>, keep: Keep): Layer.Layer<Credentials.Credentials, never, R> =>
  Layer.unwrap(Effect.map(reader(options, keep), Credentials.layerBearerEffect))

/** The token in memory only: it goes with the last tab. */
export const layerShared = <R = never>(options: Options<R>): Layer.Layer<Credentials.Credentials, never, R> =>
  make(options, nowhere)

/**
 * The token in `localStorage` besides, for the next visit. Whoever can run a script on the page, once, can take it away
 * from there: prefer {@link layerShared}, with a `read` that needs nobody's attention.
 */
export const layerLocalStorage = <R = never>(options: Options<R>): Layer.Layer<Credentials.Credentials, never, R> => {
  const key = `@effect-a2a/browser/${options.name}`
  return make(options, {
    load: Effect.sync(() => JSON.parse(globalThis.localStorage.getItem(key) ?? "null")).pipe(
      Effect.catchDefect(() => Effect.undefined)
    ),
    save: (shared) =>
      Effect.sync(() => globalThis.localStorage.setItem(key, JSON.stringify(shared))).pipe(
        Effect.catchDefect(() => Effect.void)
      )
  })
}

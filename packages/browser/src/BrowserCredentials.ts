/**
 * A token that all tabs of an origin share: read once, renewed once, and held in memory. Tabs exchange it over a
 * `BroadcastChannel` and take turns by Web Locks. Scripts of the same origin can listen to it, as they could to `fetch`.
 *
 * ```ts
 * import { BrowserCredentials } from "@effect-a2a/browser"
 * import { Credentials } from "@effect-a2a/core"
 * import { Duration, Effect, Redacted } from "effect"
 *
 * let reads = 0
 * const tab = BrowserCredentials.layerShared({
 *   name: "agent.test",
 *   read: Effect.sync(() => ({ value: Redacted.make(`token-${++reads}`), expiresIn: Duration.minutes(5) }))
 * })
 * const target = { url: "https://agent.test", protocolBinding: "JSONRPC", protocolVersion: "1.0" }
 * const open = Effect.flatMap(Credentials.Credentials, (credentials) => credentials.get(target))
 * const tabs = Effect.provide(Effect.andThen(open, Effect.provide(open, tab)), tab)
 * await Effect.runPromise(tabs)
 * reads // => 1
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

/** The name of the shared token, and how it is read. */
export interface Options<R> {
  /** Tabs with the same name share the token; use one name for each agent and user. */
  readonly name: string
  /**
   * Reads a token. Runs if no tab has a valid token, and if an agent refuses the current one, see
   * `Credentials.layerBearerEffect`.
   */
  readonly read: Effect.Effect<Credentials.Token | Redacted.Redacted, AgentError, R>
}

/** The time that other tabs have to answer with their token. */
const answerTimeout = Duration.millis(200)

/** A token with the times when it was read and when it expires, in milliseconds. */
const Shared = Schema.Struct({
  token: Schema.String,
  since: Schema.Finite,
  end: Schema.optionalKey(Schema.Finite)
})
type Shared = typeof Shared.Type

const decode = Schema.decodeUnknownOption(Shared)

/** Checks for a request of another tab: it asks for a token that was read after `ask`. */
const isQuestion = (message: unknown): message is { readonly ask: number } =>
  Predicate.hasProperty(message, "ask") && typeof message.ask === "number"

/** A store beside the tabs' memory. */
interface Store {
  readonly load: Effect.Effect<unknown>
  readonly save: (shared: Shared) => Effect.Effect<void>
}

const nowhere: Store = { load: Effect.undefined, save: () => Effect.void }

const reader = Effect.fnUntraced(function*<R>({ name, read }: Options<R>, store: Store) {
  const id = `@effect-a2a/browser/${name}`
  const locks = yield* CurrentLocks
  const channel = yield* (yield* CurrentChannels)(id)
  const came = Latch.makeUnsafe(false)
  let known: Shared | undefined
  let given = -Infinity

  const learn = (shared: unknown) => {
    const other = Option.getOrUndefined(decode(shared))
    if (other === undefined || other.since <= (known?.since ?? -Infinity)) return
    known = other
    if (other.since > given) came.openUnsafe()
  }

  /** Returns the known token if it is valid and was read after the given time. */
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
    yield* store.save(shared)
    yield* channel.post(shared)
    return shared
  })

  return locks(id)(Effect.gen(function*() {
    came.closeUnsafe()
    learn(yield* store.load)
    const now = yield* Clock.currentTimeMillis
    if (newerThan(given, now) === undefined) {
      yield* channel.post({ ask: given })
      yield* Effect.timeoutOption(came.await, answerTimeout)
    }
    const shared = newerThan(given, now) ?? (yield* renew)
    given = shared.since
    return {
      value: Redacted.make(shared.token),
      ...(shared.end === undefined ? undefined : { expiresIn: Duration.millis(shared.end - now) })
    }
  }))
})

const make = <R>(options: Options<R>, store: Store): Layer.Layer<Credentials.Credentials, never, R> =>
  Layer.unwrap(Effect.map(reader(options, store), Credentials.layerBearerEffect))

/** Provides a token that is held in memory only, and is gone when the last tab closes. */
export const layerShared = <R = never>(options: Options<R>): Layer.Layer<Credentials.Credentials, never, R> =>
  make(options, nowhere)

/**
 * Provides a token that is also stored in `localStorage`, for the next visit. A script that runs on the page once can steal
 * it from there: prefer {@link layerShared}, with a `read` that needs no user interaction.
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

/** Runs of an agent. Tested in packages/transport-adk/test/run.test.ts. */
import * as HttpBinding from "@effect-a2a/core/HttpBinding"
import * as HttpPeer from "@effect-a2a/core/HttpPeer"
import * as KeyedLock from "@effect-a2a/core/KeyedLock"
import * as Timeouts from "@effect-a2a/core/Timeouts"
import * as Effect from "effect/Effect"
import { flow } from "effect/Function"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type AdkError, withDelivery } from "../../AdkError.ts"
import { Event } from "../../AdkEvent.ts"
import * as AdkRun from "../../AdkRun.ts"
import type * as AdkSession from "../../AdkSession.ts"
import * as EventStream from "./eventStream.ts"
import * as Http from "./http.ts"

export interface Options {
  readonly http: Http.Http
  readonly withApp: <K extends AdkSession.Owner>(key: K) => K
  readonly serialize: boolean
}

const encodeRun = Http.makeEncoder(AdkRun.RunRequest)

/** Releases what was acquired if the effect fails, not only when the scope closes. */
const releaseOnFailure = <A, E>(self: Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A, E, Scope.Scope> =>
  Effect.flatMap(Effect.flatMap(Effect.scope, (outer) => Scope.fork(outer)), (scope) =>
    Scope.provide(self, scope).pipe(
      Effect.onExit((exit) => exit._tag === "Failure" ? Scope.close(scope, exit) : Effect.void)
    ))

/** Creates the operations that run an agent. */
export const make = ({ http, serialize, withApp }: Options) => {
  const { execute, fetchAs, asOperation, notAStream, toRefusal } = http
  const toError = (operation: string) => flow(http.toError(operation), withDelivery)
  const lock = KeyedLock.makeUnsafe<string>()
  const fetchEvents = fetchAs(Schema.Array(Event), [])

  const prepare = Effect.fnUntraced(function*(operation: string, path: string, given: AdkRun.RunRequest) {
    const run = withApp(given)
    yield* Http.check(AdkRun.violations(run))
    const body = yield* encodeRun(run)
    const request: Http.Request = { operation, method: "POST", path: [path], body, subject: run, isRun: true }
    return request
  })

  const takeSession = (given: AdkRun.RunRequest): Effect.Effect<void, never, Scope.Scope> => {
    const { appName, sessionId, userId } = withApp(given)
    return serialize ? lock.take(JSON.stringify([appName, userId, sessionId])) : Effect.void
  }

  const run = (given: AdkRun.RunRequest): Effect.Effect<ReadonlyArray<Event>, AdkError> =>
    prepare("run", "run", given).pipe(
      Effect.flatMap(fetchEvents),
      asOperation("run"),
      Effect.mapError(withDelivery),
      (events) => Effect.andThen(takeSession(given), events),
      Effect.scoped
    )

  const prepareStream = Effect.fnUntraced(function*(given: AdkRun.RunRequest) {
    const request = yield* prepare("runSse", "run_sse", given)
    const { maxEventSize } = yield* HttpBinding.CurrentLimits
    yield* takeSession(given)
    return { request, maxEventSize }
  })

  /** Returns the events once the server has accepted the run. */
  const open = Effect.fnUntraced(
    function*({ maxEventSize, request }: Effect.Success<ReturnType<typeof prepareStream>>) {
      const received = yield* execute(request, "text/event-stream")
      const { redact, response } = received
      const mediaType = HttpPeer.mediaType(response)
      if (response.status < 400 && mediaType === "text/event-stream") {
        return Stream.mapError(EventStream.fromBytes(maxEventSize)(Timeouts.withIdle(response.stream)), redact)
      }
      const whole = yield* http.read(received)
      return yield* Effect.fail(
        response.status < 400 ? notAStream(request, whole) : yield* toRefusal(request, whole)
      )
    }
  )

  const runSse = (given: AdkRun.RunRequest): Stream.Stream<Event, AdkError> =>
    prepareStream(given).pipe(
      Effect.map((prepared) => Timeouts.withStreamTotal(Stream.unwrap(open(prepared)))),
      Stream.unwrap,
      Stream.mapError(toError("runSse"))
    )

  const openSse = (
    given: AdkRun.RunRequest
  ): Effect.Effect<Stream.Stream<Event, AdkError>, AdkError, Scope.Scope> =>
    prepareStream(given).pipe(
      Effect.flatMap((prepared) => Timeouts.withTotal(open(prepared))),
      Effect.map((events) => Timeouts.withStreamTotal(events).pipe(Stream.mapError(toError("openSse")))),
      Effect.mapError(toError("openSse")),
      releaseOnFailure
    )

  return { run, runSse, openSse }
}

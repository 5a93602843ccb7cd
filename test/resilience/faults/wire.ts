/** The run over HTTP without sockets, on a clock that advances whenever nothing else runs. */
import * as AgentTransport from "@effect-a2a/core/AgentTransport"
import * as Wire from "@effect-a2a/testing/Wire"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as TestClock from "effect/testing/TestClock"
import { fastForward } from "../support.ts"
import { services } from "./peers.ts"
import { run } from "./run.ts"

const fibers = Effect.map(Metric.snapshot, (all) => {
  const active = all.find(({ id }) => id === "child_fibers_active")
  return active !== undefined && "value" in active.state ? Number(active.state.value) : 0
})

const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** The number of fibers after background work has ended: the least of several samples, since the clock has fibers too. */
const settled = Effect.sleep("10 minutes").pipe(
  Effect.andThen(Effect.forEach(Array.from({ length: 20 }), () => Effect.andThen(turn, fibers))),
  Effect.map((looks) => Math.min(...looks))
)

export const overWire = (options: { readonly streams: number; readonly seed: number }) =>
  Effect.scoped(Effect.gen(function*() {
    const peers = yield* Effect.forEach(
      services(Duration.seconds(2)),
      ({ peers, routes }) =>
        Effect.map(Layer.build(Wire.layerHttp(routes)), (context) => {
          const client = Layer.succeedContext(context)
          return peers("http://peer.test", { client, clean: client })
        })
    )
    const all = peers.flat()
    const running = {
      peers: all,
      concurrency: 8,
      timeouts: { response: "5 minutes", idle: "5 minutes" },
      policy: () => AgentTransport.backoff(4),
      patience: 6 * 3_600_000
    } as const
    // the first streams start the fibers that live on
    yield* run({ ...running, streams: all.length, seed: 0, rate: 0 })
    const before = yield* settled
    const report = yield* run({ ...running, ...options, rate: 0.5 })
    const left = (yield* settled) - before
    return left > 0 ? { ...report, wrong: [...report.wrong, `${left} fibers are left`] } : report
  })).pipe(fastForward, Effect.provide(TestClock.layer()), Metric.enableRuntimeMetrics)

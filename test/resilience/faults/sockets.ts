/** The run over loopback sockets, through the cutting proxy. */
import * as NodeAgent from "@effect-a2a/node/NodeAgent"
import * as NodeAgentServer from "@effect-a2a/node/NodeAgentServer"
import * as Fault from "@effect-a2a/testing/Fault"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as process from "node:process"
import * as Proxy from "../../support/proxy.ts"
import { services } from "./peers.ts"
import { type Report, run } from "./run.ts"

const sockets = Effect.sync(() => process.getActiveResourcesInfo().filter((one) => one.startsWith("TCP")).length)

const merge = (reports: ReadonlyArray<Report>): Report => {
  const sum = (pick: (one: Report) => Readonly<Record<string, number>>) =>
    reports.map(pick).reduce<Record<string, number>>((all, one) => {
      for (const [name, n] of Object.entries(one)) all[name] = (all[name] ?? 0) + n
      return all
    }, {})
  const { resumed, streams, undisturbed } = sum(({ resumed, streams, undisturbed }) => ({
    resumed,
    streams,
    undisturbed
  }))
  return {
    streams: streams!,
    undisturbed: undisturbed!,
    resumed: resumed!,
    errors: sum(({ errors }) => errors),
    faults: sum(({ faults }) => faults),
    wrong: reports.flatMap(({ wrong }) => wrong)
  }
}

/** Cuts four in ten responses within their first bytes, one in ten of these before the first. */
const byChance = (next: () => number): Proxy.Plan => () => {
  const how = (["reset", "end", "stall"] as const)[Math.floor(next() * 3)]!
  const after = Math.floor(next() * 2000)
  return next() < 0.4 ? { how, after: next() < 0.1 ? 0 : after } : undefined
}

/** One service behind one proxy; each of its four combinations in turn. */
const behindProxy = (
  service: ReturnType<typeof services>[number],
  options: { readonly streams: number; readonly seed: number }
) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* Layer.build(
      NodeAgentServer.layer({ routes: service.routes, port: 0, shutdown: "100 millis" })
    )
    const { address } = yield* HttpServer.HttpServer.pipe(Effect.provide(server))
    const target = "port" in address ? address.port : yield* Effect.die("no port")
    const proxy = yield* Proxy.make(target)
    yield* proxy.plan(byChance(Fault.random(options.seed)))
    const clean = NodeAgent.layerClient
    // runs without faults bypass the proxy
    const direct = service.peers(`http://127.0.0.1:${target}`, { client: clean, clean })
    const client = yield* Layer.build(clean)
    const peers = service.peers(proxy.origin, { client: Layer.succeedContext(client), clean })
    const report = yield* run({
      ...options,
      peers: peers.map((peer, at) => ({ ...peer, undisturbed: direct[at]!.transport })),
      concurrency: 8,
      rate: 0,
      timeouts: { response: "500 millis", idle: "500 millis" },
      policy: () => Schedule.exponential("5 millis").pipe(Schedule.upTo({ times: 6 })),
      patience: 60_000
    })
    return { ...report, faults: { answers: proxy.answers.length, ...proxy.faults } }
  }))

export const overSockets = Effect.fnUntraced(function*(options: { readonly streams: number; readonly seed: number }) {
  const before = yield* sockets
  const all = services(Duration.millis(10))
  const report = merge(
    yield* Effect.forEach(
      all,
      (service, at) =>
        behindProxy(service, { streams: Math.ceil(options.streams / all.length), seed: options.seed + at })
    )
  )
  const isBaseline = Effect.map(sockets, (now) => now <= before)
  yield* Effect.repeat(Effect.andThen(Effect.sleep("20 millis"), isBaseline), { until: (yes) => yes, times: 250 })
  const left = (yield* sockets) - before
  return left > 0 ? { ...report, wrong: [...report.wrong, `${left} sockets are left`] } : report
})

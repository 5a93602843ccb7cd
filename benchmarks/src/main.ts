/**
 * `pnpm bench [--events N] [--rounds N] [--json]`: measures the events per second of each client in each combination of
 * protocol version and binding, and the time for one large event by its size. The server is a child process. Clients and
 * combinations take turns over several rounds, after one for warming up; the median round is reported.
 */
import * as Effect from "effect/Effect"
import { fork } from "node:child_process"
import { once } from "node:events"
import * as path from "node:path"
import { parseArgs } from "node:util"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { type Client, clients } from "./clients.ts"
import { type Combination, combinations } from "./wire.ts"

const options = parseArgs({
  options: {
    events: { type: "string", default: "50000" },
    rounds: { type: "string", default: "5" },
    only: { type: "string" },
    json: { type: "boolean", default: false }
  }
}).values
const events = Number(options.events)
const rounds = Number(options.rounds)
const sizes = [1, 4, 16]

setFlagsFromString("--expose-gc")
const collectGarbage: () => void = runInNewContext("gc")

const server = Effect.acquireRelease(
  Effect.promise(async () => {
    const child = fork(path.join(import.meta.dirname, "server.ts"), [String(events)])
    const [port] = await once(child, "message")
    return { child, origin: `http://127.0.0.1:${port}` }
  }),
  ({ child }) => Effect.sync(() => child.disconnect())
)

const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}

/** One measurement, and its time in each round in milliseconds. */
interface Lane {
  readonly combination: Combination
  readonly name: string
  readonly load: string
  readonly expected: number
  readonly client: Client
  readonly times: Array<number>
}

const lane = (combination: Combination, name: string, load: string, expected: number): Lane => ({
  combination,
  name,
  load,
  expected,
  client: clients[name]!,
  times: []
})

const run = Effect.fnUntraced(function*(lane: Lane, origin: string) {
  collectGarbage()
  const start = performance.now()
  const count = yield* lane.client(lane.combination, origin, lane.load)
  const time = performance.now() - start
  if (count !== lane.expected) {
    return yield* Effect.die(new Error(`${lane.name} read ${count} of ${lane.expected} events of ${lane.combination}`))
  }
  return time
})

const runAll = Effect.fnUntraced(function*(lanes: ReadonlyArray<Lane>, origin: string) {
  for (let round = 0; round <= rounds; round++) {
    // another client goes first in every round
    for (const [index] of lanes.entries()) {
      const lane = lanes[(index + round) % lanes.length]!
      const time = yield* run(lane, origin)
      if (round > 0) lane.times.push(time)
    }
  }
})

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) => {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)))
  for (const row of [head, ...rows]) {
    process.stdout.write(
      `${
        row.map((text, column) => column === 0 ? text.padEnd(widths[0]!) : text.padStart(widths[column]!)).join("  ")
      }\n`
    )
  }
  process.stdout.write("\n")
}

const program = Effect.gen(function*() {
  const { origin } = yield* server
  const chosen = Object.keys(clients).filter((name) => name.includes(options.only ?? ""))
  const small = combinations.flatMap((combination) =>
    chosen.map((name) => lane(combination, name, "small", events + 2))
  )
  // the reference client refuses events of more than 4 MiB
  const large = combinations.flatMap((combination) =>
    chosen.filter((name) => name !== "@a2a-js/sdk").flatMap((name) =>
      sizes.map((size) => lane(combination, name, `large/${size}`, 3))
    )
  )
  yield* runAll(small, origin)
  yield* runAll(large, origin)

  const find = (lanes: ReadonlyArray<Lane>, combination: Combination, name: string, load = "small") =>
    lanes.find((lane) => lane.combination === combination && lane.name === name && lane.load === load)
  const rate = (combination: Combination, name: string) => {
    const found = find(small, combination, name)
    return found === undefined ? NaN : (events + 2) / median(found.times) * 1000
  }
  const throughput = combinations.map((combination) => ({
    combination,
    eventsPerSecond: Object.fromEntries(chosen.map((name) => [name, Math.round(rate(combination, name))])),
    oursToRaw: rate(combination, "effect-a2a (fetch)") / rate(combination, "raw fetch"),
    oursToJsSdk: rate(combination, "effect-a2a (fetch)") / rate(combination, "@a2a-js/sdk")
  }))
  const largeEvents = combinations.flatMap((combination) =>
    [...new Set(large.map(({ name }) => name))].map((name) => ({
      combination,
      client: name,
      millisecondsPerMebibyte: Object.fromEntries(
        sizes.map((size) => [size, median(find(large, combination, name, `large/${size}`)!.times) / size])
      )
    }))
  )

  if (options.json) {
    process.stdout.write(
      `${JSON.stringify({ node: process.version, events, rounds, throughput, largeEvents }, null, 2)}\n`
    )
    return
  }
  process.stdout.write(`Node ${process.version}, ${events} events, median of ${rounds} rounds\n\n`)
  table(
    ["events/s", ...chosen, "ours/raw", "ours/JS SDK"],
    throughput.map(({ combination, eventsPerSecond, oursToJsSdk, oursToRaw }) => [
      combination,
      ...chosen.map((name) => eventsPerSecond[name]!.toLocaleString("en")),
      oursToRaw.toFixed(2),
      oursToJsSdk.toFixed(2)
    ])
  )
  table(
    ["one large event, ms/MiB", "client", ...sizes.map((size) => `${size} MiB`)],
    largeEvents.map(({ combination, client, millisecondsPerMebibyte }) => [
      combination,
      client,
      ...sizes.map((size) => millisecondsPerMebibyte[size]!.toFixed(2))
    ])
  )
})

await Effect.runPromise(Effect.scoped(program))

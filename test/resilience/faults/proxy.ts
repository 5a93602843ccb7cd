/** A TCP proxy that cuts: what comes back through it is reset, ended or stopped after some bytes, by chance. */
import type { Fault } from "@effect-a2a/testing"
import * as Effect from "effect/Effect"
import * as net from "node:net"

export interface Proxy {
  readonly port: number
  readonly counts: Record<"connections" | "reset" | "end" | "stall" | "refused", number>
}

/** `rate`: how many of the connections are cut; `reach`: within how many bytes. */
export const make = Effect.fnUntraced(function*(options: {
  readonly target: number
  readonly next: ReturnType<typeof Fault.random>
  readonly rate: number
  readonly reach: number
}) {
  const { next, rate, reach, target } = options
  const counts = { connections: 0, reset: 0, end: 0, stall: 0, refused: 0 }
  const sockets = new Set<net.Socket>()
  const track = (socket: net.Socket, other: () => net.Socket | undefined) => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.on("close", () => {
      sockets.delete(socket)
      other()?.destroy()
    })
  }
  const server = net.createServer((client) => {
    counts.connections++
    if (next() < rate * 0.1) {
      counts.refused++
      client.on("error", () => {})
      return client.resetAndDestroy()
    }
    const upstream = net.connect(target, "127.0.0.1")
    track(client, () => upstream)
    track(upstream, () => client)
    client.pipe(upstream)
    const kind = (["reset", "end", "stall"] as const)[Math.floor(next() * 3)]!
    let left = next() < rate ? Math.floor(next() * reach) : Infinity
    upstream.on("data", (bytes) => {
      if (left <= 0) return
      client.write(bytes.subarray(0, left))
      left -= bytes.length
      if (left > 0) return
      counts[kind]++
      if (kind === "reset") client.resetAndDestroy()
      if (kind === "end") client.end()
    })
    upstream.on("end", () => left > 0 && client.end())
  })
  const port = yield* Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as net.AddressInfo).port)))
    }),
    () =>
      Effect.callback<void>((resume) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resume(Effect.void))
      })
  )
  return { port, counts } satisfies Proxy
})

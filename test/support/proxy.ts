/** A TCP proxy that breaks responses by a plan. */
import * as Effect from "effect/Effect"
import * as net from "node:net"

/** A fault of one response: after so many bytes (headers included) it is reset, ended, or stalls. */
export interface Fault {
  readonly how: "reset" | "end" | "stall"
  readonly after: number
}

/** Returns the fault of the n-th response since the plan was set, if it has one. */
export type Plan = (answer: number) => Fault | undefined

export interface Proxy {
  readonly origin: string
  /** Sets the plan and restarts the count of responses. */
  readonly plan: (plan: Plan) => Effect.Effect<void>
  /** The responses since the plan was set, and how many bytes of each were forwarded. */
  readonly answers: ReadonlyArray<{ readonly bytes: number }>
  /** The number of faults of each kind, over all plans. */
  readonly faults: Readonly<Record<Fault["how"], number>>
  /** Sockets to clients that are open. */
  readonly open: Effect.Effect<number>
}

const untouched: Plan = () => undefined

/** Forwards to a port of this machine until the scope closes, which closes all connections. */
export const make = (port: number) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const sockets = new Set<net.Socket>()
        const answers: Array<{ bytes: number }> = []
        const faults = { reset: 0, end: 0, stall: 0 }
        let plan = untouched

        const server = net.createServer({ noDelay: true }, (client) => {
          const agent = net.connect({ port, host: "127.0.0.1", noDelay: true })
          let answer = { bytes: 0 }
          let isAnswered = true
          let fault: Fault | undefined
          const both = (f: (socket: net.Socket) => void) => {
            f(client)
            f(agent)
          }
          const suffer = {
            reset: () => both((socket) => socket.resetAndDestroy()),
            end: () => {
              client.end()
              agent.destroy()
            },
            stall: () => agent.pause()
          }
          sockets.add(client)
          client.on("close", () => {
            sockets.delete(client)
            agent.destroy()
          })
          agent.on("close", () => client.destroySoon())
          both((socket) => socket.on("error", () => both((one) => one.destroy())))
          client.on("data", (bytes) => {
            // a kept connection carries one request after another
            if (isAnswered) {
              answer = { bytes: 0 }
              fault = plan(answers.push(answer) - 1)
              isAnswered = false
            }
            agent.write(bytes)
          })
          agent.on("data", (bytes) => {
            isAnswered = true
            const left = (fault?.after ?? Infinity) - answer.bytes
            const passed = bytes.subarray(0, left)
            answer.bytes += passed.length
            if (bytes.length < left) return client.write(passed)
            const { how } = fault!
            faults[how]++
            client.write(passed, suffer[how])
          })
        })
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
        const proxy: Proxy = {
          origin: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
          plan: (next) =>
            Effect.sync(() => {
              answers.length = 0
              plan = next
            }),
          answers,
          faults,
          open: Effect.sync(() => sockets.size)
        }
        return { proxy, server, sockets }
      }),
      ({ server, sockets }) =>
        Effect.promise(() => {
          const closed = new Promise((resolve) => server.close(resolve))
          for (const socket of sockets) socket.destroy()
          return closed
        })
    ),
    ({ proxy }) => proxy
  )

/**
 * Closes the connections of clients that do not read: what was written for them stays in memory otherwise for as long as
 * they like. Tested in `packages/node/test/limits.test.ts`.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { Server } from "node:http"
import type { Socket } from "node:net"

/** What a connection looked like at the last look, and for how many looks it has not changed. */
interface Look {
  written: number
  unsent: number
  unchanged: number
}

// a connection is closed after four looks without progress
const looks = 4

/** Looks at the server's connections, and closes those whose unsent bytes have not become fewer for `patience`. */
export const closeStalled = Effect.fnUntraced(function*(server: Server, patience: Duration.Duration) {
  const connections = new Map<Socket, Look>()
  const add = (socket: Socket) => {
    connections.set(socket, { written: 0, unsent: 0, unchanged: 0 })
    socket.once("close", () => connections.delete(socket))
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => server.on("connection", add)),
    () => Effect.sync(() => server.off("connection", add))
  )

  const look = Effect.sync(() => {
    for (const [socket, last] of connections) {
      const { bytesWritten: written, writableLength: unsent } = socket
      const isUnchanged = unsent > 0 && unsent === last.unsent && written === last.written
      Object.assign(last, { written, unsent, unchanged: isUnchanged ? last.unchanged + 1 : 0 })
      if (last.unchanged >= looks) socket.destroy()
    }
  })
  yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(Duration.millis(Duration.toMillis(patience) / looks))))
})

/** An agent of the JavaScript SDK on Express and a free port. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import express from "express"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { Peer } from "./peer.ts"

type Handler = (request: http.IncomingMessage, response: http.ServerResponse, next: () => void) => void

/** Refuses any token but `fresh`. */
const guard: Handler = ({ headers: { authorization = "Bearer fresh" } }, response, next) => {
  if (authorization === "Bearer fresh") return next()
  response.writeHead(401, { "www-authenticate": "Bearer error=\"invalid_token\"" }).end("no entry")
}

/** Serves handlers by path, made when the origin is known. */
export const layer = (
  make: (origin: string) => {
    readonly routes: Readonly<Record<string, unknown>>
    readonly finish: (taskId: string) => void
  }
): Layer.Layer<Peer> =>
  Layer.effect(
    Peer,
    Effect.acquireRelease(
      Effect.promise(async () => {
        const app = express()
        const server = http.createServer(app)
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
        const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
        const { finish, routes } = make(origin)
        app.use("/", guard)
        for (const [path, handler] of Object.entries(routes)) app.use(path, handler)
        return { server, service: { origin, finish: (taskId: string) => Effect.sync(() => finish(taskId)) } }
      }),
      ({ server }) =>
        Effect.promise(() => {
          const closed = new Promise((resolve) => server.close(resolve))
          server.closeAllConnections()
          return closed
        })
    ).pipe(Effect.map(({ service }) => service))
  )

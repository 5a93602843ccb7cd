/** An HTTP server on this machine whose responses a test writes, and the list of its requests. */
import * as Effect from "effect/Effect"
import * as http from "node:http"
import type { AddressInfo } from "node:net"

export interface Asked {
  /** `GET /path`, without the query. */
  readonly line: string
  /** The path, with the query. */
  readonly target: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

export type Answer = (asked: Asked, response: http.ServerResponse) => void

export const make = (answer: Answer) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const asked: Array<Asked> = []
        const server = http.createServer((request, response) => {
          let body = ""
          request.setEncoding("utf8").on("data", (text) => body += text).on("end", () => {
            const line = `${request.method} ${request.url!.replace(/\?.*/, "")}`
            asked.push({ line, target: request.url!, headers: request.headers, body })
            answer(asked.at(-1)!, response)
          })
        })
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
        return { asked, server }
      }),
      ({ server }) =>
        Effect.promise(() => {
          server.closeAllConnections()
          return new Promise((resolve) => server.close(resolve))
        })
    ),
    ({ asked, server }) => ({ asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  )

export const json = (response: http.ServerResponse, body: unknown, status = 200): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
}

/** Responds with an event stream; `cut` closes the connection after the last event. */
export const events = (
  response: http.ServerResponse,
  all: ReadonlyArray<unknown>,
  end: "end" | "cut" | "hang" = "end"
) => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  const text = all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")
  response.write(text, () => {
    // the events arrive first
    if (end === "cut") setTimeout(() => response.destroy(), 50)
    if (end === "end") response.end()
  })
}

const ids = { taskId: "t-1", contextId: "c-1" }

/** A task in the dialect of 1.0. */
export const task = (state: string, text?: string) => ({
  id: "t-1",
  contextId: "c-1",
  status: { state: `TASK_STATE_${state}` },
  ...(text !== undefined && { artifacts: [{ artifactId: "a", parts: [{ text }] }] })
})

export const status = (state: string) => ({ statusUpdate: { ...ids, status: { state: `TASK_STATE_${state}` } } })

export const chunk = (text: string, append: boolean) => ({
  artifactUpdate: { ...ids, artifact: { artifactId: "a", parts: [{ text }] }, append }
})

/** An agent of 1.0 over REST whose streams are cut after "Hel"; a subscription continues with "lo you". */
export const cutting: Answer = ({ line }, response) => {
  if (line.endsWith(":stream")) {
    return events(response, [{ task: task("SUBMITTED") }, status("WORKING"), chunk("Hel", false)], "cut")
  }
  if (line.endsWith(":subscribe")) {
    return events(response, [{ task: task("WORKING", "Hello") }, chunk(" you", true), status("COMPLETED")])
  }
  return line.startsWith("GET ") ? json(response, task("COMPLETED", "Hello you")) : json(response, {}, 404)
}

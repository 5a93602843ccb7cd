// Requests as an attacker writes them: no client of ours is in between.
import * as http from "node:http"
import * as net from "node:net"

export interface Answer {
  /** 0 if the connection failed. */
  readonly status: number
  readonly body: string
  /** Milliseconds until the answer was complete. */
  readonly took: number
}

export interface Request {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** Milliseconds after which the request is given up; default: 30,000. */
  readonly limit?: number
}

/** Sends requests of one caller to the server, over separate connections. */
export interface Target {
  readonly port: number
  readonly request: (request: Request) => Promise<Answer>
  readonly rest: (method: string, path: string, body?: unknown) => Promise<Answer>
  readonly rpc: (method: string, params: unknown) => Promise<Answer>
}

const encode = (body: unknown): string | undefined =>
  body === undefined || typeof body === "string" ? body : JSON.stringify(body)

export const connect = (port: number, caller: string, connections = 20): Target => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections })
  const request = ({ body, headers, limit = 30_000, method = "GET", path }: Request) =>
    new Promise<Answer>((resolve) => {
      const begun = performance.now()
      const chunks: Array<Buffer> = []
      const done = (status: number, body: string) => {
        clearTimeout(timer)
        resolve({ status, body, took: performance.now() - begun })
      }
      const sent = http.request(
        {
          host: "127.0.0.1",
          port,
          method,
          path,
          agent,
          headers: { "a2a-version": "1.0", "content-type": "application/json", "x-caller": caller, ...headers }
        },
        (response) => {
          response.on("data", (chunk: Buffer) => chunks.push(chunk))
          response.on("end", () => done(response.statusCode ?? 0, Buffer.concat(chunks).toString()))
          response.on("error", (error) => done(0, String(error)))
        }
      )
      const timer = setTimeout(() => sent.destroy(new Error("given up")), limit)
      sent.on("error", (error) => done(0, String(error)))
      sent.end(body)
    })
  return {
    port,
    request,
    rest: (method, path, body) => {
      const text = encode(body)
      return request({ method, path: `/a2a${path}`, ...(text === undefined ? {} : { body: text }) })
    },
    rpc: (method, params) =>
      request({
        method: "POST",
        path: "/rpc",
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
      })
  }
}

let messages = 0
export const message = (text: string, more: object = {}) => ({
  messageId: `m-${++messages}`,
  role: "ROLE_USER",
  parts: [{ text }],
  ...more
})

/** Writes `text` on a new socket; returns the status codes that arrive until the server closes it, or until `limit`. */
export const socket = (
  port: number,
  text: string | Buffer,
  { limit = 2000, onOpen }: { readonly limit?: number; readonly onOpen?: (socket: net.Socket) => void } = {}
) =>
  new Promise<ReadonlyArray<number>>((resolve) => {
    let received = ""
    const one = net.connect(port, "127.0.0.1", () => {
      one.write(text)
      onOpen?.(one)
    })
    const done = () => {
      clearTimeout(timer)
      one.destroy()
      resolve(Array.from(received.matchAll(/^HTTP\/1\.1 (\d+)/gm), ([, status]) => Number(status)))
    }
    const timer = setTimeout(done, limit)
    one.on("data", (data) => {
      if (received.length < 1e6) received += data.toString("latin1")
    })
    one.on("error", done)
    one.on("close", done)
  })

/** The head of a POST with a JSON body of `length` bytes, or of chunks. */
export const head = (path: string, length: number | "chunked", caller = "mallory"): string => {
  const size = length === "chunked" ? "transfer-encoding: chunked" : `content-length: ${length}`
  const type = "content-type: application/json"
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\na2a-version: 1.0\r\nx-caller: ${caller}\r\n${type}\r\n${size}\r\n\r\n`
}

export const pause = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis))

/** Runs `make` for 0 to `count`, `width` at a time. */
export const each = async <A>(count: number, width: number, make: (index: number) => Promise<A>) => {
  const all: Array<A> = []
  let next = 0
  await Promise.all(Array.from({ length: width }, async () => {
    while (next < count) all.push(await make(next++))
  }))
  return all
}

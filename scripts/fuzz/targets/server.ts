// A server in a process with a small heap, over sockets: it answers each request in the words of its binding, and goes on
// serving another caller.
import * as Result from "effect/Result"
import { connect as open } from "node:net"
import { start } from "../../attack/measure.ts"
import { connect, message } from "../../attack/wire.ts"
import { mutate, mutateText } from "../mutate.ts"
import type { Random } from "../random.ts"
import * as Seeds from "../seeds.ts"
import { finding, type Outcome, parse, refusal, type Target, value } from "../target.ts"

const begin = async () => {
  const { child, port, state } = await start(256)
  return { child, port, said: () => state.said, fuzzer: connect(port, "fuzzer"), other: connect(port, "other") }
}

const requests = Seeds.all.filter(({ name }) => name.includes("request"))

const routes: ReadonlyArray<readonly [string, string, string]> = [
  ["POST", "/message:send", "SendMessage"],
  ["POST", "/message:stream", "SendStreamingMessage"],
  ["GET", "/tasks/t-1", "GetTask"],
  ["GET", "/tasks", "ListTasks"],
  ["POST", "/tasks/t-1:cancel", "CancelTask"],
  ["POST", "/tasks/t-1:subscribe", "SubscribeToTask"],
  ["POST", "/tasks/t-1/pushNotificationConfigs", "CreateTaskPushNotificationConfig"],
  ["GET", "/extendedAgentCard", "GetExtendedAgentCard"]
]

const methods03: Readonly<Record<string, string>> = {
  SendMessage: "message/send",
  SendStreamingMessage: "message/stream",
  GetTask: "tasks/get",
  CancelTask: "tasks/cancel",
  SubscribeToTask: "tasks/resubscribe"
}

interface Http {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

const generate = (random: Random) => {
  const [method, path, operation] = random.pick(routes)
  const is03 = random.chance(0.4)
  const isRpc = random.chance(0.5)
  const seeds = requests.find(({ name }) => name.startsWith(is03 ? "0.3 " : "1.0") && name.endsWith(` ${operation}`)) ??
    requests[0]!
  const params = random.pick(seeds.documents)
  const envelope = { jsonrpc: "2.0", id: random.below(9), method: is03 ? methods03[operation] ?? operation : operation }
  const document = isRpc ? JSON.stringify({ ...envelope, params: JSON.parse(params) }) : params
  const prefix = isRpc ? "/rpc" : `/a2a${is03 ? "/v1" : random.pick(["", "/acme"])}${path}`
  const query = random.chance(0.2)
    ? `?${random.pick(["pageSize", "historyLength", "pageToken", "status"])}=${
      random.pick(["1", "-1", "1e9", "%ff", "x", ""])
    }`
    : ""
  const target = random.chance(0.1) ? mutateText(prefix, "/a2a/%2e%2e//x", random) : prefix
  const headers: Record<string, string> = {
    "a2a-version": random.pick([is03 ? "0.3" : "1.0", "1.0", "0.3", "9.9", ""]),
    "content-type": random.pick([
      "application/json",
      "application/json",
      "application/json",
      "text/plain",
      "application/a2a+json"
    ])
  }
  if (random.chance(0.05)) headers.origin = random.pick(["https://evil.test", "null", "x"])
  const http: Http = {
    method: isRpc ? "POST" : random.pick([method, method, "GET", "POST"]),
    path: target + query,
    headers
  }
  if (random.chance(0.15)) {
    const head =
      `${http.method} ${http.path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: ${document.length}\r\n\r\n${document}`
    return { variant: "raw", text: mutateText(mutateText(head, head, random), head, random).slice(0, 20_000) }
  }
  return { variant: JSON.stringify(http), text: mutate(document, params, random) }
}

/** Writes bytes as they stand, and reads until the server closes or is silent. */
const exchange = (port: number, text: string): Promise<string> =>
  new Promise((resolve) => {
    let all = ""
    const socket = open(port, "127.0.0.1", () => socket.write(text, "latin1"))
    socket.setTimeout(500, () => socket.destroy())
    socket.setEncoding("latin1").on("data", (data) => {
      all += String(data)
    }).on("error", () => {}).on("close", () => resolve(all))
  })

const judge = (status: number, body: string): Outcome => {
  if (status === 500 || body.includes("\"INTERNAL_ERROR\"")) return finding(`a fault: ${status} ${body.slice(0, 500)}`)
  if (status >= 400 && body.length > 30_000) return finding(`a refusal of ${body.length} characters`)
  if (status >= 400 && status !== 404 && Result.isFailure(parse(body))) {
    return finding(`a refusal without JSON: ${status} ${body.slice(0, 300)}`)
  }
  return status < 400 && !body.includes("\"error\"") ? value : refusal
}

export const server: Target = (() => {
  let running: ReturnType<typeof begin> | undefined
  let count = 0
  return {
    name: "a server",
    generate,
    run: async ({ text, variant }) => {
      const { child, fuzzer, other, port, said } = await (running ??= begin())
      if (child.exitCode !== null || child.signalCode !== null) {
        running = undefined
        return finding(`the server died: ${said().slice(-500)}`)
      }
      if (count++ % 20 === 0) {
        const { body, status, took } = await other.rest("POST", "/message:send", { message: message("hi") })
        if (status !== 200) {
          return finding(`another caller is answered ${status} ${body.slice(0, 300)} after ${took} ms`)
        }
      }
      if (variant === "raw") {
        const answer = await exchange(port, text)
        return answer === "" || /^HTTP\/1\.1 [1-4]\d\d /.test(answer)
          ? refusal
          : finding(`is answered ${answer.slice(0, 300)}`)
      }
      const http: Http = JSON.parse(variant)
      if (/[^\x21-\x7e]/.test(http.path)) return refusal
      const isBodyless = http.method === "GET"
      const { body, status } = await fuzzer.request({ ...http, limit: 3000, ...(isBodyless ? {} : { body: text }) })
      // Node's parser refuses such targets by itself
      if (status === 400 && body === "" && !http.path.startsWith("/")) return refusal
      // a subscription or a turn may go on
      return status === 0 ? (body.includes("given up") ? refusal : finding(`no answer: ${body}`)) : judge(status, body)
    },
    end: async () => {
      if (running === undefined) return undefined
      const { child, other, said } = await running
      const { status } = await other.rest("POST", "/message:send", { message: message("hi") })
      const isDead = child.exitCode !== null || child.signalCode !== null
      child.kill("SIGKILL")
      return status === 200 && !isDead ? undefined : `the server does not serve at the end: ${status} ${said()}`
    }
  }
})()

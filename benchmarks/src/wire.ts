/** The responses of the benchmark's server as bytes. They are written by hand, so that no codec is measured twice. */

export const combinations = ["1.0 REST", "1.0 JSON-RPC", "0.3 REST", "0.3 JSON-RPC"] as const
export type Combination = (typeof combinations)[number]

export const isRpc = (combination: Combination): boolean => combination.endsWith("RPC")
export const version = (combination: Combination) => combination.startsWith("1.0") ? "1.0" : "0.3"

/** The path of a combination's agent. Load `small` is many events, `large/4` one event of 4 MiB. */
export const basePath = (combination: Combination, load: string): string =>
  `/${load}/${version(combination)}/${isRpc(combination) ? "rpc" : "rest"}`

/** The path of the streaming call. */
export const streamPath = (combination: Combination, load: string): string =>
  basePath(combination, load) +
  (isRpc(combination) ? "" : combination === "0.3 REST" ? "/v1/message:stream" : "/message:stream")

export const requestBody = (combination: Combination): unknown => {
  switch (combination) {
    case "1.0 REST":
      return { message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "go" }] } }
    case "1.0 JSON-RPC":
      return { jsonrpc: "2.0", id: "raw", method: "SendStreamingMessage", params: requestBody("1.0 REST") }
    case "0.3 REST":
      return { message: { messageId: "m", role: "ROLE_USER", content: [{ text: "go" }] } }
    case "0.3 JSON-RPC": {
      const message = { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "go" }] }
      return { jsonrpc: "2.0", id: "raw", method: "message/stream", params: { message } }
    }
  }
}

const ids = { taskId: "task-6f2b8c1e", contextId: "ctx-41d9aa07" }
const timestamp = "2026-03-01T12:00:00.000Z"
const text = "The train to Sintra leaves Rossio every twenty minutes."

const state = (combination: Combination, name: "submitted" | "working" | "completed") =>
  combination === "0.3 JSON-RPC" ? name : `TASK_STATE_${name.toUpperCase()}`

/** A text part in the dialect of the combination. */
const part = (combination: Combination, text: string) =>
  combination === "0.3 JSON-RPC" ? { kind: "text", text } : { text }

const agentMessage = (combination: Combination, messageId: string) => {
  const body = [part(combination, text)]
  switch (combination) {
    case "0.3 JSON-RPC":
      return { kind: "message", messageId, ...ids, role: "agent", parts: body }
    case "0.3 REST":
      return { messageId, ...ids, role: "ROLE_AGENT", content: body }
    default:
      return { messageId, ...ids, role: "ROLE_AGENT", parts: body }
  }
}

const wrap = (combination: Combination, member: string, kind: string, value: object) =>
  combination === "0.3 JSON-RPC" ? { kind, ...value } : { [member]: value }

const status = (combination: Combination, name: "working" | "completed", message?: object) =>
  wrap(combination, "statusUpdate", "status-update", {
    ...ids,
    status: { state: state(combination, name), ...(message && { message }), timestamp },
    ...(version(combination) === "0.3" && { final: name === "completed" })
  })

const task = (combination: Combination) =>
  wrap(combination, "task", "task", {
    id: ids.taskId,
    contextId: ids.contextId,
    status: { state: state(combination, "submitted"), timestamp }
  })

const artifact = (combination: Combination, mebibytes: number) =>
  wrap(combination, "artifactUpdate", "artifact-update", {
    ...ids,
    artifact: { artifactId: "result", parts: [part(combination, "0123456789abcde\n".repeat(mebibytes * 65_536))] },
    lastChunk: true
  })

const frame = (combination: Combination, id: string) => (event: object): string => {
  const json = JSON.stringify(event)
  return `data: ${isRpc(combination) ? `{"jsonrpc":"2.0","id":${id},"result":${json}}` : json}\n\n`
}

const chunkSize = 256 * 1024

/** Creates a whole response in chunks. `id` is the JSON of the request's id. */
export const toChunks = (
  combination: Combination,
  load: string,
  events: number,
  id: string
): ReadonlyArray<Uint8Array> => {
  const toFrame = frame(combination, id)
  const mebibytes = load === "small" ? 0 : Number(load.slice("large/".length))
  let content = toFrame(task(combination))
  const chunks: Array<Uint8Array> = []
  const flush = () => {
    chunks.push(Buffer.from(content))
    content = ""
  }
  if (mebibytes > 0) content += toFrame(artifact(combination, mebibytes))
  else {
    for (let i = 0; i < events; i++) {
      content += toFrame(
        status(combination, "working", agentMessage(combination, `msg-${i.toString().padStart(8, "0")}`))
      )
      if (content.length > chunkSize) flush()
    }
  }
  content += toFrame(status(combination, "completed"))
  flush()
  return chunks
}

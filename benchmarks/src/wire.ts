/** What the server of the benchmark sends, as bytes: the four cells, written by hand so that no codec is measured twice. */

export const cells = ["1.0 REST", "1.0 JSON-RPC", "0.3 REST", "0.3 JSON-RPC"] as const
export type Cell = (typeof cells)[number]

export const isRpc = (cell: Cell): boolean => cell.endsWith("RPC")
export const version = (cell: Cell) => cell.startsWith("1.0") ? "1.0" : "0.3"

/** Where a cell's agent lives: `small` is many events, `large/4` one of 4 MiB. */
export const basePath = (cell: Cell, load: string): string =>
  `/${load}/${version(cell)}/${isRpc(cell) ? "rpc" : "rest"}`

/** The path of the streaming call. */
export const streamPath = (cell: Cell, load: string): string =>
  basePath(cell, load) + (isRpc(cell) ? "" : cell === "0.3 REST" ? "/v1/message:stream" : "/message:stream")

export const requestBody = (cell: Cell): unknown => {
  switch (cell) {
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

const state = (cell: Cell, name: "submitted" | "working" | "completed") =>
  cell === "0.3 JSON-RPC" ? name : `TASK_STATE_${name.toUpperCase()}`

/** A text in the cell's words for a part. */
const part = (cell: Cell, text: string) => cell === "0.3 JSON-RPC" ? { kind: "text", text } : { text }

const agentMessage = (cell: Cell, messageId: string) => {
  const body = [part(cell, text)]
  switch (cell) {
    case "0.3 JSON-RPC":
      return { kind: "message", messageId, ...ids, role: "agent", parts: body }
    case "0.3 REST":
      return { messageId, ...ids, role: "ROLE_AGENT", content: body }
    default:
      return { messageId, ...ids, role: "ROLE_AGENT", parts: body }
  }
}

const wrapped = (cell: Cell, member: string, kind: string, value: object) =>
  cell === "0.3 JSON-RPC" ? { kind, ...value } : { [member]: value }

const status = (cell: Cell, name: "working" | "completed", message?: object) =>
  wrapped(cell, "statusUpdate", "status-update", {
    ...ids,
    status: { state: state(cell, name), ...(message && { message }), timestamp },
    ...(version(cell) === "0.3" && { final: name === "completed" })
  })

const task = (cell: Cell) =>
  wrapped(cell, "task", "task", {
    id: ids.taskId,
    contextId: ids.contextId,
    status: { state: state(cell, "submitted"), timestamp }
  })

const artifact = (cell: Cell, mebibytes: number) =>
  wrapped(cell, "artifactUpdate", "artifact-update", {
    ...ids,
    artifact: { artifactId: "result", parts: [part(cell, "0123456789abcde\n".repeat(mebibytes * 65_536))] },
    lastChunk: true
  })

const frame = (cell: Cell, id: string) => (event: object): string => {
  const json = JSON.stringify(event)
  return `data: ${isRpc(cell) ? `{"jsonrpc":"2.0","id":${id},"result":${json}}` : json}\n\n`
}

const chunkSize = 256 * 1024

/** A whole answer in chunks. `id` is the JSON of the request's id. */
export const answer = (cell: Cell, load: string, events: number, id: string): ReadonlyArray<Uint8Array> => {
  const toFrame = frame(cell, id)
  const mebibytes = load === "small" ? 0 : Number(load.slice("large/".length))
  let content = toFrame(task(cell))
  const chunks: Array<Uint8Array> = []
  const flush = () => {
    chunks.push(Buffer.from(content))
    content = ""
  }
  if (mebibytes > 0) content += toFrame(artifact(cell, mebibytes))
  else {
    for (let i = 0; i < events; i++) {
      content += toFrame(status(cell, "working", agentMessage(cell, `msg-${i.toString().padStart(8, "0")}`)))
      if (content.length > chunkSize) flush()
    }
  }
  content += toFrame(status(cell, "completed"))
  flush()
  return chunks
}

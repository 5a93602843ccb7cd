/** The agent of the benchmark, in a process of its own: precomputed bytes, as fast as the client takes them. */
import * as http from "node:http"
import { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { answer, basePath, type Cell, cells } from "./wire.ts"

const events = Number(process.argv[2])
const answers = new Map<string, ReadonlyArray<Uint8Array>>()

const prepared = (cell: Cell, load: string, id: string) => {
  const key = `${cell} ${load} ${id}`
  const chunks = answers.get(key) ?? answer(cell, load, events, id)
  answers.set(key, chunks)
  return chunks
}

const server = http.createServer((request, response) => {
  const url = request.url ?? ""
  const load = /^\/(small|large\/\d+)\//.exec(url)?.[1] ?? "small"
  const cell = cells.find((cell) => url.startsWith(basePath(cell, load))) ?? cells[0]
  void text(request).then((body) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    Readable.from(prepared(cell, load, JSON.stringify(JSON.parse(body).id ?? null))).pipe(response)
  })
})

server.listen(0, "127.0.0.1", () => process.send?.((server.address() as { port: number }).port))
process.on("disconnect", () => process.exit(0))

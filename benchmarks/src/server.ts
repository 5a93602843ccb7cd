/** The agent of the benchmark, in a separate process: sends precomputed bytes as fast as the client reads them. */
import * as http from "node:http"
import { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { basePath, type Combination, combinations, toChunks } from "./wire.ts"

const events = Number(process.argv[2])
const responses = new Map<string, ReadonlyArray<Uint8Array>>()

const prepare = (combination: Combination, load: string, id: string) => {
  const key = `${combination} ${load} ${id}`
  const chunks = responses.get(key) ?? toChunks(combination, load, events, id)
  responses.set(key, chunks)
  return chunks
}

const server = http.createServer((request, response) => {
  const url = request.url ?? ""
  const load = /^\/(small|large\/\d+)\//.exec(url)?.[1] ?? "small"
  const combination = combinations.find((combination) => url.startsWith(basePath(combination, load))) ?? combinations[0]
  void text(request).then((body) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    Readable.from(prepare(combination, load, JSON.stringify(JSON.parse(body).id ?? null))).pipe(response)
  })
})

server.listen(0, "127.0.0.1", () => process.send?.((server.address() as { port: number }).port))
process.on("disconnect", () => process.exit(0))

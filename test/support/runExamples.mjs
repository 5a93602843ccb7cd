// Imports the modules given, one after the other, and writes a line for each: `name`, or `name` and what went wrong.
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

const [folder, limit, ...names] = process.argv.slice(2)
for (const name of names) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${limit} ms`)), Number(limit))
  })
  const failure = await Promise.race([import(pathToFileURL(join(folder, name)).href), late]).then(
    () => undefined,
    (error) => error instanceof Error ? error.stack : String(error)
  )
  clearTimeout(timer)
  appendFileSync(join(folder, "results.jsonl"), `${JSON.stringify({ name, failure })}\n`)
}

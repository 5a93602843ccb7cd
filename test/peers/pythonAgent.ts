/** The agent of `python/server.py`, in a process of its own. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Peer } from "./peer.ts"

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const python = file("../../.tmp/python-peer/bin/python")
const server = file("python/server.py")
const pins = file("python/requirements.txt")
const installed = file("../../.tmp/python-peer/requirements.txt")

/** Whether `scripts/python-peer.sh` was run here since the pins were last changed. */
export const isInstalled = fs.existsSync(installed) && fs.readFileSync(installed).equals(fs.readFileSync(pins))

const start = Effect.acquireRelease(
  Effect.promise(async () => {
    // it ends with its standard input, however this process ends
    const child = spawn(python, [server], { stdio: ["pipe", "pipe", "inherit"] })
    const [port] = await Promise.race([
      once(createInterface(child.stdout), "line"),
      once(child, "exit").then(() => Promise.reject(new Error("the Python peer did not start")))
    ])
    return { child, origin: `http://127.0.0.1:${port}` }
  }),
  ({ child }) =>
    Effect.promise(() => {
      const exited = once(child, "exit")
      child.stdin.end()
      return exited
    })
)

export const layer: Layer.Layer<Peer> = Layer.effect(
  Peer,
  Effect.map(start, ({ origin }) => ({
    origin,
    finish: (taskId) => Effect.promise(() => fetch(`${origin}/finish/${taskId}`, { method: "POST" }))
  }))
)

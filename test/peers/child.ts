/** Servers in separate processes: written in another language, or with separate packages. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

/** A path below `test/peers`. */
export const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Returns `true` if the installed versions are the pinned ones. */
export const isInstalled = (pins: string, installed: string): boolean =>
  fs.existsSync(file(installed)) && fs.readFileSync(file(installed)).equals(fs.readFileSync(file(pins)))

/** Starts a server that prints its port on a separate line and ends with its standard input. Returns its origin. */
export const start = (command: string, ...args: ReadonlyArray<string>): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      // it ends with its standard input, however this process ends
      const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
      const port = new Promise<string>((resolve) =>
        createInterface(child.stdout).on("line", (line) => /^\d+$/.test(line) && resolve(line))
      )
      const ended = once(child, "exit").then(() => Promise.reject(new Error(`${args[0]} did not start`)))
      return { child, origin: `http://127.0.0.1:${await Promise.race([port, ended])}` }
    }),
    ({ child }) =>
      Effect.promise(() => {
        const exited = once(child, "exit")
        child.stdin.end()
        return exited
      })
  ).pipe(Effect.map(({ origin }) => origin))

/** The MemoryLake emulator in this process. Imported when it is needed, since most calls go to another agent. */
import * as MemoryLakeEmulator from "@effect-a2a/emulators/MemoryLakeEmulator"
import * as NodeAgentServer from "@effect-a2a/node/NodeAgentServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { UsageError } from "./exit.ts"

/** Returns the address of the emulated agent at an origin. */
export const address = MemoryLakeEmulator.address

/** A key that the emulated agent accepts. */
export const apiKey = MemoryLakeEmulator.apiKey

/** Starts the emulator in this process, until the scope closes. Returns its origin. */
export const start = (port: number): Effect.Effect<string, UsageError, Scope.Scope> =>
  Layer.build(NodeAgentServer.layer({ routes: MemoryLakeEmulator.routes, port, shutdown: "200 millis" })).pipe(
    Effect.mapError(({ cause }) =>
      new UsageError({ message: `the emulator cannot listen on port ${port}: ${String(cause)}` })
    ),
    Effect.flatMap((context) => Effect.provideContext(NodeAgentServer.url, context))
  )

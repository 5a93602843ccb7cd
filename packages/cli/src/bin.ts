#!/usr/bin/env node
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Cli from "./Cli.ts"

// without a listener, a reader that leaves early would be an uncaught exception
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})

Cli.run(process.argv.slice(2)).pipe(
  Effect.provideService(References.LogToStderr, true),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({ disableErrorReporting: true })
)

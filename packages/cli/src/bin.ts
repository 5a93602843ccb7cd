#!/usr/bin/env node
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Cli from "./Cli.ts"

// what a token command started is ended on every signal that ends the command
process.once("SIGHUP", () => process.emit("SIGTERM"))

Cli.run(process.argv.slice(2)).pipe(
  Effect.provideService(References.LogToStderr, true),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({ disableErrorReporting: true })
)

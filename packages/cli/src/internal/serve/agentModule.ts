/** Agents that users write: modules whose default export is a function of a turn, or a layer of an executor. */
import * as AgentExecutor from "@effect-a2a/server/AgentExecutor"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { UsageError } from "../exit.ts"

const wrong = (file: string, problem: string) => new UsageError({ message: `cannot serve ${file}: ${problem}` })

/** Imports a module; the path is that of the shell's folder. */
export const load = (file: string): Effect.Effect<Layer.Layer<AgentExecutor.AgentExecutor>, UsageError> =>
  Effect.tryPromise({
    try: (): Promise<{ readonly default?: unknown }> => import(pathToFileURL(path.resolve(file)).href),
    catch: (cause) => wrong(file, cause instanceof Error ? cause.message : String(cause))
  }).pipe(
    Effect.flatMap(({ default: agent }) =>
      Layer.isLayer(agent)
        ? Effect.succeed(agent as Layer.Layer<AgentExecutor.AgentExecutor>)
        : typeof agent === "function"
        ? Effect.succeed(AgentExecutor.layer(agent as (turn: AgentExecutor.Turn) => AgentExecutor.Execution))
        : Effect.fail(wrong(file, "its default export must be a function of a turn, or a Layer of AgentExecutor"))
    )
  )

/** The command itself. Its flags may stand before or after the name of a subcommand. */
import * as Command from "effect/cli/Command"
import * as Flags from "./flags.ts"

/** The command without subcommands. */
export const root = Command.make("a2a").pipe(
  Command.withSharedFlags({ ...Flags.target, ...Flags.limits, ...Flags.memoryLake }),
  Command.withDescription(
    "Talk to A2A agents. Without --url, --card, --workspace or --adk, talk to an emulated MemoryLake agent. " +
      "Secrets come from the environment: A2A_TOKEN or MEMORYLAKE_API_KEY, A2A_TOKEN_FILE, A2A_TOKEN_COMMAND, and A2A_API_KEY."
  ),
  Command.withExamples([
    { command: "a2a ask \"What is the capital of France?\"", description: "Ask the emulated agent" },
    { command: "a2a ask --url https://agent.example/a2a --protocol 0.3 --stream hello", description: "Ask an agent" },
    { command: "a2a ask --card https://agent.example hello", description: "Ask an agent that is found by its card" },
    { command: "a2a chat --workspace ws-1 --agent agent-1", description: "Talk to a MemoryLake agent" },
    { command: "a2a ask --adk http://localhost:8000 --app weather --user ana hello", description: "Ask an ADK agent" }
  ])
)

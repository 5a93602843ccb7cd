import type * as AgentCard from "@effect-a2a/core/AgentCard"
import * as Discovery from "@effect-a2a/core/Discovery"
import * as NodeAgent from "@effect-a2a/node/NodeAgent"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { connect, type Connection } from "../connect.ts"
import { handler } from "../handler.ts"
import { Output } from "../output.ts"
import * as Wire from "../wire.ts"

const isUsable = (one: AgentCard.AgentInterface): boolean =>
  Object.keys(NodeAgent.protocols).some((version) => `${one.protocolVersion}.`.startsWith(`${version}.`)) &&
  Object.values(NodeAgent.bindings).some(({ protocolBinding }) =>
    protocolBinding.toLowerCase() === one.protocolBinding.toLowerCase()
  )

const yesNo = (value: boolean | undefined) => value === undefined ? "unspecified" : value ? "yes" : "no"

const interfaces = (card: AgentCard.AgentCard, { allowed, target: { place } }: Connection): ReadonlyArray<string> =>
  card.supportedInterfaces.map((one) => {
    if (place._tag === "Adk") return `  usable      ADK at ${one.url}`
    const foreign = Discovery.foreignOrigin(one, allowed)
    const how = isUsable(one) && foreign === undefined ? "usable    " : "not usable"
    const why = isUsable(one) && foreign !== undefined ? ` (another origin: --allow-origin ${foreign})` : ""
    return `  ${how}  A2A ${one.protocolVersion} ${one.protocolBinding} at ${one.url}${why}`
  })

const summary = (card: AgentCard.AgentCard, connection: Connection): ReadonlyArray<string> => [
  `${card.name} ${card.version}`,
  card.description,
  "",
  "interfaces",
  ...interfaces(card, connection),
  `streaming: ${yesNo(card.capabilities.streaming)}; push notifications: ${yesNo(card.capabilities.pushNotifications)}`,
  ...(card.capabilities.extensions ?? []).map(({ required, uri }) =>
    `extension ${uri}${required === true ? " (required)" : ""}`
  ),
  `input: ${card.defaultInputModes.join(", ")}; output: ${card.defaultOutputModes.join(", ")}`,
  ...card.skills.map(({ description, name }) => `skill ${name}: ${description}`)
]

/** Shows the agent card. */
export const card = Command.make(
  "card",
  {},
  handler(Effect.fnUntraced(function*() {
    const output = yield* Output
    const connection = yield* connect
    const card = yield* connection.card
    yield* output.json
      ? Effect.flatMap(Wire.card(card), output.document)
      : output.print(`${summary(card, connection).join("\n")}\n`)
  }))
).pipe(
  Command.withDescription("Show the agent's card, and which of its interfaces this command can use."),
  Command.withShortDescription("Show the agent's card"),
  Command.withExamples([
    { command: "a2a card --card https://agent.example", description: "Discover the agent" },
    { command: "a2a card --url https://agent.example/a2a --json", description: "As JSON" }
  ])
)

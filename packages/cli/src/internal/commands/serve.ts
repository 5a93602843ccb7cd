import * as Authentication from "@effect-a2a/server/Authentication"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { UsageError } from "../exit.ts"
import { handler } from "../handler.ts"
import { Output } from "../output.ts"
import { root } from "../root.ts"

const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withoutNegation, Flag.withDefault(false))

const keys = Config.option(Authentication.configKeys("A2A_SERVE_TOKENS")).pipe(
  Effect.mapError((error) => new UsageError({ message: error.message }))
)

/** Serves an agent. `--host`, `--protocol` and `--binding` are those of the server here. */
export const serve = Command.make(
  "serve",
  {
    module: Argument.String("MODULE").pipe(
      Argument.withDescription("A file whose default export is a function of a turn, or a Layer of AgentExecutor"),
      Argument.optional
    ),
    port: Flag.Int("port").pipe(
      Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65_535 }))),
      Flag.withMetavar("N"),
      Flag.withDescription("The port (default 4000; 0 for a free one)"),
      Flag.withDefault(4000)
    ),
    name: Flag.String("name").pipe(Flag.withDescription("The agent's name in its card"), Flag.optional),
    publicUrl: Flag.String("public-url").pipe(
      Flag.withMetavar("URL"),
      Flag.withDescription("The origin under which clients reach the server, for the URLs of the card"),
      Flag.optional
    ),
    store: Flag.Literals("store", ["memory"]).pipe(
      Flag.withDescription("The place of tasks"),
      Flag.withDefault("memory")
    ),
    push: toggle("push", "Send push notifications to the webhooks that clients configure"),
    allowPrivateWebhooks: toggle("allow-private-webhooks", "With --push: webhooks may be in private networks"),
    maxRunning: Flag.Int("max-running").pipe(
      Flag.withSchema(Schema.Int.check(Schema.isGreaterThan(0))),
      Flag.withMetavar("N"),
      Flag.withDescription("The most tasks at work (default 2000)"),
      Flag.optional
    ),
    behindProxy: toggle("behind-proxy", "Read the public origin from Forwarded and X-Forwarded-* headers")
  },
  handler(
    Effect.fnUntraced(
      function*({ allowPrivateWebhooks, behindProxy, maxRunning, module, name, port, publicUrl, push }) {
        const output = yield* Output
        const { binding, host, protocol } = yield* root
        const server = yield* Effect.promise(() => import("../serve/server.ts"))
        const url = yield* server.start({
          module: Option.getOrUndefined(module),
          host: Option.getOrElse(host, () => "127.0.0.1"),
          port,
          name: Option.getOrUndefined(name),
          publicUrl: Option.getOrUndefined(publicUrl),
          isBehindProxy: behindProxy,
          version: Option.getOrUndefined(protocol),
          binding: Option.getOrUndefined(binding),
          maxRunning: Option.getOrUndefined(maxRunning),
          sendsPush: push,
          allowsPrivateWebhooks: allowPrivateWebhooks,
          keys: Option.getOrUndefined(yield* keys)
        })
        yield* output.json
          ? output.document({ ready: { url, card: `${url}/.well-known/agent-card.json` } })
          : output.print(`${url}\n`)
        return yield* Effect.never
      }
    )
  )
).pipe(
  Command.withDescription(
    "Serve an agent until interrupted: REST under /rest, JSON-RPC at /rpc, its card, and GET /health. Prints the base URL. " +
      "Without MODULE a demo agent, whose first word says what it does. A2A_SERVE_TOKENS=ana:secret1,ben:secret2 demands a " +
      "bearer token, which names the caller. --host is the address to listen on (default 127.0.0.1); --protocol and " +
      "--binding serve one only."
  ),
  Command.withShortDescription("Serve an agent"),
  Command.withExamples([
    { command: "a2a serve", description: "The demo agent at http://127.0.0.1:4000" },
    { command: "a2a serve ./agent.ts --port 8080 --public-url https://agent.example", description: "An agent of yours" }
  ])
)

import * as NodeAgentServer from "@effect-a2a/node/NodeAgentServer"
import * as PushReceiver from "@effect-a2a/server/PushReceiver"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { variable } from "../environment.ts"
import { UsageError } from "../exit.ts"
import { handler } from "../handler.ts"
import { Output } from "../output.ts"
import * as Wire from "../wire.ts"

const readToken = Effect.fnUntraced(function*(name: Option.Option<string>) {
  if (Option.isNone(name)) return undefined
  const token = yield* variable(name.value)
  return token === undefined
    ? yield* Effect.fail(new UsageError({ message: `--token-env: ${name.value} is not set` }))
    : Redacted.make(token)
})

/** Receives push notifications. */
export const webhook = Command.make(
  "webhook",
  {
    port: Flag.Int("port").pipe(
      Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65_535 }))),
      Flag.withMetavar("N"),
      Flag.withDescription("The port (default: a free one)"),
      Flag.withDefault(0)
    ),
    tokenEnv: Flag.String("token-env").pipe(
      Flag.withMetavar("NAME"),
      Flag.withDescription("The environment variable with the token that notifications must have"),
      Flag.optional
    )
  },
  handler(Effect.fnUntraced(function*({ port, tokenEnv }) {
    const output = yield* Output
    const routes = PushReceiver.routes({
      path: "/*",
      token: yield* readToken(tokenEnv),
      onNotification: ({ event, isDuplicate, taskId }) =>
        Wire.event(event).pipe(
          Effect.flatMap((json) =>
            output.document({
              notification: {
                ...(taskId === undefined ? undefined : { taskId }),
                event: json,
                ...(isDuplicate ? { duplicate: true } : undefined)
              }
            })
          )
        )
    })
    const context = yield* Layer.build(NodeAgentServer.layer({ routes, host: "127.0.0.1", port })).pipe(
      Effect.mapError(({ cause }) => new UsageError({ message: `cannot listen on port ${port}: ${String(cause)}` }))
    )
    const url = yield* Effect.provideService(
      NodeAgentServer.url,
      HttpServer.HttpServer,
      Context.get(context, HttpServer.HttpServer)
    )
    yield* output.document({ ready: { url } })
    return yield* Effect.never
  }))
).pipe(
  Command.withDescription(
    "Receive push notifications at any path, until interrupted. Prints its URL, then one JSON line for each notification."
  ),
  Command.withShortDescription("Receive push notifications"),
  Command.withExamples([
    { command: "HOOK_TOKEN=… a2a webhook --port 4020 --token-env HOOK_TOKEN", description: "With a token" }
  ])
)

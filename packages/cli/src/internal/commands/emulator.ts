import * as Id from "@effect-a2a/core/Id"
import * as Message from "@effect-a2a/core/Message"
import type * as Operation from "@effect-a2a/core/Operation"
import * as Protocol from "@effect-a2a/core/Protocol"
import * as MemoryLake from "@effect-a2a/memorylake/MemoryLake"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { handler } from "../handler.ts"
import { Output } from "../output.ts"
import * as Target from "../target.ts"

/** Writes a request to try as a curl line. */
const curl = Effect.fnUntraced(function*(url: string, apiKey: string) {
  const { rest, version } = MemoryLake.protocol(Protocol.v1_0)
  const request: Operation.SendMessageRequest = {
    message: yield* Message.user("What is the capital of France?", { messageId: Id.MessageId.make("m-1") }),
    metadata: { memorylake: {} }
  }
  const [path, body] = [rest.routes.SendMessage?.[0].path, rest.dialect.request.SendMessage?.encode(request)]
  return `curl -s '${url}${path}' -H 'Authorization: Bearer ${apiKey}' -H 'A2A-Version: ${version}' ` +
    `-H 'Content-Type: application/json' -d '${JSON.stringify(body && Result.getOrThrow(body))}'`
})

/** Serves the emulator. */
export const emulator = Command.make(
  "emulator",
  {
    port: Flag.Int("port").pipe(
      Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65_535 }))),
      Flag.withMetavar("N"),
      Flag.withDescription("The port (default: a free one)"),
      Flag.withDefault(0)
    )
  },
  handler(Effect.fnUntraced(function*({ port }) {
    const output = yield* Output
    const { address, apiKey, start } = yield* Target.loadEmulator
    const { url } = Result.getOrThrow(MemoryLake.endpoint(address(yield* start(port))))
    const line = yield* curl(url, apiKey)
    yield* output.json ? output.document({ url, curl: line }) : output.print(`${url}\n${line}\n`)
    return yield* Effect.never
  }))
).pipe(
  Command.withDescription(
    "Serve the MemoryLake emulator, in both versions and bindings, until interrupted. Prints its URL and a request to try."
  ),
  Command.withShortDescription("Serve the MemoryLake emulator"),
  Command.withExamples([{ command: "a2a emulator --port 4010", description: "On a port of your choice" }])
)

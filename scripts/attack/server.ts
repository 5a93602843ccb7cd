// The server that `pnpm attack` attacks: both bindings, both protocol versions, everything at its default. Callers say who
// they are. It prints its port, reports its memory to the parent process, and ends with its standard input.
import * as Message from "@effect-a2a/core/Message"
import * as Protocol from "@effect-a2a/core/Protocol"
import * as NodeAgentServer from "@effect-a2a/node/NodeAgentServer"
import * as AgentExecutor from "@effect-a2a/server/AgentExecutor"
import * as AgentServer from "@effect-a2a/server/AgentServer"
import * as Caller from "@effect-a2a/server/Caller"
import * as CardServer from "@effect-a2a/server/CardServer"
import * as Reply from "@effect-a2a/server/Reply"
import * as JsonRpcServer from "@effect-a2a/transport-jsonrpc/JsonRpcServer"
import * as RestServer from "@effect-a2a/transport-rest/RestServer"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import process from "node:process"

export interface Memory {
  readonly heap: number
  readonly rss: number
}

const protocols = [Protocol.v1_0, Protocol.v0_3] as const

/** Pieces that share no characters, so that each weighs what it says. */
const pieces = (count: number, size: number) =>
  Stream.range(1, count).pipe(
    Stream.rechunk(1),
    Stream.map((n) => Buffer.alloc(size, 97 + n % 26).toString("latin1"))
  )

/** The executor does what the first word says. */
const execute = (turn: AgentExecutor.Turn) => {
  const [word, first = "1", second = "1"] = Message.text(turn.message).slice(0, 100).split(" ")
  switch (word) {
    case "ask":
      return Stream.make(Reply.status("input-required", "Which?"))
    case "hang":
      return Stream.concat(Stream.make("started"), Stream.never)
    case "stubborn":
      return Stream.fromEffect(Effect.as(Effect.uninterruptible(Effect.sleep(Number(first))), "done"))
    case "flood":
      return pieces(Number(first), Number(second))
    case "die":
      return Stream.die(new Error("db://user:password@host"))
    default:
      return Stream.make("served")
  }
}

const identified = HttpRouter.middleware(
  (respond) =>
    Effect.flatMap(
      HttpServerRequest,
      ({ headers }) => Effect.provideService(respond, Caller.Current, { id: headers["x-caller"] ?? "nobody" })
    ),
  { global: true }
)

const routes = Layer.mergeAll(
  JsonRpcServer.routes({ path: "/rpc", protocols }),
  RestServer.routes({ path: "/a2a", protocols }),
  CardServer.routes({ protocols }),
  identified
).pipe(
  Layer.provide(AgentServer.layerMemory({ card: { name: "Target", description: "Is attacked" } })),
  Layer.provide(AgentExecutor.layer(execute))
)

let heap = 0
setInterval(() => {
  heap = Math.max(heap, process.memoryUsage().heapUsed)
}, 20)
setInterval(() => process.send?.({ heap, rss: process.resourceUsage().maxRSS * 1024 } satisfies Memory), 100)
process.on("disconnect", () => process.exit(0))

Effect.runFork(
  Effect.gen(function*() {
    process.send?.(yield* NodeAgentServer.url)
    return yield* Effect.never
  }).pipe(Effect.provide([NodeAgentServer.layer({ routes, port: 0 }), Logger.layer([])]))
)

/** The two kinds of peers, in the four combinations: one that replays (MemoryLake) and one that takes snapshots (ours). */
import type * as AgentError from "@effect-a2a/core/AgentError"
import type { AgentTransport } from "@effect-a2a/core/AgentTransport"
import type { Credentials } from "@effect-a2a/core/Credentials"
import * as Message from "@effect-a2a/core/Message"
import type * as Protocol from "@effect-a2a/core/Protocol"
import * as MemoryLakeEmulator from "@effect-a2a/emulators/MemoryLakeEmulator"
import * as MemoryLake from "@effect-a2a/memorylake/MemoryLake"
import * as AgentServer from "@effect-a2a/server/AgentServer"
import * as AgentTest from "@effect-a2a/testing/AgentTest"
import * as Fault from "@effect-a2a/testing/Fault"
import * as Script from "@effect-a2a/testing/Script"
import * as JsonRpcServer from "@effect-a2a/transport-jsonrpc/JsonRpcServer"
import * as RestServer from "@effect-a2a/transport-rest/RestServer"
import * as Duration from "effect/Duration"
import type { HttpClient } from "effect/http/HttpClient"
import type { HttpRouter } from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import { combinations } from "../../peers/combinations.ts"

export interface Peer {
  readonly name: string
  readonly mode: "replay" | "snapshot"
  /** `true` if it sends status messages. */
  readonly speaks: boolean
  readonly questions: ReadonlyArray<string>
  readonly transport: Layer.Layer<AgentTransport, AgentError.AgentError, HttpClient | Credentials>
  /** The transport without faults, if it is another. */
  readonly undisturbed?: Peer["transport"]
  /** The HTTP client of the disturbed runs, which may add faults; `clean` has none. */
  readonly client: Layer.Layer<HttpClient>
  readonly clean: Layer.Layer<HttpClient>
}

const path = "/agent"

/** A script from a seed: pieces of an artifact, waits, and one of several ends. */
const script = (speaks: boolean, wait: Duration.Duration) => (question: string): ReadonlyArray<Script.Step> => {
  const next = Fault.random(Number(question.replace(/\D/g, "")))
  const steps: Array<Script.Step> = []
  const pieces = 2 + Math.floor(next() * 8)
  for (let n = 0; n < pieces; n++) {
    if (speaks && next() < 0.4) steps.push(Script.write(`step ${n} ${"…".repeat(Math.floor(next() * 20))} `))
    steps.push(Script.say(`piece ${n} `.repeat(1 + Math.floor(next() * 6))))
    if (next() < 0.6) steps.push(Script.wait(Duration.times(wait, next())))
  }
  const end = next()
  if (end < 0.1) steps.push(Script.fail("it broke"))
  else if (end < 0.25) steps.push(Script.askForInput("Which one?"))
  return steps
}

const numbered = (word: string, count: number) => Array.from({ length: count }, (_, at) => `${word} ${at + 1}`)

/** The services of both kinds, and their peers at an origin. */
export const services = (wait: Duration.Duration) => {
  const lake = {
    routes: MemoryLakeEmulator.routes,
    peers: (origin: string, clients: Pick<Peer, "client" | "clean">): ReadonlyArray<Peer> =>
      combinations.map(({ http, name, protocol }) => ({
        ...clients,
        name: `replay ${name}`,
        mode: "replay",
        speaks: true,
        questions: [
          "What is the capital of France?",
          "make a file",
          "hello",
          ...(Duration.toMillis(wait) > 100 ? ["slow search with citations"] : [])
        ],
        transport: MemoryLake.layer({ ...MemoryLakeEmulator.address(origin), binding: http, protocol })
      }))
  }
  const ours = (speaks: boolean) => {
    const agent = AgentServer.layerMemory({ card: AgentTest.card }).pipe(
      Layer.provide(Script.layer((turn) => script(speaks, wait)(Message.text(turn.message))))
    )
    return {
      routes: Layer.mergeAll(
        ...combinations.map(({ binding, protocol }) =>
          (binding === "JSONRPC" ? JsonRpcServer.routes : RestServer.routes)({
            path: at({ binding, protocol }),
            protocols: [protocol]
          })
        ) as [Layer.Layer<never, never, AgentTransport | HttpRouter>]
      ).pipe(Layer.provide(agent)) as Layer.Layer<never, never, HttpRouter>,
      peers: (origin: string, clients: Pick<Peer, "client" | "clean">): ReadonlyArray<Peer> =>
        combinations.map((combination) => ({
          ...clients,
          name: `snapshot ${combination.name}${speaks ? ", speaking" : ""}`,
          mode: "snapshot",
          speaks,
          questions: numbered("run", 12),
          transport: combination.client({ url: `${origin}${at(combination)}`, protocol: combination.protocol })
        }))
    }
  }
  return [lake, ours(false), ours(true)]
}

const at = ({ binding, protocol }: { readonly binding: string; readonly protocol: Protocol.Protocol }) =>
  `${path}/${binding === "JSONRPC" ? "rpc" : "rest"}/${protocol.version}` as const

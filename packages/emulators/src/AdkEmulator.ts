/**
 * An ADK server in this process: runs, sessions, artifacts and refusals in the form of Python 2.x or JavaScript, and an
 * agent that reacts to the first word of a message (`docs/adk.md`) or follows a script.
 *
 * ```ts
 * import { Agent, AgentStream } from "@effect-a2a/core"
 * import { AdkEmulator, AdkScript } from "@effect-a2a/emulators"
 * import { Effect, Stream } from "effect"
 *
 * const text = Agent.stream("hello").pipe(AgentStream.text, Stream.runCollect, Effect.provide(AdkEmulator.layer()))
 * await Effect.runPromise(text) // => ["Hello", ", ", "world"]
 *
 * const scripted = AdkEmulator.layer({ agent: ({ text }) => [AdkScript.say("Do you mean ", text, "?")] })
 * const answer = await Effect.runPromise(Agent.ask("this").pipe(Effect.provide(scripted)))
 * answer.text // => "Do you mean this?"
 * ```
 *
 * @since 0.1.0
 */
import * as Agent from "@effect-a2a/core/Agent"
import type { AgentTransport } from "@effect-a2a/core/AgentTransport"
import * as Credentials from "@effect-a2a/core/Credentials"
import * as InProcessHttp from "@effect-a2a/server/InProcessHttp"
import * as Adk from "@effect-a2a/transport-adk/Adk"
import * as Effect from "effect/Effect"
import type { HttpClient } from "effect/http/HttpClient"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import type { Flavour, Step, Turn } from "./AdkScript.ts"
import * as Answers from "./internal/adk/answers.ts"
import * as ArtifactHandlers from "./internal/adk/artifactHandlers.ts"
import { spellings } from "./internal/adk/dialect.ts"
import * as Requests from "./internal/adk/requests.ts"
import * as RunHandlers from "./internal/adk/runHandlers.ts"
import * as Server from "./internal/adk/server.ts"
import * as SessionHandlers from "./internal/adk/sessionHandlers.ts"

/** Returns the steps of the default script. */
export const answer: (turn: Turn) => ReadonlyArray<Step> = Answers.answer

/** The default application. */
export const appName = "demo"

/** Options of the emulated server. */
export interface Options {
  /** The kind of server. Default: `python` (2.x). */
  readonly flavour?: Flavour | undefined
  /** The applications, all with the same agent. Default: {@link appName} only. */
  readonly apps?: ReadonlyArray<string> | undefined
  /** The application of requests that name none (Python). Default: none. */
  readonly defaultApp?: string | undefined
  /** The script of the agent. Default: {@link answer}. */
  readonly agent?: ((turn: Turn) => ReadonlyArray<Step>) | undefined
}

const handlers = ({ agent = answer, apps = [appName], defaultApp, flavour = "python" }: Options): Server.Handlers => {
  const server = Server.make({ agent, apps, defaultApp, flavour })
  const { isPython, spelling } = server
  const all: Server.Handlers = {
    "GET /health": () => Effect.succeed(spelling.health),
    "GET /version": () => Effect.succeed(Server.json(spelling.version)),
    "GET /list-apps": () => Effect.succeed(Server.json([...apps].sort())),
    ...RunHandlers.make(server),
    ...SessionHandlers.make(server),
    ...ArtifactHandlers.make(server)
  }
  if (!isPython || defaultApp === undefined) return all
  const short = Object.entries(all).filter(([route]) => route.includes("/apps/:app"))
  return { ...all, ...Object.fromEntries(short.map(([route, handle]) => [route.replace("/apps/:app", ""), handle])) }
}

/** The routes of the server. Its sessions live as long as the layer. */
export const routes = (options: Options = {}): Layer.Layer<never, never, HttpRouter.HttpRouter> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const router = yield* HttpRouter.HttpRouter
    const { flavour = "python" } = options
    for (const [route, handle] of Object.entries(handlers(options))) {
      const [method, path] = route.split(" ") as ["GET" | "POST" | "PATCH" | "DELETE", `/${string}`]
      yield* router.add(
        method,
        path,
        Effect.gen(function*() {
          const request = yield* HttpServerRequest.HttpServerRequest
          const body = method === "GET" || method === "DELETE" ? {} : yield* Requests.body(flavour, request)
          return yield* handle({ request, body, params: yield* HttpRouter.params })
        }).pipe(Effect.catch((response) => Effect.succeed(response)))
      )
    }
    yield* router.add(
      "*",
      "/*",
      (request) => Effect.succeed(spellings[flavour].noRoute(request.method, request.url.replace(/\?[^]*$/, "")))
    )
  }))

/** The URL of the server behind {@link layerTransport} and {@link layer}. */
export const url = "http://adk.test"

/** Options of the server and of the client. */
export interface ClientOptions extends Options, Omit<Adk.Options, "flavour" | "url"> {}

/** A server elsewhere writes no spans into the program's traces, least of all with the ids of users in their URLs. */
const untraced = Layer.succeed(HttpMiddleware.TracerDisabledWhen, () => true)

/** A transport to the emulated server through its bytes, without a socket, and the tape of all exchanges. */
export const layerTransport = (
  options: ClientOptions = {}
): Layer.Layer<AgentTransport | HttpClient | InProcessHttp.Tape> => {
  const { agent: _, apps, defaultApp, flavour: __, ...client } = options
  const app = client.appName ?? (defaultApp === undefined ? apps?.[0] ?? appName : undefined)
  return Adk.layer({ ...client, url, appName: app }).pipe(
    Layer.provideMerge(Layer.provide(InProcessHttp.layer(routes(options)), untraced)),
    Layer.provide(Credentials.layerNone),
    Layer.orDie
  )
}

/** A client of the emulated agent. */
export const layer = (options: ClientOptions = {}): Layer.Layer<Agent.Agent | InProcessHttp.Tape> =>
  Agent.layer.pipe(Layer.provideMerge(layerTransport(options)))

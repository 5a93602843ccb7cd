/**
 * An ADK server in this process: runs, sessions, artifacts and refusals as a server of Python 2.x answers, or one of
 * JavaScript, and an agent that does as the first word of a message says (`docs/adk.md`), or what a script says.
 *
 * ```ts
 * import { Agent, AgentStream } from "@effect-a2a/core"
 * import { AdkEmulator } from "@effect-a2a/emulators"
 * import { Effect, Stream } from "effect"
 *
 * const text = Agent.stream("hello").pipe(AgentStream.text, Stream.runCollect, Effect.provide(AdkEmulator.layer()))
 * await Effect.runPromise(text) // => ["Hello", ", ", "world"]
 *
 * const scripted = AdkEmulator.layer({ agent: ({ text }) => [AdkEmulator.say("Do you mean ", text, "?")] })
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
import type * as AdkContent from "@effect-a2a/transport-adk/AdkContent"
import type * as AdkEvent from "@effect-a2a/transport-adk/AdkEvent"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { HttpClient } from "effect/http/HttpClient"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Answers from "./internal/adk/answers.ts"
import { type Flavour, spellings } from "./internal/adk/dialect.ts"
import * as Requests from "./internal/adk/requests.ts"
import * as Play from "./internal/adk/runScript.ts"
import type { Step, Turn } from "./internal/adk/steps.ts"
import * as Store from "./internal/adk/store.ts"

export type { Flavour, Step, Turn }
export { call, event, fail, respond, save, say, think, wait } from "./internal/adk/steps.ts"

/** What the emulated agent does unless it is given a script. */
export const answer: (turn: Turn) => ReadonlyArray<Step> = Answers.answer

/** The application there is, unless said otherwise. */
export const appName = "demo"

export interface Options {
  /** Which server it is; Python 2.x unless said otherwise. */
  readonly flavour?: Flavour | undefined
  /** The applications; all are the same agent. */
  readonly apps?: ReadonlyArray<string> | undefined
  /** Of requests that name none (Python). */
  readonly defaultApp?: string | undefined
  /** What the agent does. */
  readonly agent?: ((turn: Turn) => ReadonlyArray<Step>) | undefined
}

type Response = HttpServerResponse.HttpServerResponse

/** A request to a route, its path's segments by name. */
interface Ask {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly params: { readonly [name: string]: string | undefined }
  readonly body: Requests.Json
}
type Handler = (ask: Ask) => Effect.Effect<Response, Response>

const json = (body: unknown, status = 200) => HttpServerResponse.jsonUnsafe(body, { status })

const handlers = (options: Options): { readonly [route: string]: Handler } => {
  const { agent = answer, apps = [appName], defaultApp, flavour = "python" } = options
  const isPython = flavour === "python"
  const spelling = spellings[flavour]
  const store = Store.make()
  const counts = { event: 0, run: 0, session: 0 }
  const served: Play.Served = { agent, spelling, store, next: (what) => ++counts[what] }
  const write = Play.write(spelling)
  const refuse = (status: number, message: string) => Effect.fail(spelling.refuse(status, message))
  const now = Effect.map(Clock.currentTimeMillis, spelling.time)

  const place = ({ app = defaultApp ?? "", session = "", user = "" }: Ask["params"]): Store.Place => ({
    app,
    user,
    session
  })

  const find = (at: Store.Place): Effect.Effect<Store.Session, Response> => {
    const session = store.get(at)
    return session === undefined ? refuse(404, `Session not found: ${at.session}`) : Effect.succeed(session)
  }

  const tell = ({ events, lastUpdateTime, place }: Store.Session) => ({
    id: place.session,
    appName: place.app,
    userId: place.user,
    state: store.state(place),
    events: events.map(write),
    lastUpdateTime
  })

  // ---------------------------------------------------------------------------
  // runs
  // ---------------------------------------------------------------------------

  const begin = Effect.fnUntraced(function*({ body }: Ask) {
    const run = yield* Requests.run(flavour, body)
    const app = run.appName ?? defaultApp
    if (isPython && app === undefined) {
      return yield* refuse(400, "app_name is required when ADK_DEFAULT_APP_NAME is not set")
    }
    if (isPython && app!.startsWith("__")) return yield* refuse(403, "Access to internal special agents is disabled.")
    if (isPython && !apps.includes(app!)) return yield* refuse(404, `Agent not found: '${app}'. No such directory.`)
    const session = yield* find({ app: app ?? "", user: run.userId, session: String(run.sessionId) })
    const isEmpty = run.newMessage === undefined || (run.newMessage.parts ?? []).length === 0
    if (run.newMessage === undefined && !isPython) return Stream.empty
    if (!isPython && !apps.includes(app ?? "")) {
      const message = `Agent '${app}' not found in agents. Available agents: ${apps.join(", ")}`
      return Stream.fail<Play.Threw>({ _tag: "Threw", message })
    }
    return isEmpty && !(run.newMessage === undefined && run.invocationId !== undefined)
      ? Stream.fail<Play.Threw>({ _tag: "Threw", message: "No parts in the newMessage." })
      : Play.run(served, session, run)
  })

  const run: Handler = (ask) =>
    Effect.flatMap(begin(ask), (events) => {
      const told: Array<unknown> = []
      return Stream.runForEach(events, (event) => Effect.sync(() => told.push(write(event)))).pipe(
        Effect.match({ onFailure: ({ message }) => spelling.threw(message, told), onSuccess: () => json(told) })
      )
    })

  const runSse: Handler = (ask) =>
    Effect.map(begin(ask), (events) => {
      const isSplit = isPython && ask.body.functionCallEventId === undefined
      return HttpServerResponse.stream(
        events.pipe(
          Stream.map((event) => (isSplit ? Play.split(event) : [event]).map(write)),
          Stream.flattenIterable,
          Stream.catch(({ message }) =>
            Stream.fromEffect(Effect.map(Clock.currentTimeMillis, (at) => spelling.frame(message, at)))
          ),
          Stream.map((frame) => `data: ${JSON.stringify(frame)}\n\n`),
          Stream.encodeText
        ),
        { contentType: isPython ? "text/event-stream; charset=utf-8" : "text/event-stream" }
      )
    })

  // ---------------------------------------------------------------------------
  // sessions
  // ---------------------------------------------------------------------------

  const create = Effect.fnUntraced(function*(
    at: Store.Place,
    state: Requests.Json | undefined,
    events: ReadonlyArray<AdkEvent.Event> = []
  ) {
    if (store.get(at) !== undefined) return yield* refuse(spelling.duplicate, `Session already exists: ${at.session}`)
    return json(tell(store.create(at, state, events, yield* now)))
  })

  const createIn: Handler = ({ body, params }) => {
    const session = (isPython ? body.sessionId : undefined) ?? `session-${served.next("session")}`
    const events: ReadonlyArray<AdkEvent.Event> = isPython ? body.events ?? [] : []
    const wrong = events.findIndex(({ actions }) => actions !== undefined)
    return wrong >= 0
      ? refuse(400, `Session initialization event ${wrong} cannot include event actions.`)
      : create(place({ ...params, session }), body.state, events)
  }

  const createAt: Handler = ({ body, params }) => create(place(params), isPython ? body : body.state)

  const patch: Handler = ({ body, params }) =>
    Effect.gen(function*() {
      const session = yield* find(place(params))
      const at = yield* Clock.currentTimeMillis
      const id = `p-${served.next("run")}`
      const actions = { ...spelling.defaults.actions, stateDelta: body.stateDelta ?? {} }
      store.append(
        session,
        { id, invocationId: id, author: "user", timestamp: spelling.time(at), actions },
        spelling.time(at)
      )
      return json(tell(session))
    })

  // ---------------------------------------------------------------------------
  // artifacts
  // ---------------------------------------------------------------------------

  const load: Handler = ({ params, request }) => {
    const versions = store.versions(place(params), params.file ?? "")
    const asked = params.version ?? (isPython ? new URL(request.url, "http://x").searchParams.get("version") : null) ??
      "latest"
    const part = asked === "latest" ? versions.at(-1) : versions[Number(asked)]
    return part === undefined
      ? refuse(404, isPython ? "Artifact not found" : `Artifact not found: ${params.file}`)
      : Effect.succeed(json(Play.writePart(spelling, part)))
  }

  const versionOf = (
    { artifact, customMetadata = {}, filename }: Requests.Json,
    version: number,
    createTime: number
  ) => ({
    version,
    canonicalUri: `memory://${filename}/${version}`,
    customMetadata,
    createTime,
    mimeType: artifact.inlineData?.mimeType ?? artifact.fileData?.mimeType ?? "text/plain"
  })

  const save: Handler = ({ body, params }) =>
    typeof body.filename === "string" && body.artifact !== undefined
      ? Effect.map(now, (at) =>
        json(versionOf(body, store.save(place(params), body.filename, body.artifact as AdkContent.Part), at)))
      : refuse(400, "filename and artifact are required")

  const sessions = "/apps/:app/users/:user/sessions"
  const artifacts = `${sessions}/:session/artifacts`

  const common: { readonly [route: string]: Handler } = {
    "GET /health": () => Effect.succeed(spelling.health),
    "GET /version": () => Effect.succeed(json(spelling.version)),
    "GET /list-apps": () => Effect.succeed(json([...apps].sort())),
    "POST /run": run,
    "POST /run_sse": runSse,
    [`GET ${sessions}`]: ({ params }) => {
      const { app, user } = place(params)
      return Effect.succeed(
        json(spelling.sessions(store.list(app, user).map((one) => ({ ...tell(one), state: {}, events: [] }))))
      )
    },
    [`POST ${sessions}`]: createIn,
    [`POST ${sessions}/:session`]: createAt,
    [`GET ${sessions}/:session`]: ({ params }) => Effect.map(find(place(params)), (session) => json(tell(session))),
    [`DELETE ${sessions}/:session`]: ({ params }) =>
      store.remove(place(params)) || isPython
        ? Effect.succeed(spelling.deleted)
        : refuse(404, `Session not found: ${params.session}`),
    [`GET ${artifacts}`]: ({ params }) => Effect.succeed(json(store.filenames(place(params)))),
    [`GET ${artifacts}/:file`]: load,
    [`GET ${artifacts}/:file/versions`]: ({ params }) =>
      Effect.succeed(json([...store.versions(place(params), params.file ?? "").keys()])),
    [`GET ${artifacts}/:file/versions/:version`]: load,
    [`DELETE ${artifacts}/:file`]: ({ params }) =>
      Effect.sync(() => {
        store.forget(place(params), params.file ?? "")
        return spelling.deleted
      })
  }
  const ofPython: { readonly [route: string]: Handler } = {
    [`PATCH ${sessions}/:session`]: patch,
    [`POST ${artifacts}`]: save,
    "PATCH /apps/:app/users/:user/memory": ({ body, params }) =>
      Effect.as(find(place({ ...params, session: String(body.sessionId) })), json(null))
  }
  const all = isPython ? { ...common, ...ofPython } : common
  if (!isPython || defaultApp === undefined) return all
  const short = Object.entries(all).filter(([route]) => route.includes("/apps/:app"))
  return { ...all, ...Object.fromEntries(short.map(([route, handle]) => [route.replace("/apps/:app", ""), handle])) }
}

/** The server, as routes. Its sessions live as long as the layer. */
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

/** Where {@link layerTransport} and {@link layer} have the server. */
export const url = "http://adk.test"

/** How the emulated agent is spoken to, and what it is. */
export interface ClientOptions extends Options, Omit<Adk.Options, "flavour" | "url"> {}

/** A transport to the emulated server, through the true wire without a socket, and the tape of what crossed. */
export const layerTransport = (
  options: ClientOptions = {}
): Layer.Layer<AgentTransport | HttpClient | InProcessHttp.Tape> => {
  const { agent: _, apps, defaultApp, flavour: __, ...client } = options
  const app = client.appName ?? (defaultApp === undefined ? apps?.[0] ?? appName : undefined)
  return Adk.layer({ ...client, url, appName: app }).pipe(
    Layer.provideMerge(InProcessHttp.layer(routes(options))),
    Layer.provide(Credentials.layerNone),
    Layer.orDie
  )
}

/** A client of the emulated agent. */
export const layer = (options: ClientOptions = {}): Layer.Layer<Agent.Agent | InProcessHttp.Tape> =>
  Agent.layer.pipe(Layer.provideMerge(layerTransport(options)))

/** Routes that run the agent. Tested in packages/emulators/test/adk.test.ts. */
import type * as AdkEvent from "@effect-a2a/transport-adk/AdkEvent"
import type * as AdkRun from "@effect-a2a/transport-adk/AdkRun"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import * as Requests from "./requests.ts"
import * as RunScript from "./runScript.ts"
import * as Server from "./server.ts"

/** Python refuses a run before it looks for the session. */
const checkApp = (server: Server.Server, app: string | undefined): Effect.Effect<void, Server.Response> => {
  if (!server.isPython) return Effect.void
  if (app === undefined) {
    return Server.refuse(server, 400, "app_name is required when ADK_DEFAULT_APP_NAME is not set")
  }
  if (app.startsWith("__")) return Server.refuse(server, 403, "Access to internal special agents is disabled.")
  return server.apps.includes(app)
    ? Effect.void
    : Server.refuse(server, 404, `Agent not found: '${app}'. No such directory.`)
}

const hasNoInput = ({ invocationId, newMessage }: AdkRun.RunRequest) =>
  newMessage === undefined ? invocationId === undefined : (newMessage.parts ?? []).length === 0

const begin = Effect.fnUntraced(function*(server: Server.Server, { body }: Server.Ask) {
  const { apps, defaultApp, flavour, isPython } = server
  const run = yield* Requests.run(flavour, body)
  const app = run.appName ?? defaultApp
  yield* checkApp(server, app)
  const session = yield* Server.find(server, { app: app ?? "", user: run.userId, session: String(run.sessionId) })
  if (run.newMessage === undefined && !isPython) return Stream.empty
  if (!isPython && !apps.includes(app ?? "")) {
    const message = `Agent '${app}' not found in agents. Available agents: ${apps.join(", ")}`
    return Stream.fail<RunScript.Threw>({ _tag: "Threw", message })
  }
  return hasNoInput(run)
    ? Stream.fail<RunScript.Threw>({ _tag: "Threw", message: "No parts in the newMessage." })
    : RunScript.run(server, session, run)
})

const run = (server: Server.Server): Server.Handler => (ask) =>
  Effect.flatMap(begin(server, ask), (events) => {
    const written: Array<unknown> = []
    return Stream.runForEach(events, (event) => Effect.sync(() => written.push(server.write(event)))).pipe(
      Effect.match({
        onFailure: ({ message }) => server.spelling.threw(message, written),
        onSuccess: () => Server.json(written)
      })
    )
  })

const runSse = (server: Server.Server): Server.Handler => (ask) =>
  Effect.map(begin(server, ask), (events) => {
    const { isPython, spelling, write } = server
    const isSplit = isPython && ask.body.functionCallEventId === undefined
    const toFrames = (event: AdkEvent.Event) => (isSplit ? RunScript.split(event) : [event]).map(write)
    return HttpServerResponse.stream(
      events.pipe(
        Stream.map(toFrames),
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

/** Returns the routes that run the agent. */
export const make = (server: Server.Server): Server.Handlers => ({
  "POST /run": run(server),
  "POST /run_sse": runSse(server)
})

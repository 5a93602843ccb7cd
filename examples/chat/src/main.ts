// The page: its state, the actions that change it, and the agent.
import type { AgentError } from "@effect-a2a/core/AgentError"
import * as AgentStream from "@effect-a2a/core/AgentStream"
import type * as Conversation from "@effect-a2a/core/Conversation"
import type { StreamEvent } from "@effect-a2a/core/StreamEvent"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Agent from "./agent.ts"
import * as Composer from "./composer.ts"
import { h } from "./dom.ts"
import * as Events from "./events.ts"
import * as Problem from "./problem.ts"
import { bindings, Demo, initial, type Settings } from "./settings.ts"
import * as SettingsView from "./settingsView.ts"
import * as Store from "./store.ts"
import * as Turn from "./turn.ts"
import * as TurnView from "./turnView.ts"

const examples = [
  "What is the capital of France?",
  "Take a slow look, search for it and make me a file",
  "Ask me something first",
  "Show me a tool error",
  "Try something, and fail"
]

const demo = await Effect.runPromise(
  Effect.tryPromise(() => fetch("/demo.json").then((response) => response.json())).pipe(
    Effect.map(Schema.decodeUnknownOption(Demo)),
    Effect.orElseSucceed(() => Option.none<Demo>()),
    Effect.map(Option.getOrUndefined)
  )
)

// -----------------------------------------------------------------------------
// state
// -----------------------------------------------------------------------------

const saved = Store.load()
let name = saved?.name ?? crypto.randomUUID()
let settings: Settings = saved?.settings ?? initial(demo)
let turns: ReadonlyArray<Turn.Turn> = saved?.turns ?? []
let events: ReadonlyArray<StreamEvent> = saved?.events ?? []
let key = settings.url === demo?.url ? demo.key : ""
let runtime = ManagedRuntime.make(Agent.layer(name, settings, key))
let fiber: Fiber.Fiber<void> | undefined

const isRunning = () => turns.at(-1)?.isRunning === true

let saving: ReturnType<typeof setTimeout> | undefined

const saveNow = () => {
  clearTimeout(saving)
  saving = undefined
  Store.save({ name, settings, turns, events })
}

/** Saves at once, or twice a second while an answer arrives. */
const save = () => {
  if (isRunning()) saving ??= setTimeout(saveNow, 500)
  else saveNow()
}

const change = (turn: Turn.Turn) => {
  turns = turns.with(-1, turn)
  render()
}

// -----------------------------------------------------------------------------
// actions
// -----------------------------------------------------------------------------

/** Runs an effect with the conversation. Invalid settings fail as a refusing agent does. */
const inSession = <A>(use: (session: Conversation.Service) => Effect.Effect<A, AgentError>) =>
  Effect.flatMap(runtime.contextEffect, (context) => use(Context.get(context, Agent.Session)))

/**
 * Receives the last turn, from `start`. One that starts anew is shown as soon as it is as far as the one on the page.
 * Without any event it is unknown if the question reached the agent.
 */
const runTurn = (
  start: Turn.Turn,
  received: Array<StreamEvent>,
  stream: (session: Conversation.Service) => Stream.Stream<StreamEvent, AgentError>
) => {
  let turn = start
  const furthest = () => Turn.furthest(turns.at(-1)!, turn)
  const keep = (event: StreamEvent) => {
    received.push(event)
    if (received.length >= events.length) events = received
  }
  fiber = Effect.runFork(
    inSession((session) =>
      stream(session).pipe(
        Stream.tap((event) => Effect.sync(() => keep(event))),
        AgentStream.steps,
        Stream.runForEachArray((steps) =>
          Effect.sync(() => {
            turn = steps.reduce(Turn.receive, turn)
            if (furthest() === turn) change(turn)
          })
        )
      )
    ).pipe(
      Effect.match({
        onFailure: (error) => change(Turn.end(furthest(), Problem.fromError(error))),
        onSuccess: () => {
          const last = Turn.isSilent(turn) ? turns.at(-1)! : turn
          change(Turn.end(last, Turn.isSilent(last) ? Problem.unknown : undefined))
        }
      })
    )
  )
}

const ask = (question: string) => {
  if (isRunning()) return
  if (settings.url === "") return toggleSettings(true)
  const turn = Turn.make(question, turns.at(-1))
  if (turn.earlier.count === 0) events = []
  turns = [...turns, turn]
  render()
  toEnd()
  composer.focus()
  runTurn(turn, [...events], (session) => session.stream(question))
}

/** Resumes the last turn after a reload, or after its stream failed. */
const resume = () => {
  const kept = events
  const turn = turns.at(-1)!
  change({ ...turn, isRunning: true, problem: undefined })
  runTurn(Turn.restart(turn), [], (session) => Events.continueWith(kept, session.resume))
}

const leave = () => fiber?.interruptUnsafe()

const stop = () => {
  if (!isRunning()) return
  const end = (problem: Problem.Problem) => {
    leave()
    change(Turn.end(turns.at(-1)!, problem))
  }
  if (Turn.isSilent(turns.at(-1)!)) return end(Problem.stopped)
  // the stream reports the cancellation and ends the turn; a task that cannot be canceled is terminal
  Effect.runFork(
    inSession((session) => session.cancel).pipe(
      Effect.catchReason("AgentError", "TaskNotCancelableError", () => Effect.void),
      Effect.match({ onFailure: (error) => end(Problem.fromError(error)), onSuccess: () => undefined })
    )
  )
}

const reconnect = () => {
  leave()
  void runtime.dispose()
  runtime = ManagedRuntime.make(Agent.layer(name, settings, key))
  render()
  composer.focus()
}

const restart = () => {
  leave()
  void runtime.dispose().then(() => Effect.runPromise(Agent.forget(over)))
  const over = name
  name = crypto.randomUUID()
  turns = []
  events = []
  reconnect()
}

/** Continues the conversation if only the version or the binding changed. */
const connect = (next: Settings, nextKey: string) => {
  const isSame = next.url === settings.url && !isRunning()
  settings = next
  key = nextKey
  toggleSettings(false)
  if (isSame) reconnect()
  else restart()
}

// -----------------------------------------------------------------------------
// the page
// -----------------------------------------------------------------------------

const log = h("section", { className: "log", attributes_: { "aria-label": "Conversation" } })
const where = h("p", { className: "where" })
const network = h("span", { className: "network", attributes_: { role: "status" } })
const form = SettingsView.make(settings, key, connect)
const composer = Composer.make({ ask, stop })
const side = h(
  "aside",
  { className: "side", id: "side" },
  h("h2", {}, "Agent"),
  form.element
)
const toggle = h(
  "button",
  {
    type: "button",
    className: "quiet only-narrow",
    onclick: () => toggleSettings(!side.classList.contains("open")),
    attributes_: { "aria-controls": "side", "aria-expanded": "false" }
  },
  "Settings"
)
const fresh = h(
  "button",
  { type: "button", className: "quiet", onclick: restart, ariaLabel: "New conversation" },
  "New"
)
const welcome = h(
  "div",
  { className: "welcome" },
  h("h2", {}, "Ask an agent"),
  h("p", {}, "Its thoughts, tools and answer arrive as they happen. Try one of these:"),
  h(
    "div",
    { className: "questions" },
    ...examples.map((text) => h("button", { type: "button", className: "suggestion", onclick: () => ask(text) }, text))
  )
)

document.body.append(h(
  "div",
  { className: "app" },
  h("header", {}, h("div", { className: "title" }, h("h1", {}, "Chat"), where), network, fresh, toggle),
  side,
  h("main", {}, log, composer.element)
))

function toggleSettings(isOpen: boolean) {
  side.classList.toggle("open", isOpen)
  toggle.setAttribute("aria-expanded", String(isOpen))
  if (isOpen) form.focus()
}

const views: Array<TurnView.TurnView> = []

const toEnd = () => log.scrollTo({ top: log.scrollHeight })

function render() {
  const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80
  if (turns.length === 0) {
    views.length = 0
    log.replaceChildren(welcome)
  } else welcome.remove()
  turns.forEach((turn, index) => {
    views[index] ??= (() => {
      const view = TurnView.make({ ask, resume, settings: () => toggleSettings(true) })
      log.append(view.element)
      return view
    })()
    views[index].update(turn, index === turns.length - 1)
  })
  where.textContent = settings.url === ""
    ? "no agent yet"
    : `${URL.canParse(settings.url) ? new URL(settings.url).host : settings.url} · A2A ${settings.version} · ${
      bindings[settings.binding]
    }`
  network.textContent = navigator.onLine ? "" : "offline"
  fresh.hidden = turns.length === 0
  composer.update(isRunning())
  if (isAtEnd) toEnd()
  save()
}

addEventListener("pagehide", saveNow)
addEventListener("online", render)
addEventListener("offline", render)

render()
toEnd()
if (isRunning()) resume()
if (settings.url === "") toggleSettings(true)
else if (matchMedia("(hover: hover)").matches) composer.focus()

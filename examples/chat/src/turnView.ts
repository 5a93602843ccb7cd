// A turn on the page. Created once and then updated; unchanged elements stay.
import type { TaskState } from "@effect-a2a/core/TaskState"
import { h, keyed, setText } from "./dom.ts"
import type { Problem } from "./problem.ts"
import { answerText, type File, isWaiting, type Step, type Turn } from "./turn.ts"

export interface Actions {
  readonly ask: (question: string) => void
  readonly resume: () => void
  readonly settings: () => void
}

const json = (value: unknown) => JSON.stringify(value, null, 2)

const block = (label: string, text: string) =>
  h("div", {}, h("span", { className: "label" }, label), h("pre", { tabIndex: 0 }, text))

const tool = ({ call: { args, name, outcome } }: Extract<Step, { readonly _tag: "Tool" }>) => {
  const state = outcome === undefined ? "running" : outcome._tag === "Success" ? "done" : "failed"
  const brief = Object.values(args).filter((value) => typeof value === "string").join(", ")
  return h(
    "li",
    { className: `step tool ${state}` },
    h(
      "details",
      {},
      h(
        "summary",
        {},
        h("span", { className: "name" }, name),
        brief !== "" && h("span", { className: "brief" }, brief),
        h("span", { className: "state" }, state)
      ),
      block("asked", json(args)),
      outcome !== undefined && (outcome._tag === "Success"
        ? block("result", json(outcome.response))
        : block("error", `${outcome.error}${outcome.code === undefined ? "" : ` (${outcome.code})`}`))
    )
  )
}

const linkable = /^(https?|data|blob):/

const fileView = ({ mediaType, name, note, url }: File) => {
  const inside = [
    h("span", { className: "name" }, name),
    h("span", { className: "note" }, [mediaType, note].filter(Boolean).join(" · "))
  ]
  return url !== undefined && linkable.test(url)
    ? h("a", { className: "file", href: url, download: name, target: "_blank", rel: "noreferrer" }, ...inside)
    : h("span", { className: "file missing" }, ...inside)
}

const step = (one: Step): Node => {
  switch (one._tag) {
    case "Tool":
      return tool(one)
    case "File":
      return h("li", { className: "step" }, fileView(one.file))
    default:
      return h("li", { className: `step ${one._tag.toLowerCase()}` }, one.text.trim())
  }
}

const labels = { retry: "Ask again", continue: "Resume", settings: "Open settings" }

const problemView = (problem: Problem, turn: Turn, actions: Actions) => {
  const act = {
    retry: () => actions.ask(turn.question),
    continue: actions.resume,
    settings: actions.settings
  }
  const { action, advice, code, detail, isMild, title } = problem
  return h(
    "div",
    { className: `problem${isMild ? " mild" : ""}`, attributes_: { role: isMild ? "status" : "alert" } },
    h("strong", {}, title),
    detail !== "" && detail !== title && h("p", {}, detail),
    h("p", { className: "advice" }, advice),
    h(
      "div",
      { className: "row" },
      action !== undefined && h("button", { type: "button", onclick: act[action] }, labels[action]),
      code !== "" && h("code", {}, code)
    )
  )
}

const states: { readonly [S in TaskState]?: string } = {
  submitted: "The agent has the question…",
  working: "Working…"
}

const progress = (turn: Turn, isLast: boolean): string => {
  if (!turn.isRunning) return isWaiting(turn) && isLast ? "The agent waits for your reply." : ""
  if (!navigator.onLine) return "Offline. The answer continues when the network is back."
  return turn.state === undefined ? "Asking…" : states[turn.state] ?? "Working…"
}

export const make = (actions: Actions) => {
  const question = h("p", { className: "question" })
  const steps = h("ol", { className: "steps", attributes_: { "aria-label": "What the agent did" } })
  const answer = h("div", { className: "text" })
  const asks = h("p", { className: "asks" })
  const files = h("div", { className: "files" })
  const status = h("p", { className: "progress", attributes_: { role: "status" } })
  const problem = h("div", {})
  const questions = h("div", { className: "questions" })
  const reply = h("div", { className: "reply", attributes_: { "aria-live": "polite" } }, answer, files, asks)
  const element = h(
    "article",
    { className: "turn", attributes_: { "aria-label": "Question and answer" } },
    question,
    h("div", { className: "agent" }, steps, reply, status, problem, questions)
  )
  const shown = { steps: [] as Array<Step>, files: [] as Array<File>, questions: [] as Array<string> }
  let problemShown: Problem | undefined

  const update = (turn: Turn, isLast: boolean): void => {
    setText(question, turn.question)
    keyed(steps, turn.steps, shown.steps, step)
    reply.setAttribute("aria-busy", String(turn.isRunning))
    element.classList.toggle("running", turn.isRunning)
    element.dataset.state = turn.isRunning ? "running" : turn.problem === undefined ? "done" : "problem"
    setText(answer, answerText(turn))
    setText(asks, turn.asks ?? "")
    keyed(files, turn.files, shown.files, fileView)
    setText(status, progress(turn, isLast))
    if (problemShown !== turn.problem) {
      problemShown = turn.problem
      problem.replaceChildren(...(turn.problem === undefined ? [] : [problemView(turn.problem, turn, actions)]))
    }
    keyed(
      questions,
      turn.isRunning ? [] : turn.suggestions,
      shown.questions,
      (text) => h("button", { type: "button", className: "suggestion", onclick: () => actions.ask(text) }, text)
    )
  }

  return { element, update }
}

export type TurnView = ReturnType<typeof make>

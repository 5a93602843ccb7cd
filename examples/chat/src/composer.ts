// The input: Enter sends, Shift+Enter starts a new line, Escape cancels the running task.
import { h } from "./dom.ts"

export interface Actions {
  readonly ask: (question: string) => void
  readonly stop: () => void
}

export const make = ({ ask, stop }: Actions) => {
  const input = h("textarea", {
    rows: 1,
    placeholder: "Ask the agent",
    attributes_: { "aria-label": "Your question", "aria-describedby": "hint", enterkeyhint: "send" }
  })
  const send = h("button", { type: "submit", className: "primary" }, "Send")
  const halt = h("button", { type: "button", className: "stop", hidden: true, onclick: stop }, "Cancel")
  const element = h(
    "form",
    { className: "composer", attributes_: { "aria-label": "Ask" } },
    h("div", { className: "box" }, input, send, halt),
    h("p", { id: "hint", className: "hint" }, "Enter sends, Shift+Enter starts a new line, Escape cancels.")
  )
  let isRunning = false

  const submit = () => {
    const question = input.value.trim()
    if (question === "" || isRunning) return
    input.value = ""
    ask(question)
  }

  element.addEventListener("submit", (event) => {
    event.preventDefault()
    submit()
  })
  input.addEventListener("keydown", (event) => {
    // in an input method, Enter chooses a word
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
    event.preventDefault()
    submit()
  })
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && isRunning) stop()
  })

  return {
    element,
    focus: () => input.focus({ preventScroll: true }),
    update: (running: boolean) => {
      const hadFocus = document.activeElement === send || document.activeElement === halt
      isRunning = running
      send.hidden = running
      halt.hidden = !running
      if (hadFocus) input.focus({ preventScroll: true })
    }
  }
}

// The form of the settings.
import { h } from "./dom.ts"
import { bindings, type Settings } from "./settings.ts"

const choice = (
  name: string,
  legend: string,
  options: ReadonlyArray<readonly [value: string, label: string]>,
  chosen: string
) =>
  h(
    "fieldset",
    {},
    h("legend", {}, legend),
    h(
      "div",
      { className: "segments" },
      ...options.map(([value, label]) =>
        h("label", {}, h("input", { type: "radio", name, value, checked: value === chosen }), h("span", {}, label))
      )
    )
  )

const bindingOf = (chosen: unknown): Settings["binding"] => chosen === "rest" || chosen === "jsonrpc" ? chosen : "card"

export const make = (settings: Settings, key: string, connect: (settings: Settings, key: string) => void) => {
  const url = h("input", {
    type: "url",
    name: "url",
    value: settings.url,
    required: true,
    placeholder: "https://agent.example/a2a",
    spellcheck: false
  })
  const secret = h("input", { type: "password", name: "key", value: key, autocomplete: "off", placeholder: "none" })
  const form = h(
    "form",
    { id: "settings", className: "settings", attributes_: { "aria-label": "Agent" } },
    h("label", { className: "field" }, h("span", {}, "Address of the agent"), url),
    choice("version", "A2A version", [["1.0", "1.0"], ["0.3", "0.3"]], settings.version),
    choice("binding", "Binding", Object.entries(bindings), settings.binding),
    h(
      "label",
      { className: "field" },
      h("span", {}, "Key"),
      secret,
      h("small", {}, "Stays in the memory of this page; a reload forgets it.")
    ),
    h("button", { type: "submit", className: "primary" }, "Connect")
  )
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    const data = new FormData(form)
    connect({
      url: String(data.get("url")).trim(),
      version: data.get("version") === "0.3" ? "0.3" : "1.0",
      binding: bindingOf(data.get("binding"))
    }, String(data.get("key")))
  })
  return { element: form, focus: () => (key === "" && url.value !== "" ? secret : url).focus() }
}

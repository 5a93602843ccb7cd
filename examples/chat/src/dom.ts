// Elements, created by calls. Text is inserted as text, never as markup.
type Child = Node | string | undefined | false

type Properties<K extends keyof HTMLElementTagNameMap> =
  & { readonly [P in keyof HTMLElementTagNameMap[K] as P extends string ? P : never]?: HTMLElementTagNameMap[K][P] }
  & { readonly attributes_?: Readonly<Record<string, string>> }

export const h = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties<K> = {},
  ...children: ReadonlyArray<Child>
): HTMLElementTagNameMap[K] => {
  const { attributes_ = {}, ...rest } = properties as Properties<K> & Record<string, unknown>
  const element = Object.assign(document.createElement(tag), rest)
  for (const [name, value] of Object.entries(attributes_)) element.setAttribute(name, value)
  element.append(...children.filter((child) => child !== undefined && child !== false))
  return element
}

/** Changes text only if it differs, so that screen readers announce only new text. */
export const setText = (element: HTMLElement, text: string): void => {
  const last = element.firstChild
  if (last instanceof Text && text.startsWith(last.data)) last.appendData(text.slice(last.data.length))
  else if (element.textContent !== text) element.textContent = text
}

/** Updates children: unchanged ones and open details stay. */
export const keyed = <A>(
  parent: HTMLElement,
  items: ReadonlyArray<A>,
  shown: Array<A>,
  make: (item: A) => Node
): void => {
  items.forEach((item, index) => {
    if (shown[index] === item) return
    const node = make(item)
    const old = parent.childNodes[index]
    if (old === undefined) parent.append(node)
    else {
      const isOpen = (old as Element).querySelector("details")?.open === true
      if (isOpen) (node as Element).querySelector("details")!.open = true
      old.replaceWith(node)
    }
    shown[index] = item
  })
  while (parent.childNodes.length > items.length) parent.lastChild!.remove()
  shown.length = items.length
}

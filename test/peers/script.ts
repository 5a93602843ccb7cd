/** The script of the JavaScript agents, by the first word of a message. */

export interface Content {
  readonly text?: string
  readonly raw?: string
  readonly url?: string
  readonly data?: unknown
  readonly mediaType?: string
}

/** The events of an agent, in the types of its SDK. */
export interface Voice {
  readonly message: (text: string) => void
  /** The task as it was submitted. */
  readonly begin: () => void
  readonly become: (state: State, text?: string) => void
  /** A chunk of the one artifact. */
  readonly put: (
    parts: ReadonlyArray<Content>,
    options?: { readonly append?: boolean; readonly more?: boolean }
  ) => void
}

export type State = "working" | "input-required" | "completed" | "canceled" | "failed"

export interface Request {
  readonly text: string
  readonly taskId: string
  /** The message continues a task. */
  readonly isMore: boolean
}

/**
 * Creates the script: `hello` (a message, no task), `throw` (an exception only), `echo …`, `chunks`, `files`, `ask` (and any
 * later message of its task), `fail`, `break` (an illegal event), `half` (a chunk, and another on `finish`). Anything else is
 * a task that completes on `finish`.
 */
export const make = () => {
  const waiting = new Map<string, (state: State) => void>()
  const settle = (taskId: string, state: State) => {
    waiting.get(taskId)?.(state)
    waiting.delete(taskId)
  }
  const signal = (taskId: string) => new Promise<State>((resolve) => waiting.set(taskId, resolve))

  const run = async ({ isMore, taskId, text }: Request, { become, begin, message, put }: Voice): Promise<void> => {
    const [word] = text.split(" ")
    if (word === "hello") return message("Hello yourself")
    if (word === "throw") throw new Error("no model")
    begin()
    if (isMore) {
      put([{ text: `You answered ${text}` }])
      return become("completed")
    }
    become("working", "On it")
    switch (word) {
      case "echo":
        put([{ text: text.slice("echo ".length) }])
        return become("completed")
      case "chunks":
        put([{ text: "One, " }], { more: true })
        put([{ text: "two, " }], { append: true, more: true })
        put([{ text: "three" }], { append: true })
        return become("completed")
      case "files":
        put([
          { raw: "aGVsbG8=", mediaType: "text/plain" },
          { url: "https://files.test/a.png", mediaType: "image/png" },
          { data: { answer: 42, list: [1, null] } }
        ])
        return become("completed")
      case "ask":
        return become("input-required", "Which city?")
      case "fail":
        return become("failed", "The oven is cold")
      case "break":
        return begin()
      case "half": {
        put([{ text: "One, " }], { more: true })
        const state = await signal(taskId)
        if (state === "completed") put([{ text: "two" }], { append: true })
        return become(state)
      }
      default: {
        const state = await signal(taskId)
        if (state === "completed") put([{ text: "At last" }])
        return become(state)
      }
    }
  }

  return {
    run,
    cancel: (taskId: string) => settle(taskId, "canceled"),
    finish: (taskId: string) => settle(taskId, "completed")
  }
}

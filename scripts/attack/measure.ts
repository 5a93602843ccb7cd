// One attack on a server with a small heap, while another caller is served.
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { Attack, Codes } from "./attack.ts"
import type { Memory } from "./server.ts"
import { type Answer, connect, message, pause, type Target } from "./wire.ts"

export interface Report {
  /** The server went on and served a new connection afterwards. */
  readonly survived: boolean
  /** Answers to the other caller, those that it did not get, and whether its waiting task is still there. */
  readonly served: number
  readonly failed: ReadonlyArray<string>
  readonly kept: boolean
  /** Milliseconds that the other caller waited. */
  readonly median: number
  readonly worst: number
  /** Megabytes. */
  readonly heap: number
  readonly rss: number
  /** Answers to the attacker, by the name of the attack and by their codes. */
  readonly codes: Readonly<Record<string, Codes>>
  /** Answers that only a fault of the server explains. */
  readonly wrong: ReadonlyArray<string>
  /** Last lines of a server that died. */
  readonly said: string
}

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** Starts the server with a heap of so many megabytes. */
export const start = async (heap: number) => {
  const child = fork(file("server.ts"), {
    execArgv: [`--max-old-space-size=${heap}`],
    stdio: ["ignore", "ignore", "pipe", "ipc"]
  })
  const state = { peak: { heap: 0, rss: 0 } as Memory, said: "" }
  child.stderr?.on("data", (data) => {
    state.said = `${state.said}${data}`.slice(-4000)
  })
  const url = new Promise<string>((resolve) =>
    child.on("message", (received: string | Memory) => {
      if (typeof received === "string") resolve(received)
      else state.peak = received
    })
  )
  const died = once(child, "exit").then(() => Promise.reject(new Error(`the server did not start: ${state.said}`)))
  died.catch(() => {})
  return { child, state, port: Number(new URL(await Promise.race([url, died])).port) }
}

const isOk = (answer: Answer): boolean => answer.status === 200 && !answer.body.includes("\"error\"")

const stop = async (child: ChildProcess) => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, "exit")
  child.kill("SIGKILL")
  await exited
}

/** Asks about every 100 ms until `end`; one request at a time, all over one connection. */
const watch = (other: Target) => {
  const answers: Array<Answer> = []
  const state = { ends: false }
  const asking = (async () => {
    for (let i = 0; !state.ends; i++) {
      const sent = { message: message("hi") }
      const answer = await (i % 2 === 0 ? other.rest("POST", "/message:send", sent) : other.rpc("SendMessage", sent))
      answers.push(answer)
      if (answer.status === 0 && answer.took < 1) break
      await pause(Math.max(0, 100 - answer.took))
    }
  })()
  return {
    answers,
    end: () => {
      state.ends = true
      return asking
    }
  }
}

const attackWith = async (port: number, names: ReadonlyArray<string>): Promise<Readonly<Record<string, Codes>>> => {
  const attacker = fork(file("attacker.ts"), [String(port), ...names], {
    stdio: ["ignore", "inherit", "inherit", "ipc"]
  })
  const [codes] = await Promise.race([
    once(attacker, "message"),
    once(attacker, "exit").then(() => [{ [names.join()]: { "the attacker failed": 1 } }])
  ])
  return codes
}

const wrongCodes = (attacks: ReadonlyArray<Attack>, codes: Readonly<Record<string, Codes>>): ReadonlyArray<string> =>
  Object.entries(codes).flatMap(([name, counts]) =>
    Object.keys(counts).filter((code) =>
      /5\d\d|-32603|^lost$|attacker/.test(code.replaceAll("503", ""))
      && attacks.find((one) => one.name === name)?.answersInternalErrors !== true
    ).map((code) => `${name}: ${code}`)
  )

/** Runs attacks one after another on one server; `heap` is the limit of its old space in MB. */
export const measure = async (attacks: ReadonlyArray<Attack>, heap: number): Promise<Report> => {
  const { child, port, state } = await start(heap)
  try {
    const other = connect(port, "ada", 1)
    for (let i = 0; i < 20; i++) await other.rest("POST", "/message:send", { message: message("hi") })
    const asked = await other.rest("POST", "/message:send", { message: message("ask") })
    const id = /"task":\{"id":"([^"]+)"/.exec(asked.body)?.[1]
    const watching = watch(other)
    const codes = await attackWith(port, attacks.map(({ name }) => name))
    await pause(500)
    await watching.end()
    const after = await connect(port, "bob", 1).rest("POST", "/message:send", { message: message("hi") })
    const kept = await other.rest("GET", `/tasks/${id}`)
    await pause(150)
    const took = watching.answers.map((answer) => answer.took).sort((a, b) => a - b)
    return {
      survived: child.exitCode === null && child.signalCode === null && isOk(after),
      served: watching.answers.filter(isOk).length,
      failed: watching.answers.filter((one) => !isOk(one)).map((one) => `${one.status} ${one.body.slice(0, 200)}`),
      kept: kept.body.includes("TASK_STATE_INPUT_REQUIRED"),
      median: Math.round(took[took.length >> 1] ?? 0),
      worst: Math.round(took.at(-1) ?? 0),
      heap: Math.round(state.peak.heap / 1e6),
      rss: Math.round(state.peak.rss / 1e6),
      codes,
      wrong: wrongCodes(attacks, codes),
      said: child.exitCode === null && child.signalCode === null ? "" : state.said
    }
  } finally {
    await stop(child)
  }
}

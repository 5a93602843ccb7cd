// Attacks by tasks and streams: what the server keeps, and for how long.
import { type Attack, codes } from "./attack.ts"
import { connect, each, head, message, pause, socket, type Target } from "./wire.ts"

const MiB = 1024 * 1024

const send = (mallory: Target, text: string, more: object = {}) =>
  mallory.rest("POST", "/message:send", { message: message(text), ...more })

const begin = (mallory: Target, text: string) => send(mallory, text, { configuration: { returnImmediately: true } })

const idOf = (body: string): string => /"task":\{"id":"([^"]+)"/.exec(body)?.[1] ?? "none"

const streamOf = (text: string): string => {
  const body = JSON.stringify({ message: message(text) })
  return head("/a2a/message:stream", body.length) + body
}

const large: Attack = {
  name: "60 tasks of 15 MiB",
  ids: ["S2-04"],
  run: async (port) => {
    const mallory = connect(port, "mallory")
    const text = "x".repeat(15 * MiB)
    return codes(await each(60, 1, () => send(mallory, text)))
  }
}

const largeContexts: Attack = {
  name: "200 ids of 2 MB",
  ids: ["S2-04"],
  run: async (port) => {
    const mallory = connect(port, "mallory")
    return codes(
      await each(
        200,
        2,
        (i) => mallory.rest("POST", "/message:send", { message: message("hi", { contextId: `${i}`.padEnd(2e6, "c") }) })
      )
    )
  }
}

const events = (count: number): Attack => ({
  name: `${count.toLocaleString("en")} small events`,
  ids: ["S2-04"],
  isCheap: count <= 20_000,
  run: async (port) => codes(await socket(port, streamOf(`flood ${count} 10`), { limit: 20_000 }))
})

const noisy: Attack = {
  name: "an executor that sends 1.5 GB",
  ids: ["S2-04"],
  run: async (port) => {
    const mallory = connect(port, "mallory")
    const answer = await begin(mallory, "flood 15000 100000")
    await pause(5000)
    return codes([answer])
  }
}

const deaf: Attack = {
  name: "8 clients that never read",
  ids: ["S2-05"],
  run: async (port) => {
    const all = Array.from(
      { length: 8 },
      () => socket(port, streamOf("flood 2000 100000"), { limit: 8000, onOpen: (one) => one.pause() })
    )
    const mallory = connect(port, "mallory")
    await pause(3000)
    const others = await each(1050, 20, () => send(mallory, "hi"))
    await Promise.all(all)
    return codes(others)
  }
}

const flood: Attack = {
  name: "a flood of 2,000 messages",
  ids: ["S2-06"],
  run: async (port) => {
    const mallory = connect(port, "mallory")
    return codes(await each(2002, 20, (i) => send(mallory, i % 2 === 0 ? "ask" : "hi")))
  }
}

const running: Attack = {
  name: "10,000 tasks that never end",
  ids: ["S2-11"],
  run: async (port) => {
    const mallory = connect(port, "mallory")
    return codes(await each(10_000, 20, () => begin(mallory, "hang")))
  }
}

const idle: Attack = {
  name: "500 idle subscribers",
  ids: ["S2-15"],
  run: async (port) => {
    const mallory = connect(port, "mallory")
    const id = idOf((await begin(mallory, "hang")).body)
    const text =
      `GET /a2a/tasks/${id}:subscribe HTTP/1.1\r\nHost: localhost\r\na2a-version: 1.0\r\nx-caller: mallory\r\n\r\n`
    return codes((await Promise.all(Array.from({ length: 500 }, () => socket(port, text, { limit: 4000 })))).flat())
  }
}

const cancels: Attack = {
  name: "a storm of cancellations",
  ids: ["S2-16", "S2-26"],
  isCheap: true,
  run: async (port) => {
    const mallory = connect(port, "mallory", 50)
    const id = idOf((await begin(mallory, "hang")).body)
    const asked = idOf((await send(mallory, "ask")).body)
    const stubborn = idOf((await begin(mallory, "stubborn 1500")).body)
    return codes([
      ...await each(200, 50, () => mallory.rest("POST", `/tasks/${id}:cancel`, {})),
      ...await each(40, 20, (i) =>
        i % 2 === 0
          ? mallory.rest("POST", `/tasks/${asked}:cancel`, {})
          : mallory.rest("POST", "/message:send", { message: message("more", { taskId: asked }) })),
      ...await each(20, 20, () => mallory.rest("POST", `/tasks/${stubborn}:cancel`, {}))
    ])
  }
}

const lists: Attack = {
  name: "40 large lists at once",
  ids: ["S2-04"],
  run: async (port) => {
    const mallory = connect(port, "mallory", 40)
    const text = "x".repeat(MiB)
    const sent = await each(30, 2, () => send(mallory, text))
    const read = await each(40, 40, (i) =>
      i % 2 === 0
        ? mallory.rest("GET", "/tasks?pageSize=100&includeArtifacts=true")
        : mallory.rpc("ListTasks", { pageSize: 100, includeArtifacts: true }))
    return codes([...sent, ...read])
  }
}

const dying: Attack = {
  name: "an executor that dies",
  ids: ["S2-23"],
  isCheap: true,
  answersInternalErrors: true,
  run: async (port) => {
    const mallory = connect(port, "mallory")
    return codes(await each(200, 20, () => send(mallory, "die")))
  }
}

export const tasks: ReadonlyArray<Attack> = [
  large,
  largeContexts,
  events(20_000),
  events(1_000_000),
  noisy,
  deaf,
  flood,
  running,
  idle,
  cancels,
  lists,
  dying
]

// Attacks by the head of a request: targets, headers, framing.
import { type Attack, codes } from "./attack.ts"
import { connect, each, socket } from "./wire.ts"

const get = (target: string, headers = "") =>
  `GET ${target} HTTP/1.1\r\nHost: localhost\r\na2a-version: 1.0\r\nconnection: close\r\n${headers}\r\n`

const sockets = async (port: number, texts: ReadonlyArray<string>) =>
  codes((await each(texts.length, 4, (i) => socket(port, texts[i] ?? "", { limit: 1500 })))
    .map((statuses) => statuses.join("+") || "closed"))

const targets: Attack = {
  name: "targets that are not paths",
  ids: ["S2-08", "S2-09", "S2-20"],
  isCheap: true,
  run: (port) =>
    sockets(
      port,
      [
        "http://[/a2a/tasks/x",
        "http://localhost:99999/a2a/tasks/x",
        "https://%/rpc",
        "//[/a2a/tasks/x",
        "/A2A/tasks/x",
        "/a2a/%74asks/x",
        "/a2a/tasks/..%2f..%2fetc",
        "/a2a/tasks/../../etc",
        "/a2a/tasks/%E0%A4%A",
        "/a2a/tasks/x%0d%0aset-cookie:a=b",
        "/a2a/..;/tasks/x",
        `/a2a/tasks/${"a".repeat(14_000)}`,
        `/a2a/${"%2e/".repeat(3000)}tasks/x`,
        "*",
        "/a2a/tasks?pageToken=%00&pageSize=1e9",
        `/a2a/tasks?${"status=x&".repeat(1500)}`
      ].map((target) => get(target))
    )
}

const many: Attack = {
  name: "many and large headers",
  ids: ["S2-14", "S2-21"],
  isCheap: true,
  run: (port) =>
    sockets(port, [
      get("/a2a/tasks", Array.from({ length: 2500 }, (_, i) => `h${i}: v\r\n`).join("")),
      get("/a2a/tasks", `x: ${"a".repeat(65_536)}\r\n`),
      get("/a2a/tasks", `accept: ${"application/a+json;q=0.1,".repeat(600)}\r\n`),
      get("/a2a/tasks", `a2a-extensions: ${"a,".repeat(7000)}\r\n`),
      get("/a2a/tasks", `a2a-version: ${"9".repeat(14_000)}.0\r\n`),
      get("/a2a/tasks", `content-type: application/${"a+".repeat(6000)}json!\r\n`)
    ])
}

const smuggled: Attack = {
  name: "smuggled requests",
  ids: ["S2-22"],
  isCheap: true,
  run: (port) => {
    const post = "POST /rpc HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/json\r\n"
    const second = get("/a2a/tasks/smuggled")
    return sockets(port, [
      `${post}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${second}`,
      `${post}content-length: 5\r\ncontent-length: 6\r\n\r\nabcde`,
      `${post}transfer-encoding: xchunked\r\n\r\n0\r\n\r\n${second}`,
      `${post}transfer-encoding : chunked\r\n\r\n0\r\n\r\n${second}`,
      `${post}transfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n`,
      "GET /a2a/tasks/x HTTP/1.1\nHost: localhost\n\n",
      "GET /a2a/tasks/x HTTP/1.1\r\na2a-version: 1.0\r\n\r\n",
      get("/a2a/tasks/x", "x: a\r\n b\r\n"),
      get("/a2a/tasks/x").replace("GET", "CONNECT"),
      get("/a2a/tasks/x").replace("GET", "TRACE")
    ])
  }
}

const strangers: Attack = {
  name: "tasks of another caller",
  ids: ["S2-25"],
  isCheap: true,
  run: async (port) => {
    const [ada, mallory] = [connect(port, "ada"), connect(port, "mallory")]
    const { body } = await ada.rest("POST", "/message:send", {
      message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "ask" }] }
    })
    const id = /"task":\{"id":"([^"]+)"/.exec(body)?.[1] ?? ""
    const answers = [
      await mallory.rest("GET", `/tasks/${id}`),
      await mallory.rest("POST", `/tasks/${id}:cancel`, {}),
      await mallory.rest("GET", `/tasks/${id}:subscribe`),
      await mallory.rpc("GetTask", { id }),
      await mallory.rpc("CancelTask", { id }),
      await mallory.rpc("SendMessage", {
        message: { messageId: "n", taskId: id, role: "ROLE_USER", parts: [{ text: "hi" }] }
      })
    ]
    return codes([...answers, (await ada.rest("GET", `/tasks/${id}`)).status === 200 ? "kept" : "lost"])
  }
}

export const heads: ReadonlyArray<Attack> = [targets, many, smuggled, strangers]

// Attacks by what a body holds, and by how it is sent.
import { type Attack, codes } from "./attack.ts"
import { connect, each, head, message, socket } from "./wire.ts"

const MiB = 1024 * 1024

const list = (count: number, item: string) => `[${Array(count).fill(item).join(",")}]`

const withParts = (parts: string) => `{"message":{"messageId":"m","role":"ROLE_USER","parts":${parts}}}`

const withData = (json: string) => withParts(`[{"data":${json}}]`)

const nested = (levels: number, [open, close]: readonly [string, string]) =>
  `${open.repeat(levels)}1${close.repeat(levels)}`

const wrongMembers = (megabytes: number): Attack => ({
  name: `wrong members, ${megabytes} MB`,
  ids: ["S2-01"],
  isCheap: megabytes === 1,
  run: async (port) => {
    const mallory = connect(port, "mallory")
    const size = megabytes * 1e6
    const bodies = ["1", "{}", "\"x\"", "{\"oops\":1}"].map((item) => list(Math.floor(size / (item.length + 1)), item))
    const members = `{${Array.from({ length: size / 12 }, (_, i) => `"k${i}":[1]`).join(",")}}`
    return codes([
      ...await each(bodies.length, 1, (i) => mallory.rest("POST", "/message:send", withParts(bodies[i] ?? ""))),
      ...await each(bodies.length, 1, (i) =>
        mallory.request({
          method: "POST",
          path: "/rpc",
          headers: i % 2 === 0 ? {} : { "a2a-version": "0.3" },
          body: `{"jsonrpc":"2.0","id":1,"method":"${i % 2 === 0 ? "SendMessage" : "message/send"}","params":${
            withParts(bodies[i] ?? "")
          }}`
        })),
      await mallory.rest("POST", "/message:send", `{"message":${members}}`)
    ])
  }
})

const numbers: Attack = {
  name: "numbers that JSON cannot write",
  ids: ["S2-03", "S2-18"],
  isCheap: true,
  run: async (port) => {
    const mallory = connect(port, "mallory")
    const poison = ["1e400", "-1e999", "{\"deep\":[1,{\"n\":1e400}]}", "[1e309]"]
    const sent = poison.flatMap((json) => [
      withData(json),
      `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}],"metadata":{"n":${json}}}}`,
      `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a","metadata":{"n":${json}}}]},"metadata":{"n":${json}}}`
    ])
    return codes([
      ...await each(sent.length, 1, (i) => mallory.rest("POST", "/message:send", sent[i])),
      await mallory.rest("GET", "/tasks"),
      await mallory.rpc("ListTasks", {})
    ])
  }
}

const depth: Attack = {
  name: "levels of nesting",
  ids: ["S2-07", "S2-13"],
  isCheap: true,
  run: async (port) => {
    const mallory = connect(port, "mallory")
    const bodies = [100, 190, 1000, 100_000, 1_000_000].flatMap((levels) => [
      withData(nested(levels, ["[", "]"])),
      withData(nested(levels, ["{\"a\":", "}"])),
      `{"message":{"messageId":"m","role":"ROLE_USER","parts":${nested(levels, ["[", "]"])}}}`
    ])
    return codes([
      ...await each(bodies.length, 2, (i) => mallory.rest("POST", "/message:send", bodies[i])),
      await mallory.rest("GET", "/tasks")
    ])
  }
}

const wide: Attack = {
  name: "wide documents and batches",
  ids: ["S2-13"],
  run: async (port) => {
    const mallory = connect(port, "mallory")
    const keys = Array.from({ length: 500_000 }, (_, i) => `"k${i}":1`).join(",")
    const batch = list(100_000, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ListTasks\"}")
    return codes([
      await mallory.rest("POST", "/message:send", withData(`{${keys}}`)),
      await mallory.rest("POST", "/message:send", `{${keys},${withParts("[{\"text\":\"a\"}]").slice(1)}`),
      await mallory.rest("POST", "/message:send", withParts(list(400_000, "{\"text\":\"a\"}"))),
      await mallory.request({ method: "POST", path: "/rpc", body: batch })
    ])
  }
}

const endless: Attack = {
  name: "bodies without end",
  ids: ["S2-12"],
  run: async (port) => {
    const filler = Buffer.alloc(MiB, 97)
    const chunk = Buffer.concat([Buffer.from("100000\r\n"), filler, Buffer.from("\r\n")])
    const statuses = await each(8, 4, (i) => {
      const chunked = i % 2 === 0
      const write = chunked ? chunk : filler
      return socket(port, head(i % 4 < 2 ? "/rpc" : "/a2a/message:send", chunked ? "chunked" : 200 * MiB), {
        limit: 10_000,
        onOpen: (one) => {
          const push = () => {
            while (!one.destroyed && one.write(write));
          }
          one.on("drain", push)
          push()
        }
      })
    })
    return codes(statuses.flat())
  }
}

const parallel: Attack = {
  name: "40 bodies of 15 MiB at once",
  ids: ["S2-01", "S2-10"],
  run: async (port) => {
    const mallory = connect(port, "mallory", 40)
    const text = JSON.stringify({ message: message("x".repeat(15 * MiB)) })
    return codes(await each(40, 40, () => mallory.rest("POST", "/message:send", text)))
  }
}

const slow: Attack = {
  name: "300 slow bodies and 300 slow heads",
  ids: ["S2-10"],
  run: async (port) => {
    const drip = (text: string, piece: string) =>
      socket(port, text, {
        limit: 6000,
        onOpen: (one) => {
          const timer = setInterval(() => one.write(piece), 500)
          one.on("close", () => clearInterval(timer))
        }
      })
    const all = await Promise.all(Array.from({ length: 600 }, (_, i) =>
      i % 2 === 0
        ? drip(`${head("/a2a/message:send", 100_000)}{`, " ")
        : drip("GET /a2a/tasks HTTP/1.1\r\nHost: localhost\r\n", "x: y\r\n")))
    return codes(all.map((statuses) => statuses[0] ?? "no answer"))
  }
}

const bytes: Attack = {
  name: "bytes that are not text",
  ids: ["S2-19"],
  isCheap: true,
  run: async (port) => {
    const mallory = connect(port, "mallory")
    const around = (...middle: ReadonlyArray<number>) =>
      Buffer.concat([
        Buffer.from("{\"message\":{\"messageId\":\"m\",\"role\":\"ROLE_USER\",\"parts\":[{\"text\":\""),
        Buffer.from(middle),
        Buffer.from("\"}]}}")
      ])
    const bodies = [
      around(0xff, 0xfe, 0xc0, 0x80),
      around(0xed, 0xa0, 0x80),
      around(0),
      Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), around(65)]),
      Buffer.from(withParts("[{\"text\":\"a\"}]"), "utf16le"),
      Buffer.from(
        "{\"message\":{\"messageId\":\"\\ud800\",\"role\":\"ROLE_USER\",\"parts\":[{\"text\":\"\\udc00\\u0000\"}]}}"
      ),
      Buffer.alloc(5 * MiB, 0xff)
    ]
    return codes([
      ...await each(
        bodies.length,
        1,
        (i) => mallory.request({ method: "POST", path: "/a2a/message:send", body: bodies[i] ?? "" })
      ),
      await mallory.rest("GET", "/tasks")
    ])
  }
}

const prototypes: Attack = {
  name: "names of the prototype",
  ids: ["S2-17"],
  isCheap: true,
  run: async (port) => {
    const mallory = connect(port, "mallory")
    const evil = "{\"__proto__\":{\"id\":\"x\",\"then\":1},\"constructor\":{\"prototype\":{\"id\":1}},\"toString\":1}"
    const bodies = [
      withData(evil),
      `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}],"metadata":${evil}},"metadata":${evil}}`,
      `{"__proto__":${withParts("[{\"text\":\"a\"}]")}}`,
      `{"message":{"__proto__":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]}}}`
    ]
    const names = ["__proto__", "constructor", "toString", "hasOwnProperty"]
    return codes([
      ...await each(bodies.length, 1, (i) => mallory.rest("POST", "/message:send", bodies[i])),
      ...await each(names.length, 1, (i) => mallory.rpc(names[i] ?? "", {})),
      ...await each(names.length, 1, (i) => mallory.rest("GET", `/${names[i]}/tasks/${names[i]}`)),
      ...await each(names.length, 1, (i) => mallory.rest("GET", `/tasks?status=${names[i]}`)),
      ...await each(names.length, 1, (i) => mallory.rpc("GetTask", { id: names[i], tenant: names[i] }))
    ])
  }
}

const browserForms: Attack = {
  name: "requests that a page can send unasked",
  ids: ["S2-02"],
  isCheap: true,
  run: async (port) => {
    const mallory = connect(port, "mallory")
    const body = withParts("[{\"text\":\"from a page\"}]")
    const call = `{"jsonrpc":"2.0","id":1,"method":"message/send","params":${body}}`
    const types = ["text/plain", "text/plain;charset=utf-8", "application/x-www-form-urlencoded", "multipart/form-data"]
    const send = (path: string, body: string, headers: Record<string, string>) =>
      mallory.request({ method: "POST", path, body, headers: { "a2a-version": "", ...headers } })
    return codes([
      ...await each(types.length, 1, (i) => send("/rpc", call, { "content-type": types[i] ?? "" })),
      ...await each(
        types.length,
        1,
        (i) => send("/a2a/message:send?A2A-Version=1.0", body, { "content-type": types[i] ?? "" })
      ),
      await send("/rpc", call, { origin: "http://localhost:3000" }),
      await send("/rpc", call, { origin: "null" }),
      await send("/rpc", call, { host: "rebound.example" }),
      await send("/a2a/tasks/x:cancel?A2A-Version=1.0", "", { origin: "https://evil.example" })
    ])
  }
}

export const bodies: ReadonlyArray<Attack> = [
  wrongMembers(1),
  wrongMembers(8),
  wrongMembers(16),
  browserForms,
  numbers,
  depth,
  slow,
  endless,
  parallel,
  wide,
  prototypes,
  bytes
]

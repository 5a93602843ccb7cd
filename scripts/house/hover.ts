// The text an editor shows for an expression, asked from the language server of the TypeScript compiler.
import { spawn } from "node:child_process"
import { pathToFileURL } from "node:url"
import { root, tool } from "../workspace.ts"

const rootUri = pathToFileURL(root).href

/** A document that exists in the editor only, beside core's sources. */
const uri = `${rootUri}packages/core/src/Hover.ts`

const frame = (message: object): string => {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message })
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

const hello = [
  { id: 1, method: "initialize", params: { processId: null, rootUri, capabilities: {} } },
  { method: "initialized", params: {} }
]

const questions = (text: string, line: number) => [
  { method: "textDocument/didOpen", params: { textDocument: { uri, languageId: "typescript", version: 1, text } } },
  { id: 2, method: "textDocument/hover", params: { textDocument: { uri }, position: { line, character: 14 } } }
]

/** The complete messages of the server so far. */
const bodies = (output: string): ReadonlyArray<string> =>
  Array.from(
    output.matchAll(/Content-Length: (\d+)\r\n\r\n(.*?)(?=Content-Length: \d+\r|$)/g),
    ([, length, body = ""]) => Buffer.byteLength(body) === Number(length) ? [body] : []
  ).flat()

const ask = (text: string, line: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const server = spawn(tool("effect-tsgo", ["get-exe-path"], "pipe").output.trim(), ["--lsp", "--stdio"], {
      cwd: root,
      stdio: ["pipe", "pipe", "ignore"],
      timeout: 20_000
    })
    // the end of its input would cancel the hover: it stays open
    const send = (messages: ReadonlyArray<object>) => server.stdin.write(messages.map(frame).join(""))
    let output = ""
    let isReady = false
    server.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk
      const received = bodies(output)
      // the server reads on once its own first request has a response
      if (!isReady && received.some((body) => body.includes("\"id\":\"ts1\""))) {
        isReady = true
        send([{ id: "ts1", result: null }, ...questions(text, line)])
      }
      const response = received.find((body) => body.includes("\"id\":2,"))
      if (response === undefined) return
      server.kill()
      resolve(response)
    })
    server.on("close", () => reject(new Error(`the language server ended without a hover: ${output.slice(-500)}`)))
    send(hello)
  })

/** The type of `expression` in a hover, on one line; `imports` are the lines before it. */
export const hover = async (imports: string, expression: string): Promise<string> => {
  const text = `${imports}\nexport const value = ${expression}\n`
  const value: string = JSON.parse(await ask(text, text.split("\n").length - 2)).result.contents.value
  return value.replace(/^const value: /, "").replaceAll(/\s+/g, " ").trim()
}

/** The hover over the result of the most common call. */
export const streamHover = (): Promise<string> => hover(`import * as Agent from "./Agent.ts"`, `Agent.stream("hi")`)

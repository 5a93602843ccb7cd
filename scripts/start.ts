// The demo: streams the answer to one question with its steps, then asks the same in all combinations.
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const a2a = fileURLToPath(new URL("../packages/cli/src/bin.ts", import.meta.url))
const question = "What is the capital of France?"

for (const command of [["ask", question, "--stream"], ["matrix", question]]) {
  console.log(`$ a2a ${command.map((word) => word.includes(" ") ? JSON.stringify(word) : word).join(" ")}`)
  const { status } = spawnSync(process.execPath, [a2a, ...command], { stdio: "inherit" })
  if (status !== 0) process.exit(status ?? 1)
  console.log()
}
console.log("The same in a browser: npm run chat")

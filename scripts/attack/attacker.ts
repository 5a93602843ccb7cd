// The attacker, in a separate process: `attacker.ts PORT NAME…` runs attacks one after another and sends the codes of the
// answers.
import process from "node:process"
import type { Codes } from "./attack.ts"
import { attacks } from "./attacks.ts"

const [port, ...names] = process.argv.slice(2)
const all: Record<string, Codes> = {}
for (const { name, run } of attacks.filter((one) => names.includes(one.name))) all[name] = await run(Number(port))
process.send?.(all, undefined, undefined, () => process.exit(0))

import type { Attack } from "./attack.ts"
import { bodies } from "./bodies.ts"
import { heads } from "./heads.ts"
import { tasks } from "./tasks.ts"

/** All single attacks. */
export const attacks: ReadonlyArray<Attack> = [...bodies, ...heads, ...tasks]

// Type-checks projects, all of them by default, and builds the packages on the way.
import { tsc } from "./workspace.ts"

const [project = "tsconfig.json"] = process.argv.slice(2)
process.exitCode = tsc(["-b", project]).ok ? 0 : 1

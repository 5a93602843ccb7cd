/** What programs import that wait for a task. Bundlers put it into a chunk for that. */
export { waitForSuccess } from "../waitForTask.ts"

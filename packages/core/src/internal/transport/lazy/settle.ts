/** What an agent imports when its peer returns a task early. Bundlers put it into a chunk for that. */
export { settle } from "../settle.ts"

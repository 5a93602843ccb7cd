/** What an agent imports when its peer returns a task early: bundlers put it into another chunk. Tested in `test/early.test.ts`. */
export { settle } from "./settle.ts"

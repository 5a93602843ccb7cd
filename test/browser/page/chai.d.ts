// the assertions that vitest brings along
declare module "chai" {
  export { assert } from "vitest"
}

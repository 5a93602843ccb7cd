// the assertions that vitest contains
declare module "chai" {
  export { assert } from "vitest"
}

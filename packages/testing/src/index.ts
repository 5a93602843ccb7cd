/** @since 0.1.0 */
export * as AgentTest from "./AgentTest.ts"
export * as Arbitrary from "./Arbitrary.ts"
export * as Fault from "./Fault.ts"
export * as Script from "./Script.ts"
export * as Wire from "./Wire.ts"

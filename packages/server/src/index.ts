/** @since 0.1.0 */
export * as AgentExecutor from "./AgentExecutor.ts"
export * as AgentServer from "./AgentServer.ts"
export * as Caller from "./Caller.ts"
export * as CardServer from "./CardServer.ts"
export * as Cors from "./Cors.ts"
export * as Reply from "./Reply.ts"
export * as TaskHub from "./TaskHub.ts"
export * as TaskStore from "./TaskStore.ts"

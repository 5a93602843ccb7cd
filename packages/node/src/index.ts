export * as NodeAddressGuard from "./NodeAddressGuard.ts"
export * as NodeAgent from "./NodeAgent.ts"
export * as NodeAgentServer from "./NodeAgentServer.ts"
export * as NodeCredentials from "./NodeCredentials.ts"

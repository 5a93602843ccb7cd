export * as JsonRpc from "./JsonRpc.ts"
export * as JsonRpcServer from "./JsonRpcServer.ts"

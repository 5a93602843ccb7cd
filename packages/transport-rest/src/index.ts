export * as Rest from "./Rest.ts"
export * as RestServer from "./RestServer.ts"

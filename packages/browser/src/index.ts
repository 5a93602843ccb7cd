export * as BrowserAgent from "./BrowserAgent.ts"

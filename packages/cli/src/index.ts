export * as Cli from "./Cli.ts"

export * as AdkEmulator from "./AdkEmulator.ts"
export * as MemoryLakeEmulator from "./MemoryLakeEmulator.ts"

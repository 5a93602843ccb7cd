export * as AdkEmulator from "./AdkEmulator.ts"
export * as AdkScript from "./AdkScript.ts"
export * as MemoryLakeEmulator from "./MemoryLakeEmulator.ts"

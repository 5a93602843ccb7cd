export * as MemoryLake from "./MemoryLake.ts"
export * as MemoryLakeAnswer from "./MemoryLakeAnswer.ts"
export * as MemoryLakeOptions from "./MemoryLakeOptions.ts"
export * as TaskFeedback from "./TaskFeedback.ts"

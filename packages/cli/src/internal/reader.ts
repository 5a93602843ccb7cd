/** Readers of answers: a generic one, and one for MemoryLake's agents. */
import type * as Answer from "@effect-a2a/core/Answer"
import * as MemoryLakeAnswer from "@effect-a2a/memorylake/MemoryLakeAnswer"

/** Members of an answer that only some vendors send. */
export interface Extras {
  readonly attachments: ReadonlyArray<MemoryLakeAnswer.Attachment>
  readonly recommendedQuestions: ReadonlyArray<string>
}

/** Reads what only some vendors' answers have. */
export interface Reader {
  readonly extras: (answer: Answer.Answer) => Extras
}

const none: Extras = { attachments: [], recommendedQuestions: [] }

/** Reads any agent. */
export const generic: Reader = {
  extras: () => none
}

/** Reads MemoryLake's agents: answers have attachments and recommended questions. */
export const memoryLake: Reader = {
  extras: MemoryLakeAnswer.fromAnswer
}

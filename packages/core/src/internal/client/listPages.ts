/** All pages of a list of tasks, of which an agent may have no end. Tested in `test/pages.test.ts`. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as AgentError from "../../AgentError.ts"
import * as Operation from "../../Operation.ts"
import type { Task } from "../../Task.ts"
import type { Transport } from "../../Transport.ts"
import { publicUrl } from "../errors/publicUrl.ts"

/** Emits the tasks of at most `maxPages` pages. */
export const listPages = (
  { call, target }: Transport,
  request: Operation.ListTasksRequest,
  maxPages = 10_000
): Stream.Stream<Task, AgentError.AgentError> =>
  Stream.suspend(() => {
    const seen = new Set<string>()
    let empty = 0
    return Stream.paginate(
      "",
      Effect.fnUntraced(function*(pageToken: string) {
        const excess = seen.has(pageToken)
          ? "a page token twice"
          : pageToken.length > 4096
          ? "a page token of more than 4096 characters"
          : empty > 99
          ? "100 empty pages in a row"
          : seen.size >= maxPages && `more than ${maxPages} pages (maxPages)`
        if (excess) {
          return yield* new AgentError.AgentError({
            operation: Operation.ListTasks._tag,
            target: publicUrl(target.url),
            reason: new AgentError.InvalidAgentResponseError({ message: `the agent returned ${excess}` })
          })
        }
        seen.add(pageToken)
        const page = yield* call(Operation.ListTasks, { ...request, ...(pageToken !== "" && { pageToken }) })
        empty = page.tasks.length === 0 ? empty + 1 : 0
        return [page.tasks, page.nextPageToken === "" ? Option.none() : Option.some(page.nextPageToken)] as const
      })
    )
  })

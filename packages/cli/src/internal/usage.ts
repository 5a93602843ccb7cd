/** What is said about wrong usage: to people one line, to programs a document; help goes to stdout only when asked for. */
import * as CliOutput from "effect/cli/CliOutput"
import * as Effect from "effect/Effect"
import { complain, document, oneLine } from "./output.ts"

/** The document of a request that was refused here, before there was one. */
export const refused = (message: string) => ({
  error: { reason: "InvalidRequestError", code: "INVALID_REQUEST", message, operation: "usage", retryable: false }
})

const tell = (message: string, path: ReadonlyArray<string>, isJson: boolean) =>
  complain(`a2a: ${message}; see ${path.join(" ")} --help`).pipe(
    Effect.andThen(isJson ? document(refused(message)) : Effect.void)
  )

export const presenter = (args: ReadonlyArray<string>): CliOutput.Presenter => {
  const isJson = args.includes("--json")
  return {
    present: (event) => {
      if (event._tag === "InvalidInvocation") {
        return tell(event.errors.map(({ message }) => oneLine(message)).join("; "), event.commandPath, isJson)
      }
      return event._tag === "Help" && event.reason === "Implicit"
        ? tell("what is it to do?", event.commandPath, isJson)
        : CliOutput.defaultPresenter.present(event)
    }
  }
}

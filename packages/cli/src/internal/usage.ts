/** Reports wrong usage: one line for people, a document for programs. Help goes to stdout only if the user asks for it. */
import * as CliOutput from "effect/cli/CliOutput"
import * as Effect from "effect/Effect"
import { complain, document, oneLine } from "./output.ts"

/** Creates the document of a request that was refused before it was sent. */
export const toJson = (message: string) => ({
  error: { reason: "InvalidRequestError", code: "INVALID_REQUEST", message, operation: "usage", retryable: false }
})

const report = (message: string, path: ReadonlyArray<string>, isJson: boolean) =>
  complain(`a2a: ${message}; see ${path.join(" ")} --help`).pipe(
    Effect.andThen(isJson ? document(toJson(message)) : Effect.void)
  )

/** Presents help, versions and wrong usage; in JSON if the arguments demand it. */
export const presenter = (args: ReadonlyArray<string>): CliOutput.Presenter => {
  const isJson = args.includes("--json")
  return {
    present: (event) => {
      if (event._tag === "InvalidInvocation") {
        return report(event.errors.map(({ message }) => oneLine(message)).join("; "), event.commandPath, isJson)
      }
      return event._tag === "Help" && event.reason === "Implicit"
        ? report("no command given", event.commandPath, isJson)
        : CliOutput.defaultPresenter.present(event)
    }
  }
}

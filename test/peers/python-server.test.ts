import { describe } from "@effect/vitest"
import { combinations } from "./combinations.ts"
import * as PythonAgent from "./pythonAgent.ts"
import { suite } from "./suite.ts"

if (!PythonAgent.isInstalled) {
  console.warn("NOT RUN: the tests against the Python SDK; scripts/python-peer.sh installs it, and CI runs them")
}

describe.skipIf(!PythonAgent.isInstalled)("Python", () => {
  suite({
    name: "a2a-sdk (Python)",
    cardName: "Python agent",
    layer: PythonAgent.layer,
    combinations,
    differs: ({ name }) => ({
      thrown: "InternalError",
      thrownStream: "InternalError",
      broken: "InvalidAgentResponseError",
      // 0.3 over REST cuts a stream whose error it cannot encode, and encodes bytes twice
      ...(name === "0.3 HTTP+JSON" && {
        thrownStream: "StreamInterruptedError",
        broken: "StreamInterruptedError",
        endedSubscription: "StreamInterruptedError",
        unknownStream: "StreamInterruptedError",
        unknownSubscription: "StreamInterruptedError",
        bytes: "aGVsbG8="
      })
    })
  })
})

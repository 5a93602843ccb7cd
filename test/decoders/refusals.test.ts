/** Refusals of any form that are wrong everywhere, or endless, as errors of few words. */
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { covers } from "../support/covers.ts"
import { chunks, type Combination, combinations, frame, isRpc } from "../support/peer.ts"
import * as Client from "./client.ts"
import { costly, few, kindsAt, nameOf, places, plant } from "./documents.ts"
import { assertLinear, outcome } from "./support.ts"

const ofType = (name: string, members: object) => ({ "@type": `type.googleapis.com/google.rpc.${name}`, ...members })

const details = [
  ofType("ErrorInfo", {
    reason: "VERSION_NOT_SUPPORTED",
    domain: "a2a-protocol.org",
    metadata: { supportedVersions: "1.0" }
  }),
  ofType("BadRequest", { fieldViolations: [{ field: "a", description: "b" }] }),
  ofType("RetryInfo", { retryDelay: "1s" })
]

/** Bodies that refuse: of 1.0, of 0.3, of FastAPI, problem details. */
const bodies: Readonly<Record<string, object>> = {
  status: { error: { code: 400, status: "INVALID_ARGUMENT", message: "m", details } },
  bare: { code: -32602, message: "m", data: details },
  problem: { type: "https://a2a.test/errors/task-not-found", title: "t", status: 404, detail: "d" },
  validation: { detail: [{ loc: ["body", "message", 0], msg: "m" }] }
}

const errors: Readonly<Record<string, object>> = {
  list: { code: -32602, message: "m", data: details },
  object: { code: -32099, message: "m", data: { a: [1] } },
  text: { code: -32603, message: "", data: "d" }
}

/** The refusals of a combination, and whether they are a member of an envelope. */
const samples = (one: Combination) =>
  isRpc(one) ? [...Object.entries(errors), ["status", bodies.status!] as const] : Object.entries(bodies)

const answer =
  (one: Combination, sample: string, text: string, status: number, isStream = false): Client.Answer => (asked) => {
    const body = isRpc(one) && sample in errors ? Client.enveloped(one, asked, "error", text) : text
    return isStream
      ? chunks([frame(body)])
      : new Response(body, { status, headers: { "content-type": "application/json" } })
  }

describe.each(combinations)("$name", (one) => {
  it.live.each(samples(one))(
    "a refusal as %s is an error of few words, called and streamed",
    ([name, sample]) =>
      Effect.scoped(Effect.gen(function*() {
        const call = yield* Effect.orDie(Client.make(one))
        // the versions read refusals alike
        const isRead = one.protocol.version === "0.3"
        for (const path of places(sample).filter(({ length }) => !isRead || length < 2)) {
          for (const [kind, make] of Object.entries(isRead ? few : kindsAt(sample, path))) {
            const where = `${kind} at ${nameOf(path)}`
            const text = plant(sample, path, make(300))
            yield* outcome(call("GetTask", answer(one, name, text, 200)), where)
            if (path.length > 2) continue
            yield* outcome(call("GetTask", answer(one, name, text, 400)), where)
            yield* outcome(call("SendStreamingMessage", answer(one, name, text, 200, true)), where)
          }
        }
      }))
  )
})

describe("an endless refusal", covers("attack:S2-30", "attack:S2-38"), () => {
  const one = combinations.find(({ name }) => name === "1.0 JSONRPC")!
  const sample = errors.list!

  it.live("costs the same for each of its members", () =>
    Effect.scoped(Effect.gen(function*() {
      const call = yield* Effect.orDie(Client.make(one))
      for (const path of places(sample)) {
        for (const [kind, make] of Object.entries(costly)) {
          const where = `${kind} at ${nameOf(path)}`
          yield* assertLinear(
            (count) => outcome(call("GetTask", answer(one, "list", plant(sample, path, make(count)), 200)), where),
            where
          )
        }
      }
    })))
})

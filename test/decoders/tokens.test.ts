/** Answers of token endpoints that are wrong everywhere. */
import { OAuth } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { covers } from "../support/covers.ts"
import { respond } from "../support/respond.ts"
import { all, costly, nameOf, places, plant } from "./documents.ts"
import { assertLinear, outcome } from "./support.ts"

const granted = { access_token: "at-1", token_type: "Bearer", expires_in: 3600, refresh_token: "rt-1", scope: "read" }
const refused = { error: "invalid_client", error_description: "unknown", error_uri: "https://auth.test" }

const client = { tokenUrl: "https://auth.test/token", clientId: "me" }

const ask = (status: number, text: string) => {
  const { layer } = respond(() => new Response(text, { status, headers: { "content-type": "application/json" } }))
  return OAuth.refreshToken({ ...client, refreshToken: Redacted.make("planted-secret") }).pipe(
    Effect.flatten,
    Effect.provide(layer)
  )
}

describe("an answer of a token endpoint", covers("attack:S2-44"), () => {
  for (const [status, sample] of [[200, granted], [400, refused], [500, refused]] as const) {
    it.live(`with status ${status} is a token or an error of few words, whatever it is made of`, () =>
      Effect.gen(function*() {
        for (const path of places(sample)) {
          for (const [kind, make] of Object.entries(all)) {
            const name = `${kind} at ${nameOf(path)}`
            const token = yield* outcome(ask(status, plant(sample, path, make(300))), name)
            if (token === undefined) continue
            assert.strictEqual(typeof Redacted.value(token.value), "string")
            assert.isTrue(token.expiresIn === undefined || Duration.isDuration(token.expiresIn), name)
          }
          for (const [kind, make] of Object.entries(costly)) {
            const name = `${kind} at ${nameOf(path)}`
            yield* assertLinear((count) => outcome(ask(status, plant(sample, path, make(count))), name), name)
          }
        }
      }))
  }
})

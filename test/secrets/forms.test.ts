/** Secrets are redacted in every form in which a peer may repeat them, in bounded work. */
import { Agent, Credentials, Id } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { covers } from "../support/covers.ts"
import { rest, talkTo } from "../support/peer.ts"
import { encodings, formsIn, printed } from "./support.ts"

const secret = "Pl4nted?key/+=&é \"<it's>\\ü#%2F~end"

const getTask = Agent.getTask(Id.TaskId.make("t-1"))

/** Asks a peer that repeats something, with a password, and returns the error. */
const refusal = (password: string, answer: () => Response) =>
  Effect.flip(getTask).pipe(Effect.provide(Agent.layer.pipe(
    Layer.provide(
      talkTo(rest, answer, {
        credentials: Credentials.layerBasic({ username: "ada", password: Redacted.make(password) })
      })
        .layer
    )
  )))

const bodies: Readonly<Record<string, (text: string) => Response>> = {
  "in the message of a refusal": (text) =>
    Response.json({ error: { code: 403, message: `no: ${text} is wrong` } }, { status: 403 }),
  "in a member's name": (text) =>
    Response.json({ error: { code: 403, message: "no", [text]: [{ [`x ${text}`]: 1 }] } }, { status: 403 }),
  "in a refusal that is not JSON": (text) => new Response(`{"message":"${text}"`, { status: 500 }),
  "in a page": (text) => new Response(`<p>${text}</p>`, { headers: { "content-type": "text/html" } })
}

describe("a secret that a peer repeats", () => {
  for (const [form, encode] of Object.entries(encodings)) {
    it.effect(`${form} is redacted`, () =>
      Effect.gen(function*() {
        for (const [place, body] of Object.entries(bodies)) {
          const shown = printed(yield* refusal(secret, () => body(encode(secret))))
          assert.deepStrictEqual(formsIn(shown, secret), [], place)
          assert.include(shown, "<redacted>", place)
        }
      }), covers("attack:S2-31", "attack:S2-32"))
  }
})

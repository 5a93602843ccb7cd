/** Secrets are redacted in every form in which a peer may repeat them, in bounded work. */
import { Agent, Credentials, HttpPeer, Id, ServiceParameters } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema, Stream } from "effect"
import { inspect } from "node:util"
import { covers } from "../support/covers.ts"
import { rest, talkTo } from "../support/peer.ts"
import { events } from "../support/respond.ts"
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

describe("a secret that is cut off", () => {
  it.effect("by the end of a snippet leaves none of its beginning", () =>
    Effect.gen(function*() {
      for (const encode of Object.values(encodings)) {
        for (let before = 150; before < 200; before += 7) {
          const body = `${"x ".repeat(before / 2)}${encode(secret)}`
          const shown = printed(yield* refusal(secret, () => new Response(body, { status: 500 })))
          assert.notInclude(shown.toLowerCase(), encode(secret).slice(0, 14).toLowerCase())
        }
      }
    }), covers("attack:S2-31"))

  it.effect("by the limit of a refusal's size leaves none of its beginning", () =>
    Effect.gen(function*() {
      for (const end of [8, 12, 20, 33]) {
        const message = "x".repeat(64 * 1024 - end) + secret
        const shown = printed(
          yield* refusal(secret, () => Response.json({ error: { code: 403, message } }, { status: 403 }))
        )
        assert.notInclude(shown, secret.slice(0, 8))
      }
    }), covers("attack:S2-31"))

  it.effect("between two chunks of an event stream is found", () =>
    Effect.gen(function*() {
      for (const size of [1, 2, 7, 20]) {
        for (
          const text of [
            `data: ${secret} is wrong\n\n`,
            `event: error\ndata: {"error":{"code":500,"message":${JSON.stringify(secret)}}}\n\n`
          ]
        ) {
          const { layer } = talkTo(rest, () => events(text, size), {
            credentials: Credentials.layerBasic({ username: "ada", password: Redacted.make(secret) })
          })
          const error = yield* Effect.flip(Stream.runDrain(Agent.stream("hi"))).pipe(
            Effect.provide(Layer.provide(Agent.layer, layer))
          )
          assert.deepStrictEqual(formsIn(printed(error), secret), [])
          assert.include(error.message, "<redacted>")
        }
      }
    }), covers("attack:S2-31"))

  it.effect("in a parser's complaint leaves none of its end", () =>
    Effect.gen(function*() {
      for (const body of [`{"a": ${secret}}`, `[1, "${secret}" x]`, `${secret}`, `{"${secret}"}`]) {
        const shown = printed(
          yield* refusal(secret, () => new Response(body, { headers: { "content-type": "application/json" } }))
        )
        for (let at = 0; at + 8 < secret.length; at++) assert.notInclude(shown, secret.slice(at, at + 9))
      }
    }), covers("attack:S2-31"))
})

const redact = (...secrets: ReadonlyArray<string>) => HttpPeer.makeRedact(() => secrets)

describe("redaction", () => {
  it.prop(
    "finds any secret in any form",
    [
      Schema.String.check(Schema.isMinLength(4), Schema.isMaxLength(100)),
      Schema.Literals(Object.keys(encodings))
    ],
    ([secret, form]) => {
      // half of a pair of surrogates has no bytes, and some characters are two in upper case
      if (/\p{Cs}/u.test(secret) || secret.toUpperCase().length !== secret.length) return
      const shown = redact(secret)(`( ${encodings[form]!(secret)} )`)
      // other bytes share the edges in Base64
      if (form.includes("Base64")) assert.include(shown, "<redacted>")
      else assert.strictEqual(shown, "( <redacted> )", form)
    }
  )

  it("finds secrets of characters that mean something in a pattern", () => {
    for (
      const secret of [
        "a.*+?^${}()|[]\\",
        "\\\\\\\\",
        "((((((((",
        "[a-z]+[a-z]+",
        "%%%%",
        "%41%42%43",
        "$&$1$`$'",
        "----",
        "&amp;&lt;"
      ]
    ) {
      for (const [form, encode] of Object.entries(encodings)) {
        assert.include(redact(secret)(`<${encode(secret)}>`), "<redacted>", `${secret} ${form}`)
      }
      assert.strictEqual(redact(secret)("a.b [a-z] 41 ( ) $ & x"), "a.b [a-z] 41 ( ) $ & x", secret)
    }
  })

  it("leaves other texts alone, those that are nearly a secret included", () => {
    const clean = redact("Pl4nted-secret-1")
    for (const text of ["Pl4nted", "pl4nte d-secret-1", "a+b=c&d %41 \\u0041 &amp;", "", "<redacted>"]) {
      assert.strictEqual(clean(text), text)
    }
    const value = { text: "nothing", list: [1, null, { deep: true }], cause: new Error("nothing") }
    assert.strictEqual(clean(value), value)
  })

  it.effect("ignores credentials of less than four characters, and given values of less than six", () =>
    Effect.gen(function*() {
      const { layer } = talkTo(
        rest,
        () => Response.json({ error: { code: 403, message: "an abc is prod" } }, { status: 403 }),
        {
          url: "https://agent.test/a2a?stage=prod",
          credentials: Credentials.layerBearer(Redacted.make("abc"))
        }
      )
      const { reason } = yield* Effect.flip(getTask).pipe(
        ServiceParameters.provide({ headers: { "x-stage": "prod", "user-agent": "forbidden/1.0" } }),
        Effect.provide(Layer.provide(Agent.layer, layer))
      )
      assert.strictEqual(reason.message, "an abc is prod")
    }))

  it("finds the values of a header's scheme and pairs", () => {
    const found = (name: string, value: string) =>
      HttpPeer.secretsOfHeader([name, value]).filter(({ length }) => length > 5)
    assert.include(found("authorization", "Token abcdefgh"), "abcdefgh")
    assert.includeMembers([...found("cookie", "session=abcdefgh; theme=ijklmnop==")], ["abcdefgh", "ijklmnop=="])
    assert.includeMembers([...found("x-signature", "keyId=abcdefgh,signature=ijklmnop")], ["abcdefgh", "ijklmnop"])
    assert.includeMembers([...found("cookie", "a=b; sid=abc/def+=&ghi")], ["abc/def+=&ghi"])
    assert.includeMembers([...found("x-signature", "keyId=\"abcdefgh\"")], ["abcdefgh"])
    assert.include(found("x-session", "abc/def+ghi="), "abc/def+ghi=")
    for (const name of ["accept", "Content-Type", "A2A-Version", "x-a2a-extensions", "user-agent", "accept-language"]) {
      assert.deepStrictEqual(found(name, "abcdefghijkl"), [])
    }
  })

  it("keeps errors what they are: class, names of members, stack, further causes", () => {
    const inner = Object.assign(new RangeError(`of ${secret}`), { code: "E_SECRET" })
    const outer = new TypeError(`because of ${secret}`, { cause: inner })
    inner.cause = outer
    const cleaned = redact(secret)(outer)
    assert.instanceOf(cleaned, TypeError)
    assert.instanceOf(cleaned.cause, RangeError)
    assert.strictEqual(cleaned.message, "because of <redacted>")
    assert.deepStrictEqual(Object.keys(cleaned), [])
    assert.propertyVal(cleaned.cause, "code", "E_SECRET")
    assert.deepStrictEqual(formsIn(inspect(cleaned, { depth: 30, showHidden: true }), secret), [])
    assert.match(cleaned.stack ?? "", /^TypeError: because of <redacted>\n +at /)
    // what was given stays
    assert.include(outer.message, secret)
  })

  it("keeps members that a document may have", () => {
    const document = JSON.parse(`{"__proto__":{"a":"${"Pl4nted-secret-1"}"},"constructor":1,"l":[[],{}]}`)
    const cleaned = redact("Pl4nted-secret-1")(document)
    assert.strictEqual(JSON.stringify(cleaned), `{"__proto__":{"a":"<redacted>"},"constructor":1,"l":[[],{}]}`)
  })

  const hostile: Readonly<Record<string, (size: number) => string>> = {
    "beginnings of the secret": (size) => secret.slice(0, 20).repeat(size / 20),
    "secrets": (size) => secret.repeat(size / secret.length),
    "backslashes": (size) => "\\".repeat(size),
    "percent signs": (size) => "%25".repeat(size / 3),
    "ampersands": (size) => `&${"amp;".repeat(size / 4)}`,
    "zeros": (size) => `&#x${"0".repeat(size)}`,
    "spaces": (size) => " ".repeat(size)
  }
  for (const [title, make] of Object.entries(hostile)) {
    it(`reads a text of ${title} in linear time, and writes no more than it reads`, () => {
      const clean = redact(secret, "\\\\\\\\\\", "%25%25%25")
      const time = (size: number) => {
        const text = make(size)
        const began = performance.now()
        assert.isAtMost(clean(text).length, 2 * 256 * 1024)
        return performance.now() - began
      }
      time(20_000)
      const [small, large] = [Math.min(time(20_000), time(20_000)), time(200_000)]
      // ten times the text; a hundred times the work would be quadratic
      assert.isBelow(large, 40 * Math.max(small, 1))
    })
  }

  it("reads a bounded part of an error, however many texts it has", () => {
    const clean = redact(secret)
    const many = { list: Array.from({ length: 300_000 }, (_, index) => ({ [`k${index}`]: secret })) }
    const text = JSON.stringify(clean(many))
    assert.deepStrictEqual(formsIn(text.slice(0, 1_000_000), secret), [])
    assert.notInclude(text, secret.slice(0, 8))
    assert.isBelow(clean("x".repeat(30_000_000)).length, 300_000)
  })
})

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { covers } from "../../../test/support/covers.ts"
import * as Server from "../../../test/support/httpServer.ts"
import { last, run } from "./support/command.ts"

const get = ["task", "get", "t-1", "--json", "--retries", "0", "--url"]

/** A proxy that answers in place of the agent. */
const proxy = Server.make((_, response) => Server.json(response, Server.task("COMPLETED")))

describe.concurrent("a proxy of the environment", () => {
  for (const name of ["HTTP_PROXY", "http_proxy"]) {
    it.live(`in ${name} gets the request`, () =>
      Effect.gen(function*() {
        const { asked, url } = yield* proxy
        const ended = yield* run([...get, "http://agent.test/a2a"], {
          env: { [name]: url.replace("//", "//ana:sesame-open@") }
        })
        assert.strictEqual(ended.code, 0, ended.stderr)
        assert.strictEqual(asked[0]?.line, "GET http://agent.test/a2a/tasks/t-1")
        assert.strictEqual(asked[0]?.headers["proxy-authorization"], `Basic ${btoa("ana:sesame-open")}`)
      }).pipe(Effect.scoped), covers("field:N2-11"))
  }

  it.live("is not asked for hosts in NO_PROXY, nor for the embedded emulator", () =>
    Effect.gen(function*() {
      const [direct, other] = yield* Effect.all([proxy, proxy])
      const env = { HTTP_PROXY: other.url }
      assert.strictEqual((yield* run([...get, direct.url], { env: { ...env, NO_PROXY: "127.0.0.1" } })).code, 0)
      const embedded = yield* run(["ask", "What is the capital of France?"], { env })
      assert.deepStrictEqual([embedded.code, embedded.stdout], [0, "Paris is the capital of France.\n"])
      assert.lengthOf(other.asked, 0)
    }).pipe(Effect.scoped), covers("field:N2-11"))

  it.live("that cannot be reached ends with 4, and its password is in no output", () =>
    Effect.gen(function*() {
      for (const scheme of ["http://", ""]) {
        const ended = yield* run([...get, "http://agent.test/a2a", "--verbose"], {
          env: { HTTP_PROXY: `${scheme}ana:sesame-open@127.0.0.1:9` }
        })
        assert.strictEqual(ended.code, 4, ended.stderr)
        assert.strictEqual(last(ended).error.reason, "ConnectionError")
        assert.notInclude(ended.stdout + ended.stderr, "sesame-open")
      }
    }), covers("field:N2-11"))
})

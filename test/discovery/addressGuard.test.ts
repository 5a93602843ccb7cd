import { AddressGuard, Agent, Credentials, Id } from "@effect-a2a/core"
import { Rest } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { HttpClient } from "effect/http"
import { inspect } from "node:util"
import { done, respond } from "./support.ts"

const ask = Agent.getTask(Id.TaskId.make("t-1"))

const refused = [
  "http://localhost/",
  "http://LOCALHOST.:8080/",
  "http://db.localhost/",
  "http://metadata.google.internal/",
  "http://printer.local/",
  "http://127.0.0.1/",
  "http://127.8.9.1/",
  "http://2130706433/",
  "http://0x7f.1/",
  "http://017700000001/",
  "http://0.0.0.0/",
  "http://10.1.2.3/",
  "http://100.64.0.1/",
  "http://100.127.255.255/",
  "http://169.254.169.254/latest/meta-data/",
  "http://172.16.0.1/",
  "http://172.31.255.255/",
  "http://192.168.1.1/",
  "http://198.18.0.1/",
  "http://224.0.0.1/",
  "http://255.255.255.255/",
  "http://[::1]/",
  "http://[::]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:a00:1]/",
  "http://[64:ff9b::10.0.0.1]/",
  "http://[2002:a00:1::]/",
  "http://[fc00::1]/",
  "http://[fd12:3456::1]/",
  "http://[fe80::1]/",
  "http://[ff02::1]/",
  "http://[2001:db8::1]/",
  "http://[::7f00:1]/",
  "file:///etc/passwd",
  "ftp://agent.test/",
  "data:text/plain,x",
  "no URL"
]

const passed = [
  "https://agent.test/",
  "https://localhost.agent.test/",
  "https://notlocal/",
  "https://8.8.8.8/",
  "https://100.63.255.255/",
  "https://100.128.0.0/",
  "https://172.15.0.1/",
  "https://172.32.0.1/",
  "https://192.169.0.1/",
  "https://[2606:4700::1111]/",
  "https://[::ffff:8.8.8.8]/",
  "https://[64:ff9b::8.8.8.8]/"
]

describe("AddressGuard.check", () => {
  it.effect("refuses addresses that are not public, however they are written, and other URLs than http and https", () =>
    Effect.gen(function*() {
      for (const url of refused) {
        const error = yield* Effect.orDie(Effect.flip(AddressGuard.check(url)))
        assert.strictEqual(error._tag, "InvalidRequestError", url)
        assert.include(error.message, "refusing to connect")
      }
    }))

  it.effect("permits public addresses next to them", () => Effect.forEach(passed, (url) => AddressGuard.check(url)))

  it.effect("names the host and the kind of its address", () =>
    Effect.gen(function*() {
      const { message } = yield* Effect.flip(AddressGuard.check("http://169.254.169.254/latest?k=s3cr3t"))
      assert.include(message, "refusing to connect to http://169.254.169.254 (link-local address)")
      assert.notInclude(message, "s3cr3t")
    }))

  it.effect("permits an allowed origin, and no other on its host", () =>
    Effect.gen(function*() {
      const options = { allow: ["http://127.0.0.1:4000/a2a", "https://10.0.0.1"] }
      const check = (url: string) => AddressGuard.check(url, options)
      yield* check("http://127.0.0.1:4000/other")
      yield* check("https://10.0.0.1:443/")
      for (const url of ["http://127.0.0.1:4001/", "https://127.0.0.1:4000/", "http://10.0.0.1/"]) {
        yield* Effect.flip(check(url))
      }
    }))

  it.effect("refuses a name if one of its addresses is private", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const resolve = (host: string) =>
        Effect.sync(() => {
          asked.push(host)
          return host === "rebound.test" ? ["8.8.8.8", "fd00::1%eth0"] : ["8.8.8.8", "2606:4700::1111"]
        })
      yield* Effect.gen(function*() {
        yield* AddressGuard.check("https://public.test/")
        const error = yield* Effect.flip(AddressGuard.check("https://rebound.test/"))
        assert.include(error.message, "refusing to connect to https://rebound.test (resolves to fd00::1")
        yield* AddressGuard.check("https://rebound.test/x", { allow: ["https://rebound.test"] })
        yield* AddressGuard.check("https://8.8.8.8/")
      }).pipe(Effect.provideService(AddressGuard.CurrentResolver, resolve))
      assert.deepStrictEqual(asked, ["public.test", "rebound.test"])
    }))
})

describe("AddressGuard.layer", () => {
  it.effect("refuses before anything is sent, by a local error without secrets", () =>
    Effect.gen(function*() {
      const { asked, layer } = respond(done)
      const guarded = AddressGuard.layer({ allow: ["https://agent.test"] }).pipe(Layer.provide(layer))
      const agent = (url: string) =>
        Agent.layer.pipe(
          Layer.provide(Rest.layer({ url })),
          Layer.provide([guarded, Credentials.layerBearer(Redacted.make("s3cr3t"))])
        )
      const error = yield* Effect.flip(Effect.provide(ask, agent("http://10.0.0.1/a2a")))
      assert.deepStrictEqual([error.reason._tag, error.origin, error.isRetryable], [
        "InvalidRequestError",
        "local",
        false
      ])
      assert.notInclude(inspect(error, { depth: 20 }), "s3cr3t")
      assert.deepStrictEqual(asked, [])
      yield* Effect.provide(ask, agent("https://agent.test/a2a"))
      assert.strictEqual(asked.length, 1)
    }))
})

it.effect("AddressGuard.protect refuses requests of any client", () =>
  Effect.gen(function*() {
    const { layer } = respond(done)
    const client = yield* Effect.flatMap(HttpClient.HttpClient, (client) => AddressGuard.protect(client)).pipe(
      Effect.provide(layer)
    )
    const error = yield* Effect.flip(client.get("http://10.0.0.1/file"))
    assert.strictEqual(error.reason._tag, "InvalidUrlError")
  }))

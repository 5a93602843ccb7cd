import { AddressGuard, Agent, Credentials, Id } from "@effect-a2a/core"
import { Rest } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { HttpClient } from "effect/http"
import { inspect } from "node:util"
import { covers } from "../support/covers.ts"
import { done, respond } from "./support.ts"

const ask = Agent.getTask(Id.TaskId.make("t-1"))

const refused = [
  "http://localhost/",
  "http://LOCALHOST.:8080/",
  "http://db.localhost/",
  "http://metadata.google.internal/",
  "http://printer.local/",
  "http://nas.LAN/",
  "http://wiki.corp./",
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

  it.effect("leaves other names to the client that connects", () => AddressGuard.check("https://resolves.test/"))
})

/** First and last addresses of the ranges that IANA lists as not globally reachable, and of a cloud platform. */
const ranges = [
  ["0.0.0.0", "0.255.255.255"],
  ["10.0.0.0", "10.255.255.255"],
  ["100.64.0.0", "100.127.255.255"],
  ["127.0.0.0", "127.255.255.255"],
  ["168.63.129.16", "168.63.129.16"],
  ["169.254.0.0", "169.254.255.255"],
  ["172.16.0.0", "172.31.255.255"],
  ["192.0.0.0", "192.0.0.255"],
  ["192.0.2.0", "192.0.2.255"],
  ["192.168.0.0", "192.168.255.255"],
  ["198.18.0.0", "198.19.255.255"],
  ["198.51.100.0", "198.51.100.255"],
  ["203.0.113.0", "203.0.113.255"],
  ["224.0.0.0", "255.255.255.255"]
] as const

const ranges6 = [
  ["::", "::ffff"],
  ["64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"],
  ["100::", "100::1:ffff:ffff:ffff:ffff"],
  ["2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"]
] as const

const toNumber = (address: string) => address.split(".").reduce((sum, octet) => sum * 256 + Number(octet), 0)
const toAddress = (value: number) => [24, 16, 8, 0].map((bits) => Math.floor(value / 2 ** bits) % 256).join(".")
const toHex = (value: number) => [Math.floor(value / 65_536), value % 65_536].map((one) => one.toString(16)).join(":")

/** The ways to write an IPv4 address into a host or an IPv6 address that reaches it. */
const spellings = (value: number) => [
  toAddress(value),
  String(value),
  `0x${value.toString(16)}`,
  `[::ffff:${toAddress(value)}]`,
  `[64:ff9b::${toHex(value)}]`,
  `[2002:${toHex(value)}::1]`
]

describe("AddressGuard and the registries of special addresses", covers("attack:S2-43"), () => {
  it.effect("refuse each range from its first to its last address, in every spelling", () =>
    Effect.gen(function*() {
      for (const [first, last] of ranges) {
        const [from, to] = [toNumber(first), toNumber(last)]
        for (const value of [from, Math.floor((from + to) / 2), to]) {
          for (const host of spellings(value)) yield* Effect.flip(AddressGuard.check(`http://${host}/`))
        }
      }
      for (const address of ranges6.flat()) yield* Effect.flip(AddressGuard.check(`http://[${address}]/`))
    }))

  it.effect("permit the addresses on both sides of a range that belong to none", () =>
    Effect.gen(function*() {
      const isSpecial = (value: number) =>
        [...ranges, ["192.88.99.0", "192.88.99.255"]].some(([first = "", last = ""]) =>
          value >= toNumber(first) && value <= toNumber(last)
        )
      for (const [first, last] of ranges) {
        for (const value of [toNumber(first) - 1, toNumber(last) + 1]) {
          if (value < 0 || value >= 2 ** 32 || isSpecial(value)) continue
          for (const host of spellings(value)) yield* AddressGuard.check(`http://${host}/`)
        }
      }
      for (const address of ["2001:200::1", "2001:db7:ffff::1", "2001:db9::1", "3ffe::1", "3fff:1000::1", "2620::1"]) {
        yield* AddressGuard.check(`http://[${address}]/`)
      }
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
    const client = AddressGuard.protect(yield* Effect.provide(HttpClient.HttpClient, layer))
    const error = yield* Effect.flip(client.get("http://10.0.0.1/file"))
    assert.strictEqual(error.reason._tag, "InvalidUrlError")
  }))

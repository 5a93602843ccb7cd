// Every decoder, in both directions: what it reads it can write, and reads equal again.
import * as Protocol from "@effect-a2a/core/Protocol"
import * as Result from "effect/Result"
import { mutate } from "../mutate.ts"
import type { Random } from "../random.ts"
import * as Seeds from "../seeds.ts"
import { finding, parse, refusal, type Target, value } from "../target.ts"

const byName = new Map(Seeds.all.map((one) => [one.name, one]))

const generate = (random: Random) => {
  const { documents, name } = random.pick(Seeds.all)
  return { variant: name, text: mutate(random.pick(documents), random.pick(random.pick(Seeds.all).documents), random) }
}

/** Sizes of what a refusal says, at most. */
const maxWords = 20_000

export const decoders: Target = {
  name: "decoders",
  generate,
  run: ({ text, variant }) => {
    const document = parse(text)
    if (Result.isFailure(document)) return refusal
    const { codec } = byName.get(variant)!
    const read = codec.decode(document.success)
    if (Result.isFailure(read)) {
      const words = JSON.stringify(read.failure)
      return words.length > maxWords
        ? finding(`a refusal of ${words.length} characters: ${words.slice(0, 200)}`)
        : refusal
    }
    const written = codec.encode(read.success)
    if (Result.isFailure(written)) {
      // the caller's own members that a version cannot express are refused when they are written
      return finding(`is read and cannot be written: ${JSON.stringify(written.failure).slice(0, 500)}`)
    }
    const again = codec.decode(written.success ?? {})
    if (Result.isFailure(again)) return finding(`cannot be read again: ${JSON.stringify(again.failure).slice(0, 500)}`)
    const twice = codec.encode(again.success)
    return Result.isSuccess(twice) && JSON.stringify(twice.success) === JSON.stringify(written.success)
      ? value
      : finding("is another value when it is read again")
  }
}

const failures = {
  "1.0 body": Protocol.v1_0.http.failure.decode,
  "0.3 body": Protocol.v0_3.http.failure.decode,
  "1.0 error": Protocol.v1_0.jsonRpc.failure.decode,
  "0.3 error": Protocol.v0_3.jsonRpc.failure.decode
}

const errorSeeds = [
  `{"error":{"code":404,"status":"NOT_FOUND","message":"no task","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"a":"b"}},{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"a","description":"b"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.5s"}]}}`,
  `{"code":-32001,"message":"no","data":{"supportedVersions":["1.0"]}}`,
  `{"type":"about:blank","title":"t","status":400,"detail":[{"loc":["body","a"],"msg":"m"}]}`,
  `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"bad","data":[{"@type":"x.BadRequest"}]}}`
]

export const errors: Target = {
  name: "errors",
  generate: (random) => ({
    variant: random.pick(Object.keys(failures)),
    text: mutate(random.pick(errorSeeds), random.pick(errorSeeds), random)
  }),
  run: ({ text, variant }) => {
    const document = parse(text)
    if (Result.isFailure(document)) return refusal
    return failures[variant as keyof typeof failures](document.success) === undefined ? refusal : value
  }
}

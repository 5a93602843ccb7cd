// Valid documents of each dialect, to be mutated.
import * as Protocol from "@effect-a2a/core/Protocol"
import * as Arbitrary from "@effect-a2a/testing/Arbitrary"
import * as Random from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/** A codec and documents that it writes. */
export interface Seeds {
  readonly name: string
  readonly codec: Protocol.Codec<unknown>
  readonly documents: ReadonlyArray<string>
}

const { v0_3, v1_0 } = Protocol

export const dialects = [
  { name: "1.0", random: "1.0", dialect: v1_0.rest.dialect, card: v1_0.agentCard },
  { name: "0.3 REST", random: "0.3 REST", dialect: v0_3.rest.dialect, card: v0_3.agentCard },
  { name: "0.3 JSON-RPC", random: "0.3 JSON-RPC", dialect: v0_3.jsonRpc.dialect, card: v0_3.agentCard }
] as const

const sample = (arbitrary: Random.Arbitrary<unknown>, codec: Protocol.Codec<unknown>, name: string): Seeds => {
  const values = Effect.runSync(Random.sampleEffect(arbitrary, { count: 12, size: 4, seed: name }))
  const documents = values.flatMap((value) => {
    const written = codec.encode(value)
    return Result.isSuccess(written) && written.success !== undefined ? [JSON.stringify(written.success)] : []
  })
  return { name, codec, documents: documents.length > 0 ? documents : ["{}"] }
}

const ofAll = (
  kind: "request" | "success",
  { dialect, name, random }: (typeof dialects)[number]
): ReadonlyArray<Seeds> => {
  const arbitraries: Readonly<Record<string, Random.Arbitrary<unknown>>> = kind === "request"
    ? Arbitrary.requests(random)
    : Arbitrary.successes(random)
  const codecs: Readonly<Record<string, Protocol.Codec<any> | undefined>> = dialect[kind]
  return Object.entries(arbitraries).flatMap(([tag, arbitrary]) => {
    const codec = codecs[tag]
    return codec === undefined ? [] : [sample(arbitrary, codec, `${name} ${kind} ${tag}`)]
  })
}

/** The requests and results of all operations and dialects, and the cards. */
export const all: ReadonlyArray<Seeds> = dialects.flatMap((one) => [
  ...ofAll("request", one),
  ...ofAll("success", one),
  sample(Arbitrary.agentCard(one.random), one.card as Protocol.Codec<unknown>, `${one.name} card`)
])

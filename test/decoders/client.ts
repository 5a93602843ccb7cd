/** The client's half of a decoder: a call of an operation whose result is a given text. */
import { AgentTransport, Operation } from "@effect-a2a/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { Scope } from "effect/Scope"
import * as Stream from "effect/Stream"
import { type Asked, chunks, type Combination, frame, isRpc, talkTo } from "../support/peer.ts"
import { json } from "../support/respond.ts"
import * as Samples from "./samples.ts"

export type Tag = keyof ReturnType<typeof Samples.requests>

export const dialectOf = (one: Combination) => isRpc(one) ? one.protocol.jsonRpc.dialect : one.protocol.rest.dialect

/** The operations that a combination has. */
export const operationsOf = (one: Combination): ReadonlyArray<Tag> =>
  (Object.keys(Samples.requests(one)) as Array<Tag>).filter((tag) => dialectOf(one).success[tag] !== undefined)

/** The results of an operation as the dialect writes them. */
export const resultsOf = (one: Combination, tag: Tag): ReadonlyArray<unknown> =>
  Samples.results(one)[tag].map((value) => Result.getOrThrow((dialectOf(one).success[tag] as any).encode(value)))

/** Answers a request with a result, an `error` of JSON-RPC or a whole body, as text. */
export type Answer = (asked: Asked) => Response

export const enveloped = (one: Combination, { body }: Asked, member: "result" | "error", text: string): string =>
  isRpc(one) ? `{"jsonrpc":"2.0","id":${JSON.stringify(JSON.parse(body).id)},"${member}":${text}}` : text

/** Returns the function that calls an operation and is answered by `answer`. A stream succeeds with its events. */
export const make = (one: Combination): Effect.Effect<
  (tag: Tag, answer: Answer) => Effect.Effect<unknown, unknown>,
  unknown,
  Scope
> =>
  Effect.gen(function*() {
    let current: Answer = () => json("null")
    const { layer } = talkTo(one, (asked) => current(asked))
    const transport = Context.get(yield* Layer.build(layer), AgentTransport.AgentTransport)
    const requests = Samples.requests(one)
    return (tag, answer) =>
      Effect.suspend((): Effect.Effect<unknown, unknown> => {
        current = answer
        const operation: Operation.Any = Operation.all[tag]
        return operation.mode === "streaming"
          ? Stream.runCollect(transport.stream(operation, requests[tag] as never))
          : transport.call(operation, requests[tag] as never)
      })
  })

/** Answers with a result. */
export const withResult = (one: Combination, text: string, isStream: boolean): Answer => (asked) => {
  const body = enveloped(one, asked, "result", text)
  return isStream ? chunks([frame(body)]) : json(body)
}

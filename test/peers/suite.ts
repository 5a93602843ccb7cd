/** Tests of every peer, in each combination that it serves. */
import { describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { covers } from "../support/covers.ts"
import { Peer, specified, type Subject } from "./peer.ts"
import { discovery, refusedCredentials } from "./suite/access.ts"
import * as Client from "./suite/client.ts"
import { drops } from "./suite/drops.ts"
import { operations } from "./suite/operations.ts"

export const suite = ({ cardName, combinations, differs, layer: agent, name }: Subject): void => {
  for (const combination of combinations) {
    const client = Layer.unwrap(Effect.map(Peer, ({ origin }) => Client.layer(combination, origin))).pipe(
      Layer.provideMerge(agent)
    )
    describe(
      `${name} serves ${combination.name}`,
      covers("SDK-03"),
      () =>
        layer(client, { excludeTestServices: true })((it) => {
          const context = { it, combination, differs: { ...specified, ...differs?.(combination) } }
          discovery(context, cardName)
          operations(context)
          refusedCredentials(context)
          drops(context)
        })
    )
  }
}

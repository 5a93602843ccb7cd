/** Tests of every ADK server, through the client and the transport. */
import * as Agent from "@effect-a2a/core/Agent"
import * as Credentials from "@effect-a2a/core/Credentials"
import * as NodeAgent from "@effect-a2a/node/NodeAgent"
import { Adk, AdkClient } from "@effect-a2a/transport-adk"
import { describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AdkPeer, layer as peer, type Subject } from "./peer.ts"
import { cli } from "./suite/cli.ts"
import { errors } from "./suite/errors.ts"
import { questions } from "./suite/questions.ts"
import { runs } from "./suite/runs.ts"
import { sessions } from "./suite/sessions.ts"
import { transport } from "./suite/transport.ts"

const outside = Layer.merge(Credentials.layerNone, Layer.fresh(NodeAgent.layerClient))

const client = Layer.unwrap(
  Effect.map(AdkPeer, ({ origin }) => AdkClient.layer({ url: origin, appName: "scripted" }))
).pipe(Layer.provide(outside))

const agent = Layer.unwrap(
  Effect.map(
    AdkPeer,
    ({ origin }) => Agent.layer.pipe(Layer.provideMerge(Adk.layer({ url: origin, appName: "scripted", userId: "ana" })))
  )
).pipe(Layer.provide(outside))

export const suite = (subject: Subject): void => {
  if (!subject.isInstalled) {
    console.warn(`NOT RUN: the tests against ${subject.name}; ${subject.script} installs it, and CI runs them`)
  }
  describe.skipIf(!subject.isInstalled)(subject.name, () => {
    layer(Layer.mergeAll(client, agent).pipe(Layer.provideMerge(peer(subject))), { excludeTestServices: true })(
      (it) => {
        const context = { it, differs: subject.differs }
        runs(context)
        sessions(context)
        errors(context)
        transport(context)
        if (!subject.hasModel) return
        questions(context)
        cli(context)
      }
    )
  })
}

/** The agent of `python/server.py`, in a separate process. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Child from "./child.ts"
import { Peer } from "./peer.ts"

const environment = "../../.tmp/python-peer"

/** `true` if `scripts/python-peer.sh` was run here since the pins changed. */
export const isInstalled = Child.isInstalled("python/requirements.txt", `${environment}/requirements.txt`)

export const layer: Layer.Layer<Peer> = Layer.effect(
  Peer,
  Effect.map(
    Child.start(Child.file(`${environment}/bin/python`), Child.file("python/server.py")),
    (origin) => ({
      origin,
      finish: (taskId) => Effect.promise(() => fetch(`${origin}/finish/${taskId}`, { method: "POST" }))
    })
  )
)

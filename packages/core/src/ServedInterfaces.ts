/**
 * The interfaces that an application serves: bindings add theirs when their routes are built, and the agent card lists
 * them if it names none itself.
 *
 * ```ts
 * import { AgentTransport, ServedInterfaces } from "@effect-a2a/core"
 * import { AgentTest, Script } from "@effect-a2a/testing"
 * import { RestServer } from "@effect-a2a/transport-rest"
 * import { Effect, Layer } from "effect"
 * import { HttpRouter } from "effect/http"
 *
 * const program = Effect.gen(function*() {
 *   const served = yield* ServedInterfaces.ServedInterfaces
 *   const interfaces = yield* served.of(yield* AgentTransport.AgentTransport)
 *   return interfaces.map(({ protocolVersion, url }) => [protocolVersion, url])
 * })
 * const agent = AgentTest.layer.pipe(Layer.provide(Script.layer(Script.say("Hello"))))
 * const app = Layer.mergeAll(RestServer.routes({ path: "/a2a" }), ServedInterfaces.layer).pipe(
 *   Layer.provideMerge([agent, HttpRouter.layer])
 * )
 * await Effect.runPromise(Effect.provide(program, app)) // => [["1.0", "/a2a"], ["0.3", "/a2a"]]
 * ```
 *
 * @since 0.1.0
 * @stability unstable
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { AgentInterface } from "./AgentCard.ts"
import type { AgentTransport } from "./AgentTransport.ts"
import type { Protocol } from "./Protocol.ts"

/** A binding that serves an agent below `path`, in these protocol versions. */
export interface Mount {
  readonly transport: AgentTransport["Service"]
  readonly protocolBinding: string
  readonly path: string
  readonly protocols: ReadonlyArray<Protocol>
}

/** The mounts of one application. */
export class ServedInterfaces extends Context.Service<ServedInterfaces, {
  /** Adds a mount. A path with parameters has no single URL and is left out. */
  readonly add: (mount: Mount) => Effect.Effect<void>
  /**
   * Returns the interfaces of an agent, with paths as URLs: those in the first of a binding's versions first, bindings in
   * the order in which they were added.
   */
  readonly of: (transport: AgentTransport["Service"]) => Effect.Effect<ReadonlyArray<AgentInterface>>
}>()("@effect-a2a/core/ServedInterfaces") {}

/** Keeps the mounts in memory. Routes that are built together share them. */
export const layer: Layer.Layer<ServedInterfaces> = Layer.sync(ServedInterfaces, () => {
  const mounts: Array<Mount> = []
  return {
    add: (mount) => Effect.sync(() => void (/[:*]/.test(mount.path) || mounts.push(mount))),
    of: (transport) =>
      Effect.sync(() =>
        mounts.filter((mount) => mount.transport === transport).flatMap(({ path, protocolBinding, protocols }) =>
          protocols.map(({ version }, rank) => ({
            rank,
            served: { url: path, protocolBinding, protocolVersion: version }
          }))
        ).sort((a, b) => a.rank - b.rank).map(({ served }) => served)
      )
  }
})

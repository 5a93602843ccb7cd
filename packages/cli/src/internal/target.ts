/** Where the agent is: flags win over the environment, and without either the emulator is started. */
import * as MemoryLakeEmulator from "@effect-a2a/emulators/MemoryLakeEmulator"
import type * as MemoryLake from "@effect-a2a/memorylake/MemoryLake"
import * as NodeAgentServer from "@effect-a2a/node/NodeAgentServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { variable } from "./environment.ts"
import { UsageError } from "./exit.ts"
import { Output } from "./output.ts"
import type { root } from "./root.ts"

export type Flags = Effect.Success<typeof root>

/** `apiKey`: what to present where nothing else is given. */
export type Target =
  | { readonly _tag: "Url"; readonly url: string; readonly isMemoryLake: boolean; readonly apiKey?: undefined }
  | { readonly _tag: "Card"; readonly url: string; readonly isMemoryLake: boolean; readonly apiKey?: undefined }
  | {
    readonly _tag: "Adk"
    readonly url: string
    readonly appName: string
    readonly userId: string
    readonly isMemoryLake: false
    readonly apiKey?: undefined
  }
  | { readonly _tag: "MemoryLake"; readonly address: MemoryLake.Address; readonly apiKey?: string }

const orVariable = (flag: Option.Option<string>, name: string): Effect.Effect<string | undefined> =>
  Option.match(flag, { onNone: () => variable(name), onSome: Effect.succeed })

const memoryLake = Effect.fnUntraced(function*(flags: Flags): Effect.fn.Return<Target | undefined, UsageError> {
  const workspaceId = yield* orVariable(flags.workspace, "MEMORYLAKE_WORKSPACE")
  const agentId = yield* orVariable(flags.agent, "MEMORYLAKE_AGENT")
  const host = yield* orVariable(flags.host, "MEMORYLAKE_HOST")
  if (workspaceId === undefined && agentId === undefined) return undefined
  if (workspaceId === undefined || agentId === undefined) {
    return yield* new UsageError({ message: "a MemoryLake agent needs both --workspace and --agent" })
  }
  return { _tag: "MemoryLake", address: { workspaceId, agentId, ...(host === undefined ? undefined : { host }) } }
})

/** An ADK server, which has neither versions nor bindings of A2A. */
const adk = (flags: Flags): Effect.Effect<Target | undefined, UsageError> => {
  const { adk, app, binding, protocol, session, user } = flags
  if (Option.isNone(adk)) {
    return [app, user, session].some(Option.isSome)
      ? new UsageError({ message: "--app, --user and --session are of an ADK server: give --adk" })
      : Effect.undefined
  }
  if (Option.isNone(app) || Option.isNone(user)) {
    return new UsageError({ message: "an ADK server needs both --app and --user" })
  }
  if (Option.isSome(binding) || Option.isSome(protocol)) {
    return new UsageError({ message: "an ADK server speaks a protocol of its own, without --protocol and --binding" })
  }
  return Effect.succeed({
    _tag: "Adk",
    url: adk.value,
    appName: app.value,
    userId: user.value,
    isMemoryLake: false
  })
}

/** The agent that a URL of MemoryLake's own form names; its card and its feedback are beside that URL. */
const addressIn = (url: string): MemoryLake.Address | undefined => {
  const [, host, workspaceId, agentId] =
    /^(https?:\/\/[^?#@]+)\/openapi\/memorylake\/api\/v3\/workspaces\/([^/?#]+)\/agents\/([^/?#]+)\/a2a\/?$/
      .exec(url) ?? []
  return host === undefined || workspaceId === undefined || agentId === undefined
    ? undefined
    : { host, workspaceId: decodeURIComponent(workspaceId), agentId: decodeURIComponent(agentId) }
}

/** The emulator, in this process and for as long as the scope is open. */
export const emulator = (port: number): Effect.Effect<string, UsageError, Scope.Scope> =>
  Layer.build(NodeAgentServer.layer({ routes: MemoryLakeEmulator.routes, port, shutdown: "200 millis" })).pipe(
    Effect.mapError(({ cause }) =>
      new UsageError({ message: `the emulator cannot listen on port ${port}: ${String(cause)}` })
    ),
    Effect.flatMap((context) => Effect.provideContext(NodeAgentServer.url, context))
  )

const embedded = Effect.gen(function*() {
  const output = yield* Output
  const host = yield* emulator(0)
  yield* output.say(`a2a: no agent given, so this is the MemoryLake emulator, in this process at ${host}`)
  return { _tag: "MemoryLake", address: MemoryLakeEmulator.address(host), apiKey: MemoryLakeEmulator.apiKey } as const
})

export const resolve = Effect.fnUntraced(function*(
  flags: Flags
): Effect.fn.Return<Target, UsageError, Output | Scope.Scope> {
  const isNamed = Option.isSome(flags.workspace) || Option.isSome(flags.agent)
  const { adk: server, card, url: given } = flags
  if ([Option.isSome(given), Option.isSome(card), Option.isSome(server), isNamed].filter(Boolean).length > 1) {
    return yield* new UsageError({ message: "give one of --url, --card, --adk, and --workspace with --agent" })
  }
  const ofAdk = yield* adk(flags)
  if (ofAdk !== undefined) return ofAdk
  if (Option.isSome(flags.card)) return { _tag: "Card", url: flags.card.value, isMemoryLake: flags.memorylake }
  const url = isNamed ? undefined : yield* orVariable(flags.url, "A2A_URL")
  if (url !== undefined) {
    const address = flags.memorylake ? addressIn(url) : undefined
    return address === undefined
      ? { _tag: "Url", url, isMemoryLake: flags.memorylake }
      : { _tag: "MemoryLake", address }
  }
  return (yield* memoryLake(flags)) ?? (yield* embedded)
})

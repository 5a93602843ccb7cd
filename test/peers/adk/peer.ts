/** Third-party ADK servers. */
import type { AdkError, AdkSession } from "@effect-a2a/transport-adk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Child from "../child.ts"

/** The server's origin. */
export class AdkPeer extends Context.Service<AdkPeer, { readonly origin: string }>()("test/AdkPeer") {}

export type Reason = AdkError.AdkErrorReason["_tag"]

/** Differences of a server from Python 2.x, which the documentation describes. */
export interface Differences {
  readonly flavour: AdkSession.Flavour
  /** The reason of a run that names a missing application. */
  readonly unknownApp: Reason
  /** The reason of a stream in a session of a missing application. */
  readonly unknownAppStream: Reason
  /** The reason of a run that names a reserved application. */
  readonly specialApp: Reason
  /** State can be changed, artifacts saved and memory written without a run. */
  readonly writes: boolean
  /** Sessions can begin with events. */
  readonly initialEvents: boolean
  /** The report of an agent that throws: by a run, with its earlier text, and by a stream. */
  readonly runThrew: string
  readonly runSaid: ReadonlyArray<string>
  readonly streamThrew: string
  readonly streamType: string | undefined
  /** The number of events in which a stream reports a file that is saved with text. */
  readonly savedEvents: number
  /** An interrupted run stops. */
  readonly stops: boolean
  /** A requested credential contains the secrets of the configuration. */
  readonly sendsSecrets: boolean
  /** Tokens are requested from an authorization server on a loopback address. */
  readonly exchanges: boolean
  /** The model receives the answer to `requestInputTool`; without it, it asks again. */
  readonly hearsInput: boolean
}

export const python: Differences = {
  flavour: "python",
  unknownApp: "AppNotFoundError",
  unknownAppStream: "AppNotFoundError",
  specialApp: "DeniedError",
  writes: true,
  initialEvents: true,
  runThrew: "Internal Server Error",
  runSaid: [],
  streamThrew: "RuntimeError: the tool \"x\" broke",
  streamType: "RuntimeError",
  savedEvents: 2,
  stops: true,
  sendsSecrets: false,
  exchanges: true,
  hearsInput: true
}

export const javascript: Differences = {
  flavour: "javascript",
  // it looks up the session first, and accepts the stream before it looks up the application
  unknownApp: "SessionNotFoundError",
  unknownAppStream: "StreamError",
  specialApp: "SessionNotFoundError",
  writes: false,
  initialEvents: false,
  runThrew: "Failed to run agent: Error: the tool \"x\" broke",
  runSaid: ["Well, no."],
  streamThrew: "the tool \"x\" broke",
  streamType: undefined,
  savedEvents: 1,
  stops: false,
  sendsSecrets: true,
  exchanges: false,
  hearsInput: false
}

export interface Subject {
  readonly name: string
  readonly isInstalled: boolean
  /** The script that installs it. */
  readonly script: string
  /** It also serves an agent with a model. */
  readonly hasModel: boolean
  readonly differs: Differences
  readonly start: Effect.Effect<string, never, Scope.Scope>
}

const environment = "../../.tmp/adk-python-peer"

const startPython = (...args: ReadonlyArray<string>) =>
  Child.start(Child.file(`${environment}/bin/python`), "-W", "ignore", Child.file("adk/python/server.py"), ...args)

/** A server with a default application. */
export const pythonDefault = startPython("scripted")

export const pythonPeer: Subject = {
  name: "google-adk (Python)",
  isInstalled: Child.isInstalled("adk/python/requirements.txt", `${environment}/requirements.txt`),
  script: "scripts/python-peer.sh",
  hasModel: true,
  differs: python,
  start: startPython()
}

const folder = "../../.tmp/adk-js-peer"

export const javascriptPeer: Subject = {
  name: "@google/adk-devtools",
  isInstalled: Child.isInstalled("adk/js/package-lock.json", `${folder}/installed.json`),
  script: "scripts/adk-js-peer.sh",
  hasModel: true,
  differs: javascript,
  start: Child.start(process.execPath, Child.file("adk/js/server.mjs"), Child.file(folder))
}

export const layer = ({ start }: Subject): Layer.Layer<AdkPeer> =>
  Layer.effect(AdkPeer, Effect.map(start, (origin) => ({ origin })))

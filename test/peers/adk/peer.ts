/** ADK servers that nobody here wrote, as the suites see them. */
import type { AdkError, AdkSession } from "@effect-a2a/transport-adk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Child from "../child.ts"

/** Where it listens. */
export class AdkPeer extends Context.Service<AdkPeer, { readonly origin: string }>()("test/AdkPeer") {}

export type Reason = AdkError.AdkErrorReason["_tag"]

/** Where a server differs from Python 2.x, which the page of the API describes. */
export interface Differences {
  readonly flavour: AdkSession.Flavour
  /** Of a run that names an application that is not there. */
  readonly unknownApp: Reason
  /** Of a stream in a session of an application that is not there. */
  readonly unknownAppStream: Reason
  /** Of an application whose name is reserved. */
  readonly specialApp: Reason
  /** Whether state is changed, artifacts are saved and sessions remembered without a run. */
  readonly writes: boolean
  /** Whether sessions begin with events. */
  readonly initialEvents: boolean
  /** What is told of an agent that throws: by a run, with what it said before, and by a stream. */
  readonly runThrew: string
  readonly runSaid: ReadonlyArray<string>
  readonly streamThrew: string
  readonly streamType: string | undefined
  /** In how many events a stream tells of a file that is saved with words. */
  readonly savedEvents: number
  /** Whether a run that is left by its client stops. */
  readonly stops: boolean
  /** Of a credential that is asked for: whether a client is told the secrets of the configuration. */
  readonly tellsSecrets: boolean
  /** Whether an authorization server on a loopback address is asked for tokens. */
  readonly exchanges: boolean
  /** Whether a model is told the answer to `requestInputTool`; it asks again where it is not. */
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
  tellsSecrets: false,
  exchanges: true,
  hearsInput: true
}

export const javascript: Differences = {
  flavour: "javascript",
  // it looks for the session first, and takes the stream on before it looks for the application
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
  tellsSecrets: true,
  exchanges: false,
  hearsInput: false
}

export interface Subject {
  readonly name: string
  readonly isInstalled: boolean
  /** How it is installed. */
  readonly script: string
  /** Whether it serves an agent with a model, too. */
  readonly hasModel: boolean
  readonly differs: Differences
  readonly start: Effect.Effect<string, never, Scope.Scope>
}

const environment = "../../.tmp/adk-python-peer"

const startPython = (...args: ReadonlyArray<string>) =>
  Child.start(Child.file(`${environment}/bin/python`), "-W", "ignore", Child.file("adk/python/server.py"), ...args)

/** With a default application. */
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

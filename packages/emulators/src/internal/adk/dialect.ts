/** Differences in spelling between servers in Python and JavaScript. */
import type * as AdkEvent from "@effect-a2a/transport-adk/AdkEvent"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Schema from "effect/Schema"
import type { Flavour } from "../../AdkScript.ts"

/** Converts base64 to the alphabet of Python. */
const toUrlSafe = (text: string) => text.replaceAll("+", "-").replaceAll("/", "_")

/** The spelling of one kind of server. */
export interface Spelling {
  readonly flavour: Flavour
  readonly version: Schema.JsonObject
  readonly health: HttpServerResponse.HttpServerResponse
  /** Converts milliseconds to the unit of the server. */
  readonly time: (millis: number) => number
  readonly eventId: (n: number) => string
  readonly defaults: AdkEvent.Event
  readonly bytes: (base64: string) => string
  readonly refuse: (status: number, message: string) => HttpServerResponse.HttpServerResponse
  readonly noRoute: (method: string, path: string) => HttpServerResponse.HttpServerResponse
  /** The response of `/run` if the agent threw. */
  readonly threw: (message: string | undefined, events: ReadonlyArray<unknown>) => HttpServerResponse.HttpServerResponse
  /** The last frame of a stream if the agent threw. */
  readonly frame: (message: string | undefined, millis: number) => unknown
  readonly deleted: HttpServerResponse.HttpServerResponse
  readonly sessions: (sessions: ReadonlyArray<unknown>) => unknown
  readonly duplicate: number
}

const json = (body: unknown, status = 200) => HttpServerResponse.jsonUnsafe(body, { status })

const noActions = { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} }

const python: Spelling = {
  flavour: "python",
  version: { version: "2.3.0", language: "python", language_version: "3.13.1" },
  health: json({ status: "ok" }),
  time: (millis) => millis / 1000,
  eventId: (n) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
  defaults: { actions: noActions, nodeInfo: { path: "" } },
  bytes: toUrlSafe,
  refuse: (status, message) => json({ detail: message }, status),
  noRoute: () => json({ detail: "Not Found" }, 404),
  threw: () => HttpServerResponse.text("Internal Server Error", { status: 500 }),
  frame: (message = "None", millis) => ({
    error: `RuntimeError: ${message}`,
    error_details: { error_type: "RuntimeError", error_message: message, timestamp: millis / 1000 }
  }),
  deleted: json(null),
  sessions: (sessions) => sessions,
  duplicate: 409
}

const javascript: Spelling = {
  flavour: "javascript",
  version: { version: "2.0.0" },
  health: HttpServerResponse.text("OK"),
  time: (millis) => millis,
  eventId: (n) => `ev${String(n).padStart(6, "0")}`,
  defaults: { actions: noActions, longRunningToolIds: [] },
  bytes: (base64) => base64,
  refuse: (status, message) => json({ error: message }, status),
  noRoute: (method, path) =>
    HttpServerResponse.text(
      `<!DOCTYPE html>\n<html>\n<body>\n<pre>Cannot ${method} ${path}</pre>\n</body>\n</html>\n`,
      {
        status: 404,
        contentType: "text/html; charset=utf-8"
      }
    ),
  threw: (message, events) =>
    json({ error: `Failed to run agent: ${message === undefined ? "undefined" : `Error: ${message}`}`, events }, 500),
  frame: (message) => ({ error: message }),
  deleted: HttpServerResponse.empty({ status: 204 }),
  sessions: (sessions) => ({ sessions, page: 1, limit: sessions.length, totalItems: sessions.length, totalPages: 1 }),
  duplicate: 400
}

/** The spelling by kind of server. */
export const spellings: { readonly [F in Flavour]: Spelling } = { python, javascript }

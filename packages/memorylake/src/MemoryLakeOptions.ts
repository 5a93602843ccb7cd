/**
 * What `metadata.memorylake` says: whose memory an agent uses, in which projects, and how it runs this one message.
 *
 * The types allow exactly what the service understands, since it ignores a misspelt key in silence; what it may
 * understand one day goes into `extra`.
 *
 * ```ts
 * import { MemoryLake } from "@effect-a2a/memorylake"
 *
 * const actorId = MemoryLake.ActorId.make("actor-33d6b73298fb43482a765643ff92444b")
 * MemoryLake.metadata({ actorId, overrides: { modelParams: { topP: 0.5 } }, extra: { overrides: { maxTurns: 3 } } })
 * // => { actorId: "actor-33d6b73298fb43482a765643ff92444b", overrides: { modelParams: { top_p: 0.5 }, maxTurns: 3 } }
 * MemoryLake.metadata({}) // => {}
 * MemoryLake.decodeOptions({ overrides: { capabilitiesOverride: { webSearch: {} } } })
 * // => { overrides: { capabilitiesOverride: { web_search: {} } } }
 * ```
 *
 * @since 0.1.0
 */
import type { Metadata } from "@effect-a2a/core/Metadata"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { isJsonObject, merge } from "./internal/json.ts"

const digits = "33d6b73298fb43482a765643ff92444b"

const idPattern = (prefix: string, noun: string) =>
  Schema.isPattern(new RegExp(`^${prefix}-[0-9a-f]{32}$`), {
    expected: `a MemoryLake ${noun} id: "${prefix}-" and 32 hexadecimal digits, such as ${prefix}-${digits}`
  })

/** `make` of a schema throws an error that keeps the reason in its cause; this one says it. */
const saying = <A, S extends Schema.Codec<A, string>>(schema: S & Schema.Codec<A, string>): S =>
  Object.defineProperty(schema, "make", { value: Schema.decodeSync(schema) })

/** An end user: `actor-` and 32 hexadecimal digits. `make` throws on another form and shows this one (ML-12). */
export const ActorId = saying(
  Schema.String.check(idPattern("actor", "actor")).pipe(Schema.brand("@effect-a2a/memorylake/ActorId"))
)
export type ActorId = typeof ActorId.Type

/** A project: `proj-` and 32 hexadecimal digits. `make` throws on another form and shows this one (ML-12). */
export const ProjectId = saying(
  Schema.String.check(idPattern("proj", "project")).pipe(Schema.brand("@effect-a2a/memorylake/ProjectId"))
)
export type ProjectId = typeof ProjectId.Type

/** An Open Data set; more than the ones published so far may exist. */
export type OpenDataset =
  | "research/academic"
  | "clinical/trials"
  | "drug/database"
  | "company/fundamentals"
  | "financial/markets"
  | "economic/data"
  | "patents/ip"
  | (string & {})

/** A capability without settings: naming it switches it on. */
export type NoSettings = Readonly<Record<string, never>>

/**
 * Capabilities switched on for this message; what is given replaces the agent's own settings of that capability. There
 * is no way to switch one off (ML-14).
 */
export interface Capabilities {
  /** Searches the web, and the Open Data sets named. */
  readonly web_search?: { readonly open_datasets?: ReadonlyArray<OpenDataset> }
  /** Reads pages by URL. */
  readonly web_fetch?: NoSettings
  /** Masks personal data before the model sees it. */
  readonly pii?: NoSettings
  /** Draws charts. */
  readonly vega?: NoSettings
  /** Queries the team's databases. */
  readonly dataset?: { readonly enabled_service_bundles: readonly ["nl2sql"] }
}

/** Sampling. The service checks no range and drops a value of the wrong type. */
export interface ModelParams {
  /** Tokens of the answer, at most. */
  readonly maxTokens?: number
  readonly temperature?: number
  readonly topP?: number
}

/** Changes to the agent's configuration, for this message only (ML-13). */
export interface Overrides {
  /** A model code; an unknown one makes the task fail, not the request. */
  readonly model?: string
  /** Replaces the agent's own instructions. */
  readonly systemPromptOverride?: string
  readonly modelParams?: ModelParams
  readonly capabilitiesOverride?: Capabilities
}

/** How this message is run (ML-15). */
export interface RuntimeOptions {
  /** The language of the answer, by name: `English`, `Chinese`, … Default: the language of the question. */
  readonly language?: string
}

/** What can be told about one message. All of it is optional; nothing at all means the caller's own actor, memory on. */
export interface Options {
  /** Who speaks. Default: the caller's own actor. */
  readonly actorId?: ActorId
  /** The project read and written. The first message of a conversation binds it; required with files. */
  readonly readWriteProjectId?: ProjectId
  /** Projects read besides, for this message only. */
  readonly readOnlyProjectIds?: ReadonlyArray<ProjectId>
  /** Neither recall nor remember, for this message only. Default: `false`. */
  readonly skipMemory?: boolean
  readonly overrides?: Overrides
  readonly runtimeOptions?: RuntimeOptions
  /** Keys that this version does not know, at any depth; never replaces a typed one (ML-16). */
  readonly extra?: Metadata
}

const modelParamWords = { maxTokens: "max_tokens", topP: "top_p" } as const

const renamed = (value: Metadata, words: Readonly<Record<string, string>>): Metadata =>
  Object.fromEntries(Object.entries(value).map(([key, member]) => [words[key] ?? key, member]))

/** The value of `metadata.memorylake`; `{}` where nothing is set. */
export const metadata = ({ extra, ...known }: Options): Metadata => {
  const { overrides, ...rest } = known
  const typed = overrides?.modelParams === undefined
    ? known
    : { ...rest, overrides: { ...overrides, modelParams: renamed({ ...overrides.modelParams }, modelParamWords) } }
  return merge(extra ?? {}, typed as unknown as Metadata)
}

/** Either a test of a value, or members to look further into. */
type Shape = ((value: unknown) => boolean) | Fields
type Fields = { readonly [key: string]: Shape }

const isStrings = (value: unknown): boolean => Array.isArray(value) && value.every(Predicate.isString)

const shape: Fields = {
  actorId: Predicate.isString,
  readWriteProjectId: Predicate.isString,
  readOnlyProjectIds: isStrings,
  skipMemory: Predicate.isBoolean,
  overrides: {
    model: Predicate.isString,
    systemPromptOverride: Predicate.isString,
    modelParams: { maxTokens: Predicate.isNumber, temperature: Predicate.isNumber, topP: Predicate.isNumber },
    capabilitiesOverride: {
      web_search: { open_datasets: isStrings },
      web_fetch: {},
      pii: {},
      vega: {},
      dataset: { enabled_service_bundles: isStrings }
    }
  },
  runtimeOptions: { language: Predicate.isString }
}

/** Other spellings that the service takes. */
const spellings: Readonly<Record<string, string>> = {
  max_tokens: "maxTokens",
  top_p: "topP",
  webSearch: "web_search",
  openDatasets: "open_datasets",
  webFetch: "web_fetch",
  enabledServiceBundles: "enabled_service_bundles"
}

type Side = "known" | "extra"

const own = <A>(record: Readonly<Record<string, A>>, key: string): A | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

const isEmpty = (value: Metadata) => Object.keys(value).length === 0

const split = (json: Metadata, fields: Fields): { readonly [K in Side]: Metadata } => {
  const entries = Object.entries(json).flatMap(([key, value]): ReadonlyArray<readonly [Side, string, Schema.Json]> => {
    const spelt = own(spellings, key)
    const name = spelt !== undefined && Object.hasOwn(fields, spelt) ? spelt : key
    const expected = own(fields, name)
    if (typeof expected === "function" && expected(value)) return [["known", name, value]]
    if (typeof expected !== "object" || !isJsonObject(value)) return [["extra", key, value]]
    const inner = split(value, expected)
    return [["known", name, inner.known], ...(isEmpty(inner.extra) ? [] : [["extra", name, inner.extra] as const])]
  })
  const side = (of: Side): Metadata =>
    Object.fromEntries(entries.flatMap(([is, key, value]) => is === of ? [[key, value] as const] : []))
  return { known: side("known"), extra: side("extra") }
}

/**
 * Options from the JSON of `metadata.memorylake`, in every spelling the service takes. Never fails: what is unknown or
 * of the wrong type is in `extra`, and ids are taken as they are.
 */
export const decodeOptions = (json: unknown): Options => {
  const { extra, known } = split(isJsonObject(json) ? json : {}, shape)
  return { ...known, ...(isEmpty(extra) ? undefined : { extra }) } as Options
}

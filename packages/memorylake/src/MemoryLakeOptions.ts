/**
 * Options of a message to a MemoryLake agent, written into `metadata.memorylake`: the end user whose memory is used, the
 * projects, and settings of the agent for this message.
 *
 * The service silently ignores keys that it does not know, so the types allow only those that it knows. Newer keys go into
 * `extra`.
 *
 * ```ts
 * import { MemoryLakeOptions } from "@effect-a2a/memorylake"
 *
 * const actorId = MemoryLakeOptions.actorId("actor-33d6b73298fb43482a765643ff92444b")
 * MemoryLakeOptions.encode({ actorId, overrides: { modelParams: { topP: 0.5 } }, extra: { overrides: { maxTurns: 3 } } })
 * // => { actorId: "actor-33d6b73298fb43482a765643ff92444b", overrides: { modelParams: { top_p: 0.5 }, maxTurns: 3 } }
 * MemoryLakeOptions.decode({ overrides: { capabilitiesOverride: { webSearch: {} } } })
 * // => { overrides: { capabilitiesOverride: { web_search: {} } } }
 * ```
 *
 * @since 0.1.0
 */
import { isObject, type Metadata } from "@effect-a2a/core/Metadata"
import * as Context from "effect/Context"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { merge as mergeJson } from "./internal/json.ts"

const digits = "33d6b73298fb43482a765643ff92444b"

const idPattern = (prefix: string, noun: string) =>
  Schema.isPattern(new RegExp(`^${prefix}-[0-9a-f]{32}$`), {
    expected: `a MemoryLake ${noun} id: "${prefix}-" and 32 hexadecimal digits, such as ${prefix}-${digits}`
  })

/** The id of an end user: `actor-` and 32 hexadecimal digits. */
export const ActorId = Schema.String.check(idPattern("actor", "actor")).pipe(
  Schema.brand("@effect-a2a/memorylake/ActorId")
)
/** The type of {@link ActorId}. */
export type ActorId = typeof ActorId.Type

/** Creates an id of an end user. Throws if the text has another form; the error's message shows the expected one. */
export const actorId: (id: string) => ActorId = Schema.decodeSync(ActorId)

/** The id of a project: `proj-` and 32 hexadecimal digits. */
export const ProjectId = Schema.String.check(idPattern("proj", "project")).pipe(
  Schema.brand("@effect-a2a/memorylake/ProjectId")
)
/** The type of {@link ProjectId}. */
export type ProjectId = typeof ProjectId.Type

/** Creates an id of a project. Throws if the text has another form; the error's message shows the expected one. */
export const projectId: (id: string) => ProjectId = Schema.decodeSync(ProjectId)

/** An Open Data set, published so far or later. */
export type OpenDataset =
  | "research/academic"
  | "clinical/trials"
  | "drug/database"
  | "company/fundamentals"
  | "financial/markets"
  | "economic/data"
  | "patents/ip"
  | (string & {})

/** Settings of a capability that has none: naming the capability switches it on. */
export type NoSettings = Readonly<Record<string, never>>

/**
 * Capabilities switched on for this message. The settings replace those of the agent's configuration. A capability cannot
 * be switched off.
 */
export interface Capabilities {
  /** Searches the web, and the named Open Data sets. */
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

/** Sampling of the model. The service checks no range and ignores a value of the wrong type. */
export interface ModelParams {
  /** The maximum number of tokens of the answer. */
  readonly maxTokens?: number
  readonly temperature?: number
  readonly topP?: number
}

/** Changes to the agent's configuration for this message only. */
export interface Overrides {
  /** A model code; an unknown one makes the task fail, not the request. */
  readonly model?: string
  /** Replaces the agent's own instructions. */
  readonly systemPromptOverride?: string
  readonly modelParams?: ModelParams
  readonly capabilitiesOverride?: Capabilities
}

/** Settings of the run of this message. */
export interface RuntimeOptions {
  /** The language of the answer, by name: `English`, `Chinese`, … Default: the language of the question. */
  readonly language?: string
}

/** Options of one message. Without any, the caller's own actor is used, and memory is on. */
export interface Options {
  /** The end user. Default: the caller's own actor. */
  readonly actorId?: ActorId
  /** The project to read and write. The first message of a conversation binds it; required with files. */
  readonly readWriteProjectId?: ProjectId
  /** More projects to read, for this message only. */
  readonly readOnlyProjectIds?: ReadonlyArray<ProjectId>
  /** Switches memory off, to read and to write, for this message only. Default: `false`. */
  readonly skipMemory?: boolean
  readonly overrides?: Overrides
  readonly runtimeOptions?: RuntimeOptions
  /** Keys that this version does not know, at any depth. They never replace a typed one. */
  readonly extra?: Metadata
}

/** The options of every message sent in this context. Default: `{}`; set by `MemoryLake.withOptions`. */
export const CurrentOptions = Context.Reference<Options>(
  "@effect-a2a/memorylake/MemoryLakeOptions/CurrentOptions",
  { defaultValue: () => ({}) }
)

/** Merges options into others: objects member by member, other values are replaced. */
export const merge = (base: Options, over: Options): Options =>
  mergeJson(base as unknown as Metadata, over as unknown as Metadata) as Options

const modelParamKeys = { maxTokens: "max_tokens", topP: "top_p" } as const

const renameKeys = (value: Metadata, names: Readonly<Record<string, string>>): Metadata =>
  Object.fromEntries(Object.entries(value).map(([key, member]) => [names[key] ?? key, member]))

/** Returns the JSON of `metadata.memorylake`, `{}` without options. */
export const encode = ({ extra, ...known }: Options): Metadata => {
  const { overrides, ...rest } = known
  const typed = overrides?.modelParams === undefined
    ? known
    : { ...rest, overrides: { ...overrides, modelParams: renameKeys({ ...overrides.modelParams }, modelParamKeys) } }
  return mergeJson(extra ?? {}, typed as unknown as Metadata)
}

/** A predicate of a value, or the shapes of its members. */
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

/** Other spellings that the service accepts. */
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
    const spelling = own(spellings, key)
    const name = spelling !== undefined && Object.hasOwn(fields, spelling) ? spelling : key
    const expected = own(fields, name)
    if (typeof expected === "function" && expected(value)) return [["known", name, value]]
    if (typeof expected !== "object" || !isObject(value)) return [["extra", key, value]]
    const inner = split(value, expected)
    return [["known", name, inner.known], ...(isEmpty(inner.extra) ? [] : [["extra", name, inner.extra] as const])]
  })
  const side = (of: Side): Metadata =>
    Object.fromEntries(entries.flatMap(([is, key, value]) => is === of ? [[key, value] as const] : []))
  return { known: side("known"), extra: side("extra") }
}

/**
 * Reads options from the JSON of `metadata.memorylake`, in every spelling that the service accepts. Never fails: members
 * that are unknown or of the wrong type go into `extra`, and ids are not checked.
 */
export const decode = (json: unknown): Options => {
  const { extra, known } = split(isObject(json) ? json : {}, shape)
  return { ...known, ...(isEmpty(extra) ? undefined : { extra }) } as Options
}

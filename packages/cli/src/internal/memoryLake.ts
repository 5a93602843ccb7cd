/** The flags of MemoryLake as options of its requests. */
import * as MemoryLake from "@effect-a2a/memorylake/MemoryLake"
import * as MemoryLakeOptions from "@effect-a2a/memorylake/MemoryLakeOptions"
import * as Option from "effect/Option"
import type { Flags } from "./target.ts"

const member = <K extends string, A>(key: K, value: Option.Option<A>) =>
  (Option.isNone(value) ? {} : { [key]: value.value }) as { readonly [_ in K]?: A }

const nonEmpty = <K extends string, A extends object>(key: K, value: A) =>
  member(key, Object.keys(value).length === 0 ? Option.none() : Option.some(value))

const webSearch = (sets: string) => ({
  web_search: nonEmpty("open_datasets", sets.split(",").map((set) => set.trim()).filter((set) => set !== ""))
})

/** Creates the options from all flags except `--memorylake-json`. */
export const options = (flags: Flags): MemoryLakeOptions.Options => ({
  ...member("actorId", flags.actor),
  ...member("readWriteProjectId", flags.project),
  ...(flags.readOnlyProject.length > 0 && { readOnlyProjectIds: flags.readOnlyProject }),
  ...(flags.skipMemory && { skipMemory: true }),
  ...nonEmpty("overrides", {
    ...member("model", flags.model),
    ...member("systemPromptOverride", flags.systemPrompt),
    ...member("capabilitiesOverride", Option.map(flags.webSearch, webSearch))
  }),
  ...nonEmpty("runtimeOptions", member("language", flags.language))
})

/** Returns true if a flag is set that only MemoryLake understands. */
export const isUsed = (flags: Flags): boolean =>
  Object.keys(options(flags)).length > 0 || Option.isSome(flags.memorylakeJson)

/** Provides the options to an effect or a stream. Single flags win over `--memorylake-json`. */
export const provide = (flags: Flags) => {
  const json = Option.match(flags.memorylakeJson, { onNone: () => ({}), onSome: MemoryLakeOptions.decode })
  const [inner, outer] = [MemoryLake.withOptions(options(flags)), MemoryLake.withOptions(json)]
  return <S extends Parameters<typeof inner>[0]>(self: S): S => outer(inner(self))
}

/** Flags as what a MemoryLake agent is told. */
import * as MemoryLake from "@effect-a2a/memorylake/MemoryLake"
import * as Option from "effect/Option"
import type { Flags } from "./target.ts"

const member = <K extends string, A>(key: K, value: Option.Option<A>) =>
  (Option.isNone(value) ? {} : { [key]: value.value }) as { readonly [_ in K]?: A }

const filled = <K extends string, A extends object>(key: K, value: A) =>
  member(key, Object.keys(value).length === 0 ? Option.none() : Option.some(value))

const search = (sets: string) => ({
  web_search: filled("open_datasets", sets.split(",").map((set) => set.trim()).filter((set) => set !== ""))
})

/** What the flags say, but for `--memorylake-json`. */
export const options = (flags: Flags): MemoryLake.Options => ({
  ...member("actorId", flags.actor),
  ...member("readWriteProjectId", flags.project),
  ...(flags.readOnlyProject.length > 0 && { readOnlyProjectIds: flags.readOnlyProject }),
  ...(flags.skipMemory && { skipMemory: true }),
  ...filled("overrides", {
    ...member("model", flags.model),
    ...member("systemPromptOverride", flags.systemPrompt),
    ...member("capabilitiesOverride", Option.map(flags.webSearch, search))
  }),
  ...filled("runtimeOptions", member("language", flags.language))
})

/** Whether the flags say anything that only MemoryLake understands. */
export const isUsed = (flags: Flags): boolean =>
  Object.keys(options(flags)).length > 0 || Option.isSome(flags.memorylakeJson)

/** Single flags win over `--memorylake-json`. */
export const provide = (flags: Flags) => {
  const json = Option.match(flags.memorylakeJson, { onNone: () => ({}), onSome: MemoryLake.decodeOptions })
  const [inner, outer] = [MemoryLake.withOptions(options(flags)), MemoryLake.withOptions(json)]
  return <S extends Parameters<typeof inner>[0]>(self: S): S => outer(inner(self))
}

import { MemoryLakeOptions } from "@effect-a2a/memorylake"
import { assert, it } from "@effect/vitest"
import { covers } from "../../../test/support/covers.ts"

const overriding = (capabilitiesOverride: MemoryLakeOptions.Capabilities) =>
  MemoryLakeOptions.encode({ overrides: { capabilitiesOverride } })

// What the service would ignore in silence does not compile: each line below needs its directive.
it("misspelt and misused capabilities are type errors", covers("ML-14"), () => {
  // @ts-expect-error a misspelt capability
  overriding({ web_serach: {} })
  // @ts-expect-error the camelCase spelling
  overriding({ webSearch: {} })
  // @ts-expect-error no such setting: it would switch the capability on
  overriding({ web_search: { enabled: false } })
  // @ts-expect-error likewise where there are no settings at all
  overriding({ web_fetch: { enabled: false } })
  const settings = { enabled: false }
  // @ts-expect-error neither by way of a variable
  overriding({ pii: settings })
  // @ts-expect-error nor here
  overriding({ web_search: settings })
  // @ts-expect-error a string for a list
  overriding({ web_search: { open_datasets: "research/academic" } })
  // @ts-expect-error `true` for settings
  overriding({ web_search: true })
  // @ts-expect-error likewise
  overriding({ vega: true })
  // @ts-expect-error there is one bundle
  overriding({ dataset: { enabled_service_bundles: ["sql"] } })
  // @ts-expect-error and it must be named
  overriding({ dataset: {} })
  // @ts-expect-error a list for the whole
  overriding([])
  // @ts-expect-error null switches nothing off
  overriding({ web_search: null })
  // @ts-expect-error a plain string is not an actor id
  MemoryLakeOptions.encode({ actorId: "actor-33d6b73298fb43482a765643ff92444b" })
  // @ts-expect-error a misspelt option
  MemoryLakeOptions.encode({ skipMemmory: true })

  assert.deepStrictEqual<unknown>(
    overriding({
      web_search: { open_datasets: ["new/set"] },
      web_fetch: {},
      pii: {},
      vega: {},
      dataset: { enabled_service_bundles: ["nl2sql"] }
    }),
    {
      overrides: {
        capabilitiesOverride: {
          web_search: { open_datasets: ["new/set"] },
          web_fetch: {},
          pii: {},
          vega: {},
          dataset: { enabled_service_bundles: ["nl2sql"] }
        }
      }
    }
  )
})

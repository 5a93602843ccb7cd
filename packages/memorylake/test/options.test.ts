import { MemoryLakeOptions } from "@effect-a2a/memorylake"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary } from "effect"
import * as Schema from "effect/Schema"
import { covers } from "../../../test/support/covers.ts"

const hex = "33d6b73298fb43482a765643ff92444b"
const actorId = MemoryLakeOptions.actorId(`actor-${hex}`)
const projectId = MemoryLakeOptions.projectId(`proj-${hex}`)
const wire = (options: MemoryLakeOptions.Options) => JSON.stringify(MemoryLakeOptions.encode(options))

describe("MemoryLakeOptions", () => {
  it("refuses a malformed id and shows the expected form", covers("ML-12"), () => {
    for (const id of [`actor_${hex}`, `actor-${hex}0`, "actor-", `proj-${hex}`, `actor-${hex.toUpperCase()}`]) {
      assert.throws(() => MemoryLakeOptions.actorId(id), /"actor-" and 32 hexadecimal digits/)
    }
    assert.throws(() => MemoryLakeOptions.projectId("p1"), new RegExp(`proj-${hex}`))
  })

  it("decodes any id", covers("ML-12"), () => {
    assert.strictEqual(MemoryLakeOptions.decode({ actorId: "jane" }).actorId as string | undefined, "jane")
  })

  it("encodes every field in the documented spelling", covers("ML-11", "ML-12", "ML-13", "ML-15"), () => {
    const json = wire({
      actorId,
      readWriteProjectId: projectId,
      readOnlyProjectIds: [projectId],
      skipMemory: true,
      overrides: {
        model: "gpt-4o",
        systemPromptOverride: "You are a librarian.",
        modelParams: { maxTokens: 1, temperature: 0.2, topP: 0.9 },
        capabilitiesOverride: {
          web_search: { open_datasets: ["research/academic"] },
          dataset: { enabled_service_bundles: ["nl2sql"] }
        }
      },
      runtimeOptions: { language: "Chinese" }
    })
    assert.deepStrictEqual(JSON.parse(json), {
      actorId: `actor-${hex}`,
      readWriteProjectId: `proj-${hex}`,
      readOnlyProjectIds: [`proj-${hex}`],
      skipMemory: true,
      overrides: {
        model: "gpt-4o",
        systemPromptOverride: "You are a librarian.",
        modelParams: { max_tokens: 1, temperature: 0.2, top_p: 0.9 },
        capabilitiesOverride: {
          web_search: { open_datasets: ["research/academic"] },
          dataset: { enabled_service_bundles: ["nl2sql"] }
        }
      },
      runtimeOptions: { language: "Chinese" }
    })
    assert.strictEqual(wire({}), "{}")
  })

  it("decodes the camelCase spellings that the service accepts", covers("ML-14"), () => {
    const json = JSON.parse(
      `{"overrides":{"modelParams":{"maxTokens":5,"topP":1},"capabilitiesOverride":{"webSearch":{"openDatasets":["patents/ip"]},"webFetch":{},"dataset":{"enabledServiceBundles":["nl2sql"]}}}}`
    )
    const expected = {
      overrides: {
        modelParams: { maxTokens: 5, topP: 1 },
        capabilitiesOverride: {
          web_search: { open_datasets: ["patents/ip"] },
          web_fetch: {},
          dataset: { enabled_service_bundles: ["nl2sql"] }
        }
      }
    }
    assert.deepStrictEqual<unknown>(MemoryLakeOptions.decode(json), expected)
    assert.deepStrictEqual<unknown>(
      MemoryLakeOptions.decode({ overrides: { modelParams: { max_tokens: 5, top_p: 1 } } }),
      { overrides: { modelParams: expected.overrides.modelParams } }
    )
  })

  it("encodes newer keys at any depth, which never replace a typed one", covers("ML-16"), () => {
    const options = {
      actorId,
      overrides: { model: "gpt-4o" },
      extra: { actorId: "other", subagentMapping: { writer: "agent-1" }, overrides: { model: "other", maxTurns: 3 } }
    }
    assert.deepStrictEqual(JSON.parse(wire(options)), {
      actorId,
      subagentMapping: { writer: "agent-1" },
      overrides: { model: "gpt-4o", maxTurns: 3 }
    })
  })

  it("keeps members that are unknown or of the wrong type", covers("ML-16"), () => {
    const json = {
      actorId: 5,
      overrides: { capabilitiesOverride: ["pii"], maxTurns: 3 },
      runtimeOptions: { tone: "dry" }
    }
    const options = MemoryLakeOptions.decode(json)
    assert.isUndefined(options.actorId)
    assert.deepStrictEqual(MemoryLakeOptions.encode(options), json)
    assert.deepStrictEqual(MemoryLakeOptions.decode("nonsense"), {})
  })

  it("keeps a key named __proto__", () => {
    const json = JSON.parse(`{"__proto__":{"polluted":true},"overrides":{"__proto__":{"polluted":true}}}`)
    const written = wire(MemoryLakeOptions.decode(json))
    assert.strictEqual(written, JSON.stringify(json))
    assert.isUndefined(({} as Record<string, unknown>).polluted)
  })

  const optional = Schema.optionalKey
  const Options = Schema.Struct({
    actorId: optional(MemoryLakeOptions.ActorId),
    readOnlyProjectIds: optional(Schema.Array(MemoryLakeOptions.ProjectId)),
    skipMemory: optional(Schema.Boolean),
    overrides: optional(Schema.Struct({
      model: optional(Schema.String),
      modelParams: optional(
        Schema.Struct({
          maxTokens: optional(Schema.Int),
          temperature: optional(Schema.Finite),
          topP: optional(Schema.Finite)
        })
      ),
      capabilitiesOverride: optional(Schema.Struct({
        web_search: optional(Schema.Struct({ open_datasets: optional(Schema.Array(Schema.String)) })),
        pii: optional(Schema.Record(Schema.String, Schema.Never).check(Schema.isMaxProperties(0)))
      }))
    })),
    runtimeOptions: optional(Schema.Struct({ language: optional(Schema.String) }))
  })

  it.prop(
    "decodes what it encodes",
    [Options],
    ([options]) => {
      const read = MemoryLakeOptions.decode(JSON.parse(wire(options)))
      assert.deepStrictEqual<unknown>(read, JSON.parse(JSON.stringify(options)))
    },
    { ...covers("ML-12", "ML-13", "ML-14", "ML-15", "ML-16"), arbitrary: { runs: 200 } }
  )

  it.prop(
    "decodes any JSON without loss",
    [Arbitrary.schema(Schema.Record(Schema.String, Schema.Json))],
    ([extra]) => {
      const json = JSON.parse(JSON.stringify({ ...extra, overrides: extra }))
      assert.deepStrictEqual(JSON.parse(wire(MemoryLakeOptions.decode(json))), json)
    },
    { ...covers("ML-16"), arbitrary: { runs: 200 } }
  )
})
